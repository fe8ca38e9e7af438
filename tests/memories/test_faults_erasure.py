"""Deleting, bringing back and erasing, on pages and API: all of a record comes back, of an erased one nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from console.traces import forms_of, look
from memories.models import AuditRecord, Memory, MemoryLink
from tests.memories.api_client import Api
from tests.memories.factories import ann, memory, version
from tests.memories.page_client import records_now, signed_in

pytestmark = pytest.mark.django_db

WORDS = "zebra kiosk 42"
Door = Callable[[Memory, str], None]


def by_page(one: Memory, verb: str) -> None:
    one.state.refresh_from_db()
    answer = signed_in(ann()).post(f"/memories/{one.pk}/{verb}", {"version": one.state.version})
    assert answer.status_code == 302


def by_api(one: Memory, verb: str) -> None:
    assert Api(ann()).post(f"memories/{one.pk}/{verb}").status_code == 200


DOORS = pytest.mark.parametrize("door", [by_page, by_api])
STANDING = {"version", "updated_at"}


def whole(one: Memory) -> Any:
    """All that the API tells of a memory and where it came from, without the number of its version."""
    told = Api(ann()).get(f"memories/{one.pk}/explain").json()["memory"]
    versions = Api(ann()).get(f"memories/{one.pk}/versions").json()["versions"]
    return {name: value for name, value in told.items() if name not in STANDING}, versions


def linked() -> tuple[Memory, Memory]:
    """Two memories, the first with everything that a memory can have, and a link from it to the second."""
    one = memory(
        ann(),
        WORDS,
        path="p/a",
        scope="s",
        metadata={"tags": ["a", "b"]},
        provenance={"tool": "x"},
        importance=0.7,
        confidence=0.4,
        expires_at=timezone.now() + timedelta(days=9),
        semantic_key="k",
        pinned=True,
        version=2,
    )
    version(one, 1, "what it said before")
    other = memory(ann(), "The other end.")
    MemoryLink.objects.create(origin=one, target=other, kind="derived_from", quote="end", created_at=timezone.now())
    return one, other


@DOORS
def test_what_comes_back_is_as_it_was(door: Door) -> None:
    one, _ = linked()
    before = whole(one)
    door(one, "forget")
    assert Api(ann()).get(f"memories/{one.pk}").status_code == 404
    door(one, "restore")
    assert whole(one) == before and before[0]["links"] and before[1]


@DOORS
@pytest.mark.parametrize("first", [0, 1])
def test_a_link_stands_again_whichever_end_comes_back_first(door: Door, first: int) -> None:
    ends = linked()
    for end in ends:
        door(end, "forget")
    for end in (ends[first], ends[1 - first]):
        door(end, "restore")
    one, other = ends
    assert whole(one)[0]["links"][0]["id"] == str(other.pk)
    page = signed_in(ann()).get(f"/memories/{other.pk}").content.decode()
    assert str(one.pk) in page


@DOORS
def test_what_comes_back_is_found_at_once(door: Door) -> None:
    one = memory(ann(), WORDS)
    found = lambda: len(Api(ann()).get("memories/search", query='"zebra kiosk"').json()["results"])  # noqa: E731
    door(one, "forget")
    assert found() == 0
    door(one, "restore")
    assert found() == 1 and WORDS in signed_in(ann()).get("/memories").content.decode()


@DOORS
def test_the_same_words_may_be_written_again_while_the_first_are_in_the_trash(door: Door) -> None:
    api, sent = Api(ann()), {"content": WORDS, "path": "p", "dedupe": True}
    first = Memory.objects.get(pk=api.post("remember", sent).json()["id"])
    door(first, "forget")
    again = api.post("remember", sent).json()
    assert again["status"] == "created" and again["id"] != str(first.pk)
    door(first, "restore")
    results = api.get("memories/search", query='"zebra kiosk"').json()["results"]
    assert {hit["id"] for hit in results} == {str(first.pk), again["id"]}


def test_markers_of_what_is_active_again_are_cleared_and_its_history_kept() -> None:
    one = memory(ann(), WORDS)
    browser, api = signed_in(ann()), Api(ann())
    browser.post(f"/memories/{one.pk}/status", {"version": 1, "status": "archived"})
    by_api(one, "forget")
    by_page(one, "restore")
    one.state.refresh_from_db()
    assert one.state.status == "archived" and one.state.archived_at and one.state.deleted_at is None
    assert api.patch(f"memories/{one.pk}", {"status": "active"}).status_code == 200
    one.state.refresh_from_db()
    assert (one.state.status, one.state.archived_at, one.state.deleted_at) == ("active", None, None)
    acts = AuditRecord.objects.filter(object_id=one.pk).order_by("seq").values_list("action", flat=True)
    assert list(acts) == ["memory.archive", "memory.forget", "memory.restore", "memory.reactivate"]


@DOORS
def test_deleting_twice_is_refused_and_noted_once_as_done(door: Door) -> None:
    one = memory(ann(), WORDS)
    door(one, "forget")
    before = records_now()
    page = signed_in(ann()).post(f"/memories/{one.pk}/forget", {"version": 2})
    assert (page.status_code, Api(ann()).post(f"memories/{one.pk}/forget").status_code) == (404, 404)
    assert records_now() == before
    assert AuditRecord.objects.filter(action="memory.forget", result="done").count() == 1


def test_of_what_was_erased_by_page_nothing_is_left_in_any_table() -> None:
    api, browser = Api(ann()), signed_in(ann())
    key = api.post("remember", {"content": WORDS, "path": "p", "memory_type": "episodic"}).json()["id"]
    one = Memory.objects.get(pk=key)
    api.patch(f"memories/{key}", {"metadata": {"note": WORDS}, "content": f"{WORDS} once more"})
    Memory.objects.filter(pk=key).update(expires_at=timezone.now() - timedelta(hours=1))
    assert api.post("reflect", {"actions_csv": "expire", "dry_run": True}).json()["counts"]["expired"] == 1
    api.post(f"memories/{key}/usage", {"context": WORDS})
    by_api(one, "forget")
    assert _traces() != []
    one.state.refresh_from_db()
    sent = {"typed": key[-6:], "reason": "asked", "version": one.state.version}
    assert browser.post(f"/records/{key}/erase", sent).status_code == 302
    browser.get(f"/erased/{key}")
    assert _traces() == []


def _traces() -> list[Any]:
    """Every place in which the words stand, in one form or another."""
    connection.ensure_connection()
    return look(connection.connection, forms_of(WORDS, connection.connection)).traces
