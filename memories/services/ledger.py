"""Ledger entries: added, changed, listed, and summed up by month. Money is Decimal from end to end."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import TruncMonth

from console.errors import Invalid, Problem
from console.saying import phrase
from memories import audit
from memories.access import Actor, check_may_use
from memories.models import LedgerEntry, LifecycleStatus
from memories.models.ledger import TransactionType
from memories.services import editing, kinds, records
from memories.services.currencies import MINOR_UNITS

EDITABLE = (
    "transaction_type",
    "item",
    "amount",
    "currency",
    "category",
    "occurred_on",
    "note",
    "bucket",
    "scope",
    "path",
)
TYPES = tuple(TransactionType.values)
PLAIN_AMOUNT = re.compile(r"[0-9]{1,18}(\.[0-9]{1,12})?", re.ASCII)
WHOLE_DIGITS = 14  # of the 18 that are stored, 4 are decimal places
EXACT_DIGITS = 15  # a JSON number with more does not survive every reader


def amount_of(value: Any, *, name: str = "amount", where: str = "body") -> Decimal:
    """The amount that a caller wrote, as text, number or Decimal. Raises Invalid."""
    if isinstance(value, Decimal):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        written = repr(value)
        if len(written.replace(".", "").strip("0")) > EXACT_DIGITS:
            raise Invalid.field(name, phrase("A number of so many digits is not exact. Send it as text."), where=where)
        value = written.removesuffix(".0")
    if not isinstance(value, str) or not PLAIN_AMOUNT.fullmatch(value.strip()):
        raise Invalid.field(name, phrase("This is no amount. Write it like 12.50, greater than 0."), where=where)
    return Decimal(value.strip())


def currency_of(value: Any) -> str:
    """The code in capital letters; anything that is no text is left for the check to refuse."""
    return value.strip().upper() if isinstance(value, str) and value.isascii() else str(value)[:20]


def in_minor_units(amount: Decimal, currency: str) -> Decimal:
    """`amount` with as many decimal places as its currency has."""
    return amount.quantize(Decimal(1).scaleb(-MINOR_UNITS.get(currency, 4)))


def _money_problems(amount: Decimal, currency: str) -> Iterable[Problem]:
    places = MINOR_UNITS.get(currency)
    if places is None:
        said = phrase("This is no currency of ISO 4217. Send a code such as EUR, USD, BRL or JPY.")
        yield Problem(("body", "currency"), said)
    if not amount.is_finite() or amount <= 0:
        yield Problem(("body", "amount"), phrase("The amount must be greater than 0. The type says which way it went."))
    elif amount >= Decimal(10) ** WHOLE_DIGITS:
        yield Problem(
            ("body", "amount"), phrase("The amount has more than %(most)s digits before the point.", most=WHOLE_DIGITS)
        )
    elif places is not None and amount != round(amount, places):
        yield Problem(("body", "amount"), _places(currency, places))


def _places(currency: str, places: int) -> str:
    if places == 0:
        return phrase("%(currency)s has no decimal places. Round the amount.", currency=currency)
    return phrase("%(currency)s has %(places)s decimal places. Round the amount.", currency=currency, places=places)


def check(values: dict[str, Any]) -> None:
    """Raises Invalid naming every field that is wrong; the amount is read together with its currency."""
    problems = list(_money_problems(values["amount"], values["currency"]))
    if values["transaction_type"] not in TYPES:
        problems.append(
            Problem(("body", "transaction_type"), phrase("Choose among %(names)s.", names=", ".join(TYPES)))
        )
    try:
        kinds.check({name: values[name] for name in ("item", "category", "occurred_on", "note")})
    except Invalid as refusal:
        problems += refusal.problems
    if problems:
        raise Invalid(*problems)


@transaction.atomic
def add(
    *,
    transaction_type: str,
    item: str,
    amount: Decimal,
    currency: str,
    category: str = "",
    occurred_on: date,
    note: str = "",
    team_id: UUID | None = None,
    bucket: str | None = None,
    scope: str | None = None,
    path: str = "",
    source: str = "",
    source_id: str | None = None,
    actor: Actor,
) -> LedgerEntry:
    """A new entry; bucket `personal` unless the token is bound to others. Raises Invalid, NotAllowed, Conflict."""
    check_may_use(actor, "ledger:write")
    values = {
        "transaction_type": transaction_type,
        "item": item,
        "amount": amount,
        "currency": currency,
        "category": category,
        "occurred_on": occurred_on,
        "note": note,
    }
    check(values)
    kinds.check({"source": source, "source_id": source_id})
    where = kinds.place(actor, team_id=team_id, bucket=bucket, scope=scope, path=path, usual="personal")
    entry = editing.make(LedgerEntry, where, values, source=source, source_id=source_id, actor=actor)
    detail = {"status": [None, "active"], "type": transaction_type}
    audit.record(actor, "ledger.create", "ledger", entry.pk, space_id=entry.space_id, detail=detail)
    return entry


def find(entry_id: UUID, *, actor: Actor) -> LedgerEntry:
    """The visible entry of this id; deleted ones too. Raises NotFound, NotAllowed."""
    found = records.find(entry_id, actor=actor, kinds=("ledger",))
    assert isinstance(found, LedgerEntry)
    return found


@transaction.atomic
def edit(*, entry_id: UUID, changes: dict[str, Any], seen_version: int | None = None, actor: Actor) -> LedgerEntry:
    """Change the given fields of EDITABLE. Without a difference nothing is written.

    Raises Invalid, NotFound, NotAllowed, Conflict, Stale.
    """
    editing.check_editable(changes, EDITABLE)
    kinds.check({name: changes[name] for name in ("bucket", "scope", "path") if name in changes})
    entry = records.lock(entry_id, actor=actor, seen_version=seen_version, kinds=("ledger",))
    assert isinstance(entry, LedgerEntry)
    check_may_use(actor, "ledger:write")
    kinds.check_not_deleted(entry, "ledger")
    was, now_is = editing.fill(entry, changes, EDITABLE)
    if now_is == was:
        return entry
    check(now_is)
    editing.save(entry, actor, EDITABLE)
    # The audit outlives the entry: of what it says only the names of the fields that changed go there.
    detail = {"changed": [name for name in EDITABLE if was[name] != now_is[name]], "version": entry.version}
    audit.record(actor, "ledger.update", "ledger", entry.pk, space_id=entry.space_id, detail=detail)
    return entry


@dataclass(frozen=True, slots=True)
class Wanted(kinds.Filter):
    """Filters of entries. `category` is compared without case; dates and amounts belong to their ranges."""

    transaction_type: str = kinds.ANY
    currency: str = kinds.ANY
    category: str = ""
    date_from: date | None = None
    date_to: date | None = None
    min_amount: Decimal | None = None
    max_amount: Decimal | None = None


def listed(wanted: Wanted, *, actor: Actor) -> QuerySet[LedgerEntry]:
    """The entries wanted, newest day first. Raises Invalid, NotAllowed."""
    check_may_use(actor, "ledger:read")
    problems = [Problem(("query", name), said) for name, said in _problems(wanted)]
    if problems:
        raise Invalid(*problems)
    rows = kinds.listed(actor, LedgerEntry.objects.filter(status=LifecycleStatus.ACTIVE), wanted)
    exact: dict[str, Any] = {
        "transaction_type": None if wanted.transaction_type == kinds.ANY else wanted.transaction_type,
        "currency": None if wanted.currency == kinds.ANY else wanted.currency,
        "category__iexact": wanted.category or None,
        "occurred_on__gte": wanted.date_from,
        "occurred_on__lte": wanted.date_to,
        "amount__gte": wanted.min_amount,
        "amount__lte": wanted.max_amount,
    }
    rows = rows.filter(**{name: value for name, value in exact.items() if value is not None})
    return kinds.holding(rows, wanted.query).order_by("-occurred_on", "-pk")


def _problems(wanted: Wanted) -> Iterable[tuple[str, str]]:
    if wanted.transaction_type not in (*TYPES, kinds.ANY):
        yield "transaction_type", phrase("Choose among %(names)s, or %% for any.", names=", ".join(TYPES))
    if wanted.currency not in (*MINOR_UNITS, kinds.ANY):
        yield (
            "currency",
            phrase("This is no currency of ISO 4217. Send a code such as %(code)s, or %% for any.", code="EUR"),
        )
    if wanted.date_from and wanted.date_to and wanted.date_to < wanted.date_from:
        yield "date_to", phrase("date_to lies before date_from. Change one of them.")


@dataclass(slots=True)
class Totals:
    """The sums of one currency: what was spent, earned, given back and moved, and how many entries each has."""

    currency: str
    sums: dict[str, Decimal] = field(default_factory=lambda: dict.fromkeys(TYPES, Decimal(0)))
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TYPES, 0))

    @property
    def net(self) -> Decimal:
        """Income and refunds less expenses. What is moved between one's own accounts changes nothing."""
        return self.sums["income"] + self.sums["refund"] - self.sums["expense"]

    @property
    def count(self) -> int:
        """All entries."""
        return sum(self.counts.values())


def totals(wanted: Wanted, *, actor: Actor) -> list[Totals]:
    """The sums of the entries wanted, one for each currency, in order of its code. Raises Invalid, NotAllowed."""
    found: dict[str, Totals] = {}
    rows = listed(wanted, actor=actor).order_by("currency", "transaction_type").values("currency", "transaction_type")
    for row in rows.annotate(total=Sum("amount"), count=Count("pk")):
        one = found.setdefault(row["currency"], Totals(row["currency"]))
        one.sums[row["transaction_type"]] = row["total"]
        one.counts[row["transaction_type"]] = row["count"]
    return list(found.values())


def by_month(wanted: Wanted, *, actor: Actor) -> dict[str, dict[date, Totals]]:
    """The sums of the entries wanted, by currency and by the first day of their month. Raises Invalid, NotAllowed."""
    found: dict[str, dict[date, Totals]] = {}
    rows = listed(wanted, actor=actor).order_by().annotate(month=TruncMonth("occurred_on"))
    for row in rows.values("currency", "transaction_type", "month").annotate(total=Sum("amount"), count=Count("pk")):
        months = found.setdefault(row["currency"], {})
        one = months.setdefault(row["month"], Totals(row["currency"]))
        one.sums[row["transaction_type"]] = row["total"]
        one.counts[row["transaction_type"]] = row["count"]
    return found


def month_of(year: int, month: int) -> tuple[date, date]:
    """The first and the last day of a month."""
    first = date(year, month, 1)
    after = date(year + month // 12, month % 12 + 1, 1) if (year, month) != (9999, 12) else date.max
    return first, after if after == date.max else date.fromordinal(after.toordinal() - 1)
