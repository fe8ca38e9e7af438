"""The ledger over the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from memories.models import LedgerEntry
from tests.memories.api_client import Api, code, problems, rows
from tests.memories.factories import ann, bob

pytestmark = pytest.mark.django_db

TRAIN = {"item": "Train", "amount": "12.50", "currency": "EUR", "category": "travel", "date": "2026-11-30"}


def made(api: Api, **fields: Any) -> dict[str, Any]:
    answer = api.post("me/ledger/transactions", {**TRAIN, **fields})
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_an_entry_comes_back_with_exact_money() -> None:
    body = made(Api(ann()), amount=99.9, currency="eur")
    assert body["id"] == body["memory_id"] == str(LedgerEntry.objects.get().pk)
    assert (body["amount"], body["currency"], body["transaction_type"]) == ("99.90", "EUR", "expense")
    assert (body["date"], body["occurred_on"], body["bucket"]) == ("2026-11-30", "2026-11-30", "personal")
    assert made(Api(ann()), amount=900, currency="JPY")["amount"] == "900"


def test_without_a_date_it_is_of_today() -> None:
    answer = Api(ann()).post("me/ledger/transactions", {"item": "Tea", "amount": "3", "currency": "EUR"})
    assert answer.json()["date"] == timezone.localdate().isoformat()


def test_the_list_is_filtered_and_counted() -> None:
    api = Api(ann())
    made(api)
    made(api, transaction_type="income", item="Salary", date="2026-10-31T23:00:00+02:00")
    found = api.get("me/ledger/transactions", type="income", date_to="2026-10-31").json()
    assert ([one["item"] for one in found["transactions"]], found["total"]) == (["Salary"], 1)
    assert api.get("me/ledger/transactions", limit=1).json()["total"] == 2
    assert api.get("me/ledger/transactions", query="train", currency="eur", category="Travel").json()["total"] == 1


def test_the_summary_of_a_month_has_the_sums_of_each_currency() -> None:
    api = Api(ann())
    for kind, amount in (
        ("expense", "12.50"),
        ("expense", "7.55"),
        ("income", "100"),
        ("refund", "2.5"),
        ("transfer", 40),
    ):
        made(api, transaction_type=kind, amount=amount)
    made(api, currency="JPY", amount="900")
    made(api, date="2026-10-31")
    body = api.get("me/ledger/monthly-summary", month=11, year=2026).json()
    top = {name: body[name] for name in ("month", "currency", "total", "count", "income", "refund", "transfer", "net")}
    assert top == {
        "month": "2026-11",
        "currency": "EUR",
        "total": "20.05",
        "count": 5,
        "income": "100.00",
        "refund": "2.50",
        "transfer": "40.00",
        "net": "82.45",
    }
    assert [(one["currency"], one["total"]) for one in body["currencies"]] == [("EUR", "20.05"), ("JPY", "900")]
    yen = api.get("me/ledger/monthly-summary", month="2026-11", currency="jpy").json()
    assert (yen["currency"], yen["net"], yen["count"]) == ("JPY", "-900", 1)


def test_an_empty_month_has_sums_of_nothing() -> None:
    body = Api(ann()).get("me/ledger/monthly-summary", month="2026-11", currency="JPY").json()
    assert (body["currency"], body["total"], body["count"], body["currencies"]) == ("JPY", "0", 0, [])
    today = Api(ann()).get("me/ledger/monthly-summary").json()
    assert today["month"] == timezone.localdate().strftime("%Y-%m") and today["currency"] is None


@pytest.mark.parametrize(
    "query",
    [{"month": "13"}, {"month": "0"}, {"month": "x"}, {"month": "2026-13"}, {"month": "2026-1-1"}, {"month": "-1"}],
)
def test_a_month_that_is_none_is_refused(query: dict[str, Any]) -> None:
    assert problems(Api(ann()).get("me/ledger/monthly-summary", **query)) == ["month"]
    assert problems(Api(ann()).get("me/ledger/monthly-summary", year=2026)) == ["month"]


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"amount": "0"}, ["amount"]),
        ({"amount": "1.001"}, ["amount"]),
        ({"amount": "1,5"}, ["amount"]),
        ({"amount": True}, ["amount"]),
        ({"amount": {}}, ["amount"]),
        ({"currency": "EURO"}, ["currency"]),
        ({"currency": 5}, ["currency"]),
        ({"transaction_type": "gift"}, ["transaction_type"]),
        ({"transaction_type": []}, ["transaction_type"]),
        ({"date": "30.11.2026"}, ["date"]),
        ({"date": 5}, ["date"]),
        ({"item": ""}, ["item"]),
        ({"item": None}, ["item"]),
        ({"category": 5, "note": []}, ["category", "note"]),
        ({"bucket": {}}, ["bucket"]),
    ],
)
def test_bad_input_is_named_and_stores_nothing(changes: dict[str, Any], named: list[str]) -> None:
    assert problems(Api(ann()).post("me/ledger/transactions", {**TRAIN, **changes})) == named
    assert not LedgerEntry.objects.exists()


def test_a_change_honours_if_match() -> None:
    api = Api(ann())
    key = made(api)["id"]
    changed = api.patch(f"me/ledger/transactions/{key}", {"amount": "13", "type": "refund"}, If_Match='"1"')
    assert (changed.json()["amount"], changed.json()["transaction_type"], changed["ETag"]) == ("13.00", "refund", '"2"')
    assert api.patch(f"me/ledger/transactions/{key}", {"amount": "14"}, If_Match='"1"').status_code == 412
    assert api.get(f"me/ledger/transactions/{key}").json()["version"] == 2


def test_forgetting_takes_it_out_of_lists_and_sums() -> None:
    api = Api(ann())
    key = made(api)["id"]
    assert api.post(f"memories/{key}/forget").json()["kind"] == "ledger"
    assert api.get(f"me/ledger/transactions/{key}").status_code == 404
    assert api.get("me/ledger/transactions").json()["total"] == 0
    assert api.get("me/ledger/monthly-summary", month="2026-11").json()["count"] == 0
    api.post(f"memories/{key}/restore")
    assert api.get("me/ledger/monthly-summary", month="2026-11").json()["count"] == 1


def test_the_scopes_of_memories_open_no_ledger() -> None:
    key = made(Api(ann()))["id"]
    api = Api(ann(), scopes=["memory:read", "memory:write", "memory:delete"])
    before = rows()
    answers = [
        api.get("me/ledger/transactions"),
        api.get("me/ledger/monthly-summary"),
        api.get(f"me/ledger/transactions/{key}"),
        api.post("me/ledger/transactions", TRAIN),
        api.patch(f"me/ledger/transactions/{key}", {"item": "x"}),
        api.post(f"memories/{key}/forget"),
        api.post(f"memories/{key}/forget", {"mode": "hard"}),
        api.post(f"memories/{key}/restore"),
    ]
    assert [answer.status_code for answer in answers] == [403] * len(answers)
    assert all("ledger:" in answer.content.decode() for answer in answers) and rows() == before


def test_strangers_cannot_tell_anothers_from_none() -> None:
    key, api = made(Api(ann()))["id"], Api(bob())
    for other in (key, "01a22ca2-8482-7386-8256-67939b2aa67b"):
        assert api.get(f"me/ledger/transactions/{other}").status_code == 404
        assert api.patch(f"me/ledger/transactions/{other}", {"item": "x"}).status_code == 404
    assert code(api.get("me/ledger/transactions/7")) == "invalid_memory_id"
    assert api.get("me/ledger/transactions").json()["total"] == 0


@pytest.mark.parametrize("day", ["2026-02-30", "2026-02-10Tgarbage", "2026-02-10T25:00:00", "2026-02-10 x", 20260210])
def test_what_is_no_day_is_refused(day: Any) -> None:
    assert problems(Api(ann()).post("me/ledger/transactions", {**TRAIN, "date": day})) == ["date"]
    assert not LedgerEntry.objects.exists()
