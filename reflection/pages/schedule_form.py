"""The form of a schedule: the parameters of a pass, and when it is planned."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from console.errors import Invalid, Refused
from memories.access import Actor, Space
from reflection.pages.new import DEFAULTS, Choice, PlanForm, Text
from reflection.pages.rhythms import DAYS
from reflection.services.schedules import NAMES
from reflection.slots import Kind

RHYTHMS = {
    Kind.DAILY: gettext_lazy("Every day at an hour"),
    Kind.WEEKLY: gettext_lazy("Every week, on a day at an hour"),
    Kind.HOURS: gettext_lazy("Every few hours"),
}


class ScheduleForm(PlanForm):
    """Space, rhythm and parameters."""

    since = None  # type: ignore[assignment]  # a moment is nothing that comes again
    until = None  # type: ignore[assignment]
    rhythm = Choice(label=gettext_lazy("How often"), choices=list(RHYTHMS.items()), widget=forms.RadioSelect)
    at = Text(
        label=pgettext_lazy("an hour", "At"),
        help_text=gettext_lazy("For a day or a week, like 03:00."),
        widget=forms.TextInput({"type": "time"}),
    )
    weekday = Choice(
        label=gettext_lazy("Day of the week"), choices=list(enumerate(DAYS)), help_text=gettext_lazy("For a week.")
    )
    every_hours = Text(
        label=gettext_lazy("Hours between two passes"),
        help_text=gettext_lazy("1 to 720, counted from when the schedule is saved."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "inputmode": "numeric"}),
    )
    zone = Text(
        label=gettext_lazy("Time zone"),
        help_text=gettext_lazy("Whose clock the hour is read from, such as Europe/Lisbon or Asia/Tokyo."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, actor: Actor, *args: Any, space: Space | None = None, **kwargs: Any) -> None:
        super().__init__(actor, *args, label_suffix="", **kwargs)
        if space is not None:  # a schedule stays in its space
            del self.fields["team_id"]
            if space.team_id is None:
                del self.fields["owner_filter"]
        self.fields["time_window_hours"].help_text = _(
            "Hours. Chooses the events that are summarized and promoted; after hours that were missed, it looks "
            "back to the last plan."
        )
        self.fields["limit"].help_text = _("At most this many candidates, up to 5,000; the next plan goes on.")
        self.fields["on_drift"].label = _("When a record changes before the plan is applied")

    def given(self, actor: Actor) -> dict[str, Any]:
        """What was entered, as the service takes it."""
        asked = super().given(actor)
        found = {name: self.data.get(name, "").strip() for name in NAMES if name in self.data}
        return found | {name: value for name, value in asked.items() if name in NAMES}

    def show(self, refusal: Refused) -> None:
        """Put each problem of a refusal beside its field."""
        if isinstance(refusal, Invalid):
            super().show(refusal)
            return
        name = "owner_filter" if "owner_filter" in refusal.message else "team_id"
        self.add_error(name if name in self.fields else None, refusal.told)


def starting(zone: str) -> dict[str, Any]:
    """What the form holds at first."""
    return {**DEFAULTS, "rhythm": Kind.DAILY.value, "at": "03:00", "weekday": "0", "every_hours": "6", "zone": zone}
