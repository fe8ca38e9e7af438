"""The sums of the latest months, as skills ask for them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from django.utils import timezone

from memories.access import Actor
from memories.api import ledger as money
from memories.api import shapes
from memories.services import ledger

MONTHS, MONTHS_MOST = 6, 24


class Latest(money.Summed):
    """The operation ledger-summary."""

    months = shapes.Whole(least=1, most=MONTHS_MOST, default=MONTHS)


def latest_json(sent: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """The sums of the latest months with this one, together and in `summary` by month. Raises Invalid, NotAllowed."""
    months, today = sent.pop("months"), timezone.localdate()
    first = date(*_month_before(today, months - 1), 1)
    last = ledger.month_of(today.year, today.month)[1]
    wanted = replace(money.wanted_of(sent), date_from=first, date_to=last)
    return {
        "months": months,
        "date_from": first,
        "date_to": last,
        **money.sums_json(wanted, actor),
        "summary": _by_month(wanted, actor),
    }


def _month_before(day: date, back: int) -> tuple[int, int]:
    """Year and month of the month `back` months before that of `day`."""
    year, month = divmod(day.year * 12 + day.month - 1 - back, 12)
    return year, month + 1


def _by_month(wanted: ledger.Wanted, actor: Actor) -> list[dict[str, Any]]:
    """The sums of each month that has entries, by currency: the latest first."""
    found = [
        (month, currency, one)
        for currency, months in ledger.by_month(wanted, actor=actor).items()
        for month, one in months.items()
    ]
    return [
        {
            "month": f"{month:%Y-%m}",
            "currency": currency,
            "expense_total": money.money(one.sums["expense"], currency),
            "income_total": money.money(one.sums["income"], currency),
            "refund_total": money.money(one.sums["refund"], currency),
            "net_total": money.money(one.net, currency),
            "transaction_count": one.count,
        }
        for month, currency, one in sorted(found, key=lambda row: (-row[0].toordinal(), row[1]))
    ]
