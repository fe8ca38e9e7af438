"""The arithmetic of a score: bounds, order, and what neighbours may add."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.search.strength import (
    BESIDE,
    DISTANCES,
    NOBODY,
    STRONG,
    Numbers,
    Parts,
    Places,
    found_beside,
    full,
    meaning_of,
    meant_beside,
    parts,
)

SHARE = st.floats(0, 1)


def score(told: float, meaning: float | None) -> float:
    """The score of one row."""
    return float(Parts(np.zeros(1), np.array([told]), column(meaning)).score[0])


def column(*meanings: float | None) -> Numbers:
    return np.array([math.nan if one is None else one for one in meanings], dtype=np.float64)


def beside(places: dict[int, int], rows: int) -> Places:
    """Of `rows` rows the first has the others at the distances of `places`."""
    near = np.full((rows, len(DISTANCES)), NOBODY)
    for distance, place in places.items():
        near[0, DISTANCES.index(distance)] = place
    return near


def raised(own: list[float], *distances: int) -> list[float]:
    """`own` of a row beside which, at each of these distances, a row has the first term."""
    said = np.zeros((1 + len(distances), len(own)), dtype=bool)
    said[1:, 0] = True
    hits = np.zeros(said.shape)
    hits[0] = own
    near = beside({distance: place for place, distance in enumerate(distances, 1)}, len(said))
    best: list[float] = found_beside(hits, said, near)[0].tolist()
    return best


def meant(own: float | None, near: dict[int, float | None]) -> float:
    """The meaning of a row beside which stand rows of these meanings."""
    places = beside({distance: place for place, distance in enumerate(near, 1)}, 1 + len(near))
    return float(meant_beside(column(own, *near.values()), places)[0])


@given(told=st.floats(0, 2), meaning=SHARE | st.none())
def test_a_score_lies_between_0_and_1(told: float, meaning: float | None) -> None:
    found = score(told, meaning)
    assert 0 <= found <= 1
    assert 0 <= full(np.array([found]))[0] <= 1


@given(one=SHARE, other=SHARE)
def test_a_row_with_every_word_is_strong_and_better_ones_still_come_first(one: float, other: float) -> None:
    better, worse = full(np.array([one, other]))
    assert better >= STRONG
    assert (better - worse) * (one - other) >= 0


@given(told=st.floats(0, 2), more=st.floats(0, 1), meaning=SHARE)
def test_more_evidence_never_lowers_a_score(told: float, more: float, meaning: float) -> None:
    assert score(told + more, meaning) >= score(told, meaning)
    assert score(told, 1.0) >= score(told, meaning)


def test_neither_words_nor_meaning_is_weak() -> None:
    assert score(0.0, 0.0) < 0.01
    assert score(0.0, None) < 0.01
    assert score(1.0, 1.0) > STRONG


def test_a_neighbour_counts_less_the_farther_it_stands() -> None:
    assert [raised([0.0], distance)[0] for distance in (1, 2, 3, 4)] == list(BESIDE)
    assert raised([0.0], -2) == [BESIDE[1]]


def test_the_nearest_of_several_neighbours_counts() -> None:
    assert raised([0.0], -4, 3, 2) == [BESIDE[1]]


def test_a_neighbour_adds_nothing_to_a_word_that_is_there() -> None:
    assert raised([1.0, 0.0], 1) == [1.0, 0.0]


def test_the_meaning_of_a_row_alone_is_its_own() -> None:
    assert meant(0.4, {}) == 0.4
    assert math.isnan(meant(None, {1: 0.9}))
    assert meant(0.4, {1: None}) == 0.4


def test_the_meaning_of_neighbours_counts_in_part() -> None:
    assert 0.4 < meant(0.4, {1: 1.0}) < 0.7
    assert meant(0.4, {1: 1.0, -1: 1.0}) == meant(0.4, {1: 1.0}) > meant(0.4, {2: 1.0})
    assert meant(0.4, {3: 1.0}) == 0.4


@pytest.mark.parametrize(("cosine", "meaning"), [(0.73, 0.0), (0.5, 0.0), (1.0, 1.0), (None, None)])
def test_the_floor_of_the_model_is_no_meaning(cosine: float | None, meaning: float | None) -> None:
    np.testing.assert_array_equal(meaning_of(column(cosine), 0.73), column(meaning))


def test_a_page_of_text_is_no_better_a_question() -> None:
    long = parts([6.0] * 48, np.array([[1.0] * 14 + [0.0] * 34]), column(None))
    assert long.told[0] < 1.0
    assert long.score[0] < STRONG


def test_nothing_asked_is_nothing_found() -> None:
    nothing = parts([], np.zeros((1, 0)), column(None))
    assert (nothing.words[0], nothing.told[0], math.isnan(nothing.meaning[0])) == (0.0, 0.0, True)
