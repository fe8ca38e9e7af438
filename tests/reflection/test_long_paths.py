"""What a pass writes below the longest path stands where its plan says, also where there is no room below."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from memories.models import Memory
from reflection.planner.summarize import PATH_MOST, place_of
from tests.memories import factories
from tests.reflection import life

pytestmark = pytest.mark.django_db


def test_the_planner_knows_how_long_a_path_may_be() -> None:
    assert Memory._meta.get_field("path").max_length == PATH_MOST
    assert len(place_of("p" * PATH_MOST, "reflections", "2026-12-01")) == PATH_MOST


@pytest.mark.parametrize("room", [0, 5, 100])
def test_a_summary_is_written_where_the_plan_says(room: int) -> None:
    path, now = "p" * (PATH_MOST - room), timezone.now()
    for n in range(3):
        at = now - timedelta(minutes=30 + n)
        factories.memory(
            factories.ann(), f"Pump {n} was tested.", memory_type="episodic", path=path, created_at=at, anchor=at
        )
    ann = factories.actor(factories.ann())
    planned = life.plan_all(ann, actions="summarize")
    (one,) = life.candidates(life.applied(planned, ann))
    assert Memory.objects.get(pk=one.result_id).path == one.after["path"]
