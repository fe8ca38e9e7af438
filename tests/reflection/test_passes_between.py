"""What a person or a pass does is not undone, nor made different, by the passes that run in between."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from memories.access import Actor
from memories.models import Memory, MemoryState
from memories.services.revise import revise
from reflection.models import ReflectPass
from tests.memories import factories
from tests.reflection import life, token_writes

pytestmark = pytest.mark.django_db
PUMPS = "Bea tested pump {} of the north plant and wrote down its pressure."


def episode(at: datetime, *numbers: int) -> list[Memory]:
    """Notes of Ann's that make up one episode up to `at`."""
    moments = [at - timedelta(minutes=30 - n) for n in numbers]
    fields = {"memory_type": "episodic", "path": "plant", "bucket": "work", "importance": 0.8, "base": 0.8}
    return [
        factories.memory(factories.ann(), PUMPS.format(n), created_at=moment, anchor=moment, **fields)
        for n, moment in zip(numbers, moments, strict=True)
    ]


def run(ann: Actor, actions: str, **given: Any) -> ReflectPass:
    return life.applied(life.plan_all(ann, actions_csv=actions, **given), ann)


def state(memory: Memory) -> MemoryState:
    return MemoryState.objects.get(memory=memory)


def summary() -> Memory:
    return Memory.objects.get(derivation="summary")


@pytest.mark.parametrize("passes", [0, 1, 12])
def test_a_summary_that_goes_on_is_worth_what_is_left_however_many_passes_ran(ann, later, passes):
    start = timezone.now()
    episode(start, 0, 1, 2)
    run(ann, "summarize")
    for n in range(passes):
        later(365 * (n + 1) / passes)
        run(ann, "decay")
    end = later(365)
    episode(start, 9)
    window = {"since": (start - timedelta(days=1)).isoformat(), "until": end.isoformat()}
    done = run(ann, "summarize", **window)
    assert [one.why["rule"] for one in life.candidates(done)] == ["continued"]
    found = state(summary())
    assert (found.base, found.importance) == (pytest.approx(0.4, abs=1e-3), found.base)
    assert found.anchor == end


@pytest.mark.parametrize("passes", [0, 1, 12])
def test_a_new_summary_is_worth_what_its_sources_are_however_many_passes_ran(ann, later, passes):
    start = timezone.now()
    episode(start, 0, 1, 2)
    for n in range(passes):
        later(30 * (n + 1) / passes)
        run(ann, "decay")
    end = later(30)
    run(ann, "summarize", since=(start - timedelta(days=1)).isoformat(), until=end.isoformat())
    assert state(summary()).base == pytest.approx(0.4, abs=1e-3)


EARLIER = "2020-01-01T08:00:00+09:00"
BROUGHT = [
    5,
    "2020",
    [None],
    ["x", "y"],
    {"from": 1},
    ["2020-01-01T00:00:00", "2020-01-02T00:00:00"],
    [EARLIER, EARLIER],
]


@pytest.mark.parametrize("span", BROUGHT, ids=str)
def test_a_summary_that_a_file_brought_goes_on_whatever_it_says_of_its_sources(ann, later, span):
    start = timezone.now()
    episode(start, 0, 1, 2)
    run(ann, "summarize")
    Memory.objects.filter(derivation="summary").update(provenance={"span": span, "sources_gone": "many"})
    later(1)
    episode(start, 9)
    window = {"since": (start - timedelta(days=1)).isoformat(), "until": later(1.1).isoformat()}
    done = run(ann, "summarize", **window)
    (one,) = life.candidates(done)
    first = "2019-12-31T23:00:00+00:00" if span == [EARLIER, EARLIER] else one.after["span"][0]
    assert summary().provenance["span"] == [first, one.after["span"][1]]
    assert one.outcome == "applied" and "sources_gone" not in summary().provenance


def reweighed(at: token_writes.Scene) -> Memory:
    """A memory that the token made important, from 0.4."""
    one = at.kept["reweighed"]
    MemoryState.objects.filter(memory=one).update(importance=0.4, base=0.4)
    revise(memory_id=one.pk, changes={"importance": 1.0}, actor=at.agent)
    return one


def taken_back(at: token_writes.Scene, one: Memory) -> ReflectPass:
    return at.plan(since=(one.created_at - timedelta(hours=1)).isoformat())


def test_what_a_token_weighed_goes_back_though_a_pass_let_it_fade_meanwhile(later):
    at = token_writes.scene()
    one = reweighed(at)
    for days in (10, 20):
        later(days)
        run(at.ann, "decay")
    assert state(one).importance < 0.99
    planned = taken_back(at, one)
    assert [(found.target_id, found.after) for found in life.candidates(planned)] == [(one.pk, {"importance": 0.4})]
    life.applied(planned, at.ann)
    assert state(one).importance == 0.4


def test_what_somebody_weighed_after_the_token_stays_though_a_pass_let_it_fade_meanwhile(later):
    at = token_writes.scene()
    one = reweighed(at)
    revise(memory_id=one.pk, changes={"importance": 0.9}, actor=at.ann)
    later(20)
    run(at.ann, "decay")
    planned = taken_back(at, one)
    assert planned.counts == {"revert": 0, "trash": 0}
    assert "ann changed its importance" in planned.skipped[0]["text"]


def test_what_a_pass_archived_after_the_token_stays_archived(later):
    at = token_writes.scene()
    one = at.kept["untouched"]
    revise(memory_id=one.pk, changes={"status": "archived"}, actor=at.agent)
    revise(memory_id=one.pk, changes={"status": "active"}, actor=at.agent)
    Memory.objects.filter(pk=one.pk).update(memory_type="working")
    later(200)
    run(at.ann, "archive")
    assert state(one).status == "archived"
    planned = taken_back(at, one)
    assert one.pk not in {found.target_id for found in life.candidates(planned)}
    assert any("changed its status" in left["text"] for left in planned.skipped)
