"""Asking for a plan that takes back what a token wrote: which token, from when until when, and how much that was."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from console.errors import Invalid, NotAllowed, NotFound, Refused
from memories.access import Actor
from memories.models import ApiToken
from memories.pages.form_fields import LABELS, LocalTime, SpaceField
from reflection.services.revert import Asked, plan_revert, read
from reflection.services.written import tally, tokens_of

TOKENS_MOST = 500
LOOK_BACK = timedelta(days=1)


class RevertForm(forms.Form):
    """What is to be taken back. Values are judged by the service, so that page and API answer with one sentence."""

    use_required_attribute = False

    token = forms.CharField(
        widget=forms.Select, label=gettext_lazy("Token"), error_messages={"required": gettext_lazy("Choose a token.")}
    )
    space = SpaceField(label=gettext_lazy("Space"), error_messages={"required": gettext_lazy("Choose a space.")})
    since = LocalTime(seconds=True, label=LABELS["since"])
    until = LocalTime(seconds=True, label=LABELS["until"])
    limit = forms.CharField(
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
        label=gettext_lazy("Limit"),
        help_text=gettext_lazy("At most this many memories, up to 5,000; the next plan goes on."),
    )

    def __init__(self, actor: Actor, data: Any) -> None:
        super().__init__(data, label_suffix="", auto_id="revert_%s")
        offered = [(str(one.pk), _told(one, actor)) for one in tokens_of(actor)[:TOKENS_MOST]]
        self.fields["token"].widget.choices = [("", _("Choose a token")), *offered]  # type: ignore[attr-defined]
        self.fields["token"].help_text = _("Your own, and those of members who write to your teams; revoked ones too.")
        space: Any = self.fields["space"]
        space.offer(actor, empty=None)
        space.help_text = _("A plan is about one space.")
        since = self.fields["since"]
        since.help_text, since.required = _("In your time zone."), True
        since.error_messages["required"] = _("Say from when on its writes are to be taken back.")
        self.fields["until"].help_text = _("Up to, but not including, this moment. Empty: now.")

    def given(self, actor: Actor) -> dict[str, Any]:
        """What was entered, as the service takes it. Call `is_valid` first."""
        values = self.cleaned_data
        space = actor.spaces[values["space"]] if values.get("space") else None
        team = str(space.team_id) if space is not None and space.team_id else ""
        asked = {"token": values["token"].strip(), "team_id": team, "limit": values["limit"].strip()}
        return {name: value for name, value in (asked | _times(values)).items() if value}

    def show(self, refusal: Refused) -> None:
        """Put each problem of a refusal beside its field."""
        if not isinstance(refusal, Invalid):
            self.add_error("token" if isinstance(refusal, NotFound) else "space", refusal.told)
            return
        for problem in refusal.problems:
            name = {"team_id": "space"}.get(str(problem.loc[-1]), str(problem.loc[-1]))
            self.add_error(name if name in self.fields else None, problem.told)


def _told(one: ApiToken, actor: Actor) -> str:
    """A token as a list names it; of another person's, the beginning of its key alone."""
    mine = one.user_id == actor.user_id
    values = {"name": one.name, "prefix": one.prefix, "who": one.user}
    if mine:
        return (_("%(name)s (%(prefix)s…, revoked)") if one.revoked_at else "%(name)s (%(prefix)s…)") % values
    return (_("%(prefix)s… of %(who)s, revoked") if one.revoked_at else _("%(prefix)s… of %(who)s")) % values


def _times(values: dict[str, Any]) -> dict[str, str]:
    return {name: values[name].isoformat() for name in ("since", "until") if values.get(name)}


@require_http_methods(["GET", "HEAD", "POST"])
def revert(request: HttpRequest) -> HttpResponse:
    """The form; with a token in the address also what it wrote; posted, the plan."""
    actor = request.actor
    if request.method != "POST" and not request.GET.get("token"):
        return _page(request, RevertForm(actor, _begin(request)))
    given = request.POST if request.method == "POST" else _complete(request)
    form = RevertForm(actor, given)
    try:
        if not form.is_valid():
            return _page(request, form, status=422)
        if request.method == "POST":
            return redirect("pass", plan_revert(given=form.given(actor), actor=actor).pk)
        return _page(request, form, asked=read(form.given(actor), actor=actor, as_of=timezone.now()))
    except (Invalid, NotAllowed, NotFound) as refusal:
        if request.htmx:
            raise
        request.refusal = refusal
        form.show(refusal)
        return _page(request, form, status=refusal.status)


def _begin(request: HttpRequest) -> dict[str, str]:
    return {**_defaults(request.actor), "token": ""}


def _defaults(actor: Actor) -> dict[str, str]:
    since = timezone.localtime() - LOOK_BACK
    return {"since": f"{since:%Y-%m-%dT%H:%M:%S}", "limit": "500", "space": str(actor.own)}


def _complete(request: HttpRequest) -> dict[str, str]:
    """The address, with a start where it names none; times with an offset in the person's own zone."""
    found = {**_defaults(request.actor), **{name: value for name, value in request.GET.dict().items() if value}}
    return {name: _local(value) if name in ("since", "until") else value for name, value in found.items()}


def _local(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text)
        return f"{timezone.localtime(moment):%Y-%m-%dT%H:%M:%S.%f}" if moment.tzinfo else text
    except (ValueError, OverflowError):  # no moment, or none in their zone
        return text


def _page(request: HttpRequest, form: RevertForm, *, asked: Asked | None = None, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {"nav": "passes", "form": form}
    if not request.GET.get("token") and request.method != "POST":
        form.errors.clear()
    if asked is not None:
        context |= {"asked": asked, "tally": tally(asked.span, actor=request.actor)}
    return render(request, "reflection/revert.html", context, status=status)
