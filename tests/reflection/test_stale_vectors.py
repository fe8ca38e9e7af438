"""Whatever gives a memory another text, takes the vector of the former text away: search by meaning would go by it."""

from __future__ import annotations

import pytest

from memories.access import Actor
from memories.models import Memory, MemoryEmbedding
from reflection.models import OnErasure, ReflectPass
from reflection.services.undo import roll_back
from tests.reflection import life, token_writes
from tests.reflection.erasure_scene import OTHERS, scene, turn, vector

pytestmark = pytest.mark.django_db


def has_vector(memory: Memory) -> bool:
    return MemoryEmbedding.objects.filter(memory=memory).exists()


def told(ann: Actor) -> tuple[Memory, ReflectPass]:
    """The one summary, which has a vector, and the pass that told it or let it go on."""
    done = life.applied(life.plan_all(ann, actions_csv="summarize"), ann)
    summary = Memory.objects.get(derivation="summary")
    assert not has_vector(summary)
    vector(summary)
    return summary, done


def test_a_summary_told_anew_after_an_erasure_loses_its_vector() -> None:
    found = scene(OnErasure.RESUMMARIZE)
    vector(found.summary)
    assert found.erased().rewritten == (found.summary.pk,)
    assert not has_vector(found.summary)


def test_a_summary_that_goes_on_loses_its_vector_and_so_it_does_when_that_is_undone(ann: Actor) -> None:
    for n, text in enumerate(OTHERS):
        turn(text, n)
    told(ann)
    turn("The carrier confirmed that no parcel was lost on the way.", 30)
    summary, second = told(ann)
    assert summary.versions.exists(), "it went on"
    roll_back(pass_id=second.pk, actor=ann)
    assert Memory.objects.get(pk=summary.pk).content != summary.content
    assert not has_vector(summary)


def test_a_text_that_a_revert_brings_back_loses_the_vector_of_the_other_and_so_does_its_undo() -> None:
    at = token_writes.scene()
    token_writes.spoil(at)
    edited, others = at.kept["edited"], [at.kept[name] for name in ("pinned", "reweighed", "untouched")]
    for one in (edited, *others):
        vector(one)
    done = life.applied(at.plan(), at.ann)
    assert not has_vector(edited) and all(map(has_vector, others))
    vector(edited)
    roll_back(pass_id=done.pk, actor=at.ann)
    assert not has_vector(edited) and all(map(has_vector, others))
