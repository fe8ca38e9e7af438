"""The database states the truths of passes itself: whoever writes past the services is refused."""

from __future__ import annotations

from datetime import time, timedelta
from uuid import uuid4

import pytest
from django.apps import apps
from django.db.models import F
from django.utils import timezone

from reflection.models import (
    Basis,
    Candidate,
    Notice,
    ReflectionPolicy,
    ReflectPass,
    Schedule,
    ScheduledRun,
    Subscription,
    Viewed,
)
from reflection.services.plan import plan
from tests.memories.factories import actor, ann, memory
from tests.memories.refusing import Write, again, constraints, of, refuses
from tests.reflection import life

pytestmark = pytest.mark.django_db

NOW = timezone.now()


def planned() -> ReflectPass:
    return plan(given={}, actor=actor(ann()))


def applying() -> ReflectPass:
    """A pass in the worker's hands."""
    made, signed = planned(), {"approved_at": NOW, "approved_by": ann(), "approved_digest": "x"}
    for status in ("approved", "applying"):
        ReflectPass.objects.filter(pk=made.pk).update(status=status, **signed)
    made.refresh_from_db()
    return made


def candidate() -> Candidate:
    memory(ann(), "The guest code.", expires_at=NOW - timedelta(hours=1))
    made: Candidate = life.plan_all(actor(ann()), actions_csv="expire").candidates.get()
    return made


def basis() -> Basis:
    made: Basis = candidate().basis.get()
    return made


def viewed() -> Viewed:
    return Viewed.objects.create(candidate=candidate(), user=ann(), at=NOW)


def policy() -> ReflectionPolicy:
    return life.policy(ann().pk, actor=actor(ann()))


def schedule() -> Schedule:
    given = {"rhythm": "daily", "at": time(3), "zone": "UTC", "next_at": NOW, "given": {}}
    return Schedule.objects.create(space_id=ann().pk, made_by=ann(), made_at=NOW, on_since=NOW, **given)


def run() -> ScheduledRun:
    return ScheduledRun.objects.create(schedule=schedule(), slot=NOW, at=NOW)


def subscription() -> Subscription:
    return Subscription.objects.create(space_id=ann().pk, user=ann(), channel="email", address="ann@example.org")


def notice() -> Notice:
    return Notice.objects.create(subscription=subscription(), reflect_pass=planned(), space_id=ann().pk, next_at=NOW)


REFUSED: dict[str, Write] = {
    "pass_status_known": again(planned, status="paused"),
    "pass_kind_known": of(planned, kind="dream"),
    "pass_approved_paired": of(planned, approved_at=NOW),
    "pass_rejected_paired": of(planned, rejected_at=NOW),
    "pass_rolled_back_paired": of(planned, rolled_back_at=NOW),
    "pass_signed_off_paired": of(planned, signed_off_at=NOW),
    "pass_applied_only_approved": of(planned, status="approved"),
    "pass_applied_marked": of(planned, applied_at=NOW),
    "pass_planning_unfinished": of(planned, progress={"phase": "reading"}),
    "pass_expires_later": of(planned, expires_at=F("planned_at") - timedelta(hours=1)),
    "pass_one_applying_per_space": again(applying),
    "candidate_action_known": of(candidate, action="burn"),
    "candidate_outcome_known": of(candidate, outcome="lost"),
    "candidate_applied_has_result": of(candidate, outcome="applied"),
    "candidate_position_once": again(candidate),
    "basis_once": again(basis),
    "viewed_once": again(viewed),
    "policy_number_once": again(policy),
    "policy_approval_known": again(policy, number=9, approval="maybe"),
    "policy_on_drift_known": again(policy, number=9, on_drift="shrug"),
    "policy_on_erasure_known": again(policy, number=9, on_erasure="keep"),
    "policy_on_schedule_allowed": again(policy, number=9, on_schedule="always"),
    "policy_plan_hours_range": again(policy, number=9, plan_hours=0),
    "schedule_rhythm_whole": of(schedule, at=None),
    "schedule_on_or_not": of(schedule, next_at=None),
    "schedule_deleted_paired": of(schedule, next_at=None, deleted_at=NOW),
    "run_once_per_slot": again(run, reflect_pass_id=None),
    "subscription_once": again(subscription),
    "subscription_channel_known": of(subscription, channel="pigeon"),
    "subscription_leads_somewhere": of(subscription, address=""),
    "notice_once": again(notice),
    "notice_sent_is_done": of(notice, sent_at=NOW),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_database_refuses(name: str) -> None:
    refuses(name, REFUSED[name])


def test_every_constraint_of_passes_has_been_seen_to_refuse() -> None:
    assert constraints(apps.get_app_config("reflection").get_models()) == REFUSED.keys()


def test_two_spaces_apply_at_the_same_time() -> None:
    """Only within one space a pass waits for the other."""
    one = applying()
    again(lambda: one, space_id=uuid4())()
    assert ReflectPass.objects.filter(status="applying").count() == 2
