"""How long the trash keeps records: what would go and when, and the choice itself."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from console.errors import Invalid, SignInAgain
from console.pages import password_step
from memories.access import Actor, check_signed_in_lately
from memories.pages.form_fields import NO_SPACE, Labelled, Refusable, SpaceField
from memories.services import purge, records

EXAMPLES = (7, 30, 90, 365)


class SpaceChoice(Labelled):
    """Which trash, and for how many days to look ahead."""

    space = SpaceField(required=False, error_messages=NO_SPACE)
    days = forms.IntegerField(
        required=False,
        min_value=purge.DAYS_LEAST,
        max_value=purge.DAYS_MOST,
        label=_("Show what would go after (days)"),
    )

    def __init__(self, data: Any, actor: Actor) -> None:
        super().__init__(data, label_suffix="", auto_id="look_%s")
        self.fields["space"].offer(actor, empty=None)


class RetentionForm(Refusable):
    """The choice. Without days everything is kept."""

    days = forms.IntegerField(
        required=False,
        min_value=purge.DAYS_LEAST,
        max_value=purge.DAYS_MOST,
        label=_("Delete for good after (days)"),
        help_text=_("Leave it empty to keep everything. Records under a legal hold always stay."),
    )
    typed = forms.CharField(
        required=False,
        label=_("How many records go at once"),
        help_text=_("The number that is shown above, if there are any."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "inputmode": "numeric"}),
    )

    def __init__(self, data: Any = None, **more: Any) -> None:
        super().__init__(data, label_suffix="", **more)


@require_http_methods(["GET", "HEAD", "POST"])
def retention(request: HttpRequest) -> HttpResponse:
    """Show and choose how long the trash of one space keeps records."""
    look = SpaceChoice(request.GET, request.actor)
    if not look.is_valid():
        return render(request, "memories/retention.html", {"nav": "trash", "look": look}, status=422)
    space_id = look.cleaned_data["space"] or next(iter(request.actor.spaces))
    if request.method == "POST":
        return _choose(request, look, space_id)
    return render(request, "memories/retention.html", _context(request, look, space_id, None))


def _choose(request: HttpRequest, look: SpaceChoice, space_id: UUID) -> HttpResponse:
    form = RetentionForm(request.POST)
    try:
        check_signed_in_lately(request.actor, within_seconds=settings.RECENT_SIGN_IN_SECONDS)
    except SignInAgain:
        return password_step(request, request.get_full_path(), status=SignInAgain.status)
    if form.is_valid():
        days = form.cleaned_data["days"]
        try:
            purge.set_retention(space_id=space_id, days=days, typed=form.cleaned_data["typed"], actor=request.actor)
        except Invalid as refusal:
            form.take(refusal)
        else:
            messages.success(request, _saved(days))
            return redirect(f"{reverse('trash-retention')}?{urlencode({'space': str(space_id)})}")
    return render(request, "memories/retention.html", _context(request, look, space_id, form), status=422)


def _saved(days: int | None) -> str:
    if not days:
        return gettext("Saved. What is in this trash is kept until somebody deletes it.")
    said = ngettext(
        "Saved. What is in this trash is kept for %(count)s day.",
        "Saved. What is in this trash is kept for %(count)s days.",
        days,
    )
    return said % {"count": days}


def _context(request: HttpRequest, look: SpaceChoice, space_id: UUID, form: RetentionForm | None) -> dict[str, Any]:
    chosen = purge.retention_of(space_id, actor=request.actor)
    in_force = chosen.trash_days if chosen else None
    typed = form.cleaned_data.get("days") if form else None
    days = typed or look.cleaned_data["days"] or in_force
    space = request.actor.space(space_id)
    return {
        "nav": "trash",
        "look": look,
        "space": space,
        "chosen": chosen,
        "days": days,
        "due": _due(space_id, days, request.actor) if days else None,
        "examples": [(some, purge.due(space_id, some, actor=request.actor).count) for some in EXAMPLES],
        "may": purge.may_purge(request.actor, space),
        "form": form or RetentionForm(initial={"days": look.cleaned_data["days"] or in_force}),
    }


def _due(space_id: UUID, days: int, actor: Actor) -> dict[str, Any]:
    found = purge.due(space_id, min(days, purge.DAYS_MOST), actor=actor)
    lines = [
        {"record": one, "kind": records.kind_of(one), "deleted_at": records.standing(one).deleted_at}
        for one in found.first
    ]
    return {"count": found.count, "held": found.held, "lines": lines, "more": found.count - len(lines)}
