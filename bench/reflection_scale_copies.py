"""What promote costs where one thing is said five thousand times, beside as many unlike things. Needs no database."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import numpy as np

from bench.reflection_planted import START, blank, promote
from reflection.planner.rows import Row
from reflection.policy import Policy

COPIES = 5_000
DIMENSION = 384
WORDINGS = (
    "Deploys of the label service happen on Thursdays after lunch.",
    "On Thursdays after lunch the label service is deployed.",
    "After lunch on Thursdays, deploys of the label service happen.",
)


def figures() -> dict[str, float]:
    """Seconds for copies in three wordings and for unlike texts, and how many times as long the copies take."""
    chance = np.random.default_rng(7)
    one = _unit(chance.normal(size=DIMENSION))
    unlike = chance.normal(size=(COPIES, DIMENSION))
    words = [" ".join(f"w{k}" for k in chance.integers(0, 5_000, 12)) for _ in range(COPIES)]
    copies = _seconds(lambda n: (WORDINGS[n % len(WORDINGS)], one))
    others = _seconds(lambda n: (f"Ann wrote {words[n]}.", _unit(unlike[n])))
    return {"memories": COPIES, "seconds": copies, "unlike_seconds": others, "ratio": copies / others}


def _seconds(said: Callable[[int], tuple[str, np.ndarray]]) -> float:
    rows = [_row(n, *said(n)) for n in range(COPIES)]
    start = time.perf_counter()
    promote(rows, Policy())
    return time.perf_counter() - start


def _row(n: int, text: str, vector: np.ndarray) -> Row:
    at = START + timedelta(minutes=30 * n)
    return blank(UUID(int=n + 1), text, at, session=f"s{n % 50}", vector=vector)


def _unit(vector: np.ndarray) -> np.ndarray:
    return (vector / np.linalg.norm(vector)).astype(np.float32)
