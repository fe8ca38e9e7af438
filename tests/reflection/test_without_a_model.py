"""While the embedding model over the network does not answer, planning and erasing go on by words, times and places."""

from __future__ import annotations

from typing import Any

import pytest

from reflection.models import OnErasure
from tests.memories import factories
from tests.reflection import life
from tests.reflection.erasure_scene import scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def dead_model(settings: Any) -> Any:
    """An endpoint at which nobody listens."""
    settings.EMBEDDING_URL, settings.EMBEDDING_MODEL = "http://127.0.0.1:9/v1", "nobody"
    return settings


def test_a_pass_is_planned_and_says_that_meanings_were_not_compared(dead_model: Any) -> None:
    life.fill(factories.ann())
    planned = life.plan_all(factories.actor(factories.ann()))
    assert planned.counts["summarize"] == 1 and planned.counts["expire"] == 1
    assert any("meaning was not compared" in note for note in planned.notes)


@pytest.mark.django_db(transaction=True)
def test_an_erasure_waits_for_no_model(settings: Any) -> None:
    there = scene(OnErasure.RESUMMARIZE)
    settings.EMBEDDING_URL, settings.EMBEDDING_MODEL = "http://127.0.0.1:9/v1", "nobody"
    gone = there.erased()
    assert there.canary.pk in gone.ids and there.traces() == []
