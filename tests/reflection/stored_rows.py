"""Random rows as records of a team, and all of them read back the plain way, one model each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import numpy as np

from memories.embedding import get_embedder
from memories.models import Membership, Memory, MemoryEmbedding, MemoryLink, MemoryState, Team, User
from reflection.loading import memories_of, rows_of
from reflection.planner.rows import Row
from tests.reflection.planner_rows import ANN, BEA, NOW

PASS = UUID(int=7)


def people() -> Team:
    """The owners of random rows, and their team."""
    team = Team.objects.create(name="Atlas")
    for key, name in ((ANN, "ann"), (BEA, "bea")):
        user = User.objects.create(pk=key, username=name)
        Membership.objects.create(team=team, user=user, role="reviewer")
    return team


def store(rows: Sequence[Row], team: Team) -> None:
    """Write `rows` into the team, in place of those before. What a row says that is cited out of sight, is so here."""
    Memory.objects.all().delete()
    known = {row.id for row in rows}
    hidden = {row.cited_by for row in rows if row.cited_by and row.cited_by not in known}
    Memory.objects.bulk_create([_memory(row, team) for row in rows])
    Memory.objects.bulk_create([_hidden(key, team) for key in hidden])
    states = [_state(row) for row in rows]
    MemoryState.objects.bulk_create([*states, *(MemoryState(memory_id=key, anchor=NOW) for key in hidden)])
    pairs = [(row.id, key, place) for row in rows for place, key in enumerate(row.cites)]
    pairs += [(row.cited_by, row.id, 0) for row in rows if row.cited_by in hidden]
    MemoryLink.objects.bulk_create(
        MemoryLink(origin_id=origin, target_id=target, kind="derived_from", position=place, created_at=NOW)
        for origin, target, place in pairs
    )
    MemoryEmbedding.objects.bulk_create(_embedding(row, team) for row in rows if row.vector is not None)


def _memory(row: Row, team: Team) -> Memory:
    derivation = "summary" if row.is_summary else "fact" if row.cites else ""
    return Memory(
        pk=row.id,
        owner_id=row.owner_id,
        team=team,
        bucket=row.bucket,
        scope=row.scope,
        path=row.path,
        memory_type=row.memory_type,
        content=row.content,
        created_at=row.created_at,
        updated_at=row.updated_at,
        expires_at=row.expires_at,
        trust=row.trust,
        session=row.session,
        metadata={"speaker": row.speaker} if row.speaker else {},
        provenance={"dated_by": "import"} if row.undated else {},
        pinned=row.pinned,
        hold="case" if row.held else "",
        derivation=derivation,
        pass_id=PASS if derivation else None,
    )


def _hidden(key: UUID, team: Team) -> Memory:
    fields: dict[str, Any] = {"bucket": "elsewhere", "path": "x", "memory_type": "semantic", "content": "Out of sight."}
    at = NOW - timedelta(days=1)
    made = {"derivation": "summary", "pass_id": PASS, "created_at": at, "updated_at": at}
    return Memory(pk=key, owner_id=ANN, team=team, **fields, **made)


def _state(row: Row) -> MemoryState:
    kept = {
        name: getattr(row, name)
        for name in ("importance", "base", "anchor", "last_used_at", "reactivated_at", "version")
    }
    return MemoryState(memory_id=row.id, **kept)


def _embedding(row: Row, team: Team) -> MemoryEmbedding:
    embedder = get_embedder()
    vector = np.zeros(embedder.dimension)
    vector[: len(row.vector)] = row.vector  # type: ignore[arg-type]
    return MemoryEmbedding(
        memory_id=row.id, space_id=team.pk, model=embedder.name, dimension=embedder.dimension, vector=vector
    )


def read_all(filters: Any, actor: Any) -> list[Row]:
    """Every row of the pass as a model, with all vectors and links."""
    rows = rows_of(memories_of(filters, actor))
    known = {row.id for row in rows}
    cites: dict[UUID, list[UUID]] = defaultdict(list)
    cited_by: dict[UUID, UUID] = {}
    links = MemoryLink.objects.filter(kind="derived_from").order_by("origin_id", "position")
    for link in links.select_related("origin__state"):
        cites[link.origin_id].append(link.target_id)
        if link.origin.derivation == "summary" and link.origin.state.status == "active":
            cited_by[link.target_id] = link.origin_id
    assert known
    return [replace(row, cites=tuple(cites[row.id]), cited_by=cited_by.get(row.id)) for row in rows]
