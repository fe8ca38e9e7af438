"""Soft delete and restore: every field, link, version and vector as before, whatever the record."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories.models import Decision, LedgerEntry, Memory, MemoryEmbedding, MemoryLink, MemoryUse, Snapshot, Todo
from memories.search.search import Search, search
from memories.services.fields import said
from memories.services.forget import forget, restore
from tests.memories.factories import actor, ann, bea, memory, team, version

pytestmark = pytest.mark.django_db

LETTERS = st.characters(exclude_categories=("Cs",), exclude_characters="\0")
TEXT = st.text(LETTERS, min_size=1, max_size=60).filter(lambda text: said(text) and bool(text.strip()))
NAMES = st.text("abc/_%. é語", max_size=12).map(str.strip)
JSON = st.recursive(st.none() | st.booleans() | st.integers(-9, 9) | TEXT, lambda inner: st.lists(inner, max_size=3))
SHARE = st.floats(0, 1)
RECORDS = st.fixed_dictionaries(
    {
        "content": TEXT,
        "path": NAMES,
        "bucket": st.sampled_from(["work", "home", "agent::ch/user #1?"]),
        "scope": st.none() | st.just("tenant:project:42"),
        "memory_type": st.sampled_from(["episodic", "semantic", "procedural", "working", "identity"]),
        "semantic_key": st.none() | st.just("key"),
        "importance": SHARE,
        "base": SHARE,
        "use_count": st.integers(0, 9),
        "confidence": st.none() | SHARE,
        "metadata": st.dictionaries(st.sampled_from(["tags", "a,b", "k"]), JSON, max_size=3),
        "provenance": st.dictionaries(st.just("tool"), JSON, max_size=1),
        "language": st.sampled_from(["", "en", "pt", "ja"]),
        "pinned": st.booleans(),
        "hold": st.sampled_from(["", "case 7"]),
        "status": st.sampled_from(["active", "archived", "expired"]),
        "ttl": st.none() | st.integers(-5, 5).map(lambda days: timedelta(days=days, minutes=1)),
        "versions": st.lists(TEXT, max_size=3),
        "links": st.lists(
            st.tuples(st.sampled_from(["derived_from", "supersedes", "relates_to"]), st.booleans(), TEXT), max_size=3
        ),
        "embedded": st.booleans(),
        "shared": st.booleans(),
    }
)
MOVING = ["version", "reactivated_at"]  # with every change, and whenever somebody makes it active again
TABLES = {
    "memories_memory": "id",
    "memories_memorystate": "memory_id",
    "memories_memoryversion": "memory_id",
    "memories_memoryembedding": "memory_id",
    "memories_memoryuse": "memory_id",
    "memories_memorylink": "origin_id",
}


def rows_of(ids: list[UUID]) -> dict[str, list[str]]:
    """Every column of every row about these memories as text, but for what moves."""
    found = {}
    with connection.cursor() as cursor:
        for table, key in TABLES.items():
            cursor.execute(
                f"SELECT (to_jsonb(t) - %s::text[])::text FROM {table} t WHERE {key} = ANY(%s) ORDER BY 1",
                [MOVING, ids],
            )
            found[table] = [row[0] for row in cursor.fetchall()]
    return found


def made(spec: dict[str, Any], others: list[Memory]) -> Memory:
    """A memory with all that hangs on it."""
    spec, now = dict(spec), timezone.now()
    versions, links = spec.pop("versions"), spec.pop("links")
    embedded, shared, ttl = spec.pop("embedded"), spec.pop("shared"), spec.pop("ttl")
    place = {"team": team(f"Atlas {now.timestamp()}", ann="member")} if shared else {}
    one = memory(ann(), spec.pop("content"), expires_at=now + ttl if ttl else None, version=9, **place, **spec)
    for number, content in enumerate(versions, start=1):
        version(one, number, content)
    for other, (kind, outwards, quote) in zip(others, links, strict=False):
        ends = {"origin": one, "target": other} if outwards else {"origin": other, "target": one}
        MemoryLink.objects.create(kind=kind, quote=quote, created_at=now, **ends)
    if embedded:
        active = spec["status"] == "active"
        MemoryEmbedding.objects.create(
            memory=one, space_id=one.space_id, model="m", dimension=2, vector=[0.6, 0.8], active=active
        )
    MemoryUse.objects.create(memory=one, action="read", context="why", at=now)
    return one


def there_and_back(one: Any) -> None:
    forget(record_id=one.pk, reason="x", actor=actor(ann()))
    restore(record_id=one.pk, reason="y", actor=actor(ann()))


def check_identity(spec: dict[str, Any]) -> None:
    """One example, taken back at its end: thousands in one transaction would slow one another down."""
    with transaction.atomic():
        others = [memory(ann(), "other") for _ in range(3)]
        one = made(spec, others)
        ids = [one.pk, *(other.pk for other in others)]
        before = rows_of(ids)
        there_and_back(one)
        assert rows_of(ids) == before
        state = Memory.objects.get(pk=one.pk).state
        assert state.version == 11 and (state.reactivated_at is not None) == (state.status == "active")
        transaction.set_rollback(True)


CAREFUL = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]}


@settings(max_examples=120, **CAREFUL)
@given(RECORDS)
def test_restore_after_delete_is_the_identity(spec: dict[str, Any]) -> None:
    check_identity(spec)


@pytest.mark.soak
@settings(max_examples=5_000, **CAREFUL)
@given(RECORDS)
def test_restore_after_delete_is_the_identity_at_length(spec: dict[str, Any]) -> None:
    check_identity(spec)


@pytest.mark.parametrize("first", [0, 1])
def test_a_link_stands_whichever_of_its_ends_returns_last(first: int) -> None:
    ends = [memory(ann(), "one"), memory(ann(), "two")]
    MemoryLink.objects.create(origin=ends[0], target=ends[1], kind="relates_to", quote="q", created_at=timezone.now())
    before = rows_of([one.pk for one in ends])
    for one in ends:
        forget(record_id=one.pk, actor=actor(ann()))
    for one in (ends[first], ends[1 - first]):
        restore(record_id=one.pk, actor=actor(ann()))
    assert rows_of([one.pk for one in ends]) == before


def kinds() -> list[Any]:
    known = {"owner": ann(), "created_at": timezone.now(), "updated_at": timezone.now(), "scope": "s", "path": "p"}
    money = {"item": "Tea", "amount": Decimal("2.5000"), "currency": "EUR", "occurred_on": date(2026, 1, 1)}
    done = {"completed_at": timezone.now(), "completed_by": bea(), "due_at": timezone.now(), "note": "n"}
    return [
        Todo.objects.create(content="Call.", **done, **known),
        LedgerEntry.objects.create(transaction_type="expense", category="c", **money, **known),
        Decision.objects.create(context="Tea?", options=["yes", "no"], **known),
        Snapshot.objects.create(label="noon", state={"k": {"content": "x"}}, **known),
    ]


@pytest.mark.parametrize("kind", range(4), ids=["todo", "ledger", "decision", "snapshot"])
def test_every_other_kind_comes_back_as_it_was(kind: int) -> None:
    one = kinds()[kind]
    rows = type(one).objects.filter(pk=one.pk).values()
    before = rows.get()
    there_and_back(one)
    assert rows.all().get() == before | {"version": before["version"] + 2}


def test_what_is_restored_is_found_at_once_and_not_before() -> None:
    one = memory(ann(), "zebra kiosk")
    asked = Search(query="zebra kiosk")
    forget(record_id=one.pk, actor=actor(ann()))
    assert not search(actor(ann()), asked).hits
    restore(record_id=one.pk, actor=actor(ann()))
    assert [hit.memory_id for hit in search(actor(ann()), asked).hits] == [one.pk]
