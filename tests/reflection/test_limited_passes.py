"""More candidates than a pass may bring: the passes after it bring the rest, and nothing twice."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from memories.access import Actor
from memories.models import AuditRecord, Memory, MemoryState
from tests.memories import factories
from tests.reflection import life

pytestmark = pytest.mark.django_db


def expired(count: int) -> None:
    """So many records of Ann's whose time is over."""
    at, due = timezone.now() - timedelta(days=2), timezone.now() - timedelta(days=1)
    fields = {"owner": factories.ann(), "memory_type": "semantic", "created_at": at, "updated_at": at}
    made = Memory.objects.bulk_create(
        Memory(content=f"The guest code of day {n}.", expires_at=due, **fields) for n in range(count)
    )
    MemoryState.objects.bulk_create(MemoryState(memory=one, anchor=at) for one in made)


def test_twelve_hundred_candidates_at_limit_five_hundred_take_three_passes_and_each_comes_once(ann: Actor) -> None:
    expired(1200)
    brought: Counter[object] = Counter()
    passes = []
    while any((made := life.plan_all(ann, limit=500)).counts.values()):
        done = life.applied(made, ann)
        passes.append((done.status, done.applied_counts["expire"], done.cut))
        brought.update(one.target_id for one in life.candidates(done) if one.outcome == "applied")
    assert passes == [("applied", 500, 700), ("applied", 500, 200), ("applied", 200, 0)]
    assert set(brought) == set(Memory.objects.values_list("pk", flat=True))
    assert len(brought) == brought.total() == 1200
    assert set(MemoryState.objects.values_list("status", "version")) == {("expired", 2)}
    assert AuditRecord.objects.filter(action="reflect.expire").values("object_id").distinct().count() == 1200
