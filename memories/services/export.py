"""Memories as lines of JSON, complete: what they say and said, where they stand, and what they refer to."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder

from memories.access import Actor, check_may_use, visible_to
from memories.models import Memory, MemoryEmbedding, MemoryLink, MemoryState, MemoryVersion
from memories.search.wanted import Search, check, narrowed

FORMAT = "memory-console/1"
LINES_MOST = 5_000
BYTES_MOST = 600_000  # of a page: with its quotes escaped it still fits into one request of an import
OWN = (
    "content",
    "path",
    "bucket",
    "scope",
    "team_id",
    "memory_type",
    "semantic_key",
    "confidence",
    "metadata",
    "provenance",
    "session",
    "source",
    "source_id",
    "agent_id",
    "language",
    "trust",
    "derivation",
    "pass_id",
    "event_type",
    "occurred_at",
    "expires_at",
    "redacted_at",
    "pinned",
    "hold",
    "created_at",
    "updated_at",
)
STATE = (
    "status",
    "version",
    "importance",
    "base",
    "anchor",
    "last_used_at",
    "use_count",
    "expired_at",
    "archived_at",
    "deleted_at",
    "status_before_delete",
)
BATCH = 200


@dataclass(frozen=True, slots=True)
class Exported:
    """One page: its lines, and the id after which the next page begins; None where this is the last."""

    lines: list[str]
    following: UUID | None


def export(
    *,
    wanted: Search,
    after: UUID | None = None,
    limit: int = LINES_MOST,
    deleted: bool = False,
    embeddings: bool = False,
    actor: Actor,
) -> Exported:
    """Every visible memory within the filters of `wanted`, in the order of ids. Raises Invalid, NotAllowed.

    The trash only with `deleted`, vectors only with `embeddings`. Links lead to what the actor may see too.
    """
    check_may_use(actor, "memory:read")
    check(wanted, actor)
    rows = narrowed(visible_to(actor, Memory.objects.select_related("state")), wanted).order_by("pk")
    rows = rows if deleted else rows.exclude(state__status="deleted")
    lines: list[str] = []
    size = 0
    while len(lines) < limit:
        batch = list((rows.filter(pk__gt=after) if after else rows)[: min(BATCH, limit - len(lines))])
        if not batch:
            return Exported(lines, None)
        for memory, line in zip(batch, _told(batch, embeddings, actor), strict=True):
            size += len(line.encode()) + 1
            if lines and size > BYTES_MOST:
                return Exported(lines, after)
            lines.append(line)
            after = memory.pk
    return Exported(lines, after if rows.filter(pk__gt=after).exists() else None)


def _told(batch: Sequence[Memory], embeddings: bool, actor: Actor) -> list[str]:
    ids = [memory.pk for memory in batch]
    versions = _by(MemoryVersion.objects.filter(memory_id__in=ids).order_by("number"), "memory_id")
    links = _links(ids, actor)
    vectors = _by(MemoryEmbedding.objects.filter(memory_id__in=ids), "memory_id") if embeddings else {}
    found = []
    for memory in batch:
        line: dict[str, Any] = {"format": FORMAT, "id": memory.pk}
        line |= {name: exact(getattr(memory, name)) for name in OWN}
        line["state"] = _state(memory.state)
        line["versions"] = [_version(one) for one in versions.get(memory.pk, ())]
        line["links"] = [_link(one) for one in links.get(memory.pk, ())]
        for one in vectors.get(memory.pk, ()):
            line["embedding"] = {"model": one.model, "dimension": one.dimension, "vector": list(one.vector)}
        found.append(json.dumps(line, cls=DjangoJSONEncoder, ensure_ascii=False, separators=(",", ":")))
    return found


def _by(rows: Any, name: str) -> dict[UUID, list[Any]]:
    found: dict[UUID, list[Any]] = defaultdict(list)
    for row in rows:
        found[getattr(row, name)].append(row)
    return found


def _links(ids: Sequence[UUID], actor: Actor) -> dict[UUID, list[MemoryLink]]:
    rows = list(MemoryLink.objects.filter(origin_id__in=ids).order_by("kind", "position", "pk"))
    ends = Memory.objects.filter(pk__in={row.target_id for row in rows})
    seen = set(visible_to(actor, ends).values_list("pk", flat=True))
    return _by([row for row in rows if row.target_id in seen], "origin_id")


def exact(value: Any) -> Any:
    """A time to the microsecond, which the encoder would cut; everything else as it is."""
    return value.isoformat() if isinstance(value, datetime) else value


def _state(state: MemoryState) -> dict[str, Any]:
    return {name: exact(getattr(state, name)) for name in STATE}


def _version(one: MemoryVersion) -> dict[str, Any]:
    return {
        "number": one.number,
        "content": one.content,
        "fields": one.fields,
        "replaced_at": exact(one.replaced_at),
        "reason": one.reason,
    }


def _link(one: MemoryLink) -> dict[str, Any]:
    return {
        "target": one.target_id,
        "kind": one.kind,
        "position": one.position,
        "quote": one.quote,
        "created_at": exact(one.created_at),
    }
