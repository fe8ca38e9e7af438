"""A plan is read where the database itself refuses to write: at once, by the worker, and for the effect of a policy."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError, connection

from memories.access import Actor
from memories.models import Memory
from reflection.services import plan as at_once
from reflection.services import planning
from reflection.tasks import plan_pass
from tests.memories import factories
from tests.reflection import life

pytestmark = pytest.mark.django_db


def refuses_to_write() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SHOW transaction_read_only")
        return bool(cursor.fetchone()[0] == "on")


def watched(room: Any, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether the database refused to write, each time that `room` read what a plan is made of."""
    seen, reading = [], room.survey_of

    def survey_of(*args: Any, **named: Any) -> Any:
        seen.append(refuses_to_write())
        return reading(*args, **named)

    monkeypatch.setattr(room, "survey_of", survey_of)
    return seen


def test_a_plan_made_at_once_is_read_where_nothing_can_be_written(ann: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    factories.memory(factories.ann(), "Past its date.", expires_at=factories.PAST)
    seen = watched(at_once, monkeypatch)
    assert life.plan_all(ann).counts["expire"] == 1
    assert seen == [True] and not refuses_to_write()


def test_so_is_one_that_the_worker_makes(ann: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    factories.memory(factories.ann(), "Past its date.", expires_at=factories.PAST)
    monkeypatch.setattr(at_once, "takes_long", lambda wanted, actor: True)
    asked, seen = life.plan_all(ann), watched(planning, monkeypatch)
    plan_pass(str(asked.pk))
    asked.refresh_from_db()
    assert (asked.status, asked.counts["expire"], seen) == ("planned", 1, [True])


def test_a_planner_that_wrote_would_be_refused_and_leave_nothing(ann: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    record = factories.memory(factories.ann(), "Not touched.")
    monkeypatch.setattr(at_once, "survey_of", lambda *args, **named: Memory.objects.update(content="Touched."))
    with pytest.raises(DatabaseError, match="read-only transaction"):
        life.plan_all(ann)
    assert Memory.objects.get(pk=record.pk).content == "Not touched."
