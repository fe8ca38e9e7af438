"""The pages of the ledger."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memories.models import LedgerEntry
from memories.services import ledger
from tests.memories.factories import actor, ann, bob
from tests.memories.page_client import HTMX, everything, signed_in, text_of

pytestmark = pytest.mark.django_db

UNKNOWN = "01a22ca2-8482-7386-8256-67939b2aa67b"
TRAIN = {"item": "Train", "amount": "12.50", "currency": "eur", "type": "expense", "occurred_on": "2026-11-30"}
VERBS = ["forget", "restore"]


def add(item: str = "Train", amount: str = "1234.5", **fields: Any) -> LedgerEntry:
    values = {"transaction_type": "expense", "currency": "EUR", "occurred_on": date(2026, 11, 30), **fields}
    return ledger.add(item=item, amount=Decimal(amount), actor=actor(ann()), **values)


def test_a_month_is_shown_with_its_sums_and_the_way_to_others() -> None:
    add()
    add("Salary", "2000", transaction_type="income")
    add("Ramen", "900", currency="JPY")
    add("Old", occurred_on=date(2026, 10, 31))
    client = signed_in(ann())
    page = client.get("/ledger?month=2026-11")
    text = text_of(page)
    assert "November 2026" in text and "Old" not in text
    assert "1,234.50" in text and "765.50" in text and "-900" in text
    assert "month=2026-10" in page.content.decode() and "month=2026-12" in page.content.decode()
    assert "Old" in text_of(client.get("/ledger?every=on"))
    assert "Old" in text_of(client.get("/ledger?until=2026-10-31"))
    assert "Train" not in text_of(client.get("/ledger?month=2026-10"))


def test_without_a_month_it_is_this_one() -> None:
    add("now", occurred_on=timezone.localdate())
    add("then", occurred_on=date(2020, 1, 1))
    page = signed_in(ann()).get("/ledger")
    assert "now" in text_of(page) and "then" not in [row.item for row in page.context["page"].rows]
    assert f'value="{timezone.localdate():%Y-%m}"' in page.content.decode()


def test_filters_narrow_sums_and_rows_alike() -> None:
    add("Train", category="travel")
    add("Tea", "3", currency="USD", transaction_type="refund")
    client = signed_in(ann())
    for query in ("type=refund", "currency=usd", "query=tea"):
        context = client.get(f"/ledger?every=on&{query}").context
        assert [row.item for row in context["page"].rows] == ["Tea"]
        assert [one["currency"] for one in context["totals"]] == ["USD"]
    assert [row.item for row in client.get("/ledger?every=on&category=TRAVEL").context["page"].rows] == ["Train"]


@pytest.mark.parametrize(
    "query", ["month=x", "month=2026-13", "currency=ABC", "type=x", "since=x", "after=x", "limit=0"]
)
def test_a_filter_that_cannot_be_read_is_named(query: str) -> None:
    assert signed_in(ann()).get(f"/ledger?{query}").status_code == 422


def test_pages_follow_each_other_without_loss() -> None:
    for number in range(7):
        add(f"number {number}", occurred_on=date(2026, 11, 1 + number // 3))
    client, url, seen = signed_in(ann()), "/ledger?every=on&limit=3", []
    while url:
        page = client.get(url).context["page"]
        seen += [row.item for row in page.rows]
        url = page.next_url
    assert seen == [f"number {number}" for number in range(6, -1, -1)]


def test_adding_and_the_mistakes_one_can_make() -> None:
    client, space = signed_in(ann()), {"space": str(ann().pk), "next": "/ledger"}
    assert client.post("/ledger", {**TRAIN, **space})["Location"] == "/ledger"
    entry = LedgerEntry.objects.get()
    assert (entry.amount, entry.currency, entry.bucket) == (Decimal("12.5"), "EUR", "personal")
    for wrong in ({"amount": "1,50"}, {"amount": "0"}, {"amount": "1.001"}, {"currency": "ABC"}, {"occurred_on": "x"}):
        answer = client.post("/ledger", {**TRAIN, **space, "item": "Keep me", **wrong})
        assert answer.status_code == 422 and "Keep me" in answer.content.decode()
        assert list(answer.context["form"].errors) == list(wrong)
    assert LedgerEntry.objects.count() == 1


def test_an_entry_is_shown_and_changed() -> None:
    entry, client = add("Train <to> Porto"), signed_in(ann())
    page = client.get(f"/ledger/{entry.pk}")
    assert "Train &lt;to&gt; Porto" in page.content.decode() and "1,234.50" in text_of(page)
    sent = {**TRAIN, "bucket": "personal", "version": 1}
    assert client.post(f"/ledger/{entry.pk}", sent)["Location"] == f"/ledger/{entry.pk}"
    entry.refresh_from_db()
    assert (entry.item, entry.amount, entry.version) == ("Train", Decimal("12.5"), 2)
    assert "entry changed" in text_of(client.get(f"/ledger/{entry.pk}"))
    stale = client.post(f"/ledger/{entry.pk}", {**sent, "item": "Mine"})
    assert stale.status_code == 409 and "Save mine over version 2" in text_of(stale)
    again = client.post(f"/ledger/{entry.pk}", {**sent, "version": 2}, follow=True)
    assert "Nothing was different" in text_of(again)
    assert client.post(f"/ledger/{entry.pk}", {**sent, "version": 2, "amount": "-1"}).status_code == 422


def test_the_row_becomes_an_undo_and_comes_back() -> None:
    entry, client = add(), signed_in(ann())
    gone = client.post(f"/ledger/{entry.pk}/forget", {"version": 1, "next": "/ledger"}, headers=HTMX).content.decode()
    assert "Undo" in gone and f"/ledger/{entry.pk}/restore" in gone
    assert "Train" not in text_of(client.get("/ledger?every=on"))
    row = client.post(f"/ledger/{entry.pk}/restore", {"version": 2, "as": "row", "next": "/ledger"}, headers=HTMX)
    assert "1,234.50" in row.content.decode() and "<html" not in row.content.decode()


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_strangers_cannot_tell_anothers_from_none(headers: dict[str, str]) -> None:
    entry, client = add("secret"), signed_in(bob())
    before = everything()
    for key in (entry.pk, UNKNOWN):
        sent = {**TRAIN, "bucket": "x", "version": 1, "as": "row", "next": "/ledger"}
        answers = [client.get(f"/ledger/{key}", headers=headers), client.post(f"/ledger/{key}", sent, headers=headers)]
        answers += [client.post(f"/ledger/{key}/{verb}", sent, headers=headers) for verb in VERBS]
        assert [answer.status_code for answer in answers] == [404] * 4
        assert all("secret" not in answer.content.decode() for answer in answers)
    assert everything() == before and "secret" not in text_of(client.get("/ledger?every=on"))


def test_nobody_and_forms_without_their_token_get_nowhere() -> None:
    entry = add()
    client = Client(enforce_csrf_checks=True)
    client.force_login(ann())
    before = everything()
    for path in ("", f"/{entry.pk}", *(f"/{entry.pk}/{verb}" for verb in VERBS)):
        assert Client().post(f"/ledger{path}", {"version": 1}).status_code == 401
        assert client.post(f"/ledger{path}", {"version": 1}).status_code == 403
    assert everything() == before
