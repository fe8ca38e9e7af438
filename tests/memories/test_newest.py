"""The list of memories reads what it shows, also of several spaces and by the last change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.access import Actor, live, visible_to
from memories.models import Memory, MemoryState
from memories.pages import keyset
from memories.pages.forms import ListFilter
from memories.pages.listing import rows, source
from memories.services.newest import newest
from tests.memories.api_client import Api
from tests.memories.factories import actor, ann, bob, memory, team
from tests.memories.page_client import signed_in
from tests.memories.test_faults_trail_scale import nodes, read_by

MANY, READ_MOST = 4_000, 500  # rows; what a page of up to 100 may read of them, also where three spaces are merged
IN_ORDER = ("memory_newest", "memory_changed")  # indexes that have the rows of one space in order


def places(me: Actor, field: str, *, oldest: bool) -> Iterator[list[Any]]:
    """Ids in the order of `newest` and in that of the database, which looks at all spaces at once."""
    shown, sign = visible_to(me, Memory.objects.all()), "" if oldest else "-"
    for limit, offset in ((4, 0), (3, 5), (50, 0), (5, 40)):
        found = newest(shown, field, spaces=list(me.spaces), limit=limit, offset=offset, oldest=oldest)
        plain = shown.order_by(f"{sign}{field}", f"{sign}pk")[offset : offset + limit]
        yield [[row.pk for row in found], [row.pk for row in plain]]


@pytest.mark.django_db
@pytest.mark.parametrize("field", ["created_at", "updated_at"])
@pytest.mark.parametrize("oldest", [False, True])
def test_several_spaces_come_in_the_order_of_one(field: str, oldest: bool) -> None:
    spaces, noon = [None, team("Atlas", ann="admin"), team("Zeta", ann="member")], timezone.now()
    for number in range(24):
        at = noon - timedelta(minutes=number * 7 % 5)  # several at the same time
        memory(ann(), "note", team=spaces[number % 3], created_at=at, updated_at=at)
    memory(bob(), "his")
    for found, plain in places(actor(ann()), field, oldest=oldest):
        assert found == plain


@pytest.mark.django_db
def test_nobody_without_a_space_is_shown_anything() -> None:
    memory(ann(), "note")
    nobody = Actor(user_id=None, name="", channel="console")
    assert newest(visible_to(nobody, Memory.objects.all()), "created_at", spaces=[], limit=5) == []
    two = [ann().pk, team("Atlas", ann="admin").pk]
    assert newest(visible_to(actor(ann()), Memory.objects.filter(pk__in=[])), "created_at", spaces=two, limit=5) == []


@contextmanager
def leaving(one: Memory) -> Iterator[list[str]]:
    """`one` is archived as soon as memories were put in order for the first time; yields those statements."""
    sorted_by: list[str] = []

    def watch(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        answer = execute(sql, params, many, context)
        if 'FROM "memories_memory"' in sql and "ORDER BY" in sql:
            sorted_by.append(sql)
            if len(sorted_by) == 1:
                MemoryState.objects.filter(memory=one).update(status="archived", archived_at=timezone.now())
        return answer

    with connection.execute_wrapper(watch):
        yield sorted_by


def nine() -> list[Memory]:
    """Memories of Ann and of her team in turn, newest first."""
    spaces, noon = [None, team("Atlas", ann="admin")], timezone.now()
    return [memory(ann(), f"note {n}", team=spaces[n % 2], created_at=noon - timedelta(minutes=n)) for n in range(9)]


@pytest.mark.django_db
def test_a_row_that_leaves_while_a_table_is_read_takes_no_other_with_it() -> None:
    notes, me = nine(), actor(ann())
    shown = live(visible_to(me, Memory.objects.all()))
    sources, found, after = [keyset.Source(shown, "created_at", lambda row: row.created_at, list(me.spaces))], [], None
    with leaving(notes[1]) as statements:
        while True:
            rows, after = keyset.part(sources, after, 4)
            found += [row.pk for row in rows]
            if after is None:
                break
    assert found == [note.pk for note in notes]
    assert len(statements) == 3  # one for each part


@pytest.mark.django_db
def test_a_row_that_leaves_while_a_page_is_read_does_not_end_the_list() -> None:
    notes, browser, api = nine(), signed_in(ann()), Api(ann())
    with leaving(notes[1]) as statements:
        assert "?after=" in browser.get("/memories?limit=4").content.decode().replace("limit=4&amp;", "")
        assert len(statements) == 1
    with leaving(notes[2]) as statements:
        assert len(api.get("memories", limit=4).json()["memories"]) == 4
        assert len(statements) == 1


def fill(connection: BaseDatabaseWrapper) -> Actor:
    """Many memories of Ann and of her two teams."""
    teams = [None, team("Atlas", ann="admin"), team("Zeta", ann="member")]
    now, made = timezone.now(), []
    for number in range(MANY):
        at = now - timedelta(minutes=number)
        one = {"owner": ann(), "team": teams[number % 3]} if number < 3 else {}
        first = made[number % 3] if number >= 3 else None
        one = one or {"owner_id": first.owner_id, "team_id": first.team_id}  # type: ignore[union-attr]
        made.append(Memory(**one, content="x" * 40, memory_type="semantic", created_at=at, updated_at=at))
    Memory.objects.bulk_create(made)
    MemoryState.objects.bulk_create([MemoryState(memory=one, anchor=now) for one in made])
    with connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE) memories_memory, memories_memorystate")
    return actor(ann())


def sorting(read: Any) -> list[str]:
    """The statements of `read` that put memories in order."""
    with CaptureQueriesContext(connection) as caught:
        assert read().status_code == 200
    return [
        one["sql"]
        for one in caught.captured_queries
        if 'FROM "memories_memory"' in one["sql"] and "ORDER BY" in one["sql"] and " IN (" in one["sql"]
    ]


def plan_of(query: str) -> dict[str, Any]:
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, FORMAT JSON) " + query.replace("%", "%%"))
        plan = cursor.fetchone()[0]
    found: dict[str, Any] = (plan if isinstance(plan, list) else json.loads(plan))[0]["Plan"]
    return found


@pytest.mark.django_db(transaction=True)
def test_a_page_reads_no_more_of_several_spaces_than_it_shows(owner_connection: BaseDatabaseWrapper) -> None:
    me = fill(owner_connection)
    browser, api = signed_in(ann()), Api(ann())
    middle = keyset.Place((one := Memory.objects.order_by("created_at")[MANY // 2]).created_at, one.pk)
    reads = {
        "the list": lambda: browser.get("/memories"),
        "by change": lambda: browser.get("/memories?order=updated"),
        "a page in the middle": lambda: browser.get("/memories", {"after": str(middle)}),
        "a page back": lambda: browser.get("/memories", {"before": str(middle), "order": "updated"}),
        "one space": lambda: browser.get(f"/memories?space={me.user_id}"),
        "the API": lambda: api.get("memories"),
    }
    for name, read in reads.items():
        [query] = sorting(read)
        plan = plan_of(query)
        assert read_by(plan) <= READ_MOST, (name, query)
        sorted_by = [one["Index Name"] for one in nodes(plan) if one.get("Index Name") in IN_ORDER]
        assert len(sorted_by) == (1 if name == "one space" else len(me.spaces)), (name, query)


@pytest.mark.django_db
def test_one_space_is_asked_by_itself_where_it_is_chosen() -> None:
    atlas, me = team("Atlas", ann="admin"), actor(ann())
    form = ListFilter({"space": str(atlas.pk)}, me)
    assert form.is_valid()
    assert source(rows(me, form.cleaned_data), me, form.cleaned_data).spaces == [atlas.pk]
