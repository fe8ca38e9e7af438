"""What holds for any rows: properties of whole plans."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reflection.planner.decay import importance_at
from reflection.planner.rows import Plan, Row
from reflection.policy import Policy
from reflection.states import Action
from tests.reflection.planner_rows import BEA, DAY, HOUR, NOW, applied, planned, row, unit

TEXTS = (
    "Ann moved to Berlin in May.",
    "ann moved to berlin in may.",
    "The harbour froze over and the ferry stopped.",
    "Where is the key?",
    "Hi!",
    "会議は東京で開かれる。",
    "Rex ate the cake. Bea laughed for an hour.",
)
DIRECTIONS = [unit(1, 0, 0), unit(0.99, 0.14, 0), unit(0, 1, 0), unit(0, 0.6, 0.8), None]
SMALL = Policy(episode_split_rows=4, summary_max_rows=6)
EVERY_STEP = Policy(decay_step=1e-6)  # whatever moves is written
BESIDE: dict[str, Any] = {"owner_id": BEA, "team_id": UUID(int=0x7EA), "bucket": "work", "scope": "client:atlas"}


@st.composite
def a_row(draw: st.DrawFn, number: int, beside: str) -> Row:
    """A row of Ann's, or one that differs in the part `beside` of its boundary."""
    kind = draw(st.sampled_from(["episodic"] * 4 + ["semantic", "working", "identity", "procedural"]))
    at = NOW - draw(st.integers(0, 400)) * 7 * HOUR - draw(st.integers(0, 3)) * HOUR
    base = draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    values: dict[str, Any] = {
        "memory_type": kind,
        "created_at": at,
        "base": base,
        "importance": draw(st.sampled_from([base, 0.3])),
        "path": draw(st.sampled_from(["a", "a", "a/b", "/c"])),
        "session": draw(st.sampled_from([None, "s1", "s2"])),
        "speaker": draw(st.sampled_from([None, None, "Ann", "Bo"])),
        "trust": draw(st.sampled_from([1, 1, 0, 2])),
        "pinned": draw(st.sampled_from([False, False, False, True])),
        "held": draw(st.sampled_from([False, False, False, True])),
        "vector": draw(st.sampled_from(DIRECTIONS)),
        "expires_at": draw(st.sampled_from([None, None, None, NOW - DAY, NOW, NOW + DAY])),
    }
    drawn = row(number, draw(st.sampled_from(TEXTS)), **values)
    drawn = replace(drawn, **draw(st.sampled_from([{}, {}, {beside: BESIDE[beside]}])))
    if draw(st.booleans()):
        drawn = replace(drawn, last_used_at=NOW - draw(st.integers(0, 100)) * DAY)
    if draw(st.booleans()):  # as far off as decay just minds, or just not
        off = draw(st.sampled_from([0.01, 0.01 - 1e-7, 0.01 - 1e-5]))
        drawn = replace(drawn, importance=min(1.0, round(importance_at(drawn, NOW, SMALL), 6) + off))
    return drawn


@st.composite
def some_rows(draw: st.DrawFn, largest: int = 24) -> list[Row]:
    """Loose rows, or rows among which a pass has been before, so that summaries and facts stand."""
    beside = draw(st.sampled_from(list(BESIDE)))
    rows = [draw(a_row(number, beside)) for number in range(draw(st.integers(0, largest)))]
    if draw(st.booleans()):  # one crowd in one place, which an episode or a fact may be made of
        rows = [
            replace(one, path="a", memory_type="episodic", created_at=NOW - (3 + number) * HOUR, expires_at=None)
            for number, one in enumerate(rows)
        ]
    if draw(st.booleans()):
        before = planned(rows, Action.SUMMARIZE, Action.PROMOTE, policy=SMALL, as_of=NOW - 2 * HOUR)
        rows = applied(rows, before, at=NOW - draw(st.sampled_from([1, 40, 200])) * DAY)
        rows += [draw(a_row(1000 + number, beside)) for number in range(draw(st.integers(0, 8)))]
    return rows


SETS = [pytest.param(40, id="forty"), pytest.param(300, id="hundreds", marks=pytest.mark.soak)]
Check = Callable[..., None]


def for_any(*drawn: st.SearchStrategy[Any]) -> Callable[[Check], Check]:
    """A test over 40 sets of what is drawn, and in a long campaign over 300."""

    def tested(check: Check) -> Check:
        def test(sets: int) -> None:
            calm = settings(max_examples=sets, deadline=None, suppress_health_check=[HealthCheck.too_slow])
            calm(given(*drawn)(check))()

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return pytest.mark.parametrize("sets", SETS)(test)

    return tested


def same(plan: Plan) -> tuple[object, ...]:
    return (plan.proposals, plan.skipped, plan.near_misses, plan.cut, plan.more_skipped)


@for_any(some_rows())
def test_a_second_pass_at_the_same_moment_finds_nothing(rows: list[Row]) -> None:
    after = applied(rows, planned(rows, policy=SMALL))
    assert planned(after, policy=SMALL).proposals == []


@for_any(some_rows(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows: list[Row], chance: random.Random) -> None:
    mixed = chance.sample(rows, len(rows))
    assert same(planned(mixed, policy=SMALL)) == same(planned(rows, policy=SMALL))


def drawer(one: Row) -> tuple[object, ...]:
    """Where a row lies: whose, of which team, bucket and scope. What lies apart never meets."""
    return one.owner_id, one.team_id, one.bucket, one.scope


@for_any(some_rows())
def test_no_proposal_crosses_a_boundary(rows: list[Row]) -> None:
    drawers = {r.id: drawer(r) for r in rows}
    for proposal in planned(rows, policy=SMALL).proposals:
        (found,) = {drawers[c.memory_id] for c in proposal.basis}
        if proposal.target_id is None:
            assert {name: proposal.after[name] for name in BESIDE} == {
                name: str(value) if isinstance(value, UUID) else value
                for name, value in zip(BESIDE, found, strict=True)
            }


def told(rows: list[Row], *actions: Action) -> list[str]:
    """All proposals over these rows, to be compared."""
    return sorted(map(str, planned(rows, *actions, policy=SMALL).proposals))


@for_any(some_rows())
def test_what_lies_apart_is_planned_as_if_each_were_alone(rows: list[Row]) -> None:
    alone = [told([r for r in rows if drawer(r) == one]) for one in {drawer(r) for r in rows}]
    assert told(rows) == sorted(proposal for proposals in alone for proposal in proposals)


@pytest.mark.parametrize("name", BESIDE)
def test_records_that_differ_in_one_part_of_the_boundary_do_not_meet(name: str) -> None:
    here = [row(n, path="day") for n in range(3)]
    here += [row(10 + n, TEXTS[0], session=f"s{n}", path=f"d{n}", created_at=NOW - n * HOUR) for n in range(3)]
    here += [row(20 + n, TEXTS[2], memory_type="semantic", created_at=NOW - n * DAY) for n in range(2)]
    there = [replace(r, id=UUID(int=r.id.int + 100), **{name: BESIDE[name]}) for r in here]
    for action in (Action.SUMMARIZE, Action.PROMOTE, Action.ARCHIVE):
        assert told(here, action) and told(there, action)
        assert told([*here, *there], action) == sorted([*told(here, action), *told(there, action)])


@for_any(some_rows())
def test_no_fact_and_no_duplicate_mixes_speakers(rows: list[Row]) -> None:
    speaker = {r.id: r.speaker for r in rows}
    for proposal in planned(rows, policy=SMALL).proposals:
        spoken = {speaker[c.memory_id] for c in proposal.basis}
        if proposal.action is Action.PROMOTE:
            assert spoken == {proposal.after.get("speaker")}
        elif proposal.why["rule"] == "duplicate":
            assert len(spoken) == 1


@for_any(some_rows())
def test_protected_rows_are_never_changed_and_held_rows_never_cited(rows: list[Row]) -> None:
    by_id = {r.id: r for r in rows}
    for proposal in planned(rows, policy=SMALL).proposals:
        for cited in proposal.basis:
            assert not (cited.changes and by_id[cited.memory_id].protected)
            assert not (proposal.target_id is None and by_id[cited.memory_id].held)


@for_any(some_rows())
def test_a_record_gets_one_lifecycle_change_and_one_summary_at_most(rows: list[Row]) -> None:
    proposals = planned(rows, policy=SMALL).proposals
    changed = Counter(p.target_id for p in proposals if p.target_id and p.action is not Action.SUMMARIZE)
    told = Counter(
        c.memory_id
        for p in proposals
        if p.action is Action.SUMMARIZE
        for c in p.basis
        if next(r for r in rows if r.id == c.memory_id).cited_by is None and not c.changes
    )
    assert all(count == 1 for count in (*changed.values(), *told.values()))


LIFE = (Action.SUMMARIZE, Action.EXPIRE, Action.DECAY, Action.ARCHIVE)


@for_any(some_rows(), st.integers(1, 5), st.sampled_from([LIFE, (Action.PROMOTE,)]))
def test_limited_passes_bring_each_candidate_once(rows: list[Row], limit: int, actions: tuple[Action, ...]) -> None:
    total, passes = len(planned(rows, *actions, policy=SMALL).proposals), 0
    while (done := planned(rows, *actions, policy=SMALL, limit=limit)).proposals:
        assert done.cut == total - passes * limit - len(done.proposals)
        rows, passes = applied(rows, done), passes + 1
    assert passes == -(-total // limit)


@for_any(some_rows())
def test_thirty_daily_decays_come_to_what_one_after_thirty_days_comes_to(rows: list[Row]) -> None:
    kept = [replace(r, expires_at=None) for r in rows]
    daily = kept
    for day in range(1, 31):
        daily = applied(daily, planned(daily, Action.DECAY, as_of=NOW + day * DAY, policy=EVERY_STEP))
    once = applied(kept, planned(kept, Action.DECAY, as_of=NOW + 30 * DAY, policy=EVERY_STEP))
    assert {r.id: r.importance for r in daily} == pytest.approx({r.id: r.importance for r in once}, abs=1e-9)


@for_any(some_rows())
def test_proposals_come_in_canonical_order(rows: list[Row]) -> None:
    by_id = {r.id: r for r in rows}
    keys = []
    for proposal in planned(rows, policy=SMALL).proposals:
        first = by_id[proposal.basis[0].memory_id]
        if proposal.action is Action.PROMOTE:
            continue  # facts of the rows that stay follow those of all rows
        last = proposal.action is Action.ARCHIVE and first.is_summary  # after its sources
        keys.append((list(Action).index(proposal.action), last, first.created_at, first.id))
    assert keys == sorted(keys)


@for_any(some_rows())
def test_quotes_stand_in_their_sources_word_for_word(rows: list[Row]) -> None:
    content = {r.id: r.content for r in rows}
    for proposal in planned(rows, policy=SMALL).proposals:
        for cited in proposal.basis:
            assert all(line in content[cited.memory_id] for line in cited.quote.splitlines())


@for_any(st.lists(st.tuples(st.integers(0, 300), st.sampled_from(TEXTS[:3])), max_size=12))
def test_duplicates_alone_leave_exactly_the_newest(drawn: list[tuple[int, str]]) -> None:
    rows = [
        row(n, text, memory_type="semantic", created_at=NOW - hours * HOUR) for n, (hours, text) in enumerate(drawn)
    ]
    newest: dict[str, Row] = {}
    for r in sorted(rows, key=lambda r: (r.created_at, r.id)):
        newest[r.folded] = r
    left = applied(rows, planned(rows, Action.ARCHIVE))
    assert {r.id for r in left} == {r.id for r in newest.values()}


def test_twelve_hundred_candidates_at_limit_five_hundred_take_three_passes() -> None:
    rows = [row(n, f"Fact {n}", memory_type="semantic", expires_at=NOW - DAY) for n in range(700)]
    rows += [row(700 + n, f"Note {n}", memory_type="working", created_at=NOW - 20 * DAY) for n in range(500)]
    seen: Counter[object] = Counter()
    counts = []
    while (done := planned(rows, limit=500)).proposals:
        counts.append((len(done.proposals), done.cut))
        seen.update(p.target_id for p in done.proposals)
        rows = applied(rows, done)
    assert counts == [(500, 700), (500, 200), (200, 0)]
    assert len(seen) == 1200
    assert set(seen.values()) == {1}


def test_planning_costs_seconds_not_minutes_for_thousands_of_rows() -> None:
    rng = np.random.default_rng(7)
    rows = [
        row(n, created_at=NOW - 20 * DAY + timedelta(minutes=n), vector=unit(*rng.normal(size=64))) for n in range(2000)
    ]
    done = planned(rows, policy=Policy(archive_unused_days=1e6))
    assert {c.memory_id for p in done.proposals if p.action is Action.SUMMARIZE for c in p.basis} == {
        r.id for r in rows
    }
