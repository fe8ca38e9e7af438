"""Deleting for good while the same record is planned, applied, edited, restored or taken back: nothing comes back."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from console.errors import Refused
from console.traces import Trace
from memories import audit
from memories.models import Erasure, Memory, MemoryLink
from memories.services.erase import erase
from memories.services.forget import restore
from memories.services.redact import redact
from memories.services.remember import NewMemory, import_many
from memories.services.revise import revise
from reflection.models import Basis, Candidate, OnErasure
from reflection.services.apply import apply
from reflection.services.undo import roll_back
from tests.memories import factories
from tests.reflection import life
from tests.reflection.erasure_scene import OTHERS, policy, traces_of, turn
from tests.reflection.test_life_races import at_once

pytestmark = pytest.mark.django_db(transaction=True)
WORDS = "The vault of the aviary opens with 83-quokka-57 and nothing else."


class Round:
    """One record of an episode, with a request to erase it, and what may happen to it at the same moment."""

    def __init__(self, number: int) -> None:
        self.ann = factories.actor(factories.ann())
        self.path = f"race/{number}/incident"
        for n, text in enumerate(OTHERS):
            turn(f"{text} ({number})", n, path=self.path)
        self.note = turn(WORDS, 5, path=self.path)
        self.asked = erase_request(self.note, self.ann)
        self.only = {"path_filter": f"{self.path}%", "actions_csv": "summarize"}

    def erase(self) -> Any:
        return erase(
            record_id=self.note.pk,
            typed=str(self.note.pk)[-6:],
            reason="asked",
            seen_version=1,
            request_id=self.asked,
            actor=self.ann,
        )

    def against(self, name: str) -> Callable[[], Any]:
        """The other act, with what has to be there before."""
        if name == "plan":
            return lambda: life.plan_all(self.ann, **self.only)
        if name == "edit":
            return lambda: revise(memory_id=self.note.pk, changes={"content": f"{WORDS} Still."}, actor=self.ann)
        if name == "redact":
            return lambda: redact(memory_id=self.note.pk, actor=self.ann)
        planned = life.approve(life.plan_all(self.ann, **self.only), self.ann)
        if name == "apply":
            return lambda: apply(pass_id=planned.pk, actor=self.ann.through("job"))
        apply(pass_id=planned.pk, actor=self.ann.through("job"))
        if name == "undo":
            return lambda: roll_back(pass_id=planned.pk, actor=self.ann)
        turn("And a fifth remark, an hour later.", 60, path=self.path)
        again = life.approve(life.plan_all(self.ann, **self.only), self.ann)
        return lambda: apply(pass_id=again.pk, actor=self.ann.through("job"))

    def check(self, results: list[Any]) -> None:
        """Erased, or refused because the record moved first. Where it is gone, it is gone from what quoted it too."""
        assert not [r for r in results if isinstance(r, Exception) and not isinstance(r, Refused)]
        gone = not Memory.objects.filter(pk=self.note.pk).exists()
        assert gone == Erasure.objects.filter(pk=self.note.pk).exists() == (not isinstance(results[0], Refused))
        if gone:
            assert not Memory.objects.filter(content__contains=WORDS, path__startswith=self.path).exists()
            assert not Candidate.objects.filter(after__content__contains=WORDS).exists()
            assert not Basis.objects.filter(quote__contains=WORDS).exists()
        for summary in Memory.objects.filter(derivation="summary"):
            assert summary.links.filter(kind="derived_from").count() >= 3
        assert not MemoryLink.objects.filter(target__isnull=True).exists()


def erase_request(note: Memory, actor: Any) -> Any:
    from memories.services.erase_requests import request_erasure

    return request_erasure(record_id=note.pk, actor=actor).pk


ACTS = ["plan", "apply", "edit", "undo", "continue", "redact"]


def run(rounds: int, seed: int) -> list[Trace]:
    """`rounds` races, their acts in an order that `seed` fixes; returns what the last look finds of erased records."""
    chance = random.Random(seed)
    for number in range(rounds):
        one = Round(number)
        act = one.against(ACTS[number % len(ACTS)])
        pair = [one.erase, act]
        if chance.random() < 0.5:
            one.check(at_once(*pair))
        else:
            one.check(list(reversed(at_once(*reversed(pair)))))
        for left in Memory.objects.filter(content__contains=WORDS):
            Memory.objects.filter(pk=left.pk).update(content="it was edited or kept before it could be erased")
            left.versions.all().delete()
            Candidate.objects.filter(basis__memory_id=left.pk).delete()
    assert audit.verify() == []
    return traces_of(WORDS)


@pytest.mark.parametrize("on_erasure", [OnErasure.ERASE, OnErasure.RESUMMARIZE])
def test_an_erasure_meets_another_act_and_nothing_comes_back(on_erasure: str) -> None:
    policy(factories.ann().pk, on_erasure)
    run(15, seed=7)


@pytest.mark.soak
@pytest.mark.parametrize("on_erasure", [OnErasure.ERASE, OnErasure.RESUMMARIZE])
def test_three_hundred_erasures_meet_another_act(on_erasure: str) -> None:
    policy(factories.ann().pk, on_erasure)
    run(150, seed=11)


def test_a_restore_at_the_same_moment_brings_back_all_or_nothing() -> None:
    ann = factories.actor(factories.ann())
    for number in range(6):
        note = factories.memory(factories.ann(), f"{WORDS} {number}", status="deleted")
        typed = str(note.pk)[-6:]
        results = at_once(
            lambda note=note, typed=typed: erase(
                record_id=note.pk, typed=typed, reason="asked", seen_version=1, actor=ann
            ),
            lambda note=note: restore(record_id=note.pk, actor=ann),
        )
        assert sum(isinstance(result, Refused) for result in results) == 1
        assert Memory.objects.filter(pk=note.pk, state__status="active").exists() == isinstance(results[0], Refused)


def test_a_plan_waits_for_an_erasure_and_does_not_quote_what_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plan has read the record when it is erased; without taking turns its words would be stored afterwards."""
    import threading

    from reflection.services import plan as planning

    one = Round(0)
    read, erased = threading.Event(), threading.Event()
    look = planning.survey_of

    def slow_look(*args: Any, **named: Any) -> Any:
        found = look(*args, **named)
        read.set()
        erased.wait(1.0)
        return found

    def erase_after_reading() -> Any:
        read.wait(10)
        try:
            return one.erase()
        finally:
            erased.set()

    monkeypatch.setattr(planning, "survey_of", slow_look)
    results = at_once(erase_after_reading, one.against("plan"))
    one.check(results)
    assert traces_of(WORDS) == []


def test_an_import_of_the_same_source_during_an_erasure_brings_nothing_back() -> None:
    """Either the record is still there, or its erasure is noted: an import sees one of the two."""
    ann = factories.actor(factories.ann())
    for number in range(6):
        source = {"source": "mail", "source_id": str(number)}
        note = factories.memory(factories.ann(), f"{WORDS} {number}", status="deleted", **source)
        at_once(
            lambda note=note: erase(
                record_id=note.pk, typed=str(note.pk)[-6:], reason="asked", seen_version=1, actor=ann
            ),
            lambda source=source: import_many(news=[NewMemory(f"{WORDS} again", **source)], actor=ann),
        )
    assert not Memory.objects.exists() and Erasure.objects.count() == 6
