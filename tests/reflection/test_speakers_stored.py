"""Speakers named in the metadata of records are kept apart in the database, and a fact keeps its own."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from memories.models import Memory
from tests.memories import factories
from tests.reflection import life

pytestmark = pytest.mark.django_db
MOVED = "I moved to Lisbon in May."


def told(*speakers: object) -> None:
    """The same words by each, one hour and one session after the other."""
    for n, speaker in enumerate(speakers):
        at = timezone.now() - timedelta(hours=n + 1)
        given = {} if speaker is None else {"metadata": {"speaker": speaker}}
        known = {"memory_type": "episodic", "bucket": "work", "path": "talk", "created_at": at, "anchor": at}
        factories.memory(factories.ann(), MOVED, session=f"talk/{n}", **known, **given)


def facts(*speakers: object, actions: str = "promote") -> list[Memory]:
    told(*speakers)
    ann = factories.actor(factories.ann())
    life.applied(life.plan_all(ann, actions_csv=actions), ann)
    return list(Memory.objects.filter(derivation="fact").order_by("pk"))


def test_a_fact_keeps_its_speaker() -> None:
    found = facts("Ann", "Bo", "Ann", "Bo", "Ann", "Bo")
    assert sorted(one.metadata["speaker"] for one in found) == ["Ann", "Bo"]
    again = life.plan_all(factories.actor(factories.ann()), actions_csv="promote")
    assert not again.candidates.exists()


def test_three_speakers_with_equal_words_make_no_fact() -> None:
    told("Ann", "Bo", "Cy")
    assert not life.plan_all(factories.actor(factories.ann()), actions_csv="promote").candidates.exists()


@pytest.mark.parametrize("unnamed", [None, "", 7, ["Ann"]])
def test_what_is_no_name_is_no_speaker(unnamed: object) -> None:
    (found,) = facts(unnamed, None, None)
    assert found.metadata == {}


def test_equal_words_of_two_speakers_both_stay() -> None:
    facts("Ann", "Bo", "Bo", actions="archive")
    standing = Memory.objects.filter(state__status="active")
    assert sorted(one.metadata["speaker"] for one in standing) == ["Ann", "Bo"]
