"""What a pass may do to memories, set by set: importance, status, derived records, and all of it back again.

Each verb writes many rows in a few statements and moves every version by one. The caller has locked the rows with
`lock_many`, compared the versions, and writes the audit lines of the pass in the same transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import F, Value
from uuid6 import uuid7

from memories.access import Actor, visible_to
from memories.models import Memory, MemoryEmbedding, MemoryLink, MemoryState
from memories.models.memory import Derivation, LinkKind, MemoryType

# What most changes of a pass need of a memory: its boundary and where it stands, without its words.
LEAN = ("owner", "team", "bucket", "scope", "path", "language", "trust", "state__version", "state__importance")


def lock_many(ids: Collection[UUID], *, whole: Collection[UUID] | None = None, actor: Actor) -> dict[UUID, Memory]:
    """The visible memories among `ids` with their states, locked in id order until the transaction ends.

    With `whole`, only these come with all their fields; of the others there are those of LEAN.
    """
    rows = visible_to(actor, Memory.objects.select_related("state")).filter(pk__in=list(ids))
    rows = rows.filter(state__version__gte=1)  # an inner join: the nullable side of an outer one cannot be locked
    locked = rows.order_by("pk").select_for_update(no_key=True, of=("self", "state"))
    if whole is None:
        return {memory.pk: memory for memory in locked}
    found = {memory.pk: memory for memory in locked.only(*LEAN)}
    wanted = Memory.objects.select_related("state").filter(pk__in=found.keys() & set(whole))
    return found | ({memory.pk: memory for memory in wanted} if whole else {})


def set_importance(values: Mapping[UUID, float]) -> None:
    """Store the importance of many memories. Base and anchor stay: decay is a closed form of them."""
    if not values:
        return
    ids = list(values)
    with connection.cursor() as cursor:
        cursor.execute(
            """UPDATE memories_memorystate AS s SET importance = due.importance, version = s.version + 1
               FROM unnest(%s::uuid[], %s::float8[]) AS due (id, importance) WHERE s.memory_id = due.id""",
            [ids, [values[key] for key in ids]],
        )


def set_status(ids: Collection[UUID], status: str, *, at: datetime) -> None:
    """Make many active memories `expired` or `archived`, or those back `active`; the vector index follows."""
    if not ids:
        return
    marker = {"expired": "expired_at", "archived": "archived_at"}.get(status)
    marks: dict[str, Any] = {marker: at} if marker else {"expired_at": None, "archived_at": None}
    rows = MemoryState.objects.filter(memory_id__in=list(ids))
    rows.update(status=status, version=F("version") + Value(1), **marks)
    MemoryEmbedding.objects.filter(memory_id__in=list(ids)).update(active=status == "active")


@dataclass(frozen=True, slots=True)
class Source:
    """A record that a derived one cites, with the words taken from it."""

    memory_id: UUID
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Derived:
    """A record that a pass writes: a summary or a fact."""

    owner_id: UUID
    team_id: UUID | None
    bucket: str
    scope: str | None
    path: str
    content: str
    derivation: Derivation
    importance: float
    confidence: float | None
    trust: int
    language: str
    provenance: dict[str, Any]
    sources: tuple[Source, ...]
    metadata: dict[str, Any] = field(default_factory=dict)


def create_derived(many: Sequence[Derived], *, pass_id: UUID, at: datetime, actor: Actor) -> list[UUID]:
    """Write the records of a pass with their links. Returns their ids in order."""
    memories = [
        Memory(
            id=uuid7(),
            owner_id=one.owner_id,
            team_id=one.team_id,
            bucket=one.bucket,
            scope=one.scope,
            path=one.path[:500],
            memory_type=MemoryType.SEMANTIC,
            content=one.content,
            confidence=one.confidence,
            metadata=one.metadata,
            provenance=one.provenance,
            source="reflect",
            agent_id=actor.agent_id,
            token_id=actor.token_id,
            language=one.language,
            trust=one.trust,
            derivation=one.derivation,
            pass_id=pass_id,
            created_at=at,
            updated_at=at,
        )
        for one in many
    ]
    Memory.objects.bulk_create(memories)
    MemoryState.objects.bulk_create(
        MemoryState(memory=memory, importance=one.importance, base=one.importance, anchor=at)
        for memory, one in zip(memories, many, strict=True)
    )
    MemoryLink.objects.bulk_create(
        link for memory, one in zip(memories, many, strict=True) for link in links_of(memory.pk, one.sources, at, 0)
    )
    return [memory.pk for memory in memories]


def links_of(memory_id: UUID, sources: Iterable[Source], at: datetime, first: int) -> Iterator[MemoryLink]:
    """What lets a record cite these sources, counted on from `first`."""
    for place, source in enumerate(sources):
        yield MemoryLink(
            origin_id=memory_id,
            target_id=source.memory_id,
            kind=LinkKind.DERIVED_FROM,
            position=first + place,
            quote=source.quote,
            created_at=at,
        )


def remove_derived(ids: Collection[UUID]) -> None:
    """Take records back that a pass wrote and nobody changed since, with links, vectors and state."""
    Memory.objects.filter(pk__in=list(ids)).exclude(derivation=Derivation.NONE).delete()
