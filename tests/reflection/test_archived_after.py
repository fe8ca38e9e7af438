"""How many memories passes have archived by then never falls, and is what passes one after the other archive."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from reflection.planner import AtHand
from reflection.planner import plan as plan_of
from reflection.planner.columns import Columns, columns_of
from reflection.planner.later import archived_after
from reflection.planner.rows import Row, Window
from reflection.planner.survey import Survey, survey
from reflection.policy import Policy
from reflection.services import policies, preview
from reflection.states import Action
from tests.memories import factories
from tests.reflection.planner_rows import DAY, NOW
from tests.reflection.random_rows import SHORT, some_rows

AWAY = (Action.EXPIRE, Action.ARCHIVE)
MOMENTS = [NOW + days * DAY for days in (1, 4, 7, 14, 28, 56, 91, 182)]


def told(rows: list[Row], policy: Policy) -> list[int]:
    def look(columns: Columns, at: datetime) -> Survey:
        return survey(columns, AtHand([]), actions=AWAY, window=Window(at, at), as_of=at, policy=policy)

    return archived_after(columns_of(sorted(rows, key=lambda row: (row.created_at, row.id))), MOMENTS, look)


def one_after_the_other(rows: list[Row], policy: Policy) -> list[int]:
    """Each pass takes its rows away before the next one looks."""
    found, total = [], 0
    for at in MOMENTS:
        window = Window(at, at)
        plan = plan_of(rows, actions=AWAY, window=window, as_of=at, policy=policy, limit=len(rows))
        away = {one.target_id for one in plan.proposals}
        rows = [replace(one, cited_by=None if one.cited_by in away else one.cited_by) for one in rows]
        rows, total = [one for one in rows if one.id not in away], total + plan.counts()["archive"]
        found.append(total)
    return found


@pytest.mark.parametrize("policy", [Policy(), SHORT], ids=["usual", "short"])
@pytest.mark.parametrize("seed", range(20))
def test_it_never_falls_and_is_what_passes_do(seed: int, policy: Policy) -> None:
    chance = random.Random(seed)
    rows = [
        replace(one, expires_at=NOW + chance.randint(1, 200) * DAY) if chance.random() < 0.4 else one
        for one in some_rows(chance)
    ]
    found = told(rows, policy)
    assert found == sorted(found) and found == one_after_the_other(rows, policy)


@pytest.mark.django_db
def test_what_expires_after_it_was_archived_stays_counted(ann) -> None:
    owner, now = factories.ann(), timezone.now()
    at = now - timedelta(days=1)
    idle = {"memory_type": "working", "created_at": at, "anchor": at}
    factories.memory(owner, "Idle.", expires_at=now + timedelta(days=60), **idle)
    factories.memory(owner, "Idle too.", **idle)
    proposed = policies.draft({"archive_working_days": 10}, policies.current(ann.space(ann.own)))
    later = preview.effect(proposed=proposed, actor=ann).later
    assert [one.now for one in later] == [0, 2, 2, 2, 2, 2]
    assert [one.proposed for one in later] == [0, 2, 2, 2, 2, 2]
