"""From the database to what the planner takes: columns of all rows, and whole rows of those that it asks for."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from memories.access import Actor
from memories.embedding import EmbeddingUnavailable, get_embedder
from memories.embedding.waiting import floor_of
from memories.models import Memory, MemoryEmbedding
from memories.models.memory import Derivation
from reflection.filters import Filters
from reflection.loading.columns import read
from reflection.loading.filtered import memories_of, unit
from reflection.loading.shelf import StoredShelf
from reflection.planner.columns import Columns
from reflection.planner.episodes import reach
from reflection.planner.later import archived_after
from reflection.planner.rows import Row, Window
from reflection.planner.survey import Survey, survey
from reflection.policy import Policy
from reflection.states import Action

__all__ = ["archived_by", "comparable", "meaning", "memories_of", "rows_of", "survey_of"]
log = logging.getLogger(__name__)
_LEAVING = (Action.EXPIRE, Action.ARCHIVE)  # what takes a memory out of the active set


def survey_of(filters: Filters, actor: Actor, *, as_of: datetime, model: str, rules: Policy) -> Survey:
    """What a pass with these filters would do, in a constant number of queries; `model` and `rules` as of `meaning`."""
    columns = read(filters, actor)
    shelf = StoredShelf(columns, filters, actor, as_of=as_of, rules=rules, model=model)
    window = Window(filters.since, filters.until, reach(rules) if filters.reaches_back else timedelta())
    return survey(columns, shelf, actions=filters.actions, window=window, as_of=as_of, policy=rules)


def archived_by(
    filters: Filters, actor: Actor, moments: Sequence[datetime], policies: Iterable[Policy]
) -> list[list[int]]:
    """How many memories passes at all moments up to each have archived, under each policy. They are read once."""
    columns = read(filters, actor)

    def look(columns: Columns, as_of: datetime, rules: Policy) -> Survey:
        shelf = StoredShelf(columns, filters, actor, as_of=as_of, rules=rules, model="")
        return survey(columns, shelf, actions=_LEAVING, window=Window(as_of, as_of), as_of=as_of, policy=rules)

    return [archived_after(columns, moments, partial(look, rules=rules)) for rules in policies]


def rows_of(memories: QuerySet[Memory], *, meant: bool = True) -> list[Row]:
    """These memories in time order, without the links between them; without their vectors unless `meant`."""
    vectors = _vectors(memories) if meant else {}
    found = memories.select_related("state").annotate(folded=RawSQL("memories_memory.folded", []))
    return [_row(memory, vectors) for memory in found.order_by("created_at", "pk")]


def meaning(rules: Policy) -> tuple[str, Policy]:
    """The embedding model whose vectors count now, and the rules that know from where its cosines count.

    While a model over the network does not answer, nobody knows: then there is no model, and what is planned goes by
    words, times and places.
    """
    try:
        embedder = get_embedder()
        return embedder.name, replace(rules, cosine_floor=floor_of(embedder))
    except EmbeddingUnavailable as problem:
        log.warning("Comparing by words only. %s", problem)
        return "", rules


def comparable(rows: list[Row], rules: Policy) -> tuple[list[Row], Policy]:
    """The rows with rules that know from where the model's cosines count; without their vectors where nobody knows."""
    model, known = meaning(rules)
    return (rows if model else [replace(row, vector=None) for row in rows]), known


def _vectors(memories: QuerySet[Memory]) -> dict[UUID, Any]:
    model = get_embedder().name
    rows = MemoryEmbedding.objects.filter(memory_id__in=memories.values("pk"), model=model)
    return {key: unit(vector) for key, vector in rows.values_list("memory_id", "vector")}


def _speaker(metadata: Any) -> str | None:
    found = metadata.get("speaker") if isinstance(metadata, dict) else None
    return found if isinstance(found, str) and found else None


def _row(memory: Any, vectors: dict[UUID, Any]) -> Row:
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
        reactivated_at=state.reactivated_at,
        importance=state.importance,
        base=state.base,
        anchor=state.anchor,
        trust=memory.trust,
        session=memory.session,
        speaker=_speaker(memory.metadata),
        pinned=memory.pinned,
        held=bool(memory.hold),
        is_summary=memory.derivation == Derivation.SUMMARY,
        undated=memory.provenance.get("dated_by") == "import" if isinstance(memory.provenance, dict) else False,
        vector=vectors.get(memory.pk),
    )
