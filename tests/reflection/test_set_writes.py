"""A pass is planned, applied and taken back in as many statements for many candidates as for few."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.access import Actor
from reflection.models import ReflectPass
from reflection.services.apply import apply
from reflection.services.undo import roll_back
from tests.memories import factories
from tests.reflection import life

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann() -> Actor:
    return factories.actor(factories.ann())


def said(text: str, minutes: float, **fields: Any) -> None:
    at = timezone.now() - timedelta(minutes=minutes)
    known = {"memory_type": "episodic", "created_at": at, "anchor": at, "bucket": "work"}
    factories.memory(factories.ann(), text, **known | fields)


def episodes(count: int) -> None:
    for n in range(count):
        for turn in range(3):
            said(f"Ann moved crate {n} to row {turn} of the hall.", 200 - turn, path=f"hall/{n}")


def spent(count: int) -> None:
    for n in range(count):
        said(f"Guest code {n}", 90, expires_at=timezone.now() - timedelta(minutes=1))
        said(f"Printer {n} was moved.", 60 * 24 * 60, memory_type="procedural")
        said(f"Comparing invoice {n}.", 60 * 24 * 20, memory_type="working")


def statements(ann: Actor, **given: Any) -> tuple[list[int], ReflectPass]:
    """How many it takes to plan, to apply and to take back; the pass is applied again afterwards."""
    counts = []
    with CaptureQueriesContext(connection) as heard:
        made = life.plan_all(ann, **given)
    counts.append(len(heard))
    life.approve(made, ann)
    with CaptureQueriesContext(connection) as heard:
        apply(pass_id=made.pk, actor=ann.through("job"))
    counts.append(len(heard))
    with CaptureQueriesContext(connection) as heard:
        roll_back(pass_id=made.pk, actor=ann)
    counts.append(len(heard))
    return counts, life.applied(life.plan_all(ann, **given), ann)


def all_of_it(ann: Actor, count: int) -> tuple[list[int], int]:
    """New summaries, then the same ones going on, with lifecycle changes beside them."""
    factories.Memory.objects.all().delete()
    episodes(count)
    spent(count)
    counts, first = statements(ann)
    for n in range(count):
        said(f"Ann sealed crate {n} in the evening.", 100, path=f"hall/{n}")
    more, second = statements(ann)
    assert second.counts["summarize"] == count and set(second.candidates.values_list("target_id", flat=True)) != {None}
    return counts + more, sum(first.counts.values()) + sum(second.counts.values())


def test_many_candidates_take_as_many_statements_as_few(ann: Actor) -> None:
    life.plan_all(ann)  # the policy is stored at first need
    few, some = all_of_it(ann, 2)
    many, lots = all_of_it(ann, 9)
    assert lots > 3 * some
    assert few == many
