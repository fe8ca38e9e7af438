"""What people type, turned into values. The rules about records are the services'; here only forms are read."""

from __future__ import annotations

from datetime import UTC
from typing import Any
from uuid import UUID

from django import forms

from console.errors import Invalid, NotAllowed
from memories.access import Actor
from memories.models import Memory
from memories.models.memory import MemoryType
from memories.pages.keyset import SIZE, SIZE_LIMIT
from memories.search.search import Search

PATTERN_LIMIT, WILDCARD_LIMIT = 200, 20
SEARCH_SIZE = 20  # hits
TYPES = [(kind.value, kind.label) for kind in MemoryType]
FORM_NAMES = {"memory_type": "type", "team_id": "space"}
LOCAL_TIME = "%Y-%m-%dT%H:%M:%S"


class Text(forms.CharField):
    """Text as it was typed, with the line ends that are stored here rather than those that browsers send."""

    widget = forms.Textarea

    def __init__(self, **more: Any) -> None:
        super().__init__(strip=False, **more)

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")

    def has_changed(self, initial: Any, data: Any) -> bool:
        return self.to_python(initial or "") != self.to_python(data or "")


class LocalTime(forms.DateTimeField):
    """A time in the person's zone, or with an offset of its own."""

    def __init__(self, *, seconds: bool = False, **more: Any) -> None:
        wrong = "This is no date and time. Write it like 2026-11-30T10:00."
        kind = {"type": "datetime-local", **({"step": "1"} if seconds else {})}
        widget = forms.DateTimeInput(attrs=kind, format=LOCAL_TIME if seconds else LOCAL_TIME.removesuffix(":%S"))
        super().__init__(required=False, widget=widget, error_messages={"invalid": wrong}, **more)

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
        choices = [(str(space.id), space.name) for space in actor.spaces.values()]
        self.widget.choices = choices if empty is None else [("", empty), *choices]

    def clean(self, value: Any) -> UUID | None:
        space_id = super().clean(value)
        if space_id is not None and space_id not in self.actor.spaces:
            raise NotAllowed("You are not a member of this team. Ask one of its admins.")
        return space_id


def pattern(value: str) -> str:
    """A path pattern within its limits. Raises ValidationError."""
    if len(value) > PATTERN_LIMIT:
        raise forms.ValidationError(f"The pattern is longer than {PATTERN_LIMIT} characters. Shorten it.")
    if value.count("%") + value.count("_") > WILDCARD_LIMIT:
        raise forms.ValidationError(f"The pattern has more than {WILDCARD_LIMIT} wildcards. Use fewer.")
    return value


class IdField(forms.UUIDField):
    """An id as pages show it, with its kind before it, or without."""

    def __init__(self, **more: Any) -> None:
        super().__init__(required=False, error_messages={"invalid": "This is no whole id."}, **more)

    def to_python(self, value: Any) -> Any:
        text = str(value or "").strip()
        kind, mark, bare = text.partition("_")
        return super().to_python(bare if mark and kind.isalpha() else text)


class ListFilter(forms.Form):
    """The filters of the list of memories; all are in the address."""

    ORDERS = [("created", "created"), ("updated", "updated")]
    STATUSES = [("active", "Active"), ("archived", "Archived"), ("expired", "Expired")]

    space = SpaceField(required=False, error_messages={"invalid": "This is no space. Choose one."})
    type = forms.ChoiceField(required=False, choices=[("", "All types"), *TYPES])
    status = forms.ChoiceField(required=False, choices=STATUSES)
    bucket = forms.CharField(required=False, max_length=100)
    scope = forms.CharField(required=False, max_length=200)
    path = forms.CharField(required=False, widget=forms.TextInput(attrs={"placeholder": "projects/%"}))
    order = forms.ChoiceField(required=False, choices=ORDERS, widget=forms.HiddenInput)
    limit = forms.IntegerField(required=False, min_value=1, max_value=SIZE_LIMIT, widget=forms.HiddenInput)

    def __init__(self, data: Any, actor: Actor) -> None:
        super().__init__(data, label_suffix="", auto_id="filter_%s")
        self.fields["space"].offer(actor, empty="All spaces")

    def clean_path(self) -> str:
        return pattern(self.cleaned_data["path"])

    def clean_status(self) -> str:
        return self.cleaned_data["status"] or "active"

    def clean_order(self) -> str:
        return self.cleaned_data["order"] or "created"

    def clean_limit(self) -> int:
        return self.cleaned_data["limit"] or SIZE


class MemoryForm(forms.Form):
    """The fields of a memory that a person may write."""

    content = Text(
        widget=forms.Textarea(attrs={"rows": 6, "dir": "auto"}),
        label="What is remembered",
        error_messages={"required": "The content is empty. Say what is to be remembered."},
    )
    path = forms.CharField(required=False, widget=forms.TextInput(attrs={"placeholder": "projects/atlas/notes"}))
    bucket = forms.CharField(
        initial="work",
        help_text="The drawer it is kept in, such as work or private; tokens and passes can be bound to one.",
        error_messages={"required": "The bucket is empty. Name one, such as work."},
    )
    scope = forms.CharField(
        required=False,
        empty_value=None,
        help_text="What it is about, such as tenant:project:42. Empty: nothing special.",
    )
    type = forms.ChoiceField(choices=TYPES)
    importance = forms.FloatField(
        initial=0.5,
        help_text="From 0 to 1.",
        widget=forms.NumberInput(attrs={"step": "any", "min": "0", "max": "1"}),
        error_messages={
            "invalid": "This is no number. Write one from 0 to 1.",
            "required": "Write a number from 0 to 1.",
        },
    )
    expires_at = LocalTime(seconds=True, label="Expires", help_text="In your time zone. Empty: never.")

    def __init__(self, data: Any = None, **more: Any) -> None:
        super().__init__(data, label_suffix="", **more)

    def values(self) -> dict[str, Any]:
        """What was typed, by the names that services use."""
        given = dict(self.cleaned_data)
        return {"memory_type": given.pop("type"), **given}

    def take(self, refusal: Invalid) -> None:
        """Show a service's problems at the fields they are about."""
        for problem in refusal.problems:
            name = FORM_NAMES.get(problem.loc[-1], problem.loc[-1])
            self.add_error(name if name in self.fields else None, problem.msg)


class NewMemoryForm(MemoryForm):
    """A memory to be written, and where."""

    space = SpaceField(error_messages={"invalid": "This is no space. Choose one."}, label="Who may see it")
    field_order = ["content", "space", "type", "path", "bucket", "scope", "importance", "expires_at"]

    def __init__(self, actor: Actor, data: Any = None, **more: Any) -> None:
        super().__init__(data, **more)
        self.fields["type"].choices = [("auto", "Choose for me"), *TYPES]
        self.fields["space"].offer(actor, empty=None)
        self.own = actor.own

    def values(self) -> dict[str, Any]:
        """With the team's id in place of the space."""
        given = super().values()
        space = given.pop("space")
        return {**given, "team_id": None if space == self.own else space}


class EditForm(MemoryForm):
    """A memory to be changed, with the version that the person saw."""

    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    reason = forms.CharField(required=False, help_text="Stays in the history and the audit.")

    @classmethod
    def of(cls, memory: Memory, data: Any = None) -> EditForm:
        """The form over what the memory is now."""
        names = ("content", "path", "bucket", "scope", "expires_at")
        now = {name: getattr(memory, name) for name in names}
        now |= {"type": memory.memory_type, "importance": memory.state.importance, "version": memory.state.version}
        return cls(data, initial=now)

    def changes(self) -> dict[str, Any]:
        """Only the fields that were changed; what was left alone keeps all its digits."""
        touched = {"memory_type" if name == "type" else name for name in self.changed_data} - {"version", "reason"}
        return {name: value for name, value in self.values().items() if name in touched}


class EraseForm(forms.Form):
    """The confirmation of a hard delete."""

    typed = forms.CharField(
        error_messages={"required": "Nothing was typed. Copy the last 6 characters of the id from above."},
        label="Type the last 6 characters of the id",
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false", "class": "mono"}
        ),
    )
    reason = forms.CharField(
        label="Why",
        help_text="It stays in the audit. Do not repeat what the record says.",
        error_messages={"required": "The reason is empty. It stays in the audit when the record is gone."},
    )
    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    request = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def __init__(self, data: Any = None, **more: Any) -> None:
        super().__init__(data, label_suffix="", **more)

    def take(self, refusal: Invalid) -> None:
        """Show the service's problems at their fields."""
        for problem in refusal.problems:
            self.add_error(problem.loc[-1] if problem.loc[-1] in self.fields else None, problem.msg)


class AuditFilter(forms.Form):
    """The filters of the audit; all are in the address."""

    action = forms.CharField(
        required=False, max_length=50, widget=forms.TextInput(attrs={"placeholder": "memory.forget"})
    )
    result = forms.ChoiceField(
        required=False, choices=[("", "Done and refused"), ("done", "Done"), ("refused", "Refused")]
    )
    actor = forms.CharField(required=False, max_length=150, label="By whom")
    object = IdField(label="Record")
    pass_id = IdField(label="Pass")
    since = LocalTime()
    until = LocalTime()
    limit = forms.IntegerField(required=False, min_value=1, max_value=SIZE_LIMIT, widget=forms.HiddenInput)

    def __init__(self, data: Any) -> None:
        super().__init__(data, label_suffix="", auto_id="filter_%s")

    def clean_limit(self) -> int:
        return self.cleaned_data["limit"] or SIZE


class SearchForm(forms.Form):
    """A question and its filters; all are in the address. Bounds and patterns are checked by the search itself."""

    query = forms.CharField(required=False, strip=False, label="Search for")
    type = forms.CharField(required=False, widget=forms.Select(choices=[("", "All types"), *TYPES]))
    team = forms.UUIDField(
        required=False, widget=forms.Select, error_messages={"invalid": "This is no team. Choose one."}
    )
    bucket = forms.CharField(required=False)
    scope = forms.CharField(required=False)
    path = forms.CharField(required=False, widget=forms.TextInput(attrs={"placeholder": "projects/%"}))
    since = LocalTime()
    until = LocalTime()
    prefer_working = forms.BooleanField(required=False, label="Working memories first")
    limit = forms.IntegerField(required=False, widget=forms.HiddenInput)
    NAMES = {"memory_type": "type", "team_id": "team"}

    def __init__(self, data: Any, actor: Actor) -> None:
        super().__init__(data, label_suffix="", auto_id="search_%s")
        teams = [(str(space.team_id), space.name) for space in actor.spaces.values() if space.team_id]
        self.fields["team"].widget.choices = [("", "All spaces"), *teams]

    def wanted(self) -> Search:
        """The question as the search takes it."""
        given = self.cleaned_data
        return Search(
            query=given["query"],
            limit=SEARCH_SIZE if given["limit"] is None else given["limit"],
            bucket=given["bucket"] or "%",
            scope=given["scope"] or None,
            team_id=given["team"],
            memory_type=given["type"] or "%",
            path=given["path"] or "%",
            since=given["since"],
            until=given["until"],
            prefer_working=given["prefer_working"],
        )

    def take(self, refusal: Invalid) -> None:
        """Show the search's problems at their fields."""
        for problem in refusal.problems:
            name = self.NAMES.get(problem.loc[-1], problem.loc[-1])
            self.add_error(name if name in self.fields else None, problem.msg)
