"""The weights of a score, fitted to outcomes, and checked on conversations that were left out.

A row is described by two numbers, `told` and meaning (memories/search/strength.py). Rows of the first five that are
evidence count as right, the best row of each foreign asking, with and without names replaced, as wrong; both sides
weigh the same. Ridge logistic regression by Newton's method; the rows are chosen again with the new weights four times.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.search_figures import Figures, Outcome, figures
from memories.search.strength import BY_BOTH, BY_WORDS

RIDGE = 1e-4
ROUNDS = 4
STEPS = 60


@dataclass(frozen=True, slots=True)
class Described:
    """A row: its source id, `told`, its meaning (None: by words only), and the score that the product gave it."""

    key: str
    told: float
    meaning: float | None
    score: float


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with the rows that each asking brought."""

    conversation: str
    evidence: frozenset[str]
    own: list[Described]
    foreign: list[Described]
    swapped: list[Described]


Line = NDArray[np.float64]


def fitted(asked: Sequence[Asked], *, by_words: bool = False) -> Line:
    """Bias, weight of `told`, weight of meaning."""
    line = _start(by_words)
    for _ in range(ROUNDS):
        rows, right = _examples(asked, line)
        if by_words:
            rows[:, 2] = 0.0
        line = _logistic(rows, right, line)
    return line


def left_out(asked: Sequence[Asked]) -> Figures:
    """The figures when each conversation is scored with weights fitted on the others."""
    outcomes: list[Outcome] = []
    for name in dict.fromkeys(one.conversation for one in asked):
        line = fitted([one for one in asked if one.conversation != name])
        outcomes += [outcome(one, line) for one in asked if one.conversation == name]
    return figures(outcomes)


def outcome(one: Asked, line: Line) -> Outcome:
    """What a question would have brought with these weights."""
    own = sorted(((row.key, _score(row, line)) for row in one.own), key=lambda item: -item[1])
    best = [max((_score(row, line) for row in rows), default=-math.inf) for rows in (one.foreign, one.swapped)]
    return Outcome(one.conversation, one.evidence, own, best[0], best[1])


def _start(by_words: bool) -> Line:
    weights = BY_WORDS if by_words else BY_BOTH
    return np.array([weights.bias, weights.told, weights.meaning])


def _score(row: Described, line: Line) -> float:
    return float(line @ (1.0, row.told, row.meaning or 0.0))


def _examples(asked: Sequence[Asked], line: Line) -> tuple[Line, Line]:
    rows: list[tuple[float, float, float]] = []
    right: list[float] = []
    for one in asked:
        first = sorted(one.own, key=lambda row: -_score(row, line))[:5]
        wrong = [max(found, key=lambda row: _score(row, line)) for found in (one.foreign, one.swapped) if found]
        for row, is_right in [(row, 1.0) for row in first if row.key in one.evidence] + [(row, 0.0) for row in wrong]:
            rows.append((1.0, row.told, row.meaning or 0.0))
            right.append(is_right)
    return np.array(rows), np.array(right)


def _logistic(rows: Line, right: Line, line: Line) -> Line:
    weight = np.where(right == 1.0, 0.5 / right.mean(), 0.5 / (1 - right.mean()))
    ridge = RIDGE * len(rows) * np.diag([1e-6, 1.0, 1.0])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(rows @ line, -30, 30)))
        slope = rows.T @ (weight * (chance - right)) + ridge @ line
        bend = (rows * (weight * chance * (1 - chance))[:, None]).T @ rows + ridge
        line = line - np.linalg.solve(bend, slope)
    return line
