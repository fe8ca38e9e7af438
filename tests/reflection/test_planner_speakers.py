"""What one speaker says is never taken for what another says."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest

from reflection.planner.rows import Row
from reflection.planner.tellers import teller
from reflection.policy import Policy
from reflection.states import Action
from reflection.summarizer import Source, extractive
from tests.reflection.planner_rows import DAY, NOW, planned, row, unit
from tests.reflection.test_planner_promote import gates, promoted, said

MOVED = "I moved to Lisbon in May."


def by(*speakers: str | None, text: str = MOVED, start: int = 0) -> list[Row]:
    rows = said(len(speakers), text, start=start)
    return [replace(one, speaker=speaker) for one, speaker in zip(rows, speakers, strict=True)]


@pytest.mark.parametrize("speakers", [("Ann", "Ann", "Bo"), ("Ann", "Bo", "Cy"), ("Ann", "Ann", None)])
def test_equal_words_of_different_speakers_are_not_repeated(speakers: tuple[str | None, ...]) -> None:
    assert set(gates(promoted(by(*speakers)))) <= {"repeated"}


def test_a_fact_is_one_speaker_s_and_says_whose() -> None:
    found = promoted(by("Ann", "Bo", "Ann", "Bo", "Ann", "Bo")).proposals
    assert [one.after["speaker"] for one in found] == ["Ann", "Bo"]
    assert [len(one.basis) for one in found] == [3, 3]


def test_without_a_speaker_a_fact_names_none() -> None:
    (found,) = promoted(by(None, None, None)).proposals
    assert "speaker" not in found.after


def test_what_one_speaker_has_told_is_not_known_of_another() -> None:
    known = row(90, MOVED, memory_type="semantic", speaker="Bo", vector=unit(1, 0))
    ann = [replace(one, vector=unit(1, 0)) for one in by("Ann", "Ann", "Ann")]
    assert promoted([*ann, known]).proposals
    assert gates(promoted([*ann, replace(known, speaker="Ann")])) == ["already_known"]
    assert gates(promoted([*ann, replace(known, speaker=None)])) == ["already_known"]


@pytest.mark.parametrize(("other", "left"), [("Bo", 2), (None, 2), ("Ann", 1)])
def test_equal_words_of_another_speaker_are_no_duplicate(other: str | None, left: int) -> None:
    rows = [row(n, MOVED, speaker=speaker, created_at=NOW - n * DAY) for n, speaker in enumerate(["Ann", other])]
    assert len(planned(rows, Action.ARCHIVE).proposals) == 2 - left


def test_a_name_before_the_words_tells_speakers_apart() -> None:
    texts = ("Ann: I moved to Lisbon in May.", "Bo: I moved to Lisbon in May!", "Cy: In May I moved to Lisbon.")
    rows = [row(n, text, session=str(n), created_at=NOW - n * DAY, vector=unit(1, 0)) for n, text in enumerate(texts)]
    assert not promoted(rows).proposals
    one = [replace(r, content=f"Ann:{r.content.partition(':')[2]}", folded=f"ann{r.id}") for r in rows]
    assert len(promoted(one).proposals) == 1


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ann: I moved.", "ann"),
        ("Mary Ann O'Hara: I moved.", "mary ann o'hara"),
        ("**User:** I moved.", "user"),
        ("assistant: You moved.", "assistant"),
        ("美咲：引っ越した。", "美咲"),
        ("수빈: 이사했어요.", "수빈"),
        ("Note: Ann moved.", ""),
        ("This year's travel budget: 18,000 euros.", ""),
        ("Gate 14: the flight to Oslo.", ""),
        ("The train leaves at 9:30.", ""),
        ("Nota: la reunión es el lunes.", ""),
        ("I moved.", ""),
        ("", ""),
    ],
)
def test_a_speaker_is_a_part_or_a_name_before_a_colon(text: str, found: str) -> None:
    assert teller(text) == found


def told(*said: tuple[str, str], budget: int = 280) -> str:
    sources = [Source(UUID(int=n + 1), text, NOW, speaker=by) for n, (by, text) in enumerate(said)]
    return extractive.summarize(sources, budget).text


def test_a_summary_names_who_says_what() -> None:
    lisbon, cat = "I moved to Lisbon in May.", "My cat ran away last night."
    assert told(("Ann", lisbon), ("Ann", cat)) == f"Ann: {lisbon} {cat}"
    assert told(("Ann", lisbon), ("Bo", cat)) == f"Ann: {lisbon}\nBo: {cat}"
    assert told(("Ann", lisbon), ("Bo", lisbon)) == f"Ann: {lisbon}\nBo: {lisbon}"
    assert told(("Ann", lisbon), ("", cat)) == f"Ann: {lisbon}\n{cat}"
    assert told(("", lisbon), ("", lisbon)) == lisbon


def test_the_names_count_to_the_length_of_a_summary() -> None:
    said = [(f"Speaker {n}", f"Crate {n} of the harbour holds {n * 7} red kayaks.") for n in range(12)]
    assert len(told(*said, budget=200)) <= 200


def test_a_name_that_is_a_page_long_is_cut_to_one_line() -> None:
    assert told(("Ann\n\n# Heading " + "x" * 500, MOVED)).startswith("Ann # Heading xxx")
    assert "\n" not in told(("Ann\n" * 40, MOVED)) and len(told(("A" * 900, MOVED))) < 120


def test_the_summary_of_an_episode_passes_its_speakers_on() -> None:
    rows = [row(n, text, speaker=who) for n, (who, text) in enumerate([("Ann", MOVED), ("Bo", MOVED), ("Cy", MOVED)])]
    (found,) = planned(rows, Action.SUMMARIZE, policy=Policy(summary_min_rows=3)).proposals
    assert found.after["content"] == f"Ann: {MOVED}\nBo: {MOVED}\nCy: {MOVED}"
    assert [cited.quote for cited in found.basis] == [MOVED] * 3


def test_the_ids_of_evidence_are_of_one_speaker_whatever_the_order() -> None:
    rows = by("Ann", "Bo", "Ann", "Bo", "Ann", "Bo", None, None)
    speaker: dict[UUID, str | None] = {one.id: one.speaker for one in rows}
    for found in promoted(rows[::-1]).proposals:
        assert len({speaker[cited.memory_id] for cited in found.basis}) == 1


def missed(rows: list[Row]) -> list[str]:
    done = promoted(rows)
    assert done.proposals == []
    return [one.text for one in done.near_misses]


def test_a_near_miss_says_how_many_others_say_the_same() -> None:
    (text,) = missed(by("Ann", "Ann", "Bo", None))
    assert text.startswith("Said 2 times; the rule asks for 3. 2 more with the same words are of another speaker")
    assert missed(by("Ann", "Ann")) == ["Said 2 times; the rule asks for 3."]


def test_what_many_say_once_each_is_a_near_miss_and_says_why() -> None:
    rows = by("Ann", "Bo", "Cy")
    (miss,) = promoted(rows).near_misses
    assert "each time by somebody else" in miss.text and "asks for 3 of one" in miss.text
    assert (miss.gate, set(miss.memory_ids)) == ("repeated", {row.id for row in rows})


@pytest.mark.parametrize(
    "rows",
    [
        by("Ann", "Bo"),
        by("Ann", "Bo", "Cy", text="Thank you so much!"),
        [replace(one, bucket=f"b{n}") for n, one in enumerate(by("Ann", "Bo", "Cy"))],
    ],
    ids=["too few", "thanks", "not together"],
)
def test_what_would_be_no_fact_of_one_speaker_is_no_near_miss_of_many(rows: list[Row]) -> None:
    assert missed(rows) == []
