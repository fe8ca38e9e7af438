"""Rows of every kind at random, close to where the rules change their minds."""

from __future__ import annotations

import random
from dataclasses import replace

from reflection.planner.decay import importance_at
from reflection.planner.episodes import reach
from reflection.planner.rows import Row, Window
from reflection.policy import Policy
from reflection.states import Action
from tests.reflection.planner_rows import ALWAYS, ANN, BEA, DAY, HOUR, NOW, row, unit

TEXTS = (
    "Ann moved to Berlin in May.",
    "ann moved to berlin in may.",
    "The harbour froze over and the ferry stopped.",
    "Where is the key?",
    "Rex ate the cake. Bea laughed for an hour.",
    "Nobody has seen the spare key since the winter.",
)
DIRECTIONS = (unit(1, 0, 0), unit(0.99, 0.14, 0), unit(0, 1, 0), unit(0, 0.6, 0.8), None)
SHORT = Policy(
    episode_split_rows=4,
    summary_max_rows=6,
    archive_unused_days=20.0,
    archive_cited_age_days=6.0,
    archive_cited_unused_days=5.0,
    archive_working_days=4.0,
    archive_below=0.3,
)
WINDOWS = (
    ALWAYS,
    Window(NOW - 10 * DAY, NOW),
    Window(NOW - 60 * DAY, NOW - 9 * DAY),
    Window(NOW - 10 * DAY, NOW, reach=reach(SHORT)),
)


def some_rows(chance: random.Random) -> list[Row]:
    """Up to 60 rows, among them summaries and facts that cite others; some cited by what is out of sight."""
    rows = [_a_row(chance, number) for number in range(chance.randint(1, 50))]
    if chance.random() < 0.5:  # one crowd in one place
        rows = [replace(one, owner_id=ANN, path="a", pinned=False) for one in rows]
    for number in range(chance.choice([0, 0, 3, 8])):
        rows.append(_derived(chance, 500 + number, rows))
    cited_by = {key: one.id for one in sorted(rows, key=lambda r: r.id) if one.is_summary for key in one.cites}
    rows = [replace(one, cited_by=cited_by.get(one.id)) for one in rows]
    hidden = row(999).id
    rows = [replace(one, cited_by=hidden) if chance.random() < 0.03 else one for one in rows]
    return _spoken(chance, rows)


def _spoken(chance: random.Random, rows: list[Row]) -> list[Row]:
    """With a speaker here and there, and some undated; what a fact cites is said by its own.

    Draws nothing that others draw after it.
    """
    own = random.Random()
    own.setstate(chance.getstate())
    named = own.random() < 0.5
    by = {one.id: own.choice([None, None, None, "Ann", "Ann", "Bo"]) if named else None for one in rows}
    by |= {key: by[one.id] for one in rows if one.cites and not one.is_summary for key in one.cites if key in by}
    rows = [replace(one, undated=own.random() < 0.1) for one in rows]
    return [replace(one, speaker=None if one.is_summary else by[one.id]) for one in rows]


def _a_row(chance: random.Random, number: int) -> Row:
    at = NOW - chance.choice([0, 0, 3, 8, 30]) * DAY - chance.randint(0, 24) * HOUR * chance.choice([1, 1, 4])
    base = chance.choice([0.0, 0.2, 0.35, 0.5, 1.0])
    drawn = row(
        number,
        chance.choice(TEXTS),
        memory_type=chance.choice(["episodic"] * 5 + ["semantic", "semantic", "working", "identity", "procedural"]),
        created_at=at,
        base=base,
        importance=chance.choice([base, 0.3]),
        owner_id=chance.choice([ANN, ANN, ANN, BEA]),
        path=chance.choice(["a", "a", "a/b", "c"]),
        session=chance.choice([None, "s1", "s2"]),
        trust=chance.choice([1, 1, 1, 0, 2]),
        pinned=chance.random() < 0.1,
        held=chance.random() < 0.1,
        vector=chance.choice(DIRECTIONS),
        expires_at=chance.choice([None] * 12 + [NOW - DAY, NOW, NOW + DAY]),
        last_used_at=chance.choice([None, None, NOW - chance.randint(0, 40) * DAY]),
        reactivated_at=NOW - number % 5 * 2 * DAY if number % 7 == 3 else None,
    )
    return _at_the_edge(chance, drawn)


def _derived(chance: random.Random, number: int, rows: list[Row]) -> Row:
    """A summary or a fact of some rows of one owner and place; often old and faded."""
    like = chance.choice(rows)
    near = [one for one in rows if one.boundary == like.boundary and one.memory_type == "episodic"]
    at = NOW - chance.choice([0, 1, 3, 10, 30, 60]) * DAY
    return row(
        number,
        chance.choice(TEXTS),
        memory_type="semantic",
        is_summary=chance.random() < 0.7,
        cites=tuple(one.id for one in chance.sample(near, min(len(near), chance.choice([0, 1, 2, 6])))),
        owner_id=like.owner_id,
        path=f"{like.path}/reflections",
        created_at=at,
        updated_at=at,
        base=chance.choice([0.05, 0.3, 0.9]),
        importance=0.3,
        pinned=chance.random() < 0.3,
        held=chance.random() < 0.05,
        vector=chance.choice(DIRECTIONS),
        expires_at=chance.choice([None] * 6 + [NOW - DAY]),
    )


def _at_the_edge(chance: random.Random, one: Row) -> Row:
    """Sometimes as far off as decay just minds, or as faded as archive just minds."""
    edge = chance.random()
    if edge < 0.2:
        off = chance.choice([0.01, 0.01 - 1e-7, 0.01 - 1e-5])
        return replace(one, importance=min(1.0, round(importance_at(one, NOW, SHORT), 6) + off))
    if edge < 0.3:
        return replace(one, base=SHORT.archive_below + chance.choice([0.0, 1e-12, -1e-12, 1e-5]), anchor=NOW)
    if edge < 0.4:
        return replace(one, updated_at=NOW - chance.choice([4, 5, 20]) * DAY, created_at=NOW - 6 * DAY)
    return one


def some_actions(chance: random.Random) -> tuple[Action, ...]:
    """All five, or some of them."""
    return tuple(Action) if chance.random() < 0.5 else tuple(chance.sample(list(Action), chance.randint(1, 4)))
