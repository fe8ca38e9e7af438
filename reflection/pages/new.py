"""A new plan: a form with all parameters of reflect. What is wrong is said by the service, beside each field."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from console.errors import Invalid, NotAllowed, Refused
from memories.access import Actor
from memories.pages.form_fields import LocalTime
from reflection import queries
from reflection.models import ReflectPass
from reflection.pages import asked
from reflection.services.plan import plan
from reflection.states import Action

MEANING = {
    Action.SUMMARIZE: _("Summarize: turn an episode into one durable record"),
    Action.PROMOTE: _("Promote: turn repeated evidence into a fact"),
    Action.EXPIRE: _("Expire: take out what is past its date"),
    Action.DECAY: _("Decay: lower the importance of what is not used"),
    Action.ARCHIVE: _("Archive: set aside what is faded, idle or repeated"),
}
NAMES = ("time_window_hours", "since", "until", "path_filter", "bucket", "scope", "limit", "on_drift")


class Judged:
    """A field whose value is judged by the service alone, so that page and API answer with one sentence."""

    def validate(self, value: Any) -> None:
        """Nothing to say here."""


class Choice(Judged, forms.ChoiceField):
    """One of several values."""


class Several(Judged, forms.MultipleChoiceField):
    """Checkboxes."""


class Text(Judged, forms.CharField):
    """One line of text."""


def _text(label: Any, help_text: Any, *, optional: bool = False, **attrs: Any) -> Text:
    widget = forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", **attrs})
    return Text(label=label, required=not optional, help_text=help_text, strip=False, widget=widget)


class Moment(LocalTime):
    """A moment in the reader's zone; what is none goes on as it was typed, for the service to judge."""

    def clean(self, value: Any) -> str:
        try:
            found = super().clean(value)
        except forms.ValidationError:
            return str(value)
        return found.isoformat() if found else ""


class PlanForm(forms.Form):
    """The parameters of a plan."""

    use_required_attribute = False

    team_id = Choice(label=_("Space"), help_text=_("Whose memories the pass looks at."))
    owner_filter = Choice(
        label=_("Records of"),
        choices=[("", _("Everybody there")), ("me", _("Only me"))],
        help_text=_("In a team. In your private space they are all yours."),
    )
    actions = Several(label=_("Actions"), choices=list(MEANING.items()), widget=forms.CheckboxSelectMultiple)
    time_window_hours = _text(
        _("Look back"), _("Hours. Chooses the events that are summarized and promoted."), inputmode="decimal"
    )
    since = Moment(seconds=True, label=_("Since"), help_text=_("Instead of hours, in your time zone."))
    until = Moment(seconds=True, label=_("Until"), help_text=_("Up to, but not including, this moment. Empty: now."))
    path_filter = _text(_("Path"), _("% stands for anything, _ for one character: projects/%"))
    bucket = _text(_("Bucket"), _("The drawer that records are written to, such as work or private. % stands for any."))
    scope = _text(
        _("Scope"),
        _("What records are about, such as tenant:project:42; exactly as written. Empty: any."),
        optional=True,
    )
    limit = _text(
        _("Limit"), _("At most this many candidates, up to 5,000; the next pass goes on."), inputmode="numeric"
    )
    on_drift = Choice(
        label=_("When a record changes before this is applied"),
        choices=[
            ("", _("As the policy says")),
            ("skip", _("Skip its candidate, apply the rest")),
            ("refuse", _("Refuse the whole pass")),
        ],
    )

    def __init__(self, actor: Actor, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        teams = [(str(space.team_id), space.name) for space in actor.spaces.values() if space.team_id]
        self.fields["team_id"].choices = [("", _("Private: only yours")), *teams]  # type: ignore[attr-defined]

    def given(self, actor: Actor) -> dict[str, Any]:
        """What was entered, as the service takes it. Pages always preview first, so this is a plan to be approved.

        Call `is_valid` first: it reads the moments.
        """
        typed = {name: self.data.get(name, "") for name in (*NAMES, "team_id")}
        typed |= {name: self.cleaned_data[name] for name in ("since", "until") if name in self.cleaned_data}
        values = {name: text.strip() or text for name, text in typed.items()}  # white space alone is refused
        owner = self.data.get("owner_filter", "")
        return {
            **{name: value for name, value in values.items() if value},
            "actions": self.data.getlist("actions"),
            "dry_run": False,
            **({"owner_filter": actor.name if owner == "me" else owner} if owner else {}),
        }

    def show(self, refusal: Refused) -> None:
        """Put each problem of a refusal beside its field."""
        if not isinstance(refusal, Invalid):
            self.add_error("owner_filter" if "owner_filter" in refusal.message else "team_id", refusal.told)
            return
        for problem in refusal.problems:
            name = "actions" if problem.loc[-1] == "actions_csv" else problem.loc[-1]
            self.add_error(name if name in self.fields else None, problem.told)


DEFAULTS = {
    "actions": list(Action),
    "time_window_hours": "24",
    "path_filter": "%",
    "bucket": "%",
    "limit": "500",
}


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """The form, filled with the defaults, with the `actions` and hours that the address names, or with `again` the
    parameters of another pass; plans when posted.
    """
    if request.method != "POST":
        return _form(request, PlanForm(request.actor, initial=_initial(request)))
    form = PlanForm(request.actor, request.POST)
    form.is_valid()
    try:
        made = plan(given=form.given(request.actor), actor=request.actor)
    except (Invalid, NotAllowed) as refusal:
        if request.htmx:
            raise
        request.refusal = refusal
        form.show(refusal)
        return _form(request, form, status=refusal.status)
    return redirect("pass", made.pk)


def _form(request: HttpRequest, form: PlanForm, status: int = 200) -> HttpResponse:
    return render(request, "reflection/new.html", {"nav": "passes", "form": form}, status=status)


def _initial(request: HttpRequest) -> Mapping[str, Any]:
    again = asked.record_id(request, "again")
    if again is None:
        named = [action for action in Action if action in request.GET.getlist("actions")]
        given = {name: request.GET[name] for name in ("team_id", "time_window_hours") if name in request.GET}
        return {**DEFAULTS, "team_id": _last_team(request.actor), **given, "actions": named or DEFAULTS["actions"]}
    return parameters_of(queries.find(again, actor=request.actor))


def _last_team(actor: Actor) -> str:
    """The team whose pass this person planned last by hand, as the form names it; none where that was their own."""
    by_hand = queries.passes_of(actor).filter(planned_by_id=actor.user_id, planned_channel="console")
    return str(by_hand.order_by("-planned_at", "-pk").values_list("team_id", flat=True).first() or "")


def parameters_of(reflect_pass: ReflectPass) -> dict[str, Any]:
    """The parameters of a pass as the form shows them."""
    asked_for: dict[str, Any] = {name: str(reflect_pass.requested.get(name, "")) for name in NAMES}
    for name in ("since", "until"):
        if asked_for[name]:
            asked_for[name] = datetime.fromisoformat(reflect_pass.filters[name])
    everybody = reflect_pass.filters.get("owner_id") is None or reflect_pass.team_id is None
    return {
        **DEFAULTS,
        **{name: value for name, value in asked_for.items() if value},
        "actions": reflect_pass.actions,
        "team_id": str(reflect_pass.team_id or ""),
        "owner_filter": "" if everybody else "me",
    }
