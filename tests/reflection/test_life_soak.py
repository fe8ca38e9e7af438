"""Eight at once over one plan, again and again: one wins each round. A careless variant fails the same rounds."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from console.errors import Conflict, Refused
from memories import audit
from memories.models import AuditRecord, Memory
from reflection.models import ReflectPass
from reflection.services import decide
from reflection.services.apply import apply
from reflection.states import Status
from tests.memories import factories
from tests.memories.at_once import at_once
from tests.reflection import life

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 8
ROUNDS = [10, pytest.param(200, marks=pytest.mark.soak)]

Verb = Callable[[ReflectPass, Any], Any]


@pytest.fixture
def ann():
    return factories.actor(factories.ann())


def due(n: int) -> Memory:
    """One more record for a pass to expire."""
    return factories.memory(factories.ann(), f"The guest code is {n}.", expires_at=timezone.now())


def winners(verb: Verb, reflect_pass: ReflectPass, ann: Any) -> list[Any]:
    """What those got who were not refused, of MANY who try at the same moment."""
    results = at_once(*[lambda: verb(reflect_pass, ann)] * MANY)
    return [result for result in results if not isinstance(result, Refused)]


def approve(reflect_pass: ReflectPass, ann: Any) -> ReflectPass:
    return decide.approve(pass_id=reflect_pass.pk, digest=reflect_pass.digest, actor=ann)


def careless(reflect_pass: ReflectPass, ann: Any) -> ReflectPass:
    """Look, then write, without asking whether it still is what was seen."""
    with transaction.atomic():
        seen = ReflectPass.objects.get(pk=reflect_pass.pk)
        if seen.status != Status.PLANNED:
            raise Conflict("Somebody else was first.")
        time.sleep(0.02)  # what a real approval does between its look and its write
        mark = {"approved_at": timezone.now(), "approved_by_id": ann.user_id, "approved_digest": "0" * 64}
        ReflectPass.objects.filter(pk=reflect_pass.pk).update(status=Status.APPROVED, **mark)
    return seen


@pytest.mark.parametrize("rounds", ROUNDS)
def test_of_eight_approvals_one_wins_each_round(ann, rounds):
    due(0)
    for _ in range(rounds):
        planned = life.plan_all(ann, actions_csv="expire")
        assert len(winners(approve, planned, ann)) == 1
        assert AuditRecord.objects.filter(pass_id=planned.pk, action="pass.approve").count() == 1
    assert audit.verify() == []


@pytest.mark.parametrize("rounds", ROUNDS)
def test_of_eight_applications_one_writes_each_round(ann, rounds):
    for n in range(rounds):
        record = due(n)
        approved = life.approve(life.plan_all(ann, actions_csv="expire"), ann)
        winners(lambda one, actor: apply(pass_id=one.pk, actor=actor.through("job")), approved, ann)
        assert AuditRecord.objects.filter(pass_id=approved.pk, action="pass.apply").count() == 1
        assert AuditRecord.objects.filter(object_id=record.pk, action="reflect.expire").count() == 1
        state = Memory.objects.get(pk=record.pk).state
        assert (state.status, state.version) == ("expired", 2)
    assert audit.verify() == []


def test_the_rounds_notice_a_check_without_compare_and_set(ann):
    due(0)
    careful, loose = [], []
    for _ in range(3):
        careful.append(len(winners(approve, life.plan_all(ann, actions_csv="expire"), ann)))
        loose.append(len(winners(careless, life.plan_all(ann, actions_csv="expire"), ann)))
    assert careful == [1, 1, 1]
    assert max(loose) > 1
