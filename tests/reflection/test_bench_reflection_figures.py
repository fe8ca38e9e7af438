"""The figures of the bench: what counts as kept, as right, and as missed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest

from bench import reflection_planted as planted
from bench.reflection_locomo import is_pleasantry
from bench.reflection_planted import Promoted, Telling, judged, pooled, rows, tellings
from bench.reflection_summaries import (
    Kept,
    Session,
    Turn,
    kept,
    lead,
    longest,
    mean,
    nearest,
    ours,
    ratios,
    share_of_words,
)
from bench.reflection_vectors import Vectoring
from reflection.planner.rows import Cited, Proposal
from reflection.policy import Policy
from reflection.states import Action

AT = datetime(2026, 3, 1, tzinfo=UTC)
SESSION = Session(
    "1",
    tuple(
        Turn("Ann", AT, text)
        for text in ("The ferry was late. It rained.", "Bea bought a red kayak for 400 euros in Oslo.", "Ok. " * 20)
    ),
    ("Bea bought a red kayak.", "The ferry was late."),
)


class Directions(Vectoring):
    """A vector of its own for every text, without a model."""

    def learn(self, texts: object) -> None:
        """Nothing to compute."""

    def of(self, texts: object) -> np.ndarray:
        """The same direction for the same first letter."""
        return np.array([np.eye(26, dtype=np.float32)[ord(text[0].lower()) - 97] for text in texts])  # type: ignore[attr-defined]


def test_fact_words_are_the_share_of_different_words_without_stop_words() -> None:
    assert share_of_words(["A red red kayak."], ["the kayak"], {"a", "the"}) == 0.5
    assert share_of_words(["A red red kayak."], ["the kayak"], ()) == pytest.approx(1 / 3)
    assert share_of_words(["A."], [], {"a"}) == 0.0


def test_fact_meaning_is_the_mean_of_the_best_cosines() -> None:
    axes = np.eye(3, dtype=np.float32)
    assert nearest(axes[:2], axes[:1]) == 0.5
    assert nearest(axes[:2], axes[:0]) == 0.0


def test_plain_systems_take_what_fits_in_the_order_of_the_session() -> None:
    assert SESSION.budget == 31
    assert lead(SESSION) == ["The ferry was late.", "It rained."]
    assert longest(SESSION) == ["The ferry was late.", "It rained."]


def test_a_summary_over_budget_is_refused() -> None:
    with pytest.raises(ValueError, match="longer than its budget"):
        kept(lambda session: session.sentences, [SESSION], Directions(), ())


def test_what_is_kept_is_a_mean_over_sessions() -> None:
    found = kept(lead, [SESSION, SESSION], Directions(), {"the", "a", "was"})
    assert found.words == pytest.approx(2 / 6)  # ferry, late of bea, bought, red, kayak, ferry, late
    assert found.meaning == 0.5
    assert mean([Kept(1, 0, 0.5), Kept(0, 1, 0.5)]) == Kept(0.5, 0.5, 0.5)


def test_a_ratio_is_taken_over_the_best_of_the_others() -> None:
    systems = {"ours": Kept(0.6, 0.4, 0.9), "lead": Kept(0.3, 0.4, 0.8), "random": Kept(0.2, 0.5, 0.1)}
    assert ratios(systems) == pytest.approx({"words": 2.0, "words_with_stop_words": 0.8, "meaning": 1.125})


def said(kind: str, block: str, place: int) -> Telling:
    return Telling("en", kind, block, place, "fit", f"{block} {place}")


TOLD = [said("fact", "a", n) for n in range(3)] + [said("fact", "b", n) for n in range(3)] + [said("once", "c", 0)]


def proposal(*places: int) -> Proposal:
    basis = tuple(Cited(UUID(int=place + 1), 1) for place in places)
    return Proposal(Action.PROMOTE, None, {}, {"content": f"{places}"}, {}, basis)


def test_a_statement_is_right_where_one_planted_fact_bears_it_out() -> None:
    found = judged(TOLD, [proposal(0, 1, 2)])
    assert (found.right, found.precision, found.recall, found.missed) == (1, 1.0, 0.5, ["b"])


@pytest.mark.parametrize("places", [(0, 1, 3), (0, 1, 6), (6,)], ids=["two facts", "a distractor", "no fact"])
def test_a_statement_with_foreign_evidence_is_wrong(places: tuple[int, ...]) -> None:
    found = judged(TOLD, [proposal(*places)])
    assert (found.right, len(found.wrong), found.precision) == (0, 1, 0.0)


def test_the_same_fact_promoted_twice_is_wrong_once() -> None:
    found = judged(TOLD, [proposal(0, 1), proposal(1, 2)])
    assert (found.right, len(found.wrong), found.precision) == (1, 1, 0.5)


def test_nothing_promoted_is_precise_and_finds_nothing() -> None:
    assert Promoted(0, 0, [], []).as_json() == {"facts": 0, "right": 0, "wrong": 0, "precision": 1.0, "recall": 0.0}


def test_sets_are_pooled_by_what_they_hold_and_not_by_their_shares() -> None:
    both = pooled([Promoted(10, 9, ["x"], ["a"]), Promoted(2, 1, ["y", "z", "w"], ["b"])])
    assert (both.precision, both.recall, both.missed) == (10 / 14, 10 / 12, ["a", "b"])


def test_ours_names_who_speaks_within_the_budget_and_gets_nothing_for_it() -> None:
    named = replace(SESSION, turns=tuple(replace(turn, speaker="A" * 12) for turn in SESSION.turns))
    assert ours(Directions())(SESSION) == ["The ferry was late."]
    assert ours(Directions())(named) == ["It rained."]


@pytest.mark.parametrize("name", ["ninth", "eleventh", "twelfth"])
def test_most_lines_of_ordinary_days_have_nothing_to_do_with_a_fact(name: str) -> None:
    told = tellings(planted.FOLDER / name)
    blocks = {one.block for one in told if one.kind == "fact"}
    near = sum(one.block.endswith(":once:near") for one in told)
    assert len(blocks) >= 60 and 6.5 < len(told) / near < 9
    assert sum(one.block.endswith(":once:other") for one in told) > sum(one.kind == "fact" for one in told) * 2


@pytest.mark.parametrize(
    "folder",
    [planted.FOLDER, *(planted.FOLDER / name for name in ("unseen", "last", "ninth", "tenth", "eleventh", "twelfth"))],
    ids=["first", "second", "last", "ninth", "tenth", "eleventh", "twelfth"],
)
def test_every_planted_fact_is_told_three_times_in_other_words_and_in_one_half(folder: Path) -> None:
    facts: dict[str, list[Telling]] = {}
    for one in tellings(folder):
        if one.kind == "fact":
            facts.setdefault(one.block, []).append(one)
    assert {block.partition(":")[0] for block in facts} == {"en", "es", "ja", "ko", "pt"}
    for told in facts.values():
        assert len({one.text for one in told}) == len(told) >= 3
        assert len({one.half for one in told}) == 1


def test_there_are_enough_facts_and_many_more_distractors() -> None:
    told = tellings()
    assert len({one.block for one in told if one.kind == "fact"}) >= 60
    assert sum(one.kind != "fact" for one in told) >= 300
    assert {one.kind for one in told} == {"fact", "known", "twice", "session", "once", "pleasantry", "question"}


def test_tellings_come_from_sessions_and_hours_of_their_own_but_for_those_of_one_session() -> None:
    told = tellings()
    found = rows(told, np.zeros((len(told), 2), dtype=np.float32))
    for kind, alone in (("fact", True), ("session", False)):
        block = next(one.block for one in told if one.kind == kind)
        own = [row for row, one in zip(found, told, strict=True) if one.block == block]
        assert (len({row.session for row in own}) == len(own)) is alone
        assert len({f"{row.created_at:%d-%H}" for row in own}) > 1


def test_the_known_fact_is_a_fact_and_its_tellings_are_not() -> None:
    told = [one for one in tellings() if one.kind == "known"][:4]
    kinds = [row.memory_type for row in rows(told, np.zeros((4, 2), dtype=np.float32))]
    assert kinds == ["semantic", "episodic", "episodic", "episodic"]


def test_the_planner_promotes_a_planted_fact() -> None:
    told = [one for one in tellings() if one.block == "en:fact:violin"]
    near = np.tile(np.array([1, 0], dtype=np.float32), (len(told), 1))
    found = judged(told, planted.promote(rows(told, near), Policy()))
    assert (found.right, found.wrong) == (1, [])


@pytest.mark.parametrize(
    ("sentence", "pleasant"),
    [
        ("You're doing great, keep it up!", True),
        ("How was the trip?", True),
        ("So happy for you, well done!", True),
        ("The dance studio looks awesome.", True),
        ("Lea plays the violin.", False),
        ("I volunteer at the homeless shelter.", False),
    ],
)
def test_pleasantries_are_told_from_statements(sentence: str, pleasant: bool) -> None:
    assert is_pleasantry(sentence) is pleasant
