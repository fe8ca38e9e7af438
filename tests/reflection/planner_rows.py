"""Rows for planner tests, and a small in-memory stand-in for applying a plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

import numpy as np
from numpy.typing import NDArray

from reflection.planner import plan
from reflection.planner.rows import Plan, Proposal, Row, Window
from reflection.policy import Policy
from reflection.states import Action
from reflection.summarizer.words import fold

NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
ANN, BEA = UUID(int=0xA), UUID(int=0xB)
ALWAYS = Window(datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))
SPACE = UUID(int=0xF00D)


def row(number: int, content: str | None = None, **values: Any) -> Row:
    """An episodic row of Ann, ten minutes after row `number - 1`; ids rise with `number`."""
    at = values.pop("created_at", NOW - 5 * HOUR + number * 10 * MINUTE)
    text = f"Ann painted picture {number} of the harbour." if content is None else content
    kept: dict[str, Any] = {
        "id": UUID(int=0x1000 + number),
        "version": 1,
        "owner_id": ANN,
        "team_id": None,
        "bucket": "personal",
        "scope": None,
        "path": "notes/day",
        "memory_type": "episodic",
        "content": text,
        "folded": fold(text),
        "created_at": at,
        "updated_at": at,
        "expires_at": None,
        "last_used_at": None,
        "reactivated_at": None,
        "importance": values.get("base", 0.5),
        "base": 0.5,
        "anchor": at,
        "trust": 1,
    }
    return Row(**(kept | values))


def unit(*numbers: float) -> NDArray[np.float32]:
    """The vector of unit length in this direction."""
    vector = np.array(numbers, dtype=np.float32)
    return vector / np.linalg.norm(vector)


def planned(rows: Sequence[Row], *actions: Action, **values: Any) -> Plan:
    """A plan of all five actions (or those named) over all time, at NOW, without a limit."""
    settings: dict[str, Any] = {"window": ALWAYS, "as_of": NOW, "policy": Policy(), "limit": 1_000_000}
    return plan(rows, actions=actions or tuple(Action), **(settings | values))


def applied(rows: Iterable[Row], done: Plan, at: datetime = NOW) -> list[Row]:
    """The active rows after `done` took effect at `at`: what the services do to the database, in small."""
    kept = {row.id: row for row in rows}
    for proposal in done.proposals:
        _APPLY[proposal.action](kept, proposal, at)
    return list(kept.values())


def _summarized(kept: dict[UUID, Row], proposal: Proposal, at: datetime) -> None:
    cited = [c.memory_id for c in proposal.basis if not c.changes]
    if proposal.target_id:
        old = kept[proposal.target_id]
        cites = tuple(dict.fromkeys([*old.cites, *cited]))
        content = proposal.after["content"]
        new = replace(old, content=content, folded=fold(content), cites=cites, updated_at=at, version=old.version + 1)
    else:
        new = replace(_created(proposal, at), is_summary=True, cites=tuple(cited))
    kept[new.id] = new
    for memory_id in cited:
        kept[memory_id] = replace(kept[memory_id], cited_by=new.id)


def _promoted(kept: dict[UUID, Row], proposal: Proposal, at: datetime) -> None:
    fact = replace(_created(proposal, at), cites=tuple(c.memory_id for c in proposal.basis))
    kept[fact.id] = fact


def _created(proposal: Proposal, at: datetime) -> Row:
    after = proposal.after
    return row(
        0,
        after["content"],
        id=uuid5(SPACE, f"{at}{proposal.action}{[str(c.memory_id) for c in proposal.basis]}"),
        owner_id=UUID(after["owner_id"]),
        team_id=UUID(after["team_id"]) if after["team_id"] else None,
        bucket=after["bucket"],
        scope=after["scope"],
        path=after["path"],
        memory_type=after["memory_type"],
        trust=after["trust"],
        speaker=after.get("speaker"),
        base=after["importance"],
        created_at=at,
    )


def _gone(kept: dict[UUID, Row], proposal: Proposal, at: datetime) -> None:
    assert proposal.target_id
    gone = kept.pop(proposal.target_id)
    if gone.is_summary:
        for memory_id in gone.cites:
            if memory_id in kept and kept[memory_id].cited_by == gone.id:
                kept[memory_id] = replace(kept[memory_id], cited_by=None)


def _decayed(kept: dict[UUID, Row], proposal: Proposal, at: datetime) -> None:
    assert proposal.target_id
    kept[proposal.target_id] = replace(kept[proposal.target_id], importance=proposal.after["importance"])


_APPLY = {
    Action.SUMMARIZE: _summarized,
    Action.PROMOTE: _promoted,
    Action.EXPIRE: _gone,
    Action.DECAY: _decayed,
    Action.ARCHIVE: _gone,
}
