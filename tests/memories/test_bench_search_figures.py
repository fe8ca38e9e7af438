"""The figures of the bench: what counts as right, where the cut lies, and that weights are fitted on the others."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from bench.search_curve import svg
from bench.search_figures import Outcome, curve, cut_for, figures, right_above
from bench.search_fit import Asked, Described, fitted, left_out


def outcome(score: float, *, found: bool = True, foreign: float = 0.0, swapped: float = 0.0) -> Outcome:
    own = [("a" if found else "x", score), ("y", score / 2)]
    return Outcome("1", frozenset({"a"}), own, foreign, swapped)


def test_recall_is_the_share_of_the_evidence() -> None:
    one = Outcome("1", frozenset({"a", "b"}), [("a", 0.9), ("x", 0.8), ("b", 0.1)], 0.0, 0.0)
    assert (one.recall(1), one.recall(5), one.reciprocal_rank) == (0.5, 1.0, 1.0)


def test_a_question_that_finds_nothing_is_not_answered() -> None:
    one = Outcome("1", frozenset({"a"}), [], 0.0, 0.0)
    assert (one.recall(5), one.reciprocal_rank, right_above([one], -1.0)) == (0.0, 0.0, 0.0)


def test_five_in_a_hundred_lie_above_the_cut() -> None:
    scores = [number / 100 for number in range(100)]
    assert sum(score > cut_for(scores) for score in scores) == 5


def test_equal_scores_do_not_slip_above_the_cut() -> None:
    assert sum(score > cut_for([0.5] * 100) for score in [0.5] * 100) == 0


def test_right_needs_an_answer_and_the_evidence() -> None:
    outcomes = [outcome(0.9), outcome(0.9, found=False), outcome(0.1), outcome(0.9, foreign=0.5, swapped=0.95)]
    found = figures(outcomes)
    assert (found.recall_at_5, found.right, found.right_names_swapped) == (0.75, 0.5, 0.0)


def test_the_curve_never_falls() -> None:
    outcomes = [outcome(number / 50, foreign=number / 100) for number in range(50)]
    rights = [right for _, right in curve(outcomes, swapped=False)]
    assert rights == sorted(rights)


def asked(conversation: str, told: float, meaning: float) -> Asked:
    right, wrong = Described("a", told, meaning, 0.0), Described("b", told / 3, meaning / 3, 0.0)
    return Asked(conversation, frozenset({"a"}), [right, wrong], [wrong], [wrong])


def test_the_fit_tells_right_from_wrong() -> None:
    questions = [asked(str(number % 3), 0.6 + number / 50, 0.5 + number / 100) for number in range(30)]
    line = fitted(questions)
    assert line[1] > 0
    assert line[2] > 0
    assert left_out(questions).right == 1.0
    assert fitted(questions, by_words=True)[2] == pytest.approx(0.0, abs=1e-6)


def test_the_drawing_is_sound_xml_with_a_line_for_each_system() -> None:
    drawn = ElementTree.fromstring(svg({"one": [(0.0, 0.1), (0.5, 0.9)], "two": [(0.0, 0.0), (0.5, 0.5)]}))
    assert len([one for one in drawn.iter() if one.tag.endswith("polyline")]) == 2
