"""Plans that the worker makes: asked for, made, cancelled, given up; with the rights and records there are by then."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.db.utils import IntegrityError
from django.utils import timezone

from console.errors import Conflict, NotAllowed, NotFound
from memories import audit
from memories.access import Actor
from memories.models import ApiToken, AuditRecord, Membership, Memory
from memories.services.forget import forget
from memories.services.revise import revise
from reflection.models import ReflectPass
from reflection.services import plan as planner
from reflection.services import planning
from reflection.services.run import reflect
from reflection.tasks import plan_pass, sweep
from tests.memories import factories
from tests.reflection import life

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann() -> Actor:
    return factories.actor(factories.ann())


@pytest.fixture
def records(ann: Actor) -> dict[str, Memory]:
    return life.fill(factories.ann())


@pytest.fixture(autouse=True)
def worker_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two candidates are many here."""
    monkeypatch.setattr(planner, "AT_ONCE", 2)


def seen(reflect_pass: ReflectPass) -> ReflectPass:
    return ReflectPass.objects.get(pk=reflect_pass.pk)


def test_a_large_plan_is_left_to_the_worker_which_makes_the_same(ann: Actor, records: Any) -> None:
    asked = life.plan_all(ann, limit=400)
    assert (asked.status, asked.digest, asked.counts) == ("planning", "", {})
    plan_pass(str(asked.pk))
    made, at_once = seen(asked), life.plan_all(ann, limit=2)
    assert (made.status, made.progress, made.attempts) == ("planned", {}, 0)
    assert sum(made.counts.values()) == sum(at_once.counts.values()) + at_once.cut
    assert [one.target_id for one in life.candidates(made)][:2] == [one.target_id for one in life.candidates(at_once)]


def test_few_records_are_planned_at_once_whatever_the_limit(ann: Actor) -> None:
    factories.memory(factories.ann(), "Only one.", expires_at=factories.PAST)
    assert life.plan_all(ann, limit=400).counts["expire"] == 1


def test_many_events_in_the_window_are_left_to_the_worker(
    ann: Actor, records: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planner, "EVENTS_AT_ONCE", 3)
    assert life.plan_all(ann, limit=1).status == "planning"
    assert life.plan_all(ann, limit=1, actions_csv="decay").status == "planned"


def test_a_model_over_the_network_is_asked_by_the_worker_alone(ann: Actor, records: Any, settings: Any) -> None:
    settings.SUMMARIZER_URL, settings.SUMMARIZER_MODEL = "http://127.0.0.1:9/v1", "m"
    assert life.plan_all(ann, limit=1).status == "planning"
    assert life.plan_all(ann, limit=1, actions_csv="promote,expire").status == "planning"
    assert life.plan_all(ann, limit=1, actions_csv="decay,expire").status == "planned"


def test_it_is_planned_as_of_the_moment_it_was_asked_for(ann: Actor, records: Any) -> None:
    asked = life.plan_all(ann, limit=400)
    factories.memory(factories.ann(), "Said later.", expires_at=timezone.now(), created_at=timezone.now())
    plan_pass(str(asked.pk))
    assert (seen(asked).as_of, seen(asked).counts["expire"]) == (asked.as_of, 1)


def test_planned_twice_it_is_made_once(ann: Actor, records: Any) -> None:
    asked = life.plan_all(ann, limit=400)
    plan_pass(str(asked.pk))
    digest = seen(asked).digest
    plan_pass(str(asked.pk))
    assert seen(asked).digest == digest
    assert AuditRecord.objects.filter(pass_id=asked.pk, action="pass.plan").count() == 2  # asked for, and made
    assert audit.verify() == []


def test_what_an_agent_asked_for_goes_on_where_the_policy_lets_it(records: Any) -> None:
    agent = factories.token_actor(factories.ann())
    asked = reflect(given={"actions_csv": "expire,archive", "limit": 400}, actor=agent)
    assert asked.status == "planning"
    plan_pass(str(asked.pk))
    done = seen(asked)
    assert (done.status, done.approved_by_policy) == ("applied", True)
    assert done.applied_counts["expire"] == 1


def test_a_preview_does_not_go_on_and_writes_nothing_else(ann: Actor, records: Any) -> None:
    before = life.world()
    asked = reflect(given={"limit": 400, "dry_run": True}, actor=ann)
    plan_pass(str(asked.pk))
    assert seen(asked).status == "planned"
    assert life.beside_a_plan(before, lines=2) == set(), "asked for, and made"


def test_a_person_cancels_it_and_the_worker_then_makes_nothing(ann: Actor, records: Any) -> None:
    asked = life.plan_all(ann, limit=400)
    ended = planning.cancel(pass_id=asked.pk, actor=ann)
    plan_pass(str(asked.pk))
    assert (seen(ended).status, seen(ended).failure) == ("failed", "Cancelled by ann before the plan was made.")
    assert not ended.candidates.exists()


def between(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], Any]) -> None:
    """Let this happen once the records of a plan are read, before it is made of them."""
    real = planning.chat
    monkeypatch.setattr(planning, "chat", lambda: (happens(), real())[1])


def test_cancelled_while_it_is_made_nothing_of_it_is_kept(
    ann: Actor, records: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = life.plan_all(ann, limit=400)
    between(monkeypatch, lambda: planning.cancel(pass_id=asked.pk, actor=ann))
    plan_pass(str(asked.pk))
    assert seen(asked).status == "failed" and not asked.candidates.exists()


def test_only_who_asked_or_decides_cancels_it() -> None:
    team = factories.team("Atlas", ann="admin", bea="member", bob="member")
    life.fill(factories.ann(), team=team)
    ann = factories.actor(factories.ann())
    asked = life.plan_all(ann, limit=400, team_id=str(team.pk))
    with pytest.raises(NotAllowed):
        planning.cancel(pass_id=asked.pk, actor=factories.actor(factories.bea()))
    with pytest.raises(NotAllowed):
        planning.cancel(pass_id=asked.pk, actor=factories.token_actor(factories.ann()))
    planning.cancel(pass_id=asked.pk, actor=ann)


def test_a_stranger_does_not_see_it_and_a_made_plan_is_not_cancelled(ann: Actor, records: Any) -> None:
    asked = life.plan_all(ann, limit=400)
    with pytest.raises(NotFound):
        planning.cancel(pass_id=asked.pk, actor=factories.actor(factories.bob()))
    plan_pass(str(asked.pk))
    with pytest.raises(Conflict, match="not being planned any more"):
        planning.cancel(pass_id=asked.pk, actor=ann)


def lose_token(ann: Actor) -> None:
    ApiToken.objects.update(revoked_at=timezone.now())


def lose_account(ann: Actor) -> None:
    user = factories.ann()
    user.is_active = False
    user.save()


@pytest.mark.parametrize("lose", [lose_token, lose_account])
def test_lost_rights_end_it_and_it_says_why(lose: Any, ann: Actor, records: Any) -> None:
    asked = reflect(given={"limit": 400}, actor=factories.token_actor(factories.ann()))
    lose(ann)
    plan_pass(str(asked.pk))
    assert seen(asked).status == "failed"
    assert "revoked" in seen(asked).failure or "no access" in seen(asked).failure


def test_whoever_left_the_team_meanwhile_plans_nothing_there(ann: Actor) -> None:
    team = factories.team("Atlas", ann="admin", bea="reviewer")
    life.fill(factories.ann(), team=team)
    asked = life.plan_all(factories.actor(factories.bea()), limit=400, team_id=str(team.pk))
    Membership.objects.filter(user=factories.bea()).delete()
    plan_pass(str(asked.pk))
    assert (seen(asked).status, "not a member" in seen(asked).failure or "no access" in seen(asked).failure) == (
        "failed",
        True,
    )


def test_rights_lost_while_it_is_made_end_it_too(ann: Actor, records: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = reflect(given={"limit": 400}, actor=factories.token_actor(factories.ann()))
    between(monkeypatch, lambda: lose_token(ann))
    plan_pass(str(asked.pk))
    assert seen(asked).status == "failed" and not asked.candidates.exists()


def test_what_changed_while_it_was_made_is_left_out_and_counted(
    ann: Actor, records: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = life.plan_all(ann, limit=400)

    def meanwhile() -> None:
        revise(memory_id=records["turn1"].pk, changes={"content": "Bea found nothing."}, actor=ann)
        forget(record_id=records["idle"].pk, actor=ann)

    between(monkeypatch, meanwhile)
    plan_pass(str(asked.pk))
    made = seen(asked)
    assert (made.counts["summarize"], made.counts["archive"]) == (0, 3)
    assert any("2 candidates were left out" in note for note in made.notes)
    assert sum(made.counts.values()) == made.candidates.count()


def test_an_error_that_comes_again_and_again_ends_it(ann: Actor, records: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = life.plan_all(ann, limit=400)
    monkeypatch.setattr(planning, "survey_of", lambda *args, **named: 1 / 0)
    for _ in range(planning.ATTEMPTS):
        assert seen(asked).status == "planning"
        with pytest.raises(ZeroDivisionError):
            plan_pass(str(asked.pk))
    plan_pass(str(asked.pk))
    assert (seen(asked).status, "worker's log" in seen(asked).failure) == ("failed", True)


def test_the_sweep_wakes_the_worker_for_a_planning_that_was_left(
    ann: Actor, records: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken: list[Any] = []
    monkeypatch.setattr("reflection.services.decide.wake_planner", woken.append)
    asked = life.plan_all(ann, limit=400)
    sweep()
    assert woken == []
    ReflectPass.objects.filter(pk=asked.pk).update(queued_at=timezone.now() - timedelta(minutes=1))
    sweep()
    assert woken == [asked.pk]


@pytest.mark.parametrize("fields", [{"digest": "0" * 64}, {"counts": {"expire": 1}}])
def test_the_database_keeps_a_planning_without_a_plan(ann: Actor, records: Any, fields: dict[str, Any]) -> None:
    asked = life.plan_all(ann, limit=400)
    with pytest.raises(IntegrityError), transaction.atomic():
        ReflectPass.objects.filter(pk=asked.pk).update(**fields)


def test_the_database_keeps_progress_to_what_is_being_planned(ann: Actor, records: Any) -> None:
    planned = life.plan_all(ann, limit=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        ReflectPass.objects.filter(pk=planned.pk).update(progress={"phase": "reading"})
    asked = life.plan_all(ann, limit=400)
    with pytest.raises(IntegrityError), transaction.atomic():
        ReflectPass.objects.filter(pk=asked.pk).update(status="failed")


def test_no_message_to_the_worker_holds_words(ann: Actor, records: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    monkeypatch.setattr("reflection.services.decide.current_app.send_task", lambda *given: sent.append(given))
    asked = life.plan_all(ann, limit=400, path_filter="projects%")
    planner.wake_planner(asked.pk)
    assert sent == [("reflection.tasks.plan_pass", [str(asked.pk)])]
