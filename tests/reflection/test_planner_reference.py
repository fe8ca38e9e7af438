"""The planner decides over columns and loads little; what it finds is what reading row by row finds."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from reflection.planner.rows import SKIPPED_KEPT, Plan
from reflection.policy import Policy
from reflection.states import Action
from tests.reflection.naive_planner import naive
from tests.reflection.planner_rows import DAY, NOW, planned, row
from tests.reflection.random_rows import SHORT, WINDOWS, some_actions, some_rows

SETS = 100


def same(plan: Plan) -> tuple[object, ...]:
    return (plan.proposals, plan.skipped, plan.near_misses, plan.cut, plan.more_skipped)


@pytest.mark.parametrize("part", range(4))
def test_the_planner_finds_what_reading_row_by_row_finds(part: int) -> None:
    for seed in range(SETS * part, SETS * (part + 1)):
        chance = random.Random(seed)
        rows, actions, window = some_rows(chance), some_actions(chance), chance.choice(WINDOWS)
        limit = chance.choice([0, 1, 3, 1_000_000])
        real = planned(rows, *actions, window=window, policy=SHORT, limit=limit)
        told = naive(rows, actions=actions, window=window, policy=SHORT, limit=limit)
        assert same(real) == same(told), f"seed {seed}"


def test_the_random_rows_meet_every_rule() -> None:
    rules: Counter[str] = Counter()
    for seed in range(SETS):
        done = planned(some_rows(random.Random(seed)), policy=SHORT)
        rules.update(f"{p.action} {p.why['rule']}" for p in done.proposals)
        rules.update(f"{s.action} {s.gate}" for s in (*done.skipped, *done.near_misses))
    assert {name for name, count in rules.items() if count >= 3} >= {
        *("summarize episode", "summarize continued", "promote repeated", "expire expired", "decay half_life"),
        *("archive faded", "archive cited", "archive idle_working", "archive duplicate"),
        *("archive protected", "decay protected", "expire protected", "summarize protected"),
        *("promote already_known", "promote untrusted", "promote repeated", "promote independent"),
    }


def test_of_very_many_protected_rows_the_first_are_listed_and_the_rest_counted() -> None:
    rows = [row(n, created_at=NOW - 40 * DAY, pinned=True) for n in range(SKIPPED_KEPT + 7)]
    done = planned(rows, Action.ARCHIVE, Action.DECAY)
    assert same(done) == same(naive(rows, actions=(Action.ARCHIVE, Action.DECAY), policy=Policy()))
    assert (len(done.skipped), done.more_skipped) == (SKIPPED_KEPT, 7)
