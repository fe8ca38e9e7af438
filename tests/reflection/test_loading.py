"""What is read for a plan leads to what reading everything leads to, in as few questions whatever is there."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memories.access import Actor, Bounds
from memories.models import Team, User
from reflection import filters
from reflection.loading import columns, meaning, survey_of
from reflection.planner.rows import Window
from reflection.policy import Policy
from tests.memories import factories
from tests.reflection.naive_planner import naive
from tests.reflection.planner_rows import ANN, BEA, HOUR, NOW, row, unit
from tests.reflection.random_rows import SHORT, some_actions, some_rows
from tests.reflection.stored_rows import people, read_all, store
from tests.reflection.test_planner_reference import same

pytestmark = pytest.mark.django_db
SETS = 60
EVER = {"since": "2000-01-01T00:00:00Z", "until": "2100-01-01T00:00:00Z"}


@pytest.fixture
def team() -> Team:
    return people()


@pytest.fixture
def ann(team: Team) -> Actor:
    return factories.actor(User.objects.get(pk=ANN))


def asked(team: Team, ann: Actor, **given: Any) -> filters.Filters:
    return filters.read({**EVER, "team_id": str(team.pk), **given}, actor=ann, as_of=NOW)


def surveyed(wanted: filters.Filters, ann: Actor, policy: Policy = SHORT) -> Any:
    model, rules = meaning(policy)
    return survey_of(wanted, ann, as_of=NOW, model=model, rules=rules)


@pytest.mark.parametrize("part", range(3))
def test_what_is_read_leads_to_the_plan_that_reading_everything_leads_to(part: int, team: Team, ann: Actor) -> None:
    for seed in range(SETS // 3 * part, SETS // 3 * (part + 1)):
        chance = random.Random(seed)
        store(some_rows(chance), team)
        actions, limit = some_actions(chance), chance.choice([1, 5, 5000])
        wanted = asked(team, ann, actions=list(actions), limit=limit, bucket="personal")
        window, rules = Window(wanted.since, wanted.until), meaning(SHORT)[1]
        told = naive(read_all(wanted, ann), actions=actions, window=window, policy=rules, limit=limit)
        assert same(surveyed(wanted, ann).plan(limit)) == same(told), f"seed {seed}"


def questions(wanted: filters.Filters, ann: Actor) -> int:
    with CaptureQueriesContext(connection) as heard:
        surveyed(wanted, ann).plan(wanted.limit)
    return len(heard)


def test_ten_times_the_rows_take_no_more_questions(team: Team, ann: Actor) -> None:
    counts = []
    for times in (1, 10):
        chance, rows = random.Random(3), []
        for n in range(times):
            rows += [row(1000 * n + k, **_kept(one)) for k, one in enumerate(some_rows(chance))]
        store(rows, team)
        counts.append(questions(asked(team, ann), ann))
    assert counts[0] == counts[1] <= 12


def _kept(one: Any) -> dict[str, Any]:
    names = ("memory_type", "created_at", "base", "importance", "path", "session", "vector", "expires_at", "content")
    return {name: getattr(one, name) for name in names}


@pytest.mark.parametrize("scope", [None, "", "a\tb"])
def test_words_are_told_apart_here_as_in_the_database(scope: str | None, team: Team, ann: Actor) -> None:
    one = row(1, "Łódź, ﬁrst   DAY", scope=scope, memory_type="semantic", speaker=scope and "Łucja\t")
    store([one], team)
    (read,) = read_all(asked(team, ann), ann)
    found = columns.read(asked(team, ann), ann)
    assert found.words.tolist() == [
        columns.words_of(read.owner_id, read.bucket, read.scope, read.memory_type, read.folded, read.speaker).rstrip(
            b"\0"
        )
    ]


def test_a_nearer_fact_of_somebody_else_does_not_hide_what_is_known(team: Team, ann: Actor) -> None:
    said = [
        row(n, "The spare key is lost.", owner_id=BEA, session=f"s{n}", created_at=NOW - (n + 1) * HOUR)
        for n in range(3)
    ]
    said = [replace(one, vector=unit(0.99, 0.14)) for one in said]
    known = row(10, "Nobody found a key.", owner_id=BEA, memory_type="semantic", vector=unit(1, 0))
    nearer = row(11, "Keys get lost.", owner_id=ANN, memory_type="semantic", vector=unit(0.99, 0.14))
    store([*said, row(12, owner_id=ANN), known, nearer], team)
    found = surveyed(asked(team, ann, actions="promote", bucket="personal"), ann).plan(5)
    assert [one.gate for one in found.skipped] == ["already_known"] and not found.proposals


def test_a_token_that_reaches_no_drawer_plans_nothing(team: Team, ann: Actor) -> None:
    store([row(1)], team)
    found = surveyed(asked(team, ann), replace(ann, bounds=Bounds(buckets=()))).plan(5)
    assert (found.proposals, found.cut) == ([], 0)


def test_a_space_without_records_is_planned_too(team: Team, ann: Actor) -> None:
    found = surveyed(asked(team, ann), ann).plan(5)
    assert (found.proposals, found.cut) == ([], 0)


@pytest.mark.parametrize(("name", "other"), [("owner_id", BEA), ("bucket", "work"), ("scope", "client:atlas")])
def test_what_lies_apart_is_planned_apart(name: str, other: Any, team: Team, ann: Actor) -> None:
    here = [row(n, path="day") for n in range(3)]
    here += [row(10 + n, "It is lost.", session=f"s{n}", path=f"d{n}", created_at=NOW - n * HOUR) for n in range(3)]
    here += [row(20 + n, "The key.", memory_type="semantic", created_at=NOW - n * HOUR) for n in range(2)]
    there = [replace(one, id=UUID(int=one.id.int + 100), **{name: other}) for one in here]
    told = []
    for rows in (here, there, [*here, *there]):
        store(rows, team)
        found = surveyed(asked(team, ann, actions="summarize,promote,archive"), ann).plan(100).proposals
        told.append(sorted(map(str, found)))
    assert len(told[0]) == len(told[1]) > 3
    assert told[2] == sorted([*told[0], *told[1]])
