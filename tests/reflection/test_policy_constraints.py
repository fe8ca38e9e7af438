"""The database keeps versions of policies and the shape of schedules itself."""

from __future__ import annotations

from datetime import time, timedelta
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone

from reflection.models import ReflectionPolicy, Schedule, ScheduledRun
from reflection.services.plan import plan
from tests.memories import factories
from tests.reflection import life

pytestmark = pytest.mark.django_db


def schedule(**fields: Any) -> Schedule:
    now = timezone.now()
    given = {"rhythm": "daily", "at": time(3), "zone": "UTC", "next_at": now, "given": {}} | fields
    return Schedule.objects.create(
        space_id=factories.ann().pk, made_by=factories.ann(), made_at=now, on_since=now, **given
    )


@pytest.mark.parametrize("verb", ["update", "delete"])
def test_a_version_of_a_policy_never_changes(verb):
    ann = factories.actor(factories.ann())
    made = life.policy(ann.own, actor=ann, four_eyes=True)
    rows = ReflectionPolicy.objects.filter(pk=made.pk)
    with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
        rows.delete() if verb == "delete" else rows.update(four_eyes=False)


def test_two_versions_have_two_numbers():
    ann = factories.actor(factories.ann())
    life.policy(ann.own, actor=ann)
    with pytest.raises(IntegrityError, match="policy_number_once"), transaction.atomic():
        ReflectionPolicy(space_id=ann.own, number=2, approval="required", created_at=timezone.now()).save()


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("policy_plan_hours_range", {"plan_hours": 0}),
        ("policy_plan_hours_range", {"plan_hours": 721}),
        ("policy_on_schedule_allowed", {"on_schedule": "always"}),
        ("policy_on_schedule_allowed", {"on_schedule": "apply", "approval": "required"}),
        ("policy_on_schedule_allowed", {"on_schedule": "apply", "approval": "not_required", "four_eyes": True}),
        ("policy_approval_known", {"approval": "maybe"}),
    ],
)
def test_a_policy_that_contradicts_itself_is_refused(name, fields):
    ann = factories.actor(factories.ann())
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        life.policy(ann.own, actor=ann, **fields)


NOW = timezone.now()


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("schedule_rhythm_whole", {"at": None}),
        ("schedule_rhythm_whole", {"weekday": 1}),
        ("schedule_rhythm_whole", {"rhythm": "yearly"}),
        ("schedule_rhythm_whole", {"rhythm": "weekly"}),
        ("schedule_rhythm_whole", {"rhythm": "weekly", "weekday": 7}),
        ("schedule_rhythm_whole", {"rhythm": "hours", "at": None}),
        ("schedule_rhythm_whole", {"rhythm": "hours", "at": None, "every_hours": 0}),
        ("schedule_on_or_not", {"next_at": None}),
        ("schedule_on_or_not", {"paused_at": NOW}),
        ("schedule_on_or_not", {"deleted_at": NOW, "deleted_by_id": "own"}),
        ("schedule_deleted_paired", {"next_at": None, "deleted_at": NOW}),
    ],
)
def test_a_schedule_is_whole_and_either_on_or_not(name, fields):
    if "deleted_by_id" in fields:
        fields = fields | {"deleted_by_id": factories.ann().pk}
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        schedule(**fields)


def test_a_slot_has_one_plan():
    one, now = schedule(), timezone.now()
    ScheduledRun.objects.create(schedule=one, slot=now, at=now)
    with pytest.raises(IntegrityError, match="run_once_per_slot"), transaction.atomic():
        ScheduledRun.objects.create(schedule=one, slot=now, at=now)
    ScheduledRun.objects.create(schedule=one, slot=now + timedelta(days=1), at=now)


def test_a_plan_lives_as_long_as_the_policy_says():
    ann = factories.actor(factories.ann())
    assert life.plan_all(ann).expires_at - timezone.now() < timedelta(hours=24)
    life.policy(ann.own, actor=ann, plan_hours=72)
    made = plan(given={}, actor=ann)
    assert made.expires_at - made.planned_at == timedelta(hours=72)


def test_where_nobody_has_chosen_a_plan_lives_as_long_as_the_configuration_says(settings):
    settings.PLAN_LIFETIME_HOURS = 5
    made = plan(given={}, actor=factories.actor(factories.ann()))
    assert made.expires_at - made.planned_at == timedelta(hours=5)
