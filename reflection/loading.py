"""From the database to the planner's plain rows, in a constant number of queries."""

from __future__ import annotations

import logging
from collections import defaultdict
from dataclasses import replace
from typing import Any
from uuid import UUID

import numpy as np
from django.db.models import Q, QuerySet
from django.db.models.expressions import RawSQL

from memories.access import Actor, visible_to
from memories.embedding import EmbeddingUnavailable, get_embedder
from memories.models import Memory, MemoryEmbedding, MemoryLink
from memories.models.memory import Derivation, LinkKind
from memories.patterns import ilike
from reflection.filters import Filters
from reflection.planner.rows import Row
from reflection.policy import Policy

log = logging.getLogger(__name__)


def memories_of(filters: Filters, actor: Actor) -> QuerySet[Memory]:
    """The active, unredacted memories that the filters name, inside the actor's boundary."""
    rows = visible_to(actor, Memory.objects.all()).filter(space_id=filters.space.id, state__status="active")
    rows = rows.filter(redacted_at__isnull=True)
    wanted = Q()
    if filters.owner_id is not None:
        wanted &= Q(owner_id=filters.owner_id)
    if filters.scope is not None:
        wanted &= Q(scope=filters.scope)
    if filters.bucket != "%":
        wanted &= ilike("bucket", filters.bucket)
    if filters.path != "%":
        wanted &= ilike("path", filters.path)
    return rows.filter(wanted)


def load(filters: Filters, actor: Actor) -> list[Row]:
    """All rows of the pass, with vectors of the current model and the links between them."""
    memories = list(
        memories_of(filters, actor)
        .select_related("state")
        .annotate(folded=RawSQL("memories_memory.folded", []))
        .order_by("created_at", "pk")
    )
    vectors = _vectors(memories_of(filters, actor))
    cites, cited_by = _links(memories_of(filters, actor))
    return [_row(memory, vectors, cites, cited_by) for memory in memories]


def rows_of(memories: QuerySet[Memory]) -> list[Row]:
    """These memories in time order, without the links between them."""
    vectors = _vectors(memories)
    found = memories.select_related("state").annotate(folded=RawSQL("memories_memory.folded", []))
    return [_row(memory, vectors, {}, {}) for memory in found.order_by("created_at", "pk")]


def comparable(rows: list[Row], rules: Policy) -> tuple[list[Row], Policy]:
    """The rows with rules that know from where the model's cosines count.

    While a model over the network does not answer, nobody knows: then the rows come without their vectors, and what is
    planned goes by words, times and places.
    """
    try:
        return rows, replace(rules, cosine_floor=get_embedder().floor)
    except EmbeddingUnavailable as problem:
        log.warning("Comparing by words only. %s", problem)
        return [replace(row, vector=None) for row in rows], rules


def _vectors(memories: QuerySet[Memory]) -> dict[UUID, Any]:
    model = get_embedder().name
    rows = MemoryEmbedding.objects.filter(memory_id__in=memories.values("pk"), model=model)
    return {key: _unit(vector) for key, vector in rows.values_list("memory_id", "vector")}


def _unit(vector: Any) -> Any:
    values = np.asarray(vector.to_numpy() if hasattr(vector, "to_numpy") else vector, dtype=np.float32)
    length = float(np.linalg.norm(values))
    return values / length if length else None


def _links(memories: QuerySet[Memory]) -> tuple[dict[UUID, list[UUID]], dict[UUID, UUID]]:
    """What each derived row cites, in source order, and the active summary by which each row is cited."""
    cites: dict[UUID, list[UUID]] = defaultdict(list)
    cited_by: dict[UUID, UUID] = {}
    ids = memories.values("pk")
    links = MemoryLink.objects.filter(kind=LinkKind.DERIVED_FROM).filter(Q(origin_id__in=ids) | Q(target_id__in=ids))
    fields = ("origin_id", "target_id", "origin__derivation", "origin__state__status")
    for origin, target, derivation, status in links.order_by("origin_id", "position").values_list(*fields):
        cites[origin].append(target)
        if derivation == Derivation.SUMMARY and status == "active":
            cited_by[target] = origin
    return cites, cited_by


def _row(memory: Any, vectors: dict[UUID, Any], cites: dict[UUID, list[UUID]], cited_by: dict[UUID, UUID]) -> Row:
    state = memory.state
    return Row(
        id=memory.pk,
        version=state.version,
        owner_id=memory.owner_id,
        team_id=memory.team_id,
        bucket=memory.bucket,
        scope=memory.scope,
        path=memory.path,
        memory_type=memory.memory_type,
        content=memory.content,
        folded=memory.folded,
        created_at=memory.created_at,
        updated_at=memory.updated_at,
        expires_at=memory.expires_at,
        last_used_at=state.last_used_at,
        importance=state.importance,
        base=state.base,
        anchor=state.anchor,
        trust=memory.trust,
        session=memory.session,
        pinned=memory.pinned,
        held=bool(memory.hold),
        is_summary=memory.derivation == Derivation.SUMMARY,
        cited_by=cited_by.get(memory.pk),
        cites=tuple(cites.get(memory.pk, ())),
        vector=vectors.get(memory.pk),
    )
