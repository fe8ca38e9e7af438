"""promote: each gate measures what its name says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from reflection.planner import statement
from reflection.planner.rows import Plan, Row
from reflection.policy import Policy
from reflection.states import Action
from tests.reflection.planner_rows import ANN, BEA, DAY, NOW, applied, planned, row, unit

FACT = "Ann drinks green tea."


def said(
    times: int = 3, text: str = FACT, *, start: int = 0, sessions: Sequence[str] = "abcdefgh", **values: Any
) -> list[Row]:
    return [
        row(start + n, text, created_at=NOW - 9 * DAY + n * DAY, session=sessions[n % len(sessions)], **values)
        for n in range(times)
    ]


def promoted(rows: Sequence[Row], **values: Any) -> Plan:
    return planned(rows, Action.PROMOTE, **values)


def gates(done: Plan) -> list[str]:
    assert done.proposals == []
    return [item.gate for item in (*done.skipped, *done.near_misses)]


def test_what_three_sessions_say_becomes_a_fact() -> None:
    rows = said(path="talk/x")
    (found,) = promoted(rows).proposals
    after = found.after
    assert (after["content"], after["memory_type"], after["path"]) == (FACT, "semantic", "talk/x/facts")
    assert after["confidence"] == 1 - 0.5**3
    assert [(c.memory_id, c.quote, c.changes) for c in found.basis] == [(r.id, FACT, False) for r in rows]


def test_twice_is_not_repeated() -> None:
    assert gates(promoted(said(2))) == ["repeated"]


def test_one_session_on_three_days_is_not_independent() -> None:
    assert gates(promoted(said(sessions="a"))) == ["independent"]


def test_three_sessions_within_one_hour_are_not_independent() -> None:
    rows = [replace(r, created_at=NOW + n * timedelta(minutes=5)) for n, r in enumerate(said())]
    assert gates(promoted(rows)) == ["independent"]


def test_without_sessions_the_path_stands_for_one() -> None:
    assert gates(promoted([replace(r, session=None) for r in said()])) == ["independent"]
    assert len(promoted([replace(r, session=None, path=f"p/{n}") for n, r in enumerate(said())]).proposals) == 1


NO_FACTS = [
    "Where is the green tea?",
    "Green tea",
    "お茶",
    "緑茶はどこですか。",
    "Hey Mel!",
    "You handled the tender well.",
]


@pytest.mark.parametrize("text", NO_FACTS)
def test_questions_fragments_greetings_and_praise_are_no_facts(text: str) -> None:
    assert gates(promoted(said(text=text))) == ["declarative"]


@pytest.mark.parametrize("text", ["東京に住んでいる。", "저는 서울에 산다.", "她住在北京。"])
def test_scripts_without_spaces_can_be_facts(text: str) -> None:
    assert [p.after["content"] for p in promoted(said(text=text)).proposals] == [text]


def test_one_untrusted_source_needs_a_person() -> None:
    rows = said(4)
    rows[2] = replace(rows[2], trust=0)
    assert gates(promoted(rows)) == ["untrusted"]


def test_the_fact_is_trusted_as_its_least_trusted_source() -> None:
    rows = [replace(r, trust=2 - (n == 1)) for n, r in enumerate(said())]
    assert promoted(rows).proposals[0].after["trust"] == 1


def test_an_equal_fact_is_already_known() -> None:
    known = row(90, FACT.upper(), memory_type="semantic")
    done = promoted([*said(), known])
    assert gates(done) == ["already_known"]
    assert f"mem_{known.id}" in done.skipped[0].text


def test_a_fact_of_another_owner_is_not_known_here() -> None:
    assert len(promoted([*said(), row(90, FACT, memory_type="semantic", owner_id=BEA)]).proposals) == 1


def test_a_fact_close_in_meaning_is_already_known() -> None:
    close = row(90, "Green tea is what Ann drinks.", memory_type="semantic", vector=unit(1, 0.2))
    far = replace(close, vector=unit(1, 0.9))
    rows = said(vector=unit(1, 0))
    assert gates(promoted([*rows, close])) == ["already_known"]
    assert len(promoted([*rows, far]).proposals) == 1


def test_another_number_than_the_standing_fact_has_is_news() -> None:
    known = row(90, "Invoices of Halden are paid within 30 days.", memory_type="semantic", vector=unit(1, 0.1))
    rows = said(text="Invoices of Halden are paid within 45 days.", vector=unit(1, 0))
    assert len(promoted([*rows, known]).proposals) == 1


def test_rows_that_each_tell_another_story_of_the_same_bear_nothing_out() -> None:
    texts = [
        "The choir sang a psalm in a barn.",
        "The choir sang on a ferry to town.",
        "The choir sang at supper for hours.",
    ]
    near = [unit(1, 0), unit(1, 0.1), unit(1, -0.1)]
    rows = [replace(r, content=t, folded=t, vector=v) for r, t, v in zip(said(), texts, near, strict=True)]
    assert gates(promoted(rows)) == ["repeated"]


def test_evidence_of_a_standing_fact_is_not_promoted_again() -> None:
    rows = applied(said(), promoted(said()))
    more = said(1, "Green tea is what Ann drinks.", start=50, vector=unit(1, 0))
    rows = [replace(r, vector=unit(1, 0)) if r.memory_type == "episodic" else r for r in rows]
    assert gates(promoted([*rows, *more])) == ["already_known"]


def test_paraphrases_count_together_and_each_is_quoted() -> None:
    texts = ["Hi! Ann drinks green tea.", "Green tea is what Ann drinks. It rained.", "Ann drinks tea that is green."]
    near = [unit(1, 0), unit(1, 0.1), unit(1, -0.1)]
    rows = [replace(r, content=t, folded=t, vector=v) for r, t, v in zip(said(), texts, near, strict=True)]
    (found,) = promoted(rows).proposals
    assert found.after["content"] == "Ann drinks green tea."
    assert [c.quote for c in found.basis][:2] == ["Ann drinks green tea.", "Green tea is what Ann drinks."]


def test_a_chain_of_likeness_is_no_repetition() -> None:
    chain = [unit(1, 0), unit(1, 0.7), unit(0.5, 1)]
    rows = [replace(r, folded=str(n), vector=v) for n, (r, v) in enumerate(zip(said(), chain, strict=True))]
    assert gates(promoted(rows)) == ["repeated"]


def test_the_floor_of_the_model_is_counted_off() -> None:
    near = [unit(1, 0), unit(1, 0.5), unit(1, -0.1)]
    rows = [replace(r, folded=str(n), vector=v) for n, (r, v) in enumerate(zip(said(), near, strict=True))]
    assert len(promoted(rows).proposals) == 1
    assert promoted(rows, policy=Policy(cosine_floor=0.77)).proposals == []


def test_rows_of_two_owners_never_make_a_fact_together() -> None:
    rows = [replace(r, owner_id=ANN if n else BEA) for n, r in enumerate(said())]
    assert gates(promoted(rows)) == ["repeated"]


def test_held_rows_are_no_evidence_and_pinned_ones_are() -> None:
    assert gates(promoted([replace(r, held=n == 0) for n, r in enumerate(said())])) == ["repeated"]
    assert len(promoted([replace(r, pinned=True) for r in said()]).proposals) == 1


def test_near_misses_end_at_the_policy_s_number() -> None:
    rows = [r for n in range(30) for r in said(2, f"Fact number {n} stands here.", start=10 * n)]
    assert len(promoted(rows, policy=Policy(near_misses=7)).near_misses) == 7


def test_what_was_never_repeated_is_not_promoted() -> None:
    assert promoted([row(n, f"cd /srv/{n} && make all") for n in range(9)]).proposals == []


def test_repeated_rows_are_promoted_in_the_pass_that_archives_them_as_duplicates() -> None:
    done = planned(said())
    assert done.counts() | {"summarize": 0, "decay": 0} == {
        "summarize": 0,
        "promote": 1,
        "expire": 0,
        "decay": 0,
        "archive": 2,
    }


def test_the_common_path_of_the_evidence_is_where_the_fact_goes() -> None:
    for paths, expected in ((["/a/b", "/a/c", "/a"], "/a/facts"), (["a", "b", "c"], "facts"), (["/a", "/b"], "/facts")):
        rows = [replace(r, path=paths[n % len(paths)]) for n, r in enumerate(said())]
        assert promoted(rows).proposals[0].after["path"] == expected


def test_a_question_in_the_middle_does_not_silence_the_answers_and_bears_nothing_out() -> None:
    middle = ["What does Ann drink?", FACT, "Ann drinks tea that is green.", "Green tea is what Ann drinks."]
    near = [unit(1, 0), unit(1, 0.3), unit(1, -0.3), unit(1, 0.1)]
    rows = [replace(r, content=t, folded=t, vector=v) for r, t, v in zip(said(4), middle, near, strict=True)]
    (found,) = promoted(rows).proposals
    assert found.after["content"] in middle[1:]
    assert [c.memory_id for c in found.basis] == [r.id for r in rows[1:]]


def test_a_faded_fact_that_is_borne_out_again_is_replaced_in_one_pass() -> None:
    old = row(90, FACT, memory_type="semantic", base=0.1, created_at=NOW - 200 * DAY)
    rows = [*said(), old]
    done = planned(rows, Action.PROMOTE, Action.ARCHIVE)
    assert [p.after.get("content") for p in done.proposals][0] == FACT
    assert old.id in {p.target_id for p in done.proposals}
    assert planned(applied(rows, done), Action.PROMOTE, Action.ARCHIVE).proposals == []


def test_what_only_the_rows_that_stay_bear_out_is_promoted_at_once() -> None:
    texts = [FACT, FACT, "Green tea is what Ann drinks.", "Ann drinks tea that is green."]
    rows = [replace(r, content=t, folded=t, vector=unit(1, 0)) for r, t in zip(said(4), texts, strict=True)]
    rows[0] = replace(rows[0], trust=0)
    done = planned(rows, Action.PROMOTE, Action.ARCHIVE)
    assert [len(p.basis) for p in done.proposals if p.action is Action.PROMOTE] == [3]
    assert planned(applied(rows, done), Action.PROMOTE, Action.ARCHIVE).proposals == []


def test_a_fact_reworded_by_a_person_is_known_by_its_evidence() -> None:
    rows = applied(said(), promoted(said()))
    reworded = [replace(r, content="Tea!", folded="tea!") if r.memory_type == "semantic" else r for r in rows]
    assert gates(promoted(reworded)) == ["already_known"]


def test_of_equal_words_the_newest_row_speaks() -> None:
    rows = [replace(r, vector=unit(1, 0), folded=f"{n % 2}") for n, r in enumerate(said(4))]
    rows[0] = replace(rows[0], vector=unit(0, 1))
    assert [len(p.basis) for p in promoted(rows).proposals] == [4]


def test_what_is_said_a_thousand_times_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = statement._closest
    monkeypatch.setattr(statement, "_closest", lambda text, content: read.append(content) or real(text, content))
    rows = said(1000, vector=unit(1, 0))
    (found,) = promoted(rows, as_of=NOW + 1000 * DAY).proposals
    assert len(found.basis) == 1000 and read == [FACT]
