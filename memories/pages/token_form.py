"""What is typed to make a token, turned into values. The rules about tokens are the service's."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.core.signing import BadSignature, Signer
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from uuid6 import uuid7

from memories.access import Actor
from memories.models import Team
from memories.pages.form_fields import Line, Refusable, SpaceField, Text
from memories.pages.rights import MEANING

LIVES = [
    ("1", _("1 day")),
    ("7", _("7 days")),
    ("30", _("30 days")),
    ("90", _("90 days")),
    ("180", _("180 days")),
    ("365", _("1 year")),
]
USUAL_DAYS = "90"
USUAL_SCOPES = ["memory:read", "memory:write"]
DAYS_MOST = 364  # to the end of that day it is less than a year, whatever the clocks do
NARROW = ("team", "buckets", "scope", "path_prefix", "agent_id")


class TeamField(SpaceField):
    """One of the person's teams; their private records alone are no choice."""

    def offer(self, actor: Actor, *, empty: str | None) -> None:
        """Fill the choices, with `empty` for none."""
        super().offer(actor, empty=empty)
        self.widget.choices = [one for one in self.widget.choices if one[0] != str(actor.own)]

    def clean(self, value: Any) -> UUID | None:
        found = super().clean(value)
        if found is not None and found == self.actor.own:
            raise forms.ValidationError(
                gettext("A token is bound to a team or to nothing. Choose a team, or all your spaces.")
            )
        return found


def _rights() -> list[tuple[str, str]]:
    line = '<span>{} <code class="muted">{}</code></span>'
    return [(name, format_html(line, text, name)) for name, text in MEANING.items()]


class TokenForm(Refusable):
    """A token to be made. `once` is the id that it will have, so that a form sent twice makes one token."""

    NAMES: ClassVar[dict[str, str]] = {"expires_at": "until"}

    name = Line(
        label=_("Name"),
        help_text=_("Which agent it is for; lists and the audit show it."),
        error_messages={"required": _("The name is empty. Say for which agent it is.")},
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "placeholder": _("helper on my laptop"), "maxlength": "100"}
        ),
    )
    scopes = forms.MultipleChoiceField(
        label=_("It may"),
        choices=_rights,
        widget=forms.CheckboxSelectMultiple,
        initial=USUAL_SCOPES,
        error_messages={
            "required": _("A token without a right can do nothing. Tick at least one."),
            "invalid_choice": _("One of these rights is unknown. Tick those that are shown."),
        },
    )
    lives = forms.ChoiceField(
        label=_("It lives for"),
        choices=LIVES,
        initial=USUAL_DAYS,
        error_messages={
            "required": _("Nothing says how long it lives. Choose one of the times."),
            "invalid_choice": _("A token does not live for this long here. Choose one of the times, or a day below."),
        },
    )
    until = forms.DateField(
        label=_("Or until the end of a day"),
        help_text=_("Holds instead of the choice above. At most a year from now."),
        required=False,
        input_formats=["%Y-%m-%d"],
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        error_messages={"invalid": _("This is no date. Write it like 2026-11-30.")},
    )
    team = TeamField(
        label=_("Team"),
        required=False,
        help_text=_(
            "With a team it sees nothing else. All your spaces: the private one and every team, later ones too."
        ),
        error_messages={"invalid": _("This is no team. Choose one.")},
    )
    buckets = Text(
        label=_("Buckets"),
        required=False,
        help_text=_("One a line. Empty: every bucket."),
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
    )
    scope = Line(
        label=_("Scope"),
        required=False,
        empty_value=None,
        help_text=_("Only what is about this, such as tenant:project:42."),
    )
    path_prefix = Line(
        label=_("Path"),
        required=False,
        help_text=_("Only this path and what lies below it."),
        widget=forms.TextInput(attrs={"placeholder": "projects/atlas"}),
    )
    agent_id = Line(
        label=_("Agent"),
        required=False,
        help_text=_("Only what was written under this agent id; it writes under it too."),
    )
    once = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, actor: Actor, data: Any = None, **more: Any) -> None:
        self.signer = Signer(salt=f"memories.token:{actor.own}")
        initial = {"once": self.signer.sign(str(uuid7())), **more.pop("initial", {})}
        super().__init__(data, label_suffix="", initial=initial, **more)
        self.fields["team"].offer(actor, empty=_("All your spaces"))
        today = timezone.localdate()
        last = {"min": today.isoformat(), "max": (today + timedelta(days=DAYS_MOST)).isoformat()}
        self.fields["until"].widget.attrs.update(last)

    def clean_until(self) -> date | None:
        day: date | None = self.cleaned_data["until"]
        today = timezone.localdate()
        if day is not None and not today <= day <= today + timedelta(days=DAYS_MOST):
            raise forms.ValidationError(
                gettext("A token lives until a day within the next year. Choose one, or clear the field.")
            )
        return day

    def clean_once(self) -> UUID:
        try:
            return UUID(self.signer.unsign(self.cleaned_data["once"]))
        except (BadSignature, ValueError):
            raise forms.ValidationError(
                gettext("This form is out of date. Load the page again and send it once more.")
            ) from None

    @property
    def narrows(self) -> bool:
        """Whether anything is typed, or wrong, about bounds: then they are shown unfolded."""
        return any(self[name].value() or name in self.errors for name in NARROW)

    def values(self) -> dict[str, Any]:
        """What was typed, by the names that the service uses."""
        given = dict(self.cleaned_data)
        lives, until, team, once = (given.pop(name) for name in ("lives", "until", "team", "once"))
        buckets = [line.strip() for line in given.pop("buckets").split("\n") if line.strip()]
        return given | {
            "token_id": once,
            "expires_at": _end_of(until) if until else timezone.now() + timedelta(days=int(lives)),
            "team": Team.objects.get(pk=team) if team else None,
            "buckets": buckets or None,
            "path_prefix": given["path_prefix"].strip("/"),
        }


def _end_of(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day + timedelta(days=1), time.min))
