"""Every row is reached once, page by page, however many there are and whatever comes in between."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from memories.models import AuditRecord, Decision, LedgerEntry, Memory, Snapshot, Todo
from memories.services.forget import forget
from tests.memories.api_client import Api
from tests.memories.doors import DOORS, listed, many
from tests.memories.factories import actor, ann, bob, memory, team, token
from tests.memories.page_client import signed_in, text_of

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
ROWS = 300


def todo(text: str, **fields: Any) -> None:
    Todo.objects.create(owner=ann(), content=text, created_at=NOON, updated_at=NOON, **fields)


def entry(text: str) -> None:
    money = {"amount": 1, "currency": "EUR", "transaction_type": "expense", "occurred_on": NOON.date()}
    LedgerEntry.objects.create(owner=ann(), item=text, created_at=NOON, updated_at=NOON, **money)


def decision(text: str) -> None:
    Decision.objects.create(owner=ann(), context=text, created_at=NOON, updated_at=NOON)


def snapshot(text: str) -> None:
    Snapshot.objects.create(owner=ann(), label=text, created_at=NOON, updated_at=NOON)


LISTS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "memories": ("/memories", lambda text: memory(ann(), text, created_at=NOON)),
    "updated": ("/memories?order=updated", lambda text: memory(ann(), text, created_at=NOON)),
    "narrowed": ("/memories?bucket=b&path=p%25", lambda text: memory(ann(), text, bucket="b", path="p/a")),
    "trash": ("/trash", lambda text: deleted(text)),
    "open": ("/todos", lambda text: todo(text, due_at=NOON)),
    "undated": ("/todos", lambda text: todo(text)),
    "completed": ("/todos?show=completed", lambda text: todo(text, completed_at=NOON, completed_by=ann())),
    "ledger": ("/ledger?month=2026-11", lambda text: entry(text)),
    "decisions": ("/decisions", lambda text: decision(text)),
    "snapshots": ("/snapshots", lambda text: snapshot(text)),
    "timeline": (
        "/timeline?since=2026-11-01T00:00",
        lambda text: memory(ann(), text, event_type="met", occurred_at=NOON, created_at=NOON),
    ),
}


def deleted(text: str) -> None:
    state = memory(ann(), text, status="deleted").state
    type(state).objects.filter(pk=state.pk).update(deleted_at=NOON)


def shown(page: Any) -> list[str]:
    return re.findall(r"row \d{3}(?!\d)", page.content.decode())


def url_of(page: Any, rel: str) -> str:
    return str(getattr(page.context["page"], f"{rel}_url"))


@pytest.mark.parametrize("name", LISTS)
def test_rows_of_one_moment_are_walked_once_forth_and_back_while_others_come_in(name: str) -> None:
    address, make = LISTS[name]
    for number in range(ROWS):
        make(f"row {number:03}")
    client = signed_in(ann())
    page, forth = client.get(f"{address}{'&' if '?' in address else '?'}limit=70"), []
    while True:
        forth.append(dict.fromkeys(shown(page)))
        make(f"new {len(forth)}")
        if not url_of(page, "next"):
            break
        page = client.get(url_of(page, "next"))
    walked = [row for rows in forth for row in rows]
    assert len(walked) == len(set(walked)) == ROWS
    back = [dict.fromkeys(shown(page))]
    while url_of(page, "prev"):
        page = client.get(url_of(page, "prev"))
        back.append(dict.fromkeys(shown(page)))
        make(f"late {len(back)}")
    walked = [row for rows in back for row in rows]
    assert len(walked) == len(set(walked)) == ROWS


def test_next_and_previous_lead_back_to_the_same_page() -> None:
    many(ann(), 120, "row {}", newest=NOON)
    client = signed_in(ann())

    def keys(page: Any) -> list[Any]:
        return [row.pk for row in page.context["page"].rows]

    second = client.get(url_of(client.get("/memories?limit=40"), "next"))
    third = client.get(url_of(second, "next"))
    again = client.get(url_of(third, "prev"))
    assert keys(again) == keys(second) and len(keys(third)) == 40
    assert keys(client.get(url_of(again, "next"))) == keys(third)


def test_rows_are_filtered_before_they_are_cut_into_pages() -> None:
    many(ann(), 27, "other {}", newest=NOON)
    many(ann(), 3, "match {}", newest=NOON - timedelta(days=9), bucket="rare", first=100)
    page = signed_in(ann()).get("/memories?bucket=rare&limit=10")
    assert "1–3 of 3" in text_of(page) and url_of(page, "next") == ""
    body = Api(ann()).get("memories", bucket="rare", limit=10).json()
    assert (len(body["memories"]), body["total"]) == (3, 3)


@pytest.mark.parametrize("door", DOORS)
def test_the_newest_of_ten_thousand_rows_comes_first(door: str) -> None:
    who = ann()
    many(who, 10_000, "row {}", newest=NOON)
    memory(who, "the newest", created_at=NOON + timedelta(minutes=1))
    found = listed(door, who, limit=50)
    assert found[:2] == ["the newest", "row 0"] and len(found) == 50


def walk(address: str, pattern: str) -> list[str]:
    client, seen = signed_in(ann()), []
    while address:
        page = client.get(address)
        seen += dict.fromkeys(re.findall(pattern, page.content.decode()))
        address = url_of(page, "next")
    return seen


def test_250_memories_and_todos_are_reached_through_both_doors() -> None:
    many(ann(), 250, "row {} of many", newest=NOON)
    for number in range(250):
        todo(f"row {number} of many")
    api = Api(ann())
    for page, address, key in (("/memories", "memories", "memories"), ("/todos", "reminders", "reminders")):
        assert sorted(walk(page, r"row \d+ of many")) == sorted(f"row {number} of many" for number in range(250))
        parts = [api.get(address, limit=100, offset=start).json() for start in (0, 100, 200)]
        assert {part["total"] for part in parts} == {250}
        assert len({one["id"] for part in parts for one in part[key]}) == 250


def test_250_tokens_are_reached_page_by_page() -> None:
    made = {token(ann())[0].prefix for _ in range(250)}
    token(bob())
    seen = walk("/tokens", r"mc_[\w-]{7}(?=…)")
    assert set(seen) == made
    assert "1–50 of 250" in text_of(signed_in(ann()).get("/tokens"))


def test_250_teams_are_all_there() -> None:
    made = [team(f"Team {number:03}", ann="member") for number in range(250)]
    client = signed_in(ann())
    assert set(re.findall(r"Team \d{3}", text_of(client.get("/access")))) == {one.name for one in made}
    page = client.get("/memories").content.decode()
    assert all(f'<option value="{one.pk}"' in page for one in made)


def test_counts_follow_a_deletion_at_once() -> None:
    some = [memory(ann(), f"row {number}") for number in range(3)]
    client, api = signed_in(ann()), Api(ann())

    def counts() -> tuple[Any, ...]:
        page, body = client.get("/memories"), api.get("memories").json()
        searched = len(api.get("memories/search", query="*").json()["results"])
        return client.get("/").context["total"]["active"], page.context["page"].range_text, body["total"], searched

    assert counts() == (3, "1–3 of 3", 3, 3)
    forget(record_id=some[0].pk, actor=actor(ann()))
    assert counts() == (2, "1–2 of 2", 2, 2)
    assert AuditRecord.objects.filter(object_id=some[0].pk).count() == 1
    assert Memory.objects.count() == 3


def test_the_list_shows_when_a_row_was_written_or_changed_under_its_right_name() -> None:
    memory(ann(), "row", created_at=timezone.now() - timedelta(days=6), updated_at=timezone.now())
    client = signed_in(ann())
    assert "Created" in text_of(client.get("/memories")) and "6 days ago" in text_of(client.get("/memories"))
    assert "Updated" in text_of(client.get("/memories?order=updated"))
    assert "6 days ago" not in text_of(client.get("/memories?order=updated"))
