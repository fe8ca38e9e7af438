"""The ledger as services: exact money, lists, sums by month, and its own scopes behind every door."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.errors import Conflict, Invalid, NotAllowed, NotFound, Stale
from memories.access import may_erase, may_write
from memories.models import AuditRecord, LedgerEntry
from memories.services import ledger, records
from memories.services.currencies import MINOR_UNITS
from memories.services.forget import forget, restore
from memories.services.ledger import Wanted
from tests.memories.factories import actor, ann, bob, team, token_actor

pytestmark = pytest.mark.django_db

DAY = date(2026, 11, 30)


def add(amount: str = "12.50", currency: str = "EUR", **fields: Any) -> LedgerEntry:
    values = {"transaction_type": "expense", "item": "Train", "occurred_on": DAY, **fields}
    return ledger.add(amount=Decimal(amount), currency=currency, actor=values.pop("by", None) or actor(ann()), **values)


def items(by: Any = None, **filters: Any) -> list[str]:
    return [entry.item for entry in ledger.listed(Wanted(**filters), actor=by or actor(ann()))]


def problems(refusal: pytest.ExceptionInfo[Invalid]) -> list[str]:
    return [problem.loc[-1] for problem in refusal.value.problems]


@pytest.mark.parametrize(("code", "places"), [("JPY", 0), ("EUR", 2), ("KWD", 3), ("CLF", 4), ("XCG", 2), ("BGN", 2)])
def test_an_amount_has_at_most_the_places_of_its_currency(code: str, places: int) -> None:
    fits, too_fine = Decimal(1).scaleb(-places), Decimal(1).scaleb(-places - 1)
    assert add(str(fits), code).amount == fits
    with pytest.raises(Invalid) as refusal:
        add(str(too_fine), code)
    assert problems(refusal) == ["amount"] and code in refusal.value.message


def test_zeros_at_the_end_are_no_places() -> None:
    assert add("5.000", "JPY").amount == 5


@pytest.mark.parametrize("code", ["EURO", "eur", "XXX", "XAU", "ABC", "€", ""])
def test_only_currencies_of_the_list_are_kept(code: str) -> None:
    with pytest.raises(Invalid) as refusal:
        add("1", code)
    assert problems(refusal) == ["currency"]


def test_the_list_holds_what_people_pay_with() -> None:
    assert len(MINOR_UNITS) > 160 and all(len(code) == 3 and code.isupper() for code in MINOR_UNITS)
    assert {MINOR_UNITS[code] for code in ("EUR", "USD", "BRL", "GBP", "CHF", "INR", "CNY")} == {2}
    assert {MINOR_UNITS[code] for code in ("JPY", "KRW", "CLP", "VND", "ISK")} == {0}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("amount", "0"),
        ("amount", "-1"),
        ("amount", "NaN"),
        ("amount", "Infinity"),
        ("amount", "100000000000000"),
        ("transaction_type", "gift"),
        ("item", " "),
        ("item", "x" * 501),
        ("item", "a\0b"),
        ("category", "x" * 101),
        ("note", "x" * 4001),
        ("note", "a\0"),
        ("occurred_on", "2026-11-30"),
        ("occurred_on", datetime(2026, 11, 30)),  # noqa: DTZ001 - no day
        ("occurred_on", date(1899, 12, 31)),
        ("bucket", ""),
    ],
)
def test_bad_fields_are_named(name: str, value: Any) -> None:
    with pytest.raises(Invalid) as refusal:
        add(**{name: value})
    assert problems(refusal) == [name]


@pytest.mark.parametrize("given_", ["12.50", 12.5, Decimal("12.50"), " 12.5 "])
def test_an_amount_is_read_from_text_and_numbers(given_: Any) -> None:
    assert ledger.amount_of(given_) == Decimal("12.5")


@pytest.mark.parametrize(
    "given_", [True, None, "", "1e3", "1,50", "+1", "-1", "١٢", "NaN", [], 99999999999999.99, 1e16]
)
def test_an_amount_that_is_not_plain_or_not_exact_is_refused(given_: Any) -> None:
    with pytest.raises(Invalid):
        ledger.amount_of(given_)


@given(st.integers(1, 10**15 - 1), st.integers(0, 4))
def test_a_json_number_of_up_to_15_digits_keeps_each_of_them(digits: int, places: int) -> None:
    written = Decimal(digits).scaleb(-places)
    if float(written) >= 1e-4:
        assert ledger.amount_of(float(written)) == written


def test_a_change_of_currency_is_checked_with_the_amount_that_stays() -> None:
    entry = add("12.50")
    with pytest.raises(Invalid) as refusal:
        ledger.edit(entry_id=entry.pk, changes={"currency": "JPY"}, actor=actor(ann()))
    assert problems(refusal) == ["amount"]
    changed = ledger.edit(
        entry_id=entry.pk, changes={"currency": "JPY", "amount": Decimal(1300)}, seen_version=1, actor=actor(ann())
    )
    assert (changed.version, changed.currency, changed.amount) == (2, "JPY", Decimal(1300))


def test_the_audit_of_an_edit_names_fields_and_no_values() -> None:
    entry = add(item="secret gift", category="love")
    ledger.edit(entry_id=entry.pk, changes={"item": "surprise", "amount": Decimal(77)}, actor=actor(ann()))
    ledger.edit(entry_id=entry.pk, changes={"item": "surprise"}, actor=actor(ann()))
    lines = AuditRecord.objects.filter(object_id=entry.pk).order_by("seq")
    assert [line.action for line in lines] == ["ledger.create", "ledger.update"]
    assert lines[1].detail == {"changed": ["item", "amount"], "version": 2}
    assert not any(word in str([line.detail for line in lines]) for word in ("secret", "surprise", "77", "love"))


def test_stale_deleted_and_unknown_changes_are_refused() -> None:
    entry = add()
    with pytest.raises(Stale):
        ledger.edit(entry_id=entry.pk, changes={"item": "x"}, seen_version=2, actor=actor(ann()))
    with pytest.raises(Invalid):
        ledger.edit(entry_id=entry.pk, changes={"owner_id": 1}, actor=actor(ann()))
    forget(record_id=entry.pk, actor=actor(ann()))
    with pytest.raises(Conflict):
        ledger.edit(entry_id=entry.pk, changes={"item": "x"}, actor=actor(ann()))
    assert items() == []
    restore(record_id=entry.pk, actor=actor(ann()))
    assert items() == ["Train"]


def test_lists_are_narrowed_by_type_currency_category_dates_and_words() -> None:
    add(item="Train to Porto", category="Travel")
    add(item="Salary", transaction_type="income", occurred_on=date(2026, 11, 1), note="bonus included")
    add("900", "JPY", item="Ramen", category="food", occurred_on=date(2026, 10, 31))
    assert items() == ["Train to Porto", "Salary", "Ramen"]
    assert items(transaction_type="income") == items(query="bonus") == ["Salary"]
    assert items(currency="JPY") == items(category="FOOD") == items(date_to=date(2026, 10, 31)) == ["Ramen"]
    assert items(date_from=date(2026, 11, 30), date_to=date(2026, 11, 30)) == ["Train to Porto"]
    assert items(query="travel") == items(query="trains porto") == ["Train to Porto"]


@pytest.mark.parametrize(
    "filters", [{"transaction_type": "x"}, {"currency": "ABC"}, {"date_from": DAY, "date_to": date(2026, 11, 29)}]
)
def test_bad_filters_are_refused(filters: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        items(**filters)


def test_sums_are_exact_and_stand_by_currency() -> None:
    for _ in range(10):
        add("0.10")
    add("1000", transaction_type="income")
    add("5.05", transaction_type="refund")
    add("300", transaction_type="transfer")
    add("900", "JPY")
    gone = add("1", item="gone")
    forget(record_id=gone.pk, actor=actor(ann()))
    euro, yen = ledger.totals(Wanted(), actor=actor(ann()))
    assert (euro.sums["expense"], euro.net, euro.count) == (Decimal("1.00"), Decimal("1004.05"), 13)
    assert (yen.currency, yen.net, yen.counts["expense"]) == ("JPY", Decimal(-900), 1)


@pytest.mark.parametrize(("year", "month", "last"), [(2026, 2, 28), (2028, 2, 29), (2026, 12, 31), (9999, 12, 31)])
def test_a_month_ends_on_its_last_day(year: int, month: int, last: int) -> None:
    assert ledger.month_of(year, month) == (date(year, month, 1), date(year, month, last))


def test_strangers_and_bounded_tokens_see_nothing_of_it() -> None:
    entry = add()
    assert items(by=actor(bob())) == [] and ledger.totals(Wanted(), actor=actor(bob())) == []
    with pytest.raises(NotFound):
        ledger.edit(entry_id=entry.pk, changes={"item": "x"}, actor=actor(bob()))
    bound = token_actor(ann(), buckets=["work"], scopes=["ledger:read", "ledger:write"])
    assert items(by=bound) == [] and add(by=bound).bucket == "work"
    with pytest.raises(NotAllowed):
        add(by=bound, bucket="personal")
    with pytest.raises(NotAllowed):
        add(team_id=team("Other", bob="admin").pk)


MEMORY = ["memory:read", "memory:write", "memory:restore", "memory:delete"]


def test_without_the_scopes_of_the_ledger_no_door_leads_to_an_entry() -> None:
    entry = add()
    for refused in (
        lambda by: records.find(entry.pk, actor=by),
        lambda by: forget(record_id=entry.pk, actor=by),
        lambda by: restore(record_id=entry.pk, actor=by),
        lambda by: items(by=by),
        lambda by: add(by=by),
        lambda by: ledger.edit(entry_id=entry.pk, changes={"item": "x"}, actor=by),
    ):
        with pytest.raises(NotAllowed, match="ledger:"):
            refused(token_actor(ann(), scopes=MEMORY))


def test_who_may_only_read_the_ledger_changes_nothing() -> None:
    entry, reader = add(), token_actor(ann(), scopes=[*MEMORY, "ledger:read"])
    assert items(by=reader) == ["Train"] and not may_write(reader, entry) and not may_erase(reader, entry)
    for refused in (
        lambda: forget(record_id=entry.pk, actor=reader),
        lambda: restore(record_id=entry.pk, actor=reader),
        lambda: ledger.edit(entry_id=entry.pk, changes={"item": "x"}, actor=reader),
        lambda: add(by=reader),
    ):
        with pytest.raises(NotAllowed, match="ledger:write"):
            refused()
