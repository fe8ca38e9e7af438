"""What people type, turned into values. The rules about records are the services'; here only forms are read."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from console.words import WORDS
from memories.access import Actor
from memories.models import Memory
from memories.models.memory import MemoryType
from memories.pages.facets import AGES
from memories.pages.form_fields import (
    NO_SPACE,
    FilterText,
    IdField,
    Labelled,
    Line,
    LocalTime,
    Refusable,
    SpaceField,
    Text,
    pattern,
)
from memories.pages.keyset import SIZE, SIZE_LIMIT
from memories.search.search import Search
from memories.services.facets import TOP

SEARCH_SIZE = 20  # hits
RESULTS = [
    ("", pgettext_lazy("result", "Done and refused")),
    ("done", pgettext_lazy("result", "Done")),
    ("refused", pgettext_lazy("result", "Refused")),
]
TYPES = [(kind.value, capfirst(WORDS[kind.value])) for kind in MemoryType]


class ListFilter(Labelled):
    """The filters of the list of memories; all are in the address."""

    ORDERS = [("created", "created"), ("updated", "updated")]
    STATUSES = [(name, capfirst(WORDS[name])) for name in ("active", "archived", "expired")]

    space = SpaceField(required=False, error_messages=NO_SPACE)
    type = forms.ChoiceField(required=False, choices=[("", _("All types")), *TYPES])
    status = forms.ChoiceField(required=False, choices=STATUSES)
    bucket = FilterText(max_length=100)
    scope = FilterText(max_length=200)
    path = FilterText(widget=forms.TextInput(attrs={"placeholder": "projects/%"}))
    under = FilterText(label=_("Folder"), max_length=500, widget=forms.HiddenInput)
    owner = IdField(label=_("Owner"), widget=forms.HiddenInput)
    age = forms.ChoiceField(
        label=pgettext_lazy("of a memory", "Age"), required=False, choices=list(AGES.items()), widget=forms.HiddenInput
    )
    order = forms.ChoiceField(required=False, choices=ORDERS, widget=forms.HiddenInput)
    limit = forms.IntegerField(
        label=_("Limit"), required=False, min_value=1, max_value=SIZE_LIMIT, widget=forms.HiddenInput
    )

    def __init__(self, data: Any, actor: Actor) -> None:
        super().__init__(data, label_suffix="", auto_id="filter_%s")
        self.fields["space"].offer(actor, empty=_("All spaces"))

    def clean_path(self) -> str:
        return pattern(self.cleaned_data["path"])

    def clean_under(self) -> str:
        under: str = self.cleaned_data["under"]
        return under and (under.strip(TOP) or TOP)

    def clean_status(self) -> str:
        return self.cleaned_data["status"] or "active"

    def clean_order(self) -> str:
        return self.cleaned_data["order"] or "created"

    def clean_limit(self) -> int:
        return self.cleaned_data["limit"] or SIZE


class MemoryForm(Refusable):
    """The fields of a memory that a person may write."""

    NAMES: ClassVar[dict[str, str]] = {"memory_type": "type", "team_id": "space"}

    content = Text(
        widget=forms.Textarea(attrs={"rows": 6, "dir": "auto"}),
        label=_("What is remembered"),
        error_messages={"required": _("The content is empty. Say what is to be remembered.")},
    )
    path = Line(required=False, widget=forms.TextInput(attrs={"placeholder": "projects/atlas/notes"}))
    bucket = Line(
        initial="work",
        help_text=_("The drawer it is kept in, such as work or private; tokens and passes can be bound to one."),
        error_messages={"required": _("The bucket is empty. Name one, such as work.")},
    )
    scope = Line(
        required=False,
        empty_value=None,
        help_text=_("What it is about, such as tenant:project:42. Empty: nothing special."),
    )
    type = forms.ChoiceField(choices=TYPES)
    importance = forms.FloatField(
        initial=0.5,
        help_text=_("From 0 to 1."),
        widget=forms.NumberInput(attrs={"step": "any", "min": "0", "max": "1"}),
        error_messages={
            "invalid": _("This is no number. Write one from 0 to 1."),
            "required": _("Write a number from 0 to 1."),
        },
    )
    expires_at = LocalTime(seconds=True, label=_("Expires"), help_text=_("In your time zone. Empty: never."))

    def __init__(self, data: Any = None, **more: Any) -> None:
        super().__init__(data, label_suffix="", **more)

    def values(self) -> dict[str, Any]:
        """What was typed, by the names that services use."""
        given = dict(self.cleaned_data)
        return {"memory_type": given.pop("type"), **given}


class NewMemoryForm(MemoryForm):
    """A memory to be written, and where."""

    space = SpaceField(error_messages=NO_SPACE, label=_("Who may see it"))
    field_order = ["content", "space", "type", "path", "bucket", "scope", "importance", "expires_at"]

    def __init__(self, actor: Actor, data: Any = None, **more: Any) -> None:
        super().__init__(data, **more)
        self.fields["type"].choices = [("auto", _("Choose for me")), *TYPES]
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
    reason = forms.CharField(required=False, help_text=_("Stays in the history and the audit."))

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


class EraseForm(Refusable):
    """The confirmation of a hard delete."""

    typed = forms.CharField(
        error_messages={"required": _("Nothing was typed. Copy the last 6 characters of the id from above.")},
        label=_("Type the last 6 characters of the id"),
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false", "class": "mono"}
        ),
    )
    reason = forms.CharField(
        label=_("Why"),
        help_text=_("It stays in the audit. Do not repeat what the record says."),
        error_messages={"required": _("The reason is empty. It stays in the audit when the record is gone.")},
    )
    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    request = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def __init__(self, data: Any = None, **more: Any) -> None:
        super().__init__(data, label_suffix="", **more)


class AuditFilter(Labelled):
    """The filters of the audit; all are in the address."""

    action = forms.CharField(
        required=False, max_length=50, widget=forms.TextInput(attrs={"placeholder": "memory.forget", "class": "mono"})
    )
    result = forms.ChoiceField(required=False, choices=RESULTS)
    actor = forms.CharField(required=False, max_length=150, label=_("By whom"))
    object = IdField(label=_("Record"))
    pass_id = IdField(label=_("Pass"))
    line = IdField(label=_("Line"), widget=forms.HiddenInput)
    since = LocalTime()
    until = LocalTime()
    limit = forms.IntegerField(
        label=_("Limit"), required=False, min_value=1, max_value=SIZE_LIMIT, widget=forms.HiddenInput
    )

    def __init__(self, data: Any) -> None:
        super().__init__(data, label_suffix="", auto_id="filter_%s")

    def clean_limit(self) -> int:
        return self.cleaned_data["limit"] or SIZE


class SearchForm(Refusable):
    """A question and its filters; all are in the address. Bounds and patterns are checked by the search itself."""

    NAMES: ClassVar[dict[str, str]] = {"memory_type": "type", "team_id": "team"}

    query = forms.CharField(required=False, strip=False, label=_("Search for"))
    type = forms.CharField(required=False, widget=forms.Select(choices=[("", _("All types")), *TYPES]))
    team = forms.UUIDField(
        required=False, widget=forms.Select, error_messages={"invalid": _("This is no team. Choose one.")}
    )
    bucket = FilterText()
    scope = FilterText()
    path = FilterText(widget=forms.TextInput(attrs={"placeholder": "projects/%"}))
    since = LocalTime()
    until = LocalTime()
    prefer_working = forms.BooleanField(required=False, label=_("Working memories first"))
    limit = forms.IntegerField(label=_("Limit"), required=False, widget=forms.HiddenInput)

    def __init__(self, data: Any, actor: Actor) -> None:
        super().__init__(data, label_suffix="", auto_id="search_%s")
        teams = [(str(space.team_id), space.name) for space in actor.spaces.values() if space.team_id]
        self.fields["team"].widget.choices = [("", _("All spaces")), *teams]

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
