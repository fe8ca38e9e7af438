"""Many ticked records at once: restored straight away, or shown again and then moved or deleted for good."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.db.models.functions import Left
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from console.errors import Invalid, NotFound, SignInAgain
from console.saying import phrase
from memories.access import Actor, check_signed_in_lately, visible_to
from memories.pages.erasing import password_first
from memories.pages.form_fields import Labelled
from memories.pages.listing import LINE
from memories.pages.trash import MODELS, TEXT
from memories.services import bulk, records
from memories.services.bulk import Batch, Picked

VERBS: dict[str, Callable[..., Batch]] = {
    "forget": bulk.forget_many,
    "restore": bulk.restore_many,
    "erase": bulk.erase_many,
}
TYPED_FROM = 51  # a move of more than one page of a list is typed in; of fewer the button says the number
UNREADABLE = phrase("The selection cannot be read. Go back to the list and tick the records again.")


class ConfirmForm(Labelled):
    """The number of records, and why."""

    count = forms.IntegerField(
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off", "class": "mono"}),
        error_messages={"required": _("No number was typed."), "invalid": _("This is no number.")},
    )
    word = forms.CharField(
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false", "class": "mono"}
        ),
    )
    reason = forms.CharField(
        required=False, label=_("Why"), help_text=_("It stays in the audit. Do not repeat what the records say.")
    )

    def __init__(self, data: Any, *, verb: str, count: int) -> None:
        super().__init__(data, label_suffix="")
        self.fields["count"].label = gettext("Type the number of records: %(count)s") % {"count": count}
        word = self.fields["word"]
        word.label = gettext("Type the word %(word)s") % {"word": bulk.WORD}
        word.error_messages["required"] = gettext("Nothing was typed. Type %(word)s.") % {"word": bulk.WORD}
        if verb != "erase":
            del self.fields["word"]
            if count < TYPED_FROM:
                self.fields["count"].widget = forms.HiddenInput()
                self.fields["count"].initial = count
            elif data is None:
                self.fields["count"].widget.attrs["data-focus"] = ""
        else:
            self.fields["reason"].required = True
            self.fields["reason"].error_messages["required"] = gettext(
                "The reason is empty. It stays in the audit when the records are gone."
            )

    def values(self) -> dict[str, Any]:
        """What was typed, by the names that the service uses."""
        names = {"count": "typed_count", "word": "typed_word"}
        return {names.get(name, name): value for name, value in self.cleaned_data.items()}

    def take(self, refusal: Invalid) -> None:
        """Show the service's problems at their fields."""
        for problem in refusal.problems:
            self.add_error(problem.loc[-1] if problem.loc[-1] in self.fields else None, problem.told)


@require_POST
def selected(request: HttpRequest, verb: str) -> HttpResponse:
    """Restore what was ticked at once; else show it and ask, then do it. Say what became of each."""
    if verb not in VERBS:
        raise NotFound(phrase("There is no such page."))
    picked = _picked(request.POST.getlist("include"), bulk.HARD_MOST if verb == "erase" else bulk.SOFT_MOST)
    if verb == "erase":
        try:
            check_signed_in_lately(request.actor, within_seconds=settings.RECENT_SIGN_IN_SECONDS)
        except SignInAgain:
            return password_first(request)
    sent = request.POST if "count" in request.POST else {"count": len(picked)} if verb == "restore" else None
    form = ConfirmForm(sent, verb=verb, count=len(picked))
    if form.is_bound and form.is_valid():
        try:
            batch = VERBS[verb](picked=picked, actor=request.actor, **form.values())
        except Invalid as refusal:
            form.take(refusal)
        else:
            return render(request, "memories/selected_done.html", _done(verb, picked, batch, request.actor))
    context = {"nav": _nav(verb), "verb": verb, "form": form, "rows": _rows(picked, request.actor), "picked": picked}
    return render(request, "memories/selected.html", context, status=422 if form.is_bound else 200)


def _done(verb: str, picked: list[Picked], batch: Batch, actor: Actor) -> dict[str, Any]:
    """What became of each, beside the line it has; what was deleted for good has none."""
    lines = {row["id"]: row["line"] for row in _rows(picked, actor)}
    outcomes = [(one, lines[one.id]) for one in batch.outcomes]
    return {"nav": _nav(verb), "verb": verb, "batch": batch, "outcomes": outcomes}


def _nav(verb: str) -> str:
    return "memories" if verb == "forget" else "trash"


def _picked(texts: list[str], most: int) -> list[Picked]:
    """The ticked records, each once. Raises Invalid."""
    found: dict[UUID, Picked] = {}
    for text in texts:
        key, _, version = text.partition(":")
        try:
            if not (version.isascii() and version.isdigit() and len(version) < 10):
                raise ValueError
            found.setdefault(UUID(key), Picked(UUID(key), int(version)))
        except ValueError:
            raise Invalid.field("include", UNREADABLE) from None
    if not found:
        raise Invalid.field("include", phrase("Nothing is selected. Go back to the list and tick the records."))
    if len(found) > most:
        said = phrase(
            "%(count)s records are selected; at most %(most)s go at once. Select fewer.",
            count=f"{len(found):,}",
            most=most,
        )
        raise Invalid.field("include", said)
    return list(found.values())


def _rows(picked: list[Picked], actor: Actor) -> list[dict[str, Any]]:
    """One line of each picked record that is still to be seen, in the order they were ticked."""
    found: dict[UUID, dict[str, Any]] = {}
    for kind, model in MODELS.items():
        rows = visible_to(actor, model.objects.filter(pk__in=[one.id for one in picked]))
        rows = rows.select_related("state") if kind == "memory" else rows
        for row in rows.annotate(line=Left(TEXT[kind], LINE)).defer(TEXT[kind]):
            found[row.pk] = {"id": row.pk, "kind": kind, "line": row.line, "version": records.standing(row).version}
    return [
        found.get(one.id, {"id": one.id, "kind": "", "line": ""}) | {"value": f"{one.id}:{one.version}"}
        for one in picked
    ]
