"""Money: entries of the ledger and their sums by month. Amounts are text, so that no reader rounds them."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, etag, if_match, read, read_query
from console.errors import Invalid
from console.saying import phrase
from memories.access import Actor, check_may_use
from memories.api import kinds, shapes
from memories.api.finding import undeleted
from memories.api.render import ids
from memories.models import LedgerEntry
from memories.services import fields, ledger


class Day(shapes.Given):
    """A day in ISO 8601; of a time with an offset, its day there. Empty text is None."""

    default_error_messages = {"day": _("This is no day. Write it like 2026-11-30.")}

    def to_internal_value(self, data: Any) -> date | None:
        """The day."""
        if data == "":
            return None
        try:
            if isinstance(data, str) and data.isascii() and len(data) <= 40:
                return datetime.fromisoformat(data).date() if len(data) > 10 else date.fromisoformat(data)
        except ValueError:
            pass
        return self.fail("day")


class Change(serializers.Serializer):
    """PATCH me/ledger/transactions/{id}. `type` and `date` are other names of transaction_type and occurred_on."""

    item = shapes.Given(required=False)
    amount = shapes.Given(required=False)
    currency = shapes.Given(required=False)
    transaction_type = shapes.Given(required=False)
    type = shapes.Given(required=False)
    category = shapes.Given(required=False)
    occurred_on = Day(required=False)
    date = Day(required=False)
    note = shapes.Given(required=False)
    bucket = shapes.Given(required=False)
    scope = shapes.Given(required=False)
    path = shapes.Given(required=False)


class New(Change):
    """POST me/ledger/transactions."""

    item = shapes.Given()
    amount = shapes.Given()
    currency = shapes.Given()
    team_id = shapes.Team(required=False)
    source = shapes.Given(required=False)  # type: ignore[assignment]


class Listing(kinds.Narrowed):
    """GET me/ledger/transactions."""

    transaction_type = shapes.Text(default="%")
    type = shapes.Text(required=False)
    currency = shapes.Text(default="%")
    category = shapes.Text(default="")
    date_from = Day(required=False)
    date_to = Day(required=False)
    min_amount = shapes.Given(required=False)
    max_amount = shapes.Given(required=False)


class Summed(serializers.Serializer):
    """Which entries are summed up. `type` is another name of transaction_type."""

    transaction_type = shapes.Text(default="%")
    type = shapes.Text(required=False)
    currency = shapes.Text(default="%")
    bucket = shapes.Filter(default="%")
    scope = shapes.Filter(required=False)
    team_id = shapes.Team(required=False)


class Month(Summed):
    """GET me/ledger/monthly-summary. `month` is 1 to 12, or a year and month such as 2026-11."""

    month = shapes.Text(required=False)
    year = shapes.Whole(least=1900, most=9998, required=False)


def entry_json(entry: LedgerEntry) -> dict[str, Any]:
    """An entry, its amount with the decimal places of its currency."""
    return {
        **ids(entry.pk),
        "item_kind": "ledger",
        "transaction_type": entry.transaction_type,
        "item": entry.item,
        "amount": money(entry.amount, entry.currency),
        "currency": entry.currency,
        "category": entry.category,
        "date": entry.occurred_on,
        "occurred_on": entry.occurred_on,
        "note": entry.note,
        **kinds.standing_json(entry),
    }


def money(amount: Decimal, currency: str) -> str:
    """`amount` as text."""
    return str(ledger.in_minor_units(amount, currency))


class Transactions(Door):
    """GET and POST me/ledger/transactions."""

    needs = "ledger:read"

    def get(self, request: Request) -> Response:
        """The entries within the filters, newest day first."""
        sent = read_query(Listing, request)
        rows = ledger.listed(wanted_of(sent), actor=actor_of(request))
        page, total = kinds.page_of(rows, sent)
        return Response({"transactions": [entry_json(entry) for entry in page], "total": total})

    def post(self, request: Request) -> Response:
        """A new entry: an expense of today unless it says otherwise."""
        return _answer(entered(body_of(request), actor_of(request)))


class Transaction(Door):
    """GET and PATCH me/ledger/transactions/{id}."""

    needs = "ledger:read"

    def get(self, request: Request, record_id: str) -> Response:
        """The entry; its version is the ETag."""
        return _answer(undeleted(ledger.find(fields.record_id(record_id), actor=actor_of(request))))

    def patch(self, request: Request, record_id: str) -> Response:
        """Change some fields."""
        key, raw = fields.record_id(record_id), body_of(request)
        changes = values_of(kinds.changed(read(Change, raw), raw, clears=()))
        with if_match(request) as seen:
            return _answer(ledger.edit(entry_id=key, changes=changes, seen_version=seen, actor=actor_of(request)))


class MonthlySummary(Door):
    """GET me/ledger/monthly-summary."""

    needs = "ledger:read"

    def get(self, request: Request) -> Response:
        """The sums of a month, by currency. The currency with most entries also stands at the top."""
        return Response(summary_json(read_query(Month, request), actor_of(request)))


def entered(given: dict[str, Any], actor: Actor) -> LedgerEntry:
    """A new entry as it was sent: an expense of today unless it says otherwise. Raises Invalid, NotAllowed."""
    check_may_use(actor, "ledger:write")
    sent = values_of(kinds.written(read(New, given)))
    return ledger.add(**{"transaction_type": "expense", "occurred_on": timezone.localdate(), **sent}, actor=actor)


def summary_json(sent: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """The sums of the month that was sent. Raises Invalid, NotAllowed."""
    year, month = _month(sent.pop("month", None), sent.pop("year", None))
    first, last = ledger.month_of(year, month)
    wanted = wanted_of(sent | {"date_from": first, "date_to": last})
    return {"month": f"{year:04}-{month:02}", **sums_json(wanted, actor)}


def sums_json(wanted: ledger.Wanted, actor: Actor) -> dict[str, Any]:
    """The sums of the entries wanted, by currency. The currency with most entries also stands at the top."""
    found = [_totals_json(one) for one in ledger.totals(wanted, actor=actor)]
    asked = None if wanted.currency == "%" else wanted.currency
    top = max(found, key=lambda one: one["count"], default=None) or _nothing(asked)
    return {**top, "currencies": found}


def values_of(sent: dict[str, Any]) -> dict[str, Any]:
    """What was sent by the names of the service, money as Decimal. Raises Invalid."""
    for name, other in (("type", "transaction_type"), ("date", "occurred_on")):
        if name in sent:
            sent.setdefault(other, sent[name])
            del sent[name]
    if "amount" in sent:
        sent["amount"] = ledger.amount_of(sent["amount"])
    if "currency" in sent:
        sent["currency"] = ledger.currency_of(sent["currency"])
    return {name: value for name, value in sent.items() if not (name == "occurred_on" and value is None)}


def wanted_of(sent: dict[str, Any]) -> ledger.Wanted:
    """The filters that were sent, by the names of the service."""
    given = kinds.filters_of(sent)
    kind = given.pop("type", None)
    if kind is not None:
        given["transaction_type"] = kind
    for name in ("min_amount", "max_amount"):
        if name in given:
            given[name] = ledger.amount_of(given[name], name=name, where="query")
    return ledger.Wanted(**given | {"currency": given["currency"].strip().upper()})


_MONTH = re.compile(r"(?:([0-9]{4})-)?(0?[1-9]|1[0-2])", re.ASCII)


def _month(month: str | None, year: int | None) -> tuple[int, int]:
    """Year and month; what is left out is that of today. Raises Invalid."""
    today = timezone.localdate()
    if month is None and year is None:
        return today.year, today.month
    found = _MONTH.fullmatch(month or "")
    named = int(found[1]) if found and found[1] else None
    if found is None or (named is not None and (named < 1900 or year not in (None, named))):
        raise Invalid.field(
            "month", phrase("This is no month. Send 1 to 12 with year, or both like 2026-11."), where="query"
        )
    return named or year or today.year, int(found[2])


def _totals_json(one: ledger.Totals) -> dict[str, Any]:
    """The sums of one currency. `total` is what was spent; `net` is income and refunds less expenses."""
    sums = {name: money(amount, one.currency) for name, amount in one.sums.items()}
    return {
        "currency": one.currency,
        "total": sums["expense"],
        **sums,
        "net": money(one.net, one.currency),
        "count": one.count,
        "counts": one.counts,
    }


def _nothing(currency: str | None) -> dict[str, Any]:
    return {**_totals_json(ledger.Totals(currency or "EUR")), "currency": currency}


def _answer(entry: LedgerEntry) -> Response:
    return Response(entry_json(entry), headers=etag(entry.version))
