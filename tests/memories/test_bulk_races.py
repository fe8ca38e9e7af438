"""Batches that cross each other and single deletions: each record moves once, and nothing waits for ever."""

from __future__ import annotations

import pytest

from memories import audit
from memories.models import AuditRecord, Memory
from memories.services.bulk import Batch, Picked, erase_many, forget_many
from memories.services.forget import forget
from tests.memories.at_once import at_once
from tests.memories.factories import actor, ann, memory, team

pytestmark = pytest.mark.django_db(transaction=True)


def test_batches_that_cross_move_each_record_once() -> None:
    atlas, who = team("Atlas", ann="admin"), actor(ann())
    some = [memory(ann(), f"{n}", team=atlas if n % 2 else None) for n in range(20)]
    picked = [Picked(one.pk) for one in some]
    batches = [
        lambda order=order: forget_many(picked=order, typed_count=20, actor=who)
        for order in (picked, picked[::-1], picked[10:] + picked[:10])
    ]
    singles = [lambda one=one: forget(record_id=one.pk, actor=who) for one in some[:3]]
    results = at_once(*batches, *singles)
    done = sum(len(one.done) for one in results if isinstance(one, Batch))
    alone = sum(not isinstance(one, Batch | Exception) for one in results)
    assert done + alone == 20 and Memory.objects.filter(state__status="deleted").count() == 20
    assert AuditRecord.objects.filter(action="memory.forget").count() == 20 and audit.verify() == []


def test_batches_of_hard_deletes_that_cross_erase_each_record_once() -> None:
    atlas, who = team("Atlas", ann="admin"), actor(ann())
    some = [memory(ann(), f"{n}", status="deleted", team=atlas if n % 2 else None) for n in range(12)]
    picked = [Picked(one.pk) for one in some]
    more = {"typed_count": 12, "typed_word": "delete", "reason": "x", "actor": who}
    results = at_once(*[lambda order=order: erase_many(picked=order, **more) for order in (picked, picked[::-1])])
    assert sum(len(one.done) for one in results) == 12 and not Memory.objects.exists() and audit.verify() == []
