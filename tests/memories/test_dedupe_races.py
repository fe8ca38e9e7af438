"""Many writers of one key or one text: one record."""

from __future__ import annotations

from typing import Any

import pytest

from console.errors import Stale
from memories import audit
from memories.models import Memory
from memories.services.forget import forget
from memories.services.remember import NewMemory, remember
from memories.services.revise import revise
from tests.memories.at_once import at_once
from tests.memories.factories import actor, ann, memory, team

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 6


def writer(who: Any, content: str, **fields: Any) -> Any:
    return lambda: remember(new=NewMemory(content=content, **fields), actor=who)


def test_of_many_writers_of_one_text_one_creates() -> None:
    who = actor(ann())
    results = at_once(*[writer(who, "Zebra kiosk", dedupe=True)] * MANY)
    assert sorted(one.status for one in results) == ["created", *["unchanged"] * (MANY - 1)]
    assert Memory.objects.count() == 1


def test_of_many_writers_of_one_key_each_adds_a_version_to_one_record() -> None:
    who = actor(ann())
    at_once(*[writer(who, f"Ann lives in town {n}.", semantic_key="home") for n in range(MANY)])
    one = Memory.objects.get()
    said = {one.content, *one.versions.values_list("content", flat=True)}
    assert said == {f"Ann lives in town {n}." for n in range(MANY)} and one.state.version == MANY
    assert audit.verify() == []


def test_moves_that_cross_end_without_a_deadlock() -> None:
    atlas, boreas = team("Atlas", ann="member"), team("Boreas", ann="member")
    who = actor(ann())
    notes = [(memory(ann(), "a", team=atlas), boreas), (memory(ann(), "b", team=boreas), atlas)] * 2
    verbs = [
        lambda one=one, to=to: revise(memory_id=one.pk, changes={"team_id": to.pk}, actor=who) for one, to in notes
    ]
    results = at_once(*verbs)
    assert all(isinstance(one, Memory | Stale) for one in results) and audit.verify() == []
    assert {one.content: str(one.team) for one in Memory.objects.all()} == {"a": "Boreas", "b": "Atlas"}


def test_two_deletions_of_one_record_leave_one_line() -> None:
    one, who = memory(ann(), "a"), actor(ann())
    results = at_once(*[lambda: forget(record_id=one.pk, actor=who)] * 2)
    assert sorted(type(result).__name__ for result in results) == ["Moved", "NotFound"]
