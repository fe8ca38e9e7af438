"""Plans made by the worker while others act: real transactions; nothing waits for a model, nothing erased is back."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from console.errors import Conflict
from memories import audit
from memories.access import Actor
from memories.models import AuditRecord
from memories.services.erase import erase
from memories.services.erase_requests import request_erasure
from reflection.models import Candidate, ReflectPass
from reflection.services import plan as planner
from reflection.services import planning
from reflection.summarizer import Source, Summary, extractive
from reflection.tasks import plan_pass
from tests.memories import factories
from tests.memories.at_once import at_once
from tests.reflection import life
from tests.reflection.erasure_scene import traces_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ann(monkeypatch: pytest.MonkeyPatch) -> Actor:
    monkeypatch.setattr(planner, "AT_ONCE", 2)
    life.fill(factories.ann())
    return factories.actor(factories.ann())


class Slow:
    """A model that writes only when it is told to go on."""

    def __init__(self) -> None:
        self.asked, self.goes_on = threading.Event(), threading.Event()

    def summarize(self, sources: list[Source], budget_chars: int) -> Summary:
        self.asked.set()
        assert self.goes_on.wait(20), "it was never told to go on"
        return extractive.summarize(sources, budget_chars)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    model = Slow()
    monkeypatch.setattr(planning, "summarizer", lambda asked: model)
    return model


def seen(reflect_pass: ReflectPass) -> ReflectPass:
    return ReflectPass.objects.get(pk=reflect_pass.pk)


def test_an_erasure_waits_for_no_model_and_its_words_never_come_into_the_plan(ann: Actor, slow: Slow) -> None:
    asked = life.plan_all(ann, limit=400)
    words = "The queue name was corrected and the worker restarted at 09:40."
    note = life.Memory.objects.get(content=words)
    request = request_erasure(record_id=note.pk, actor=ann).pk

    def erased_meanwhile() -> Any:
        assert slow.asked.wait(20)
        try:
            return erase(
                record_id=note.pk,
                typed=str(note.pk)[-6:],
                reason="asked",
                seen_version=1,
                request_id=request,
                actor=ann,
            )
        finally:
            assert seen(asked).status == "planning"
            slow.goes_on.set()

    results = at_once(erased_meanwhile, lambda: plan_pass(str(asked.pk)))
    assert note.pk in results[0].ids
    made = seen(asked)
    assert (made.status, made.counts["summarize"]) == ("planned", 0)
    assert any("left out" in said for said in made.notes)
    assert not Candidate.objects.filter(basis__memory_id=note.pk).exists()
    assert traces_of(words) == []


def test_its_progress_is_seen_and_a_person_cancels_it_during_the_model_call(ann: Actor, slow: Slow) -> None:
    asked = life.plan_all(ann, limit=400)

    def cancelled_meanwhile() -> Any:
        assert slow.asked.wait(20)
        progress = seen(asked).progress
        try:
            planning.cancel(pass_id=asked.pk, actor=ann)
        finally:
            slow.goes_on.set()
        return progress

    progress, _ = at_once(cancelled_meanwhile, lambda: plan_pass(str(asked.pk)))
    assert progress == {"phase": "telling", "done": 0, "of": 1}
    assert seen(asked).status == "failed" and not asked.candidates.exists()


def test_of_two_workers_one_plans(ann: Actor, slow: Slow) -> None:
    asked = life.plan_all(ann, limit=400)

    def second() -> None:
        assert slow.asked.wait(20)
        try:
            plan_pass(str(asked.pk))
            assert seen(asked).status == "planning"  # it left at once
        finally:
            slow.goes_on.set()

    results = at_once(lambda: plan_pass(str(asked.pk)), second)
    assert not [one for one in results if isinstance(one, Exception)]
    assert (seen(asked).status, asked.candidates.count()) == ("planned", sum(seen(asked).counts.values()))
    assert AuditRecord.objects.filter(pass_id=asked.pk, action="pass.plan").count() == 2
    assert audit.verify() == []


def test_two_plans_of_one_space_are_made_at_the_same_time(ann: Actor) -> None:
    first, second = life.plan_all(ann, limit=400), life.plan_all(ann, limit=400)
    at_once(lambda: plan_pass(str(first.pk)), lambda: plan_pass(str(second.pk)))
    assert seen(first).status == seen(second).status == "planned"
    assert seen(first).counts == seen(second).counts


def test_cancelling_and_storing_at_once_leave_one_of_them(ann: Actor) -> None:
    for _ in range(4):
        asked = life.plan_all(ann, limit=400)
        cancelled, _ = at_once(
            lambda asked=asked: planning.cancel(pass_id=asked.pk, actor=ann),
            lambda asked=asked: plan_pass(str(asked.pk)),
        )
        made = seen(asked)
        assert made.status == ("planned" if isinstance(cancelled, Conflict) else "failed")
        assert made.candidates.exists() == (made.status == "planned")
