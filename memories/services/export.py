"""Memories as lines of JSON, complete: what they say and said, where they stand, and what they refer to."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import BigIntegerField
from django.db.models.expressions import RawSQL

from memories.access import Actor, check_may_use, visible_to
from memories.models import Memory, MemoryEmbedding, MemoryLink, MemoryVersion
from memories.search.wanted import Search, check, narrowed
from memories.services.line_fields import PARTS_MOST
from memories.services.portable import FORMAT, OF_MEMORIES, told

LINES_MOST = 5_000
BYTES_MOST = 600_000  # of a page: with its quotes escaped it still fits into one request of an import
LINE_BYTES = 400_000  # of one line; former versions and links beyond that follow in lines of their own
BATCH = 200
NUMBER = RawSQL('"memories_memory"."number"', [], BigIntegerField())


@dataclass(frozen=True, slots=True)
class Exported:
    """One page: its lines, and after which memory, by its number, the next begins; None where this is the last."""

    lines: list[str]
    following: int | None


def export(
    *,
    wanted: Search,
    after: int = 0,
    limit: int = LINES_MOST,
    deleted: bool = False,
    embeddings: bool = False,
    actor: Actor,
) -> Exported:
    """Every visible memory within the filters of `wanted`, in the order in which they came. Raises Invalid, NotAllowed.

    The database numbers memories once and for all, so a page begins where the one before ended whatever is written.

    The trash only with `deleted`, vectors only with `embeddings`. Links lead to what the actor may see too. A memory
    with a very long history takes several lines, which stay together.
    """
    check_may_use(actor, "memory:read")
    check(wanted, actor)
    rows = narrowed(visible_to(actor, Memory.objects.select_related("state")), wanted)
    rows = rows.annotate(number=NUMBER).order_by("number")
    rows = rows if deleted else rows.exclude(state__status="deleted")
    lines: list[str] = []
    size = memories = 0
    while memories < limit:
        batch = list(rows.filter(number__gt=after)[: min(BATCH, limit - memories)])
        if not batch:
            return Exported(lines, None)
        for memory, own in zip(batch, memory_lines(batch, embeddings, actor), strict=True):
            size += sum(len(line.encode()) + 1 for line in own)
            if lines and size > BYTES_MOST:
                return Exported(lines, after)
            lines += own
            memories, after = memories + 1, memory.number
    return Exported(lines, after if rows.filter(number__gt=after).exists() else None)


def memory_lines(batch: Sequence[Memory], embeddings: bool, actor: Actor, *, later: bool = False) -> list[list[str]]:
    """The lines of each of these memories. With `later`, links to memories of higher ids are told afterwards."""
    ids = [memory.pk for memory in batch]
    versions = _by(MemoryVersion.objects.filter(memory_id__in=ids).order_by("number"), "memory_id")
    links = _links(ids, actor)
    vectors = _by(MemoryEmbedding.objects.filter(memory_id__in=ids), "memory_id") if embeddings else {}
    found = []
    for memory in batch:
        line: dict[str, Any] = {"format": FORMAT, **told(memory, OF_MEMORIES["memory"])}
        line["state"] = told(memory.state, OF_MEMORIES["state"])
        for one in vectors.get(memory.pk, ()):
            line["embedding"] = told(one, OF_MEMORIES["embedding"]) | {"vector": list(one.vector)}
        parts = [("versions", told(one, OF_MEMORIES["versions"])) for one in versions.get(memory.pk, ())]
        now = [one for one in links.get(memory.pk, ()) if not (later and one.target_id > memory.pk)]
        parts += [("links", told(one, OF_MEMORIES["links"])) for one in now]
        found.append(_in_lines(line, parts))
    return found


def _in_lines(line: dict[str, Any], parts: Iterable[tuple[str, dict[str, Any]]]) -> list[str]:
    """`line` with as many of its parts as one line may hold; the rest in lines that name the memory and its parts."""
    head = {"format": FORMAT, "kind": "history", "id": line["id"]}
    line |= {"versions": [], "links": []}
    found, size = [line], len(as_line(line).encode())
    for name, part in parts:
        size += len(as_line(part).encode()) + 1
        if size > LINE_BYTES or len(found[-1].get(name, ())) == PARTS_MOST:
            found.append(head | {"versions": [], "links": []})
            size = len(as_line(part).encode())
        found[-1][name].append(part)
    return [as_line(one) for one in found]


def as_line(value: dict[str, Any]) -> str:
    """One line of JSON, without white space."""
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False, separators=(",", ":"))


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
