"""The arithmetic of a score: bounds, order, and what neighbours may add."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.search.strength import BESIDE, STRONG, Parts, Row, found_beside, full, meaning_of, meant_beside, parts

SHARE = st.floats(0, 1)


def row(said: list[int], cosine: float | None = None) -> Row:
    return Row(UUID(int=1), [], said, cosine, datetime(2026, 1, 1, tzinfo=UTC))


@given(words=SHARE, told=st.floats(0, 2), meaning=SHARE | st.none())
def test_a_score_lies_between_0_and_1(words: float, told: float, meaning: float | None) -> None:
    score = Parts(words, told, meaning).score
    assert 0 <= score <= 1
    assert 0 <= full(score) <= 1


@given(one=SHARE, other=SHARE)
def test_a_row_with_every_word_is_strong_and_better_ones_still_come_first(one: float, other: float) -> None:
    assert full(one) >= STRONG
    assert (full(one) - full(other)) * (one - other) >= 0


@given(told=st.floats(0, 2), more=st.floats(0, 1), meaning=SHARE)
def test_more_evidence_never_lowers_a_score(told: float, more: float, meaning: float) -> None:
    assert Parts(0.5, told + more, meaning).score >= Parts(0.5, told, meaning).score
    assert Parts(0.5, told, 1.0).score >= Parts(0.5, told, meaning).score


def test_neither_words_nor_meaning_is_weak() -> None:
    assert Parts(0.0, 0.0, 0.0).score < 0.01
    assert Parts(0.0, 0.0, None).score < 0.01
    assert Parts(1.0, 1.0, 1.0).score > STRONG


def test_a_neighbour_counts_less_the_farther_it_stands() -> None:
    raised = [found_beside([0.0], {distance: row([0])})[0] for distance in (1, 2, 3, 4)]
    assert raised == list(BESIDE)
    assert found_beside([0.0], {-2: row([0])}) == [BESIDE[1]]


def test_a_neighbour_adds_nothing_to_a_word_that_is_there() -> None:
    assert found_beside([1.0, 0.0], {1: row([0])}) == [1.0, 0.0]


def test_the_meaning_of_a_row_alone_is_its_own() -> None:
    assert meant_beside(0.4, {}, 0.73) == 0.4
    assert meant_beside(None, {1: row([], 0.9)}, 0.73) is None
    assert meant_beside(0.4, {1: row([])}, 0.73) == 0.4


def test_the_meaning_of_neighbours_counts_in_part() -> None:
    assert 0.4 < (meant_beside(0.4, {1: row([], 1.0)}, 0.73) or 0) < 0.7


@pytest.mark.parametrize(("cosine", "meaning"), [(0.73, 0.0), (0.5, 0.0), (1.0, 1.0), (None, None)])
def test_the_floor_of_the_model_is_no_meaning(cosine: float | None, meaning: float | None) -> None:
    assert meaning_of(cosine, 0.73) == meaning


def test_a_page_of_text_is_no_better_a_question() -> None:
    long = parts([6.0] * 48, [1.0] * 14 + [0.0] * 34, None)
    assert long.told < 1.0
    assert long.score < STRONG


def test_nothing_asked_is_nothing_found() -> None:
    assert parts([], [], None) == Parts(0.0, 0.0, None)
