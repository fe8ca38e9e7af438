"""Making, changing, pausing and deleting schedules: who may, what is refused, what the audit says."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from console.errors import Conflict, Invalid, NotAllowed, NotFound, Stale
from memories.models import AuditRecord, Membership
from reflection.models import Schedule
from reflection.services import schedules
from tests.memories import factories
from tests.memories.page_client import everything

pytestmark = pytest.mark.django_db
GIVEN = {"rhythm": "daily", "at": "03:00", "zone": "Asia/Tokyo", "actions": ["decay", "expire"]}


def add(actor, space_id=None, **given):
    return schedules.add(space_id=space_id or actor.own, given={**GIVEN, **given}, actor=actor)


def seen(schedule):
    return {"schedule_id": schedule.pk, "seen_version": schedule.version}


def test_there_is_none_until_somebody_makes_one(ann):
    assert not schedules.schedules_of(ann).exists()


def test_a_schedule_is_due_at_the_next_hour_of_its_zone(ann):
    made = add(ann)
    assert (made.rhythm, made.at, made.zone, made.version) == ("daily", time(3), "Asia/Tokyo", 1)
    assert made.given == {"actions": ["expire", "decay"]}
    assert timedelta() < made.next_at - timezone.now() <= timedelta(days=1)
    assert (made.next_at.astimezone(UTC).hour, made.next_at.minute) == (18, 0)
    line = AuditRecord.objects.get(action="schedule.create")
    assert (line.actor_id, line.object_id, line.space_id) == (ann.own, made.pk, ann.own)
    assert line.detail == {"asked": {**GIVEN, "actions": ["expire", "decay"]}, "status": [None, "running"]}


def test_every_parameter_of_reflect_but_the_window_s_ends_is_kept(ann):
    asked = {
        "time_window_hours": "48",
        "path_filter": "projects/%",
        "bucket": "work",
        "scope": "tenant:project:42",
        "limit": "7",
        "on_drift": "refuse",
        "owner_filter": "ann",
    }
    kept = add(ann, **asked).given
    assert kept == asked | {"actions": ["expire", "decay"], "owner_filter": str(ann.own)}


WRONG = [
    ({"rhythm": "yearly"}, ["rhythm"]),
    ({"rhythm": None}, ["rhythm"]),
    ({"at": "25:00"}, ["at"]),
    ({"at": "3"}, ["at"]),
    ({"at": "0３:00"}, ["at"]),
    ({"zone": "Mars/Olympus"}, ["zone"]),
    ({"zone": "../etc/passwd"}, ["zone"]),
    ({"rhythm": "weekly"}, ["weekday"]),
    ({"rhythm": "weekly", "weekday": "7"}, ["weekday"]),
    ({"rhythm": "hours", "every_hours": "0"}, ["every_hours"]),
    ({"rhythm": "hours", "every_hours": "721"}, ["every_hours"]),
    ({"rhythm": "hours", "every_hours": "1.5"}, ["every_hours"]),
    ({"actions": []}, ["actions_csv"]),
    ({"actions": ["forget"]}, ["actions_csv"]),
    ({"limit": "0", "time_window_hours": "-1"}, ["time_window_hours", "limit"]),
    ({"since": "2026-01-01"}, ["since"]),
    ({"dry_run": True}, ["dry_run"]),
    ({"team_id": "x"}, ["team_id"]),
    ({"at": "x", "limit": "x"}, ["at", "limit"]),
]


@pytest.mark.parametrize(("wrong", "fields"), WRONG)
def test_a_mistake_is_said_and_nothing_is_made(ann, wrong, fields):
    before = everything()
    with pytest.raises(Invalid) as caught:
        add(ann, **wrong)
    assert [problem.loc[-1] for problem in caught.value.problems] == fields
    assert everything() == before


def test_the_records_of_others_are_not_asked_for(ann):
    factories.bob()
    with pytest.raises(NotAllowed):
        add(ann, owner_filter="bob")


def test_an_agent_makes_none(ann):
    for agent in (factories.token_actor(factories.ann()), ann.through("api"), ann.through("cli")):
        with pytest.raises(NotAllowed, match="in the name of a person"):
            add(agent, ann.own)


def test_a_space_of_others_is_not_there(ann):
    atlas = factories.team("Atlas", bea="admin")
    made = add(factories.actor(factories.bea()), atlas.pk)
    for space_id in (atlas.pk, factories.bob().pk, uuid4()):
        with pytest.raises(NotFound):
            add(ann, space_id)
    for verb in (schedules.pause, schedules.resume, schedules.delete):
        with pytest.raises(NotFound):
            verb(**seen(made), actor=ann)
    with pytest.raises(NotFound):
        schedules.change(**seen(made), given=GIVEN, actor=ann)
    assert not schedules.schedules_of(ann).exists()


def test_another_rhythm_begins_now_and_the_audit_says_what_changed(ann):
    made = add(ann)
    Schedule.objects.filter(pk=made.pk).update(on_since=datetime(2026, 1, 1, tzinfo=UTC))
    changed = schedules.change(
        **seen(made), given={"rhythm": "hours", "every_hours": 6, "zone": "UTC", "actions": ["expire"]}, actor=ann
    )
    assert (changed.version, changed.at, changed.every_hours) == (2, None, 6)
    assert timedelta(hours=5, minutes=58) < changed.next_at - timezone.now() <= timedelta(hours=6)
    assert AuditRecord.objects.get(action="schedule.update").detail == {
        "actions": [["expire", "decay"], ["expire"]],
        "at": ["03:00", None],
        "every_hours": [None, 6],
        "rhythm": ["daily", "hours"],
        "zone": ["Asia/Tokyo", "UTC"],
    }


def test_the_same_again_changes_nothing(ann):
    made = add(ann)
    same = schedules.change(**seen(made), given={**GIVEN, "actions": ["expire", "decay"]}, actor=ann)
    assert same.version == 1
    assert not AuditRecord.objects.filter(action="schedule.update").exists()


def test_a_paused_schedule_stays_paused_when_it_is_changed(ann):
    paused = schedules.pause(**seen(add(ann)), actor=ann)
    changed = schedules.change(**seen(paused), given={**GIVEN, "at": "04:00"}, actor=ann)
    assert (changed.next_at, changed.at) == (None, time(4))


def test_pausing_and_going_on(ann):
    paused = schedules.pause(**seen(add(ann)), actor=ann)
    assert (paused.next_at, paused.paused_by_id) == (None, ann.own)
    with pytest.raises(Conflict, match="paused already"):
        schedules.pause(**seen(paused), actor=ann)
    Schedule.objects.filter(pk=paused.pk).update(on_since=datetime(2026, 1, 1, tzinfo=UTC))
    on = schedules.resume(**seen(paused), actor=ann)
    assert on.next_at > timezone.now() and on.paused_at is None
    assert timezone.now() - on.on_since < timedelta(minutes=1)  # what was missed is not made up for
    with pytest.raises(Conflict, match="on already"):
        schedules.resume(**seen(on), actor=ann)
    assert list(AuditRecord.objects.order_by("seq").values_list("action", flat=True)) == [
        "schedule.create",
        "schedule.pause",
        "schedule.resume",
    ]


def test_a_deleted_schedule_is_gone(ann):
    made = add(ann)
    schedules.delete(**seen(made), actor=ann)
    with pytest.raises(NotFound):
        schedules.find(made.pk, actor=ann)
    assert Schedule.objects.get(pk=made.pk).next_at is None


@pytest.mark.parametrize("verb", ["pause", "resume", "delete", "change"])
def test_who_saw_another_version_is_told(ann, verb):
    made = add(ann)
    more = {"given": GIVEN} if verb == "change" else {}
    with pytest.raises(Stale, match="at version 1 now"):
        getattr(schedules, verb)(schedule_id=made.pk, seen_version=7, actor=ann, **more)


def test_only_its_maker_changes_it_and_an_admin_may_end_it():
    atlas = factories.team("Atlas", ann="admin", bea="member", bob="member")
    ann, bea, bob = (factories.actor(who) for who in (factories.ann(), factories.bea(), factories.bob()))
    made = add(bea, atlas.pk)
    for actor in (ann, bob):
        with pytest.raises(NotAllowed, match="only bea may change it"):
            schedules.change(**seen(made), given=GIVEN, actor=actor)
    with pytest.raises(NotAllowed, match="Only bea"):
        schedules.pause(**seen(made), actor=bob)
    paused = schedules.pause(**seen(made), actor=ann)
    with pytest.raises(NotAllowed, match="only bea may change it"):
        schedules.resume(**seen(paused), actor=ann)
    with pytest.raises(NotAllowed, match="Only bea"):
        schedules.delete(**seen(paused), actor=bob)
    schedules.delete(**seen(paused), actor=ann)


def test_a_member_who_left_sees_nothing_of_it():
    atlas = factories.team("Atlas", bea="member")
    made = add(factories.actor(factories.bea()), atlas.pk)
    Membership.objects.all().delete()
    with pytest.raises(NotFound):
        schedules.find(made.pk, actor=factories.actor(factories.bea()))


def test_a_token_with_bounds_sees_none(ann):
    add(ann)
    assert schedules.schedules_of(factories.token_actor(factories.ann())).count() == 1
    assert schedules.schedules_of(factories.token_actor(factories.ann(), buckets=["work"])).count() == 0


def test_a_space_has_only_so_many(ann, monkeypatch):
    monkeypatch.setattr(schedules, "MOST_PER_SPACE", 1)
    made = add(ann)
    with pytest.raises(Conflict, match="has 1 schedules already"):
        add(ann)
    schedules.delete(**seen(made), actor=ann)
    add(ann)
