"""The window of a schedule begins where the last plan that was written ended: what one run could not do is not lost."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Any

import pytest
from django.utils import timezone

from memories.models import Memory, MemoryLink
from memories.services.revise import revise
from reflection import tasks
from reflection.models import ReflectPass, Schedule
from reflection.services import decide, planning, schedules
from reflection.services import plan as planning_now
from reflection.services.undo import roll_back
from tests.memories import factories
from tests.reflection import life
from tests.reflection.test_scheduling import clock, made, run

__all__ = ["clock"]
pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def expired(plan: ReflectPass, ann: Any, clock: Any) -> None:
    clock(plan.expires_at + timedelta(seconds=1))
    tasks.sweep()


def out_of_time(plan: ReflectPass, ann: Any, clock: Any) -> None:
    """Nobody has decided; the sweep has not come by either."""


def rejected(plan: ReflectPass, ann: Any, clock: Any) -> None:
    decide.reject(pass_id=plan.pk, actor=ann)


def failed(plan: ReflectPass, ann: Any, clock: Any) -> None:
    life.approve(plan, ann)
    ReflectPass.objects.filter(pk=plan.pk).update(approved_digest="another")
    tasks.apply_pass(str(plan.pk))


def drifted(plan: ReflectPass, ann: Any, clock: Any) -> None:
    told = next(one for one in life.candidates(plan) if one.action == "summarize")
    revise(memory_id=told.basis.first().memory_id, changes={"content": "Now it says this."}, actor=ann)
    life.applied(plan, ann)


def applied(plan: ReflectPass, ann: Any, clock: Any) -> None:
    life.applied(plan, ann)


def taken_back(plan: ReflectPass, ann: Any, clock: Any) -> None:
    life.applied(plan, ann)
    roll_back(pass_id=plan.pk, actor=ann)


def after(becomes: Callable[..., None], ann: Any, clock: Any, **given: Any) -> tuple[ReflectPass, datetime]:
    """The first plan of a schedule when something became of it, and where the window of the second began."""
    schedule = made(ann, actions=["summarize"], **given)
    run(schedule)
    first = ReflectPass.objects.get()
    becomes(first, ann, clock)
    clock(schedule.next_at + 9 * DAY)
    run(schedule)
    first.refresh_from_db()
    last = ReflectPass.objects.latest("planned_at")
    return first, datetime.fromisoformat(last.filters["since"])


@pytest.mark.parametrize(
    ("becomes", "status"),
    [
        (expired, "expired"),
        (out_of_time, "planned"),
        (rejected, "rejected"),
        (failed, "failed"),
        (drifted, "applied"),
    ],
)
def test_what_was_not_written_is_looked_at_again(ann, records, clock, becomes, status):
    first, since = after(becomes, ann, clock)
    assert first.status == status and any(first.counts.values())
    assert since == datetime.fromisoformat(first.filters["since"])


@pytest.mark.parametrize(("becomes", "status"), [(applied, "applied"), (taken_back, "rolled_back")])
def test_what_was_written_is_not(ann, records, clock, becomes, status):
    first, since = after(becomes, ann, clock)
    assert first.status == status and since == first.as_of


def test_nothing_found_is_nothing_owed(ann, clock):
    first, since = after(out_of_time, ann, clock)
    assert not any(first.counts.values()) and since == first.as_of


def test_what_the_limit_cut_is_looked_at_again(ann, records, clock):
    now = timezone.now() - timedelta(hours=1)
    for n in range(3):
        factories.memory(
            factories.ann(), f"Bea tested pump {n}.", memory_type="episodic", path="pumps", created_at=now, anchor=now
        )
    first, since = after(applied, ann, clock, limit=1)
    assert first.cut > 0 and since == datetime.fromisoformat(first.filters["since"])


def cancelled(plan: ReflectPass, ann: Any, clock: Any) -> None:
    planning.cancel(pass_id=plan.pk, actor=ann)


def not_planned(plan: ReflectPass, ann: Any, clock: Any) -> None:
    for _ in range(planning.ATTEMPTS + 1):
        planning._begun(plan.pk)


def one_moved(plan: ReflectPass, ann: Any, clock: Any) -> None:
    """A source changed while the worker planned, so its candidate was left out of the plan."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            planning, "hold_off_erasures", lambda _: Memory.objects.filter(path__endswith="incident").delete()
        )
        tasks.plan_pass(str(plan.pk))


@pytest.mark.parametrize(
    ("becomes", "status"), [(cancelled, "failed"), (not_planned, "failed"), (one_moved, "planned")]
)
def test_what_the_worker_could_not_plan_is_looked_at_again(ann, records, clock, monkeypatch, becomes, status):
    monkeypatch.setattr(planning_now, "takes_long", lambda *_: True)
    first, since = after(becomes, ann, clock)
    assert first.status == status and not any(first.counts.values())
    assert since == datetime.fromisoformat(first.filters["since"])


def test_it_reaches_back_over_several_runs_to_the_last_that_was_written(ann, records, clock):
    schedule = made(ann, actions=["summarize"])
    run(schedule)
    written = life.applied(ReflectPass.objects.get(), ann)
    for _ in range(3):
        now = clock(schedule.next_at + timedelta(minutes=1))
        for n in range(3):
            at = now - timedelta(hours=1)
            factories.memory(
                factories.ann(), f"Bea said {n} at {at}.", memory_type="episodic", path="x", created_at=at, anchor=at
            )
        run(schedule)
        last = ReflectPass.objects.latest("planned_at")
        assert any(last.counts.values())
        rejected(last, ann, clock)
    assert datetime.fromisoformat(last.filters["since"]) == written.as_of
    assert last.counts["summarize"] == 3


@pytest.mark.parametrize(
    "other",
    [
        {"rhythm": "daily", "at": "15:00"},
        {"rhythm": "weekly", "at": "03:00", "weekday": 6},
        {"rhythm": "hours", "every_hours": 48},
    ],
    ids=["another hour", "weekly", "hours"],
)
def test_another_rhythm_owes_what_the_one_before_it_owed(ann, records, clock, other):
    schedule = made(ann, actions=["summarize"])
    run(schedule)
    written = life.applied(ReflectPass.objects.get(), ann)
    clock(written.as_of + timedelta(hours=9))
    given = {"zone": "Europe/Berlin", "actions": ["summarize"]} | other
    changed = schedules.change(schedule_id=schedule.pk, given=given, seen_version=schedule.version, actor=ann)
    clock(changed.next_at + timedelta(minutes=1))
    run(schedule)
    last = ReflectPass.objects.latest("planned_at")
    since = datetime.fromisoformat(last.filters["since"])
    assert since == min(written.as_of, last.as_of - DAY)


def events(*moments: datetime, path: str = "pumps", who: str = "ann") -> list[Memory]:
    """What happened under one path at these moments, in one person's space."""
    return [
        factories.memory(
            factories.user(who),
            f"Bea put pump {n} of {at} in line {n + 2}.",
            memory_type="episodic",
            path=path,
            created_at=at,
            anchor=at,
        )
        for n, at in enumerate(moments)
    ]


HOUR = timedelta(hours=1)


def across(ann: Any, clock: Any, before: tuple[float, ...], after: tuple[float, ...]) -> ReflectPass:
    """The second plan of a schedule, with events so many hours before and after the first one."""
    schedule, slot = made(ann, actions=["summarize"]), timezone.now()
    events(*[slot - hours * HOUR for hours in before])
    run_through(schedule)
    assert not any(ReflectPass.objects.get().counts.values())
    events(*[slot + hours * HOUR for hours in after])
    clock(slot + DAY)
    Schedule.objects.filter(pk=schedule.pk).update(next_at=slot + DAY)
    run_through(schedule)
    return ReflectPass.objects.latest("planned_at")


def run_through(schedule: Schedule) -> None:
    """Run it, and what it leaves to the worker."""
    run(schedule)
    for waits in ReflectPass.objects.filter(status="planning"):
        tasks.plan_pass(str(waits.pk))


@pytest.mark.parametrize("in_worker", [False, True])
@pytest.mark.parametrize(("before", "after"), [((1.0, 0.5), (1.0,)), ((1.0,), (0.5, 1.0)), ((9.0, 4.0), (1.0,))])
def test_an_episode_across_a_slot_is_told_by_the_run_after_it(ann, clock, monkeypatch, before, after, in_worker):
    monkeypatch.setattr(planning_now, "takes_long", lambda *_: in_worker)
    [told] = life.candidates(across(ann, clock, before, after))
    assert {line.memory_id for line in told.basis.all()} == set(Memory.objects.values_list("pk", flat=True))


@pytest.mark.parametrize(("before", "after"), [((1.0, 0.5), ()), ((1.0, 0.5), (7.0,)), ((9.0, 7.0), (1.0,))])
def test_what_does_not_go_on_stays_untold(ann, clock, before, after):
    assert not any(across(ann, clock, before, after).counts.values())


def test_it_does_not_reach_into_another_space_or_place(ann, clock):
    slot = timezone.now()
    events(slot - HOUR, slot + HOUR, path="valves")
    events(slot - HOUR, slot + HOUR, who="bob")
    assert not any(across(ann, clock, (0.5,), (0.5,)).counts.values())


def test_a_pass_by_hand_keeps_to_its_window(ann):
    now = timezone.now()
    events(now - 3 * HOUR, now - 2 * HOUR, now - HOUR)
    strict = life.plan_all(ann, actions_csv="summarize", since=(now - 1.5 * HOUR).isoformat())
    assert not any(strict.counts.values())


@pytest.mark.parametrize(("seed", "every", "window"), [(1, 6, "6"), (3, 24, "24"), (7, 12, "6")])
def test_what_a_week_of_runs_tells_is_what_one_pass_over_all_of_it_would(ann, clock, seed, every, window):
    """Each event at most once, and none is left that could be told."""
    life.policy(ann.own, actor=ann, on_schedule="apply")
    schedule = made(ann, actions=["summarize"], rhythm="hours", every_hours=every, time_window_hours=window)
    chance, start = random.Random(seed), timezone.now()
    run(schedule)
    moments = list(accumulate((chance.choice((0.3, 1, 3, 5.5, 7, 9)) * HOUR for _ in range(30)), initial=start))[1:]
    while moments:
        at = clock(schedule.next_at)
        events(*[moment for moment in moments if moment < at])
        moments = [moment for moment in moments if moment >= at]
        run(schedule)
    told = list(MemoryLink.objects.values_list("target_id", flat=True))
    assert told and len(told) == len(set(told))
    assert not life.plan_all(ann, actions_csv="summarize", since="2000-01-01T00:00:00Z").counts["summarize"]
