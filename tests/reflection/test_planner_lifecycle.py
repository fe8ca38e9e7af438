"""expire, decay and archive, rule by rule."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reflection.planner.decay import importance_at
from reflection.planner.rows import Row
from reflection.policy import Policy
from reflection.states import Action
from tests.reflection.planner_rows import ANN, BEA, DAY, NOW, applied, planned, row

POLICY = Policy()
TYPES = st.sampled_from(["working", "episodic", "procedural", "semantic", "identity"])


def reasons(*rows: Row, **values: Any) -> dict[UUID | None, str]:
    return {p.target_id: p.why["rule"] for p in planned(rows, Action.ARCHIVE, **values).proposals}


def test_the_instant_of_expiry_counts_as_expired() -> None:
    due, later = row(1, expires_at=NOW), row(2, expires_at=NOW + timedelta(microseconds=1))
    (found,) = planned([due, later], Action.EXPIRE).proposals
    assert (found.target_id, found.before, found.after) == (due.id, {"status": "active"}, {"status": "expired"})


def test_expire_comes_before_archive_and_decay() -> None:
    old = row(1, "Key under mat", memory_type="working", created_at=NOW - 400 * DAY, expires_at=NOW - DAY)
    assert [p.action for p in planned([old]).proposals] == [Action.EXPIRE]


def test_archive_comes_before_decay() -> None:
    old = row(1, memory_type="working", created_at=NOW - 400 * DAY)
    assert [p.action for p in planned([old]).proposals] == [Action.ARCHIVE]


@pytest.mark.parametrize("kind", ["working", "episodic", "semantic"])
def test_what_came_here_today_is_not_idle_however_old_it_is(kind: str) -> None:
    old = row(1, memory_type=kind, created_at=NOW - 900 * DAY, base=0.1, anchor=NOW)
    assert planned([old]).proposals == []
    (found,) = planned([old], as_of=NOW + 91 * DAY, policy=Policy(decay_step=1)).proposals
    assert found.action is Action.ARCHIVE and found.why["unused_days"] == 91


@given(st.floats(0, 1), st.integers(1, 3000), TYPES)
def test_thirty_daily_decays_equal_one_of_thirty_days(base: float, days: int, kind: str) -> None:
    start = row(1, memory_type=kind, base=base, created_at=NOW - days * DAY)
    step = start
    for day in range(1, 31):
        (step, *_) = applied([step], planned([step], Action.DECAY, as_of=NOW + day * DAY)) or [step]
    end = NOW + 30 * DAY
    assert abs(importance_at(step, end, POLICY) - importance_at(start, end, POLICY)) < 1e-9


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 5000), st.floats(0, 5000), TYPES)
def test_decay_never_rises_and_never_falls_below_the_floor(
    base: float, floor: float, first: float, second: float, kind: str
) -> None:
    policy, one = Policy(decay_floor=floor), row(1, memory_type=kind, base=base, anchor=NOW)
    early, late = sorted((first, second))
    before, after = (importance_at(one, NOW + days * DAY, policy) for days in (early, late))
    assert min(base, floor) - 1e-12 <= after <= before <= base


def test_importance_halves_in_one_half_life() -> None:
    one = row(1, base=0.8, created_at=NOW - 30 * DAY)
    (found,) = planned([one], Action.DECAY).proposals
    assert (found.before, found.after) == ({"importance": 0.8}, {"importance": 0.4})


def test_decaying_again_at_the_same_moment_changes_nothing() -> None:
    rows = applied([one := row(1, base=0.8, created_at=NOW - 30 * DAY)], planned([one], Action.DECAY))
    assert planned(rows, Action.DECAY).proposals == []


def test_a_difference_below_the_step_is_no_candidate() -> None:
    assert planned([row(1, importance=0.491, anchor=NOW)], Action.DECAY).proposals == []
    assert len(planned([row(1, importance=0.49, anchor=NOW)], Action.DECAY).proposals) == 1


def test_zero_importance_stays_zero() -> None:
    assert importance_at(row(1, base=0.0, created_at=NOW - 900 * DAY), NOW, POLICY) == 0.0


def test_identity_does_not_decay() -> None:
    assert planned([row(1, memory_type="identity", created_at=NOW - 900 * DAY)], Action.DECAY).proposals == []


def test_faded_needs_both_low_importance_and_ninety_idle_days() -> None:
    at = NOW - 100 * DAY
    faded = row(1, "One", base=0.1, created_at=at)
    strong = row(2, "Two", memory_type="semantic", base=0.9, created_at=at)
    used = row(3, "Three", base=0.1, created_at=at, last_used_at=NOW - 89 * DAY)
    assert reasons(faded, strong, used) == {faded.id: "faded"}


def test_working_memory_idle_for_two_weeks_is_archived() -> None:
    idle = row(1, "One", memory_type="working", created_at=NOW - 14 * DAY)
    fresh = row(2, "Two", memory_type="working", created_at=NOW - 13 * DAY)
    assert reasons(idle, fresh) == {idle.id: "idle_working"}


def told(*, summary_at: int = 20, **values: Any) -> tuple[Row, Row]:
    source = row(1, base=1.0, created_at=NOW - 40 * DAY, **values)
    at = NOW - summary_at * DAY
    summary = row(9, memory_type="semantic", created_at=at, is_summary=True, cites=(source.id,))
    return replace(source, cited_by=summary.id), summary


def test_a_row_kept_in_a_summary_is_archived_and_names_it() -> None:
    source, summary = told()
    (found,) = planned([source, summary], Action.ARCHIVE).proposals
    assert found.why["summary"] == str(summary.id)
    assert f"mem_{summary.id}" in found.why["text"]
    assert [(c.memory_id, c.changes) for c in found.basis] == [(source.id, True), (summary.id, False)]


def test_a_cited_row_in_use_stays() -> None:
    assert reasons(*told(last_used_at=NOW - 29 * DAY)) == {}


def test_a_summary_written_at_this_moment_keeps_nothing_yet() -> None:
    assert reasons(*told(summary_at=0)) == {}


def test_a_faded_summary_stays_while_a_source_is_active() -> None:
    source = row(1, base=1.0, created_at=NOW - 120 * DAY, last_used_at=NOW - DAY, anchor=NOW - DAY)
    summary = row(9, base=0.1, created_at=NOW - 110 * DAY, memory_type="semantic", is_summary=True, cites=(source.id,))
    source = replace(source, cited_by=summary.id)
    assert reasons(source, summary) == {}
    assert reasons(summary) == {summary.id: "faded"}


def test_of_equal_rows_only_the_newest_survives() -> None:
    rows = [row(n, text) for n, text in enumerate(["Ann likes tea", "ANN  likes tea", "ann likes tea"])]
    assert reasons(*rows) == {rows[0].id: "duplicate", rows[1].id: "duplicate"}


@pytest.mark.parametrize("other", [{"owner_id": BEA}, {"bucket": "work"}, {"scope": "x"}, {"team_id": ANN}])
def test_equal_words_in_another_boundary_are_no_duplicate(other: dict[str, Any]) -> None:
    assert reasons(row(1, "Same"), row(2, "Same", **other)) == {}


def test_equal_words_of_another_type_are_no_duplicate() -> None:
    assert reasons(row(1, "Same"), row(2, "Same", memory_type="procedural")) == {}


def test_different_chinese_texts_are_no_duplicates() -> None:
    assert reasons(row(1, "今天玩成语接龙游戏"), row(2, "明天去北京")) == {}


def test_a_duplicate_survives_where_the_newer_one_goes_for_its_own_reason() -> None:
    older = row(1, "Key", memory_type="working", created_at=NOW - 30 * DAY, last_used_at=NOW)
    newer = row(2, "Key", memory_type="working", created_at=NOW - 20 * DAY)
    assert reasons(older, newer) == {newer.id: "idle_working"}


def test_archive_never_looks_for_words() -> None:
    rows = [
        row(n, text) for n, text in enumerate(["archive me", "obsolete", "delete this", "expired", "old duplicate"])
    ]
    assert reasons(*rows) == {}


@pytest.mark.parametrize("guard", [{"pinned": True}, {"held": True}, {"memory_type": "identity"}])
def test_protected_rows_are_listed_once_and_left_alone(guard: dict[str, Any]) -> None:
    values: dict[str, Any] = {"memory_type": "working", "created_at": NOW - 800 * DAY, "base": 0.1} | guard
    done = planned([row(1, **values)])
    assert done.proposals == []
    assert [(s.action, s.gate) for s in done.skipped] == [(Action.ARCHIVE, "protected")]


def test_a_protected_row_that_is_no_candidate_is_not_listed() -> None:
    assert planned([row(1, pinned=True, anchor=NOW)]).skipped == []


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        planned([], as_of=NOW.replace(tzinfo=None))


def test_a_faded_summary_goes_after_its_last_source() -> None:
    source = row(1, base=0.1, created_at=NOW - 120 * DAY)
    summary = row(9, base=0.1, created_at=NOW - 130 * DAY, memory_type="semantic", is_summary=True, cites=(source.id,))
    done = planned([replace(source, cited_by=summary.id), summary], Action.ARCHIVE)
    assert [p.target_id for p in done.proposals] == [source.id, summary.id]


def test_a_summary_that_this_pass_updates_is_neither_archived_nor_a_keeper() -> None:
    at = NOW - 120 * DAY
    sources = [row(n, f"Ann painted boat {n}.", base=1.0, created_at=at, last_used_at=at) for n in range(3)]
    summary = row(9, base=0.9, created_at=at + DAY, memory_type="semantic", is_summary=True)
    rows = [replace(r, cited_by=summary.id, base=1.0, anchor=NOW - 35 * DAY) for r in sources]
    summary = replace(summary, cites=tuple(r.id for r in rows))
    assert {p.why["rule"] for p in planned([*rows, summary], Action.ARCHIVE).proposals} == {"cited"}
    fresh = row(5, "Bea sold the boat.", created_at=at + timedelta(hours=1), anchor=NOW)
    done = planned([*rows, summary, fresh], Action.SUMMARIZE, Action.ARCHIVE)
    assert [(p.action, p.target_id) for p in done.proposals] == [(Action.SUMMARIZE, summary.id)]
