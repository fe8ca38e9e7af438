"""A policy that was tightened since a plan was asked for counts; one that was loosened does not let it through."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError, connection
from django.utils.module_loading import import_string

from console.errors import Conflict, NotAllowed
from memories.models import Memory, MemoryState
from memories.services.revise import revise
from reflection import queries, report, tasks
from reflection.models import ReflectPass
from reflection.services import dream, policies
from reflection.services import plan as planning_now
from reflection.services.run import reflect
from tests.memories import factories
from tests.memories.api_client import Api
from tests.memories.at_once import at_once
from tests.reflection import life, pages
from tests.reflection.test_scheduling import made as scheduled
from tests.reflection.test_scheduling import run

pytestmark = pytest.mark.django_db


@pytest.fixture
def slow(monkeypatch):
    """Every plan is left to the worker."""
    monkeypatch.setattr(planning_now, "takes_long", lambda *_: True)


def tighten(actor: Any, **given: Any) -> None:
    seen = policies.current(actor.space(actor.own)).number
    policies.adopt(space_id=actor.own, given=given, seen_version=seen, actor=actor)


def worked(asked: ReflectPass) -> ReflectPass:
    tasks.plan_pass(str(asked.pk))
    return ReflectPass.objects.get(pk=asked.pk)


@pytest.mark.parametrize("given", [{"approval": "required"}, {"four_eyes": True}])
def test_a_person_is_asked_for_while_the_worker_plans(slow, ann, records, given):
    agent = factories.token_actor(factories.ann())
    asked = reflect(given={}, actor=agent)
    assert asked.goes_on and asked.policy.approval == "not_required"
    tighten(ann, **given)
    made = worked(asked)
    assert (made.status, made.applied_counts) == ("planned", {})
    assert report.status_of(made) == "awaiting_approval"
    assert not Memory.objects.exclude(derivation="").exists()


def test_what_nobody_tightened_goes_on(slow, ann, records):
    made = worked(reflect(given={}, actor=factories.token_actor(factories.ann())))
    assert made.status == "applied"


@pytest.mark.parametrize("given", [{"approval": "not_required"}, {"four_eyes": False}])
def test_a_policy_loosened_meanwhile_lets_nothing_through(slow, ann, records, given):
    life.policy(ann.own, actor=ann, approval="required", four_eyes=True)
    asked = reflect(given={}, actor=ann)
    tighten(ann, **given)
    assert worked(asked).status == "planned"


def test_a_schedule_only_proposes_from_then_on(slow, ann, records):
    life.policy(ann.own, actor=ann, on_schedule="apply")
    run(scheduled(ann))
    tighten(ann, on_schedule="propose")
    assert worked(ReflectPass.objects.get()).status == "planned"


def test_four_eyes_count_when_it_is_approved_and_wherever_it_is_shown(ann, records):
    planned = life.plan_all(ann)
    assert list(queries.waiting(ann)) == [planned]
    tighten(ann, four_eyes=True)
    with pytest.raises(NotAllowed, match="second pair of eyes"):
        life.approve(planned, ann)
    assert not queries.waiting(ann).exists()
    assert "second pair of eyes" in pages.text(pages.browser(factories.ann()).get(pages.address(planned)))


def test_four_eyes_count_when_it_is_applied(ann, records):
    planned = life.plan_all(ann)
    life.approve(planned, ann)
    tighten(ann, four_eyes=True)
    tasks.apply_pass(str(planned.pk))
    planned.refresh_from_db()
    assert (planned.status, planned.applied_counts) == ("failed", {})


def test_plans_that_need_a_person_by_now_are_listed_as_such(ann, records):
    planned = life.plan_all(ann)
    api = Api(factories.ann())
    assert api.get("passes?status=awaiting_approval").json()["passes"] == []
    tighten(ann, approval="required")
    (found,) = api.get("passes?status=awaiting_approval").json()["passes"]
    assert found["pass_id"] == str(planned.pk) and found["status"] == "awaiting_approval"


def test_one_item_is_not_applied_by_itself_any_more(ann, records):
    made = dream.preview(given={}, actor=ann)
    tighten(ann, approval="required")
    item = life.candidates(made)[0]
    found = dream.confirm(pass_id=made.pk, candidate_id=item.pk, expected_run_version=1, actor=ann)
    assert found.status == "planned" and dream.asks_a_person(found)


def moved(records: dict[str, Memory], ann: Any) -> None:
    revise(memory_id=records["old"].pk, changes={"importance": 0.9}, actor=ann)


def test_a_pass_is_refused_on_drift_when_it_is_approved(ann, records):
    planned = life.plan_all(ann)
    tighten(ann, on_drift="refuse")
    moved(records, ann)
    with pytest.raises(Conflict, match="changed since this was planned"):
        life.approve(planned, ann)


def test_a_pass_is_refused_on_drift_when_it_is_applied(ann, records):
    planned = life.plan_all(ann)
    life.approve(planned, ann)
    tighten(ann, on_drift="refuse")
    moved(records, ann)
    tasks.apply_pass(str(planned.pk))
    planned.refresh_from_db()
    assert planned.status == "failed" and "the policy refuses that" in planned.failure


def test_what_the_caller_chose_about_drift_stands(ann, records):
    planned = life.plan_all(ann, on_drift="skip")
    tighten(ann, on_drift="refuse")
    moved(records, ann)
    assert life.applied(planned, ann).status == "applied"
    assert MemoryState.objects.get(memory=records["old"]).importance == 0.9


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("place", ["decide._check_still", "apply._check_digest", "run.claim"])
def test_nobody_changes_the_policy_between_the_look_at_it_and_what_comes_of_it(monkeypatch, place):
    life.fill(factories.ann())
    ann = factories.actor(factories.ann())
    planned = life.plan_all(ann)
    tried: list[Any] = []

    def impatient() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '200ms'")
        with pytest.raises(OperationalError):
            tighten(ann, approval="required")

    name = f"reflection.services.{place}"
    goes_on = import_string(name)
    monkeypatch.setattr(name, lambda *given, **named: (tried.append(at_once(impatient)), goes_on(*given, **named))[1])
    if place == "run.claim":
        reflect(given={}, actor=ann)
    else:
        life.applied(planned, ann)
    assert len(tried) == 1 and ReflectPass.objects.filter(status="applied").count() == 1
