"""Many at once: one wins, the others are told, and nothing is written twice."""

from __future__ import annotations

import pytest

from console.errors import Conflict, Refused
from memories import audit
from memories.models import AuditRecord, Memory
from memories.services.revise import revise
from reflection.services import decide
from reflection.services.apply import apply
from reflection.services.undo import roll_back
from reflection.tasks import apply_pass
from tests.memories import factories
from tests.memories.at_once import at_once
from tests.reflection import life

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 4


@pytest.fixture
def ann():
    life.fill(factories.ann())
    return factories.actor(factories.ann())


def test_of_many_approvals_one_wins(ann):
    planned = life.plan_all(ann)
    verb = lambda: decide.approve(pass_id=planned.pk, digest=planned.digest, actor=ann)  # noqa: E731
    results = at_once(*[verb] * MANY)
    assert sum(isinstance(result, Conflict) for result in results) == MANY - 1
    assert AuditRecord.objects.filter(pass_id=planned.pk, action="pass.approve").count() == 1


def test_of_many_applies_one_writes(ann):
    planned = life.approve(life.plan_all(ann), ann)
    results = at_once(*[lambda: apply(pass_id=planned.pk, actor=ann.through("job"))] * MANY)
    assert not any(isinstance(result, Refused) for result in results)
    assert AuditRecord.objects.filter(pass_id=planned.pk, action="pass.apply").count() == 1
    assert Memory.objects.filter(derivation="summary").count() == 1
    assert audit.verify() == []


def test_approval_and_rejection_at_once_leave_one_of_them(ann):
    planned = life.plan_all(ann)
    results = at_once(
        lambda: decide.approve(pass_id=planned.pk, digest=planned.digest, actor=ann),
        lambda: decide.reject(pass_id=planned.pk, actor=ann),
    )
    assert sum(isinstance(result, Conflict) for result in results) == 1
    planned.refresh_from_db()
    assert planned.status == ("approved" if isinstance(results[1], Conflict) else "rejected")
    apply_pass(str(planned.pk))
    planned.refresh_from_db()
    assert planned.status in ("applied", "rejected")
    assert (planned.applied_at is None) == (planned.status == "rejected")


def test_two_plans_over_the_same_records_apply_each_change_once(ann):
    first, second = (life.approve(life.plan_all(ann), ann) for _ in range(2))
    at_once(lambda: apply_pass(str(first.pk)), lambda: apply_pass(str(second.pk)))
    first.refresh_from_db()
    second.refresh_from_db()
    applied = {name: first.applied_counts[name] + second.applied_counts[name] for name in first.counts}
    assert applied == first.counts == second.counts
    assert Memory.objects.filter(derivation="summary").count() == 1
    assert Memory.objects.filter(derivation="fact").count() == 1


def test_an_edit_during_an_apply_is_lost_to_neither(ann):
    planned = life.approve(life.plan_all(ann, actions_csv="decay"), ann)
    record = Memory.objects.get(content__startswith="The printer")
    changed = "The printer moved to floor three."
    at_once(
        lambda: apply_pass(str(planned.pk)),
        lambda: revise(memory_id=record.pk, changes={"content": changed}, actor=ann),
    )
    record.refresh_from_db()
    planned.refresh_from_db()
    assert record.content == changed
    assert planned.status == "applied"


def test_of_two_undos_one_wins(ann):
    done = life.applied(life.plan_all(ann), ann)
    results = at_once(*[lambda: roll_back(pass_id=done.pk, actor=ann)] * 2)
    assert sum(isinstance(result, Conflict) for result in results) == 1
    assert audit.verify() == []
