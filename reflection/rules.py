"""A policy's numbers as people, the API and its history see them: flat, by the names of `reflection.numbers`. Pure.

The half-lives of the types, which `Policy` keeps in one table, are four of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from reflection.numbers import HALF_LIFE, RULES, Number
from reflection.policy import Policy

BY_NAME = {rule.name: rule for rule in RULES}
# Not above one another: (the smaller, the larger).
ORDERED = (("summary_min_rows", "summary_max_rows"), ("summary_min_chars", "summary_max_chars"))


def flat(policy: Policy) -> dict[str, Number]:
    """Every number by its name, in the order of RULES."""
    return {rule.name: _value(policy, rule.name) for rule in RULES}


def _value(policy: Policy, name: str) -> Number:
    if name.startswith(HALF_LIFE):
        return policy.half_life_days.get(name.removeprefix(HALF_LIFE))
    found: Number = getattr(policy, name)
    return found


def with_numbers(policy: Policy, numbers: Mapping[str, Number]) -> Policy:
    """`policy` with these numbers, by their flat names, in place of its own."""
    lives = dict(policy.half_life_days)
    other: dict[str, Number] = {}
    for name, value in numbers.items():
        if not name.startswith(HALF_LIFE):
            other[name] = value
        elif value is None:
            lives.pop(name.removeprefix(HALF_LIFE), None)
        else:
            lives[name.removeprefix(HALF_LIFE)] = value
    return replace(policy, half_life_days=lives, **other)  # type: ignore[arg-type]


def read(given: Mapping[str, object], policy: Policy) -> tuple[dict[str, Number], dict[str, str]]:
    """The numbers that are `given`, and by name a sentence for each that is wrong, alone or beside the others'."""
    numbers: dict[str, Number] = {}
    sentences: dict[str, str] = {}
    for name, value in given.items():
        try:
            numbers[name] = BY_NAME[name].read(value)
        except ValueError as why:
            sentences[name] = str(why)
    whole = flat(policy) | numbers
    for smaller, larger in ORDERED:
        if {smaller, larger} & sentences.keys():
            continue
        if (whole[smaller] or 0) > (whole[larger] or 0):
            label, other = BY_NAME[smaller].label, BY_NAME[larger].label
            sentences[smaller] = f"{label}: it is above “{other}”, {whole[larger]}. Change one of them."
    return numbers, sentences
