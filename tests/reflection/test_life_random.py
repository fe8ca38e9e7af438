"""Whole passes over random records: previews write nothing, are what is applied, find nothing twice, and are undone."""

from __future__ import annotations

import random
from typing import Any

import pytest

from memories.access import Actor
from memories.models import Team, User
from reflection.models import ReflectPass
from reflection.report import counts_of
from reflection.services.plan import plan
from reflection.services.undo import roll_back
from tests.memories import factories
from tests.reflection import life
from tests.reflection.planner_rows import ANN, NOW
from tests.reflection.random_rows import SHORT, some_actions, some_rows
from tests.reflection.stored_rows import people, store

pytestmark = pytest.mark.django_db
EVER = {"since": "2000-01-01T00:00:00Z", "until": "2100-01-01T00:00:00Z", "limit": 5000}
SETS = [range(40), pytest.param(range(40, 300), marks=pytest.mark.soak)]


@pytest.fixture
def team() -> Team:
    return people()


@pytest.fixture
def ann(team: Team) -> Actor:
    found = factories.actor(User.objects.get(pk=ANN))
    life.policy(team.pk, actor=found, values=SHORT.as_json())
    return found


def planned(team: Team, ann: Actor, actions: Any, **more: Any) -> ReflectPass:
    return plan(given={**EVER, "team_id": str(team.pk), "actions": list(actions), **more}, as_of=NOW, actor=ann)


def written(one: ReflectPass) -> list[Any]:
    return [(found.action, found.target_id, found.before, found.after) for found in life.candidates(one)]


def of_rows(found: dict[str, Any], done: ReflectPass) -> dict[str, Any]:
    """Without the vectors where a summary went on: the worker makes that of its former text anew after an undo."""
    went_on = any(one.why.get("rule") == "continued" for one in life.candidates(done))
    return {table: rows for table, rows in found.items() if not (went_on and table == "memories_memoryembedding")}


def test_a_summary_that_goes_on_does_not_decay_in_the_same_pass(team: Team, ann: Actor) -> None:
    chance = random.Random(80)
    store(some_rows(chance), team)
    made = planned(team, ann, some_actions(chance))
    assert "continued" in {one.why.get("rule") for one in life.candidates(made)}
    life.applied(made, ann)
    assert not planned(team, ann, made.actions).candidates.exists()


def test_two_episodes_that_go_on_in_one_summary_bring_it_up_to_date_once(team: Team, ann: Actor) -> None:
    chance = random.Random(211)
    store(some_rows(chance), team)
    made = planned(team, ann, some_actions(chance))
    going_on = [one.target_id for one in life.candidates(made) if one.why.get("rule") == "continued"]
    assert going_on and len(going_on) == len(set(going_on))
    done = life.applied(made, ann)
    assert (done.status, planned(team, ann, made.actions).candidates.exists()) == ("applied", False)


@pytest.mark.parametrize("seeds", SETS)
def test_a_preview_is_what_is_applied_once_and_undo_leaves_no_trace(seeds: range, team: Team, ann: Actor) -> None:
    changed = 0
    for seed in seeds:
        chance = random.Random(seed)
        store(some_rows(chance), team)
        actions, before, rows = some_actions(chance), life.snapshot(without=()), life.snapshot()
        preview = planned(team, ann, actions, dry_run=True)
        assert life.snapshot(without=()) == before, f"seed {seed}"
        made = planned(team, ann, actions)
        assert written(made) == written(preview), f"seed {seed}"
        if not made.candidates.exists():
            continue
        done = life.applied(made, ann)
        assert (done.status, counts_of(done)) == ("applied", counts_of(preview)), f"seed {seed}"
        assert {one.outcome for one in life.candidates(done)} == {"applied"}, f"seed {seed}"
        assert not planned(team, ann, actions).candidates.exists(), f"seed {seed}"
        roll_back(pass_id=done.pk, actor=ann)
        assert of_rows(life.snapshot(), done) == of_rows(rows, done), f"seed {seed}"
        changed += len(written(done))
    assert changed > len(seeds)
