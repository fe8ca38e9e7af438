"""Summaries that go on: new text and sources for many at once, and all of it back again. See `lifecycle`."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection
from django.db.models import Q

from memories.access import Actor
from memories.models import Memory, MemoryEmbedding, MemoryLink, MemoryVersion
from memories.models.memory import LinkKind
from memories.services.lifecycle import Derived, links_of
from memories.services.revise import snapshot

_TEXTS = """UPDATE memories_memory AS memory
  SET content = now.content, provenance = now.provenance::jsonb, trust = now.trust, pass_id = now.pass_id,
    updated_at = now.updated_at
  FROM unnest(%s::uuid[], %s::text[], %s::text[], %s::int[], %s::uuid[], %s::timestamptz[])
    AS now (id, content, provenance, trust, pass_id, updated_at)
  WHERE memory.id = now.id"""
_STATES = """UPDATE memories_memorystate AS state
  SET importance = now.importance, base = now.base, anchor = now.anchor, version = state.version + 1
  FROM unnest(%s::uuid[], %s::float8[], %s::float8[], %s::timestamptz[]) AS now (id, importance, base, anchor)
  WHERE state.memory_id = now.id"""
_QUOTES = """UPDATE memories_memorylink AS link SET quote = now.quote
  FROM unnest(%s::uuid[], %s::uuid[], %s::text[]) AS now (origin, target, quote)
  WHERE link.origin_id = now.origin AND link.target_id = now.target AND link.kind = 'derived_from'"""
_Row = tuple[Any, ...]


def extend(
    pairs: Sequence[tuple[Memory, Derived]], *, pass_id: UUID, at: datetime, actor: Actor
) -> list[dict[str, Any]]:
    """Let each summary go on as its `Derived` says, the old text kept as a version. Returns what undo needs of each."""
    if not pairs:
        return []
    links = _links([memory for memory, _ in pairs])
    MemoryVersion.objects.bulk_create(
        MemoryVersion(
            memory=memory,
            number=memory.state.version,
            content=memory.content,
            fields=snapshot(memory),
            replaced_at=at,
            replaced_by_id=actor.user_id,
            reason="the episode went on",
        )
        for memory, _ in pairs
    )
    undo = [_undo(memory, one, links[memory.pk]) for memory, one in pairs]
    _write(
        [(memory.pk, one.content, _json(one.provenance), one.trust, pass_id, at) for memory, one in pairs],
        [(memory.pk, one.importance, one.importance, at) for memory, one in pairs],
        [(memory.pk, source.memory_id, source.quote) for memory, one in pairs for source in one.sources],
    )
    fresh: list[MemoryLink] = []
    for memory, one in pairs:
        known = {link.target_id for link in links[memory.pk]}
        new = [source for source in one.sources if source.memory_id not in known]
        fresh += links_of(memory.pk, new, at, len(known))
    MemoryLink.objects.bulk_create(fresh)
    return undo


def _links(memories: Sequence[Memory]) -> dict[UUID, list[MemoryLink]]:
    found: dict[UUID, list[MemoryLink]] = defaultdict(list)
    rows = MemoryLink.objects.filter(origin__in=[memory.pk for memory in memories], kind=LinkKind.DERIVED_FROM)
    for link in rows.order_by("origin_id", "position"):
        found[link.origin_id].append(link)
    return found


def _undo(memory: Memory, one: Derived, links: Sequence[MemoryLink]) -> dict[str, Any]:
    known, state = {link.target_id for link in links}, memory.state
    return {
        "content": memory.content,
        "provenance": memory.provenance,
        "trust": memory.trust,
        "pass_id": str(memory.pass_id) if memory.pass_id else None,
        "updated_at": memory.updated_at.isoformat(),
        "importance": state.importance,
        "base": state.base,
        "anchor": state.anchor.isoformat(),
        "number": state.version,
        "quotes": {str(link.target_id): link.quote for link in links},
        "added": [str(source.memory_id) for source in one.sources if source.memory_id not in known],
    }


def shrink(pairs: Sequence[tuple[Memory, Mapping[str, Any]]]) -> None:
    """Take an `extend` of each back: text, sources, quotes and importance as they were."""
    if not pairs:
        return
    gone, versions = Q(), Q()
    for memory, undo in pairs:
        gone |= Q(origin=memory.pk, target__in=undo["added"])
        versions |= Q(memory=memory.pk, number=undo["number"])
    MemoryLink.objects.filter(gone, kind=LinkKind.DERIVED_FROM).delete()
    MemoryVersion.objects.filter(versions).delete()
    _write(
        [
            (
                memory.pk,
                undo["content"],
                _json(undo["provenance"]),
                undo["trust"],
                undo["pass_id"] and UUID(undo["pass_id"]),
                datetime.fromisoformat(undo["updated_at"]),
            )
            for memory, undo in pairs
        ],
        [
            (memory.pk, undo["importance"], undo["base"], datetime.fromisoformat(undo["anchor"]))
            for memory, undo in pairs
        ],
        [(memory.pk, UUID(key), quote) for memory, undo in pairs for key, quote in undo["quotes"].items()],
    )


def _write(texts: Sequence[_Row], states: Sequence[_Row], quotes: Sequence[_Row]) -> None:
    """Each set in one statement. What the text meant, is to be found out anew."""
    with connection.cursor() as cursor:
        for sql, rows in ((_TEXTS, texts), (_STATES, states), (_QUOTES, quotes)):
            if rows:
                cursor.execute(sql, [list(column) for column in zip(*rows, strict=True)])
    MemoryEmbedding.objects.filter(memory__in=[row[0] for row in texts]).delete()


def _json(value: Any) -> str:
    return json.dumps(value, cls=DjangoJSONEncoder)
