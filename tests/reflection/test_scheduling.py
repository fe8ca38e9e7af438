"""What is due is planned once, in its maker's name, and applied only where the policy says so in words."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from console import sweep
from console.celery import app
from console.errors import Unavailable
from memories import audit
from memories.models import AuditRecord, Membership, Memory
from reflection import queries, tasks
from reflection.models import ReflectPass, Schedule, ScheduledRun
from reflection.services import schedules, scheduling
from tests.memories import factories
from tests.memories.at_once import at_once
from tests.memories.page_client import everything
from tests.reflection import life

pytestmark = pytest.mark.django_db
ALL = ["summarize", "promote", "expire", "decay", "archive"]


def made(actor, space_id=None, *, due=True, **given):
    given = {"rhythm": "daily", "at": "03:00", "zone": "Europe/Berlin", "actions": ALL} | given
    schedule = schedules.add(space_id=space_id or actor.own, given=given, actor=actor)
    if due:
        is_due(schedule)
    return schedule


def is_due(schedule, ago=timedelta(minutes=1)):
    Schedule.objects.filter(pk=schedule.pk).update(next_at=timezone.now() - ago)
    schedule.refresh_from_db()


def run(schedule):
    tasks.run_schedule(str(schedule.pk))
    schedule.refresh_from_db()


@pytest.fixture
def woken(monkeypatch):
    found: list[str] = []
    tell = {tasks.run_schedule.name: found.extend}
    monkeypatch.setattr(app, "send_task", lambda name, given: tell[name](given))
    return found


@pytest.fixture
def clock(monkeypatch):
    """Sets the time of the whole console."""

    def show(moment: datetime) -> datetime:
        monkeypatch.setattr(timezone, "now", lambda: moment)
        return moment

    return show


def test_what_is_due_becomes_a_plan_in_the_inbox_and_nothing_is_written(ann, records):
    schedule, before = made(ann), life.snapshot(without=())
    run(schedule)
    plan = ReflectPass.objects.get()
    assert (plan.status, plan.dry_run, plan.planned_by_id, plan.planned_channel) == ("planned", False, ann.own, "job")
    assert list(queries.waiting(ann)) == [plan]
    assert all(plan.counts.values()) and life.snapshot(without=()) == before
    assert schedule.runs.get().reflect_pass == plan
    assert schedule.next_at > timezone.now()
    assert audit.verify() == []


def test_what_is_not_due_is_left_alone(ann, records, woken):
    schedule = made(ann, due=False)
    run(schedule)
    tasks.sweep()
    assert woken == [] and not ReflectPass.objects.exists()


def test_the_sweep_wakes_the_worker_with_the_id_alone(ann, woken):
    schedule = made(ann)
    tasks.sweep()
    assert woken == [str(schedule.pk)]
    assert "reflection.tasks.sweep" in sweep.TASKS


def test_a_broker_that_is_down_stops_no_sweep(ann, monkeypatch):
    made(ann)

    def down(*_):
        raise OSError("down")

    monkeypatch.setattr(app, "send_task", down)
    assert scheduling.wake_due() == 1


def test_repeated_it_finds_nothing_to_do(ann, records):
    schedule = made(ann)
    for _ in range(3):
        run(schedule)
    assert ReflectPass.objects.count() == 1


def test_slots_missed_while_the_system_was_down_make_one_plan(ann, records):
    schedule = made(ann, rhythm="hours", every_hours=1)
    Schedule.objects.filter(pk=schedule.pk).update(on_since=timezone.now() - timedelta(days=5))
    is_due(schedule, timedelta(days=4))
    run(schedule)
    run(schedule)
    assert ReflectPass.objects.count() == ScheduledRun.objects.count() == 1
    assert timedelta() < schedule.next_at - timezone.now() <= timedelta(hours=1)


def test_what_happened_while_the_system_was_down_is_looked_at(ann, clock):
    schedule, start = made(ann), timezone.now()
    run(schedule)
    clock(start + timedelta(days=3))
    run(schedule)
    first, second = ReflectPass.objects.order_by("planned_at")
    assert datetime.fromisoformat(second.filters["since"]) == first.as_of


def test_after_a_pause_nothing_is_made_up_for(ann, clock):
    schedule, start = made(ann), timezone.now()
    run(schedule)
    paused = schedules.pause(schedule_id=schedule.pk, seen_version=schedule.version, actor=ann)
    now = clock(start + timedelta(days=30))
    schedules.resume(schedule_id=schedule.pk, seen_version=paused.version, actor=ann)
    clock(now + timedelta(days=1))
    run(schedule)
    last = ReflectPass.objects.latest("planned_at")
    assert last.as_of - datetime.fromisoformat(last.filters["since"]) == timedelta(hours=24)


def test_it_applies_by_itself_where_the_policy_says_so(ann, records):
    life.policy(ann.own, actor=ann, on_schedule="apply")
    schedule = made(ann)
    run(schedule)
    done = ReflectPass.objects.get()
    assert (done.status, done.approved_by_policy, done.signed_off_at) == ("applied", True, None)
    assert done.applied_counts == done.counts
    assert list(queries.waiting(ann)) == [done]  # to be kept or undone
    assert Memory.objects.filter(derivation="summary").exists()
    assert audit.verify() == []


def test_it_does_not_where_the_policy_only_needs_no_approval(ann, records):
    life.policy(ann.own, actor=ann, approval="not_required")
    run(made(ann))
    assert ReflectPass.objects.get().status == "planned"


def test_a_policy_that_was_changed_back_meanwhile_is_heard(ann, records):
    life.policy(ann.own, actor=ann, on_schedule="apply")
    schedule = made(ann)
    life.policy(ann.own, actor=ann, on_schedule="propose")
    run(schedule)
    assert ReflectPass.objects.get().status == "planned"


def test_with_nothing_to_do_the_inbox_stays_empty(ann):
    life.policy(ann.own, actor=ann, on_schedule="apply")
    run(made(ann))
    assert ReflectPass.objects.get().status == "planned" and not queries.waiting(ann).exists()


def test_its_filters_are_those_that_were_asked_for():
    atlas = factories.team("Atlas", bea="member")
    bea = factories.actor(factories.bea())
    run(made(bea, atlas.pk, actions=["expire"], path_filter="a/%", owner_filter="bea", limit="7", on_drift="refuse"))
    plan = ReflectPass.objects.get()
    assert (plan.actions, plan.limit, plan.on_drift, plan.space_id) == (["expire"], 7, "refuse", atlas.pk)
    assert (plan.filters["path_filter"], plan.filters["owner_id"]) == ("a/%", str(bea.own))


def test_who_left_the_team_plans_nothing_there_any_more_and_the_schedule_says_why():
    atlas = factories.team("Atlas", ann="admin", bea="member")
    schedule = made(factories.actor(factories.bea()), atlas.pk)
    Membership.objects.filter(user=factories.bea()).delete()
    run(schedule)
    assert (schedule.next_at, schedule.paused_by, schedule.version) == (None, None, 2)
    assert schedule.paused_why == "bea, in whose name it acts, has no access to this space any more."
    assert not ReflectPass.objects.exists() and not ScheduledRun.objects.exists()
    line = AuditRecord.objects.get(action="schedule.pause")
    assert (line.actor_id, line.actor_name, line.space_id) == (None, "scheduler", atlas.pk)
    assert line.reason == schedule.paused_why


def test_who_has_no_access_any_more_plans_nothing(ann, records):
    schedule = made(ann)
    type(factories.ann()).objects.update(is_active=False)
    run(schedule)
    assert schedule.next_at is None and not ReflectPass.objects.exists()


def test_a_zone_that_this_machine_forgot_pauses_it(ann):
    schedule = made(ann)
    Schedule.objects.filter(pk=schedule.pk).update(zone="Mars/Olympus")
    run(schedule)
    assert "Mars/Olympus" in schedule.paused_why and schedule.next_at is None


def test_an_unexpected_error_is_tried_again_and_given_up_after_a_while(ann, records, monkeypatch):
    schedule = made(ann)

    def broken(**_):
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(scheduling, "compute", broken)
    for attempt in range(1, scheduling.ATTEMPTS + 1):
        with pytest.raises(RuntimeError):
            tasks.run_schedule(str(schedule.pk))
        schedule.refresh_from_db()
        assert (schedule.next_at is None) == (attempt == scheduling.ATTEMPTS)
    assert "unexpected error 5 times" in schedule.paused_why
    assert not ScheduledRun.objects.exists()


def test_what_passes_by_itself_pauses_nothing(ann, records, monkeypatch):
    schedule = made(ann)

    def busy(**_):
        raise Unavailable("The database is busy.")

    with monkeypatch.context() as patch, pytest.raises(Unavailable):
        patch.setattr(scheduling, "compute", busy)
        tasks.run_schedule(str(schedule.pk))
    run(schedule)
    assert (ReflectPass.objects.count(), schedule.failures) == (1, 0)


def test_a_paused_or_deleted_schedule_plans_nothing(ann, records):
    paused, deleted = made(ann), made(ann)
    schedules.pause(schedule_id=paused.pk, seen_version=1, actor=ann)
    schedules.delete(schedule_id=deleted.pk, seen_version=1, actor=ann)
    run(paused)
    run(deleted)
    assert not ReflectPass.objects.exists()


def test_without_a_schedule_a_month_goes_by_without_a_pass(ann, records, woken, clock):
    atlas = factories.team("Atlas", ann="admin", bea="member")
    life.fill(factories.bea(), team=atlas)
    before, start = everything(), timezone.now()
    for hour in range(31 * 24 + 1):
        clock(start + timedelta(hours=hour))
        tasks.sweep()
    assert woken == [] and not ReflectPass.objects.exists() and everything() == before


def test_with_one_a_month_brings_a_plan_a_day(ann, woken, clock):
    made(ann, due=False)
    start = timezone.now()
    for hour in range(31 * 24 + 1):
        clock(start + timedelta(hours=hour))
        tasks.sweep()
        while woken:
            tasks.run_schedule(woken.pop())
    assert ReflectPass.objects.count() == 31


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("takes_turns", [True, False])
def test_of_two_schedulers_one_makes_the_plan_of_a_slot(monkeypatch, takes_turns):
    """Also where both think that it is their turn: then the database lets one of them in."""
    life.fill(factories.ann())
    ann = factories.actor(factories.ann())
    schedule = made(ann)
    if not takes_turns:
        monkeypatch.setattr(scheduling, "_has_turn", lambda _: True)
    results = at_once(*[lambda: scheduling.run(schedule_id=schedule.pk)] * 4)
    assert sum(result is not None for result in results) == 1
    assert ReflectPass.objects.count() == ScheduledRun.objects.count() == 1
    assert audit.verify() == []


@pytest.mark.django_db(transaction=True)
def test_a_pause_at_the_same_moment_stands():
    life.fill(factories.ann())
    ann = factories.actor(factories.ann())
    schedule = made(ann)
    at_once(
        lambda: scheduling.run(schedule_id=schedule.pk),
        lambda: schedules.pause(schedule_id=schedule.pk, seen_version=1, actor=ann),
    )
    schedule.refresh_from_db()
    assert schedule.next_at is None and ReflectPass.objects.count() in (0, 1)
