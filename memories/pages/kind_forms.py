"""What people type about the kinds of records beside memories, turned into values. The rules are the services'."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import Any, ClassVar, Self

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from console.errors import Invalid
from console.words import WORDS
from memories.access import Actor
from memories.models import LedgerEntry
from memories.models.ledger import TransactionType
from memories.pages.form_fields import NO_SPACE, FilterText, Line, LocalTime, Refusable, SpaceField, Text
from memories.pages.keyset import SIZE, SIZE_LIMIT
from memories.services import ledger

MONTH = re.compile(r"(19|[2-9][0-9])[0-9]{2}-(0[1-9]|1[0-2])", re.ASCII)


class KindFilter(Refusable):
    """The filters that every list has; all are in the address."""

    query = forms.CharField(
        required=False, strip=False, label=_("Words"), widget=forms.TextInput(attrs={"type": "search"})
    )
    space = SpaceField(required=False, error_messages=NO_SPACE)
    bucket = FilterText()
    scope = FilterText()
    limit = forms.IntegerField(
        label=_("Limit"), required=False, min_value=1, max_value=SIZE_LIMIT, widget=forms.HiddenInput
    )

    def __init__(self, data: Any, actor: Actor) -> None:
        super().__init__(data, label_suffix="", auto_id="filter_%s")
        self.fields["space"].offer(actor, empty=_("All spaces"))

    def clean_limit(self) -> int:
        return self.cleaned_data["limit"] or SIZE

    def common(self) -> dict[str, Any]:
        """The filters by the names of `services.kinds.Filter`."""
        return {**self.place(), "query": self.cleaned_data["query"]}

    def place(self) -> dict[str, Any]:
        """The filters that say where a record stands."""
        given = self.cleaned_data
        return {
            "space_id": given["space"],
            "bucket": given["bucket"] or "%",
            "scope": given["scope"] or None,
        }


class TodoFilter(KindFilter):
    """Which TODOs are shown."""

    SHOWN = [
        ("open", pgettext_lazy("list of TODOs", "Open")),
        ("overdue", pgettext_lazy("list of TODOs", "Overdue")),
        ("completed", pgettext_lazy("list of TODOs", "Completed")),
    ]
    show = forms.ChoiceField(required=False, choices=SHOWN, widget=forms.HiddenInput)

    def clean_show(self) -> str:
        return self.cleaned_data["show"] or "open"


class DecisionFilter(KindFilter):
    """Which decisions are shown."""

    SHOWN = [
        ("all", pgettext_lazy("list of decisions", "All")),
        ("open", pgettext_lazy("list of decisions", "Open")),
        ("decided", pgettext_lazy("list of decisions", "Decided")),
    ]
    DECIDED: ClassVar[dict[str, str]] = {"all": "%", "open": "open", "decided": "resolved"}
    show = forms.ChoiceField(required=False, choices=SHOWN, widget=forms.HiddenInput)

    def clean_show(self) -> str:
        return self.cleaned_data["show"] or "all"


class SnapshotFilter(KindFilter):
    """Which snapshots are shown."""

    session = forms.CharField(required=False, max_length=200)
    query = None  # type: ignore[assignment]
    field_order = ["session", "space", "bucket", "scope"]

    def common(self) -> dict[str, Any]:
        """The filters by the names of `services.snapshots.Wanted`."""
        return {**self.place(), "session": self.cleaned_data["session"] or None}


class Editing(Refusable):
    """A form over a new or an existing record."""

    def __init__(self, data: Any = None, **more: Any) -> None:
        super().__init__(data, label_suffix="", **more)


class Changing(Editing):
    """A form over a record that stands; `version` is the one that the person saw."""

    bucket = Line(error_messages={"required": _("The bucket is empty. Name one, such as work.")})
    scope = Line(required=False, empty_value=None)
    path = Line(required=False)
    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)

    @classmethod
    def of(cls, record: Any, data: Any = None) -> Self:
        """The form over what the record is now."""
        return cls(data, initial={name: getattr(record, name) for name in cls.base_fields})

    def changes(self) -> dict[str, Any]:
        """Only the fields that were changed."""
        return {name: self.cleaned_data[name] for name in self.changed_data if name != "version"}


def place_of(form: forms.Form, actor: Actor) -> dict[str, Any]:
    """The team that the chosen space is, None for one's own."""
    space = form.cleaned_data["space"]
    return {"team_id": None if space == actor.own else space}


EMPTY_TODO = {"required": _("It is empty. Say what is to be done.")}


class NewTodo(Editing):
    """A TODO to be written, in one line."""

    content = forms.CharField(
        strip=False,
        label=_("What is to be done"),
        error_messages=EMPTY_TODO,
        widget=forms.TextInput(attrs={"dir": "auto"}),
    )
    due_at = LocalTime(label=_("Due"))
    space = SpaceField(error_messages=NO_SPACE, label=_("Who may see it"))

    def __init__(self, actor: Actor, data: Any = None) -> None:
        super().__init__(data, auto_id="new_%s")
        self.fields["space"].offer(actor, empty=None)


class EditTodo(Changing):
    """A TODO to be changed."""

    content = Text(
        widget=forms.Textarea(attrs={"rows": 4, "dir": "auto"}),
        label=_("What is to be done"),
        error_messages=EMPTY_TODO,
    )
    due_at = LocalTime(seconds=True, label=_("Due"), help_text=_("In your time zone. Empty: no date."))
    field_order = ["content", "due_at", "bucket", "scope", "path"]


TYPES = [(kind.value, capfirst(WORDS[kind.value])) for kind in TransactionType]
DAY = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
NO_DAY = {"invalid": _("This is no day. Write it like 2026-11-30."), "required": _("Choose a day.")}


class LedgerFilter(KindFilter):
    """Which entries are shown: a month, unless days or all months are asked for."""

    NAMES: ClassVar[dict[str, str]] = {"transaction_type": "type", "date_to": "until", "date_from": "since"}

    month = forms.CharField(required=False)
    every = forms.BooleanField(required=False, widget=forms.HiddenInput)
    type = forms.ChoiceField(required=False, choices=[("", _("All types")), *TYPES])
    currency = forms.CharField(required=False, widget=forms.TextInput(attrs={"placeholder": "EUR", "maxlength": 3}))
    category = forms.CharField(required=False, max_length=100)
    since = forms.DateField(required=False, widget=DAY, error_messages=NO_DAY, label=pgettext_lazy("time", "From"))
    until = forms.DateField(required=False, widget=DAY, error_messages=NO_DAY, label=pgettext_lazy("time", "To"))
    field_order = ["month", "query", "type", "currency", "category", "since", "until", "space", "bucket", "scope"]

    def clean_month(self) -> str:
        month: str = self.cleaned_data["month"]
        if month and not MONTH.fullmatch(month):
            raise forms.ValidationError(gettext("This is no month. Write it like 2026-11."))
        return month

    def month_shown(self, today: date) -> str:
        """The month, as 2026-11; empty where days or all months were asked for."""
        given = self.cleaned_data
        others = given["every"] or given["since"] or given["until"]
        return given["month"] or ("" if others else f"{today:%Y-%m}")

    def wanted(self, today: date) -> ledger.Wanted:
        """The filters as the service takes them; without month and days, the month of `today`."""
        given = self.cleaned_data
        since, until = given["since"], given["until"]
        if month := self.month_shown(today):
            first, last = ledger.month_of(int(month[:4]), int(month[5:]))
            since, until = max(since or first, first), min(until or last, last)
        return ledger.Wanted(
            **self.common(),
            transaction_type=given["type"] or "%",
            currency=given["currency"].strip().upper() or "%",
            category=given["category"],
            date_from=since,
            date_to=until,
        )


class EntryForm(Editing):
    """An entry of the ledger."""

    NAMES: ClassVar[dict[str, str]] = {"transaction_type": "type"}

    item = forms.CharField(error_messages={"required": _("It is empty. Say what it was.")}, label=_("What it was"))
    amount = forms.CharField(
        error_messages={"required": _("Write an amount such as 12.50.")},
        widget=forms.TextInput(attrs={"inputmode": "decimal"}),
    )
    currency = forms.CharField(
        error_messages={"required": _("Write a code such as EUR.")},
        widget=forms.TextInput(attrs={"maxlength": 3, "autocapitalize": "characters", "placeholder": "EUR"}),
    )
    type = forms.ChoiceField(choices=TYPES)
    occurred_on = forms.DateField(widget=DAY, error_messages=NO_DAY, label=_("Day"))
    category = forms.CharField(required=False)

    def clean_amount(self) -> Decimal:
        try:
            return ledger.amount_of(self.cleaned_data["amount"])
        except Invalid as refusal:
            raise forms.ValidationError(refusal.told) from None

    def clean_currency(self) -> str:
        return ledger.currency_of(self.cleaned_data["currency"])

    def values(self) -> dict[str, Any]:
        """What was typed, by the names of the service."""
        given = {name: value for name, value in self.cleaned_data.items() if name not in ("version", "space")}
        return {"transaction_type": given.pop("type"), **given}


class NewEntry(EntryForm):
    """An entry to be written."""

    space = SpaceField(error_messages=NO_SPACE, label=_("Who may see it"))

    def __init__(self, actor: Actor, data: Any = None, **more: Any) -> None:
        super().__init__(data, auto_id="new_%s", **more)
        self.fields["space"].offer(actor, empty=None)


class EditEntry(EntryForm, Changing):
    """An entry to be changed."""

    note = Text(required=False, widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}))
    bucket = Line(error_messages={"required": _("The bucket is empty. Name one, such as personal.")})
    field_order = ["item", "amount", "currency", "type", "occurred_on", "category", "note", "bucket", "scope", "path"]

    @classmethod
    def of(cls, record: LedgerEntry, data: Any = None) -> Self:
        """The form over what the entry is now, its amount with the places of its currency."""
        plain = {name: getattr(record, name) for name in set(cls.base_fields) - {"type"}}
        amount = str(ledger.in_minor_units(record.amount, record.currency))
        return cls(data, initial={**plain, "type": record.transaction_type, "amount": amount})

    def changes(self) -> dict[str, Any]:
        """All of it: currency and amount are read together."""
        return self.values()


class TimelineFilter(KindFilter):
    """Which events are shown."""

    type = forms.CharField(required=False, max_length=50)
    session = forms.CharField(required=False, max_length=200)
    since = LocalTime(label=pgettext_lazy("time", "From"))
    until = LocalTime(label=pgettext_lazy("time", "To"))
    query = None  # type: ignore[assignment]
    NAMES: ClassVar[dict[str, str]] = {"event_type": "type", "space_id": "space"}
    field_order = ["type", "session", "since", "until", "space", "bucket", "scope"]

    def common(self) -> dict[str, Any]:
        """The filters by the names of `services.timeline.Wanted`."""
        given = self.cleaned_data
        return {
            **self.place(),
            "event_type": given["type"] or "%",
            "session": given["session"] or None,
            "since": given["since"],
            "until": given["until"],
        }
