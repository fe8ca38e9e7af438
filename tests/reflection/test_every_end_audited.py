"""However a pass comes to its end, the audit of its space says so: also where nobody decided and time ran out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from memories import audit
from memories.models import AuditRecord
from reflection import tasks
from reflection.models import ReflectPass
from reflection.services import decide, planning
from reflection.services import plan as planning_now
from reflection.services.undo import roll_back
from tests.memories import factories
from tests.memories.at_once import at_once
from tests.reflection import life

pytestmark = pytest.mark.django_db


def run_out(*plans: ReflectPass) -> None:
    over = timezone.now() - timedelta(seconds=1)
    ReflectPass.objects.filter(pk__in=[plan.pk for plan in plans]).update(
        planned_at=over - timedelta(days=1), expires_at=over
    )


def expired(plan: ReflectPass, ann: Any) -> None:
    run_out(plan)
    tasks.sweep()


def rejected(plan: ReflectPass, ann: Any) -> None:
    decide.reject(pass_id=plan.pk, actor=ann)


def applied(plan: ReflectPass, ann: Any) -> None:
    life.applied(plan, ann)


def rolled_back(plan: ReflectPass, ann: Any) -> None:
    roll_back(pass_id=life.applied(plan, ann).pk, actor=ann)


def failed(plan: ReflectPass, ann: Any) -> None:
    life.approve(plan, ann)
    ReflectPass.objects.filter(pk=plan.pk).update(approved_digest="another")
    tasks.apply_pass(str(plan.pk))


def last_line(plan: ReflectPass) -> AuditRecord:
    lines = AuditRecord.objects.filter(pass_id=plan.pk, object_type="pass", space_id=plan.space_id)
    return lines.latest("seq")


@pytest.mark.parametrize("ends", [expired, rejected, applied, rolled_back, failed], ids=lambda one: one.__name__)
def test_the_last_line_of_a_pass_says_how_it_ended(ends: Callable[..., None], ann, records) -> None:
    plan = life.plan_all(ann)
    ends(plan, ann)
    plan.refresh_from_db()
    assert plan.status == ends.__name__
    assert last_line(plan).detail["status"][-1] == plan.status
    assert audit.verify() == []


@pytest.mark.parametrize("cancels", [True, False])
def test_so_does_that_of_a_planning_that_came_to_nothing(ann, records, monkeypatch, cancels) -> None:
    monkeypatch.setattr(planning_now, "takes_long", lambda *_: True)
    asked = life.plan_all(ann)
    if cancels:
        planning.cancel(pass_id=asked.pk, actor=ann)
    else:
        for _ in range(planning.ATTEMPTS + 1):
            planning._begun(asked.pk)
    assert last_line(asked).detail["status"] == ["planning", "failed"]


def test_what_time_ended_is_told_once_in_the_chain_of_its_space_and_by_nobody_in_person(ann, records) -> None:
    team = factories.team("Expiring", ann="admin")
    me = factories.actor(factories.ann())
    own = [life.plan_all(me) for _ in range(2)]
    theirs = life.plan_all(me, team_id=str(team.pk))
    open_one = life.plan_all(me)
    run_out(*own, theirs)
    assert decide.expire_plans() == 3 and decide.expire_plans() == 0
    lines = AuditRecord.objects.filter(action="pass.expire")
    assert {(one.space_id, one.object_id) for one in lines} == {
        (me.own, own[0].pk),
        (me.own, own[1].pk),
        (team.pk, theirs.pk),
    }
    assert {(one.actor_id, one.actor_name, one.channel, one.result) for one in lines} == {
        (None, "sweep", "job", "done")
    }
    open_one.refresh_from_db()
    assert open_one.status == "planned" and audit.verify() == []


def test_many_are_ended_a_part_at_a_time(ann, records, monkeypatch) -> None:
    monkeypatch.setattr(decide, "EXPIRED_AT_ONCE", 2)
    run_out(*(life.plan_all(ann) for _ in range(3)))
    assert [decide.expire_plans() for _ in range(3)] == [2, 1, 0]


@pytest.mark.django_db(transaction=True)
def test_one_that_somebody_decides_on_at_this_moment_is_passed_over() -> None:
    life.fill(factories.ann())
    ann = factories.actor(factories.ann())
    plan = life.plan_all(ann)
    run_out(plan)
    with transaction.atomic():
        decide.reject(pass_id=plan.pk, actor=ann)
        assert at_once(decide.expire_plans) == [0]
    plan.refresh_from_db()
    assert plan.status == "rejected" and not AuditRecord.objects.filter(action="pass.expire").exists()
