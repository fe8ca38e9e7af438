"""The chart of the ledger: one currency, its months, and sums that are exact."""

from __future__ import annotations

import random
import re
from collections import Counter
from datetime import date, timedelta
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.utils import timezone

from console.charts import Chart
from memories.models import LedgerEntry
from memories.services.ledger import TYPES
from tests.memories.factories import ann, bea, bob, team
from tests.memories.page_client import signed_in, text_of

pytestmark = pytest.mark.django_db

MONTHS = [date(2025, month, 1) for month in (11, 12)] + [date(2026, month, 1) for month in range(1, 12)]


def entries(chance: random.Random, count: int, **fields: Any) -> list[LedgerEntry]:
    """Entries of Ann, of a team of hers and of people whose money is not hers to see."""
    atlas, theirs, now = team("Atlas", ann="member"), team("Boreas", bea="admin"), timezone.now()
    made = []
    for _ in range(count):
        owner, of = chance.choice([(ann(), None), (ann(), atlas), (bob(), None), (bea(), theirs)])
        currency = chance.choice(("EUR", "EUR", "JPY", "KWD"))
        places = {"EUR": 2, "JPY": 0, "KWD": 3}[currency]
        made.append(
            LedgerEntry(
                owner=owner,
                team=of,
                item="x",
                transaction_type=chance.choice(TYPES),
                amount=Decimal(chance.randint(1, 10**9)).scaleb(-places),
                currency=currency,
                occurred_on=chance.choice(MONTHS) + timedelta(days=chance.randint(0, 27)),
                status="active",
                created_at=now,
                updated_at=now,
            )
        )
    return LedgerEntry.objects.bulk_create(made)


def chart(query: str) -> Chart | None:
    drawn = signed_in(ann()).get(f"/ledger?{query}").context["drawn"]
    return drawn.chart if drawn else None


def by_hand(made: list[LedgerEntry], currency: str, kind: str) -> dict[str, Decimal]:
    sums: Counter[str] = Counter()
    for one in made:
        if (one.currency, one.transaction_type) == (currency, kind) and one.owner_id == ann().pk:
            sums[f"{one.occurred_on:%B %Y}"] += one.amount  # type: ignore[assignment]
    return dict(sums)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(8))
def test_the_sums_of_every_month_are_those_of_the_entries_one_may_see(seed: int) -> None:
    made = entries(random.Random(seed), 60)
    for currency in ("EUR", "JPY", "KWD"):
        found = chart(f"every=on&currency={currency}")
        assert found is not None
        for kind in TYPES:
            place = found.table.head.index(kind.capitalize()) if kind.capitalize() in found.table.head else None
            told = {row[0]: Decimal(row[place].replace(",", "")) for row in found.table.rows} if place else {}
            assert {month: n for month, n in told.items() if n} == by_hand(made, currency, kind)
        for row in found.table.rows:
            cells = dict(zip(found.table.head[1:], (Decimal(cell.replace(",", "")) for cell in row[1:]), strict=True))
            into, out = cells.get("Income", 0) + cells.get("Refund", 0), cells.get("Expense", 0)
            assert cells["Net"] == into - out


def test_the_bars_are_as_high_as_the_sums_of_the_table() -> None:
    entries(random.Random(3), 60)
    found = chart("every=on&currency=EUR")
    assert found is not None
    top = Decimal(found.y_ticks[-1].label.replace(",", ""))
    for column, row in zip(found.columns, found.table.rows, strict=True):
        drawn = [cell for cell in (Decimal(cell.replace(",", "")) for cell in row[1:-1]) if cell]
        assert len(drawn) == len(column.bars)
        for bar, cell in zip(column.bars, drawn, strict=True):
            assert float(bar.height) == pytest.approx(max(float(cell / top * 100), 0.8), abs=0.01)


def test_a_month_is_shown_with_the_year_before_it() -> None:
    entries(random.Random(5), 40)
    found = chart("month=2026-11&currency=EUR")
    assert found is not None
    names = [row[0] for row in found.table.rows]
    assert len(names) == 12 and (names[0], names[-1]) == ("December 2025", "November 2026")
    assert found.table.urls[0] == "/ledger?currency=EUR&month=2025-12"


def test_one_currency_is_drawn_and_the_others_are_one_link_away() -> None:
    now = timezone.now()
    common = {"owner": ann(), "item": "x", "amount": 5, "created_at": now, "updated_at": now, "status": "active"}
    for currency in ("EUR", "EUR", "USD"):
        LedgerEntry.objects.create(
            **common, currency=currency, transaction_type="expense", occurred_on=date(2026, 11, 3)
        )
    body = signed_in(ann()).get("/ledger?month=2026-11").content.decode()
    assert "EUR by month" in body and "USD by month" not in body
    other = re.search(r'<a href="([^"]+)">USD</a>', body)
    assert other and "USD by month" in text_of(signed_in(ann()).get(unescape(other[1])))


def test_a_filter_holds_in_the_chart_as_in_the_list() -> None:
    entries(random.Random(9), 40)
    found = chart("every=on&currency=EUR&type=refund")
    assert found is not None and found.table.head == ["Month", "Refund", "Net"]


@pytest.mark.parametrize("day", [date(1900, 1, 1), date(9999, 12, 31)])
def test_an_entry_at_an_end_of_the_calendar_is_drawn_too(day: date) -> None:
    now = timezone.now()
    for when in (day, date(2026, 11, 30)):
        LedgerEntry.objects.create(
            owner=ann(),
            item="x",
            amount=5,
            currency="EUR",
            transaction_type="expense",
            occurred_on=when,
            status="active",
            created_at=now,
            updated_at=now,
        )
    found = chart("every=on")
    assert found is not None and sum(Decimal(row[1]) for row in found.table.rows) == 10


def test_a_ledger_without_entries_has_no_chart() -> None:
    assert chart("every=on") is None and chart("month=2026-11") is None
