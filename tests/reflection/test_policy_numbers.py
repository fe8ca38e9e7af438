"""Every number of a policy is explained and bounded, and within its bounds the planner takes it."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reflection import rules
from reflection.numbers import HALF_LIFE, LIFETIME, RULES
from reflection.policy import Policy
from tests.reflection import planner_rows as rows

GIVEN_BY_THE_MODEL = {"cosine_floor"}


def test_every_number_of_the_planner_can_be_chosen():
    known = {f.name for f in fields(Policy)} - GIVEN_BY_THE_MODEL - {"half_life_days"}
    named = {rule.name for rule in RULES if not rule.name.startswith(HALF_LIFE)}
    assert named == known
    assert {rule.name.removeprefix(HALF_LIFE) for rule in RULES if rule.name.startswith(HALF_LIFE)} == set(
        Policy().half_life_days
    )


def test_every_number_says_what_it_is():
    assert all(rule.label and rule.unit and rule.help.endswith(".") for rule in (LIFETIME, *RULES))
    assert len({rule.label for rule in RULES}) == len(RULES)


def test_the_defaults_lie_within_their_bounds_and_come_back_as_they_were():
    numbers, wrong = rules.read({name: str(value) for name, value in rules.flat(Policy()).items()}, Policy())
    assert wrong == {}
    assert rules.with_numbers(Policy(), numbers) == Policy()


@pytest.mark.parametrize(
    "text", ["", "x", "nan", "inf", "1e3", "0,5", "５", "--1", "1.", ".5", "9" * 40, None, True, [1]]
)
def test_what_is_no_plain_number_is_said_with_the_bounds(text):
    _, wrong = rules.read({"promote_cosine": text}, Policy())
    assert wrong == {"promote_cosine": "Likeness of repetitions: give a number from 0 to 1."}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_number_beyond_its_bounds_is_refused(rule):
    for value in (rule.least - 1, rule.most + 1):
        assert rule.name in rules.read({rule.name: value}, Policy())[1]
    for value in (rule.least, rule.most):
        number, _ = rules.read({rule.name: value}, Policy())
        assert number == {rule.name: value}


def test_a_whole_number_is_not_cut_in_half():
    assert "whole number" in rules.read({"summary_min_rows": "2.5"}, Policy())[1]["summary_min_rows"]
    assert rules.read({"summary_min_rows": "4.0"}, Policy())[0] == {"summary_min_rows": 4}


def test_the_smallest_is_not_above_the_largest():
    _, wrong = rules.read({"summary_min_rows": 70}, Policy())
    assert wrong == {
        "summary_min_rows": "Fewest events for a summary: it is above “Most events in a summary”, 60. "
        "Change one of them."
    }
    assert rules.read({"summary_min_rows": 70, "summary_max_rows": 80}, Policy())[1] == {}


def test_a_type_without_a_half_life_does_not_fade():
    numbers, _ = rules.read({"half_life_working": ""}, Policy())
    made = rules.with_numbers(Policy(), numbers)
    assert "working" not in made.half_life_days
    assert rules.flat(made)["half_life_working"] is None


SCENE = [
    *(rows.row(n, vector=rows.unit(1, n / 9, 0), session=f"s{n % 3}") for n in range(50)),
    *(rows.row(100 + n, "Deploys happen on Thursdays.", path=f"day{n}", vector=rows.unit(0, 0, 1)) for n in range(4)),
    rows.row(200, "The guest code is 4417.", expires_at=rows.NOW),
    rows.row(201, "A lunch order.", created_at=rows.NOW - 400 * rows.DAY, base=0.2, importance=0.2),
    rows.row(202, "Comparing invoices.", created_at=rows.NOW - 20 * rows.DAY, memory_type="working"),
]


def any_number(rule):
    if rule.whole:
        return st.integers(int(rule.least), int(rule.most))
    plain = st.floats(rule.least, rule.most).map(lambda value: round(value, 6))
    return st.none() | plain if rule.optional else plain


@settings(deadline=None, max_examples=60)
@given(st.fixed_dictionaries({rule.name: any_number(rule) for rule in RULES}))
def test_whatever_is_within_the_bounds_can_be_planned_with(numbers):
    numbers["summary_max_rows"] = max(numbers["summary_max_rows"], numbers["summary_min_rows"])
    numbers["summary_max_chars"] = max(numbers["summary_max_chars"], numbers["summary_min_chars"])
    kept, wrong = rules.read(numbers, Policy())
    assert wrong == {}
    found = rows.planned(SCENE, policy=rules.with_numbers(Policy(), kept))
    assert sum(found.counts().values()) == len(found.proposals)
