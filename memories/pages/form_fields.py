"""What forms are made of: fields of our own, and how a refusal is shown at them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.utils import timezone
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from console.errors import Invalid, NotAllowed
from console.saying import phrase, told
from memories.access import Actor

PATTERN_LIMIT, WILDCARD_LIMIT = 200, 20
LOCAL_TIME = "%Y-%m-%dT%H:%M:%S"
NO_SPACE = {"invalid": _("This is no space. Choose one.")}
LABELS = {  # of fields that have none of their own
    "action": _("Action"),
    "amount": _("Amount"),
    "bucket": _("Bucket"),
    "category": _("Category"),
    "count": _("Count"),
    "currency": _("Currency"),
    "file": _("File"),
    "format": _("Format"),
    "importance": _("Importance"),
    "kind": _("Kind"),
    "month": _("Month"),
    "note": _("Note"),
    "path": _("Path"),
    "reason": _("Reason"),
    "result": _("Result"),
    "scope": _("Scope"),
    "session": _("Session"),
    "since": pgettext_lazy("time", "Since"),
    "space": _("Space"),
    "state": pgettext_lazy("of a token", "State"),
    "status": _("Status"),
    "team": _("Team"),
    "type": _("Type"),
    "until": pgettext_lazy("time", "Until"),
    "once": pgettext_lazy("hidden field", "Once"),
    "version": pgettext_lazy("hidden field", "Version"),
}


class Labelled(forms.Form):
    """A form whose fields are called as `LABELS` says, where they say nothing themselves."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        for name, field in self.fields.items():
            if field.label is None:
                field.label = LABELS.get(name)


class Refusable(Labelled):
    """A form whose input a service may refuse. `NAMES` says which field stands for a name of the service."""

    NAMES: ClassVar[dict[str, str]] = {}

    def take(self, refusal: Invalid) -> None:
        """Show the problems at the fields they are about, the others above all fields."""
        for problem in refusal.problems:
            name = self.NAMES.get(problem.loc[-1], problem.loc[-1])
            self.add_error(name if name in self.fields else None, problem.told)


class Text(forms.CharField):
    """Text as it was typed, with the line ends that are stored here rather than those that browsers send."""

    widget = forms.Textarea

    def __init__(self, **more: Any) -> None:
        super().__init__(strip=False, **more)

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")

    def has_changed(self, initial: Any, data: Any) -> bool:
        return self.to_python(initial or "") != self.to_python(data or "")


class Line(forms.CharField):
    """One line without white space around it. What was stored with some, and is left alone, stays as it is."""

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(initial and initial.strip(), data)


class FilterText(forms.CharField):
    """A text to filter by, exactly as it was typed. White space alone names nothing and must not show everything."""

    def __init__(self, **more: Any) -> None:
        super().__init__(required=False, strip=False, **more)

    def clean(self, value: Any) -> str:
        found: str = super().clean(value)
        if found and not found.strip():
            said = gettext("It holds nothing but white space. Name one, or leave it empty.")
            raise forms.ValidationError(said, code="blank")
        return found


class LocalTime(forms.DateTimeField):
    """A time in the person's zone, or with an offset of its own.

    One that the clock leaves out is read with the offset from before, one that it shows twice as the first of the two,
    as RFC 5545 has it.
    """

    def __init__(self, *, seconds: bool = False, **more: Any) -> None:
        wrong = _("This is no date and time. Write it like 2026-11-30T10:00.")
        kind = {"type": "datetime-local", **({"step": "1"} if seconds else {})}
        widget = forms.DateTimeInput(attrs=kind, format=LOCAL_TIME if seconds else LOCAL_TIME.removesuffix(":%S"))
        super().__init__(required=False, widget=widget, error_messages={"invalid": wrong}, **more)

    def to_python(self, value: Any) -> Any:
        try:
            return super().to_python(value)
        except forms.ValidationError as error:
            if error.code != "ambiguous_timezone" or not error.params:
                raise
            return error.params["datetime"].replace(tzinfo=timezone.get_current_timezone())

    def has_changed(self, initial: Any, data: Any) -> bool:
        if isinstance(initial, datetime):  # what was left alone stays, though it may be the second of two
            shown = timezone.localtime(initial).strftime(LOCAL_TIME)
            if (data or "").strip() in (shown, shown.removesuffix(":00")):
                return False
        return super().has_changed(initial, data)

    def clean(self, value: Any) -> Any:
        try:
            given = super().clean(value)
            return given and given.astimezone(UTC)  # the database takes no offset beyond 16 hours
        except OverflowError:
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid") from None


class SpaceField(forms.UUIDField):
    """One of the actor's spaces. A space that is not theirs is refused, not merely unknown."""

    widget = forms.Select

    def offer(self, actor: Actor, *, empty: str | None) -> None:
        """Fill the choices, with `empty` for none."""
        self.actor = actor
        choices = [(str(space.id), told(space.name)) for space in actor.spaces.values()]
        self.widget.choices = choices if empty is None else [("", empty), *choices]

    def clean(self, value: Any) -> UUID | None:
        space_id = super().clean(value)
        if space_id is not None and space_id not in self.actor.spaces:
            raise NotAllowed(phrase("You are not a member of this team. Ask one of its admins."))
        return space_id


def pattern(value: str) -> str:
    """A path pattern within its limits. Raises ValidationError."""
    if len(value) > PATTERN_LIMIT:
        said = gettext("The pattern is longer than %(most)s characters. Shorten it.")
        raise forms.ValidationError(said % {"most": PATTERN_LIMIT})
    if value.count("%") + value.count("_") > WILDCARD_LIMIT:
        said = gettext("The pattern has more than %(most)s wildcards. Use fewer.")
        raise forms.ValidationError(said % {"most": WILDCARD_LIMIT})
    return value


class IdField(forms.UUIDField):
    """An id as pages show it, with its kind before it, or without."""

    def __init__(self, **more: Any) -> None:
        super().__init__(required=False, error_messages={"invalid": _("This is no whole id.")}, **more)

    def to_python(self, value: Any) -> Any:
        text = str(value or "").strip()
        kind, mark, bare = text.partition("_")
        return super().to_python(bare if mark and kind.isalpha() else text)
