"""All that somebody has here as lines of JSON: memories first, then what refers to them, then the other records.

A place in it is written `kind:id`, so that it can be read in pages, each in a transaction of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F, QuerySet

from console.errors import BadId, Invalid, NotAllowed
from console.saying import phrase
from memories.access import Actor, check_may_use, may_use, visible_to
from memories.models import Memory, MemoryLink, MemoryUse
from memories.patterns import ilike
from memories.search.wanted import Search, check
from memories.services.export import BATCH, BYTES_MOST, LINES_MOST, as_line, memory_lines
from memories.services.portable import BESIDE, FORMAT, OF_MEMORIES, told

KINDS = ("memory", "link", "use", "todo", "ledger", "decision", "snapshot")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be exported: kinds of records, and where they stand. The trash is a part of what somebody has."""

    kinds: tuple[str, ...] = KINDS
    space_id: UUID | None = None
    bucket: str = "%"
    scope: str | None = None
    deleted: bool = True
    embeddings: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """Some lines, the place after which the next page begins (None: this is the last), and the kinds left out."""

    lines: list[str]
    following: str | None
    left_out: tuple[str, ...]


def export_everything(
    *, wanted: Wanted, after: str | None = None, limit: int = LINES_MOST, bytes_most: int = BYTES_MOST, actor: Actor
) -> Page:
    """A page of everything the actor may see within `wanted`. Entries of the ledger only with ledger:read.

    Raises Invalid, NotAllowed, and BadId for a place that is none.
    """
    check_may_use(actor, "memory:read")
    _check(wanted, actor)
    left_out = ("ledger",) if "ledger" in wanted.kinds and not may_use(actor, "ledger:read") else ()
    kinds = [kind for kind in KINDS if kind in wanted.kinds and kind not in left_out]
    kind, key = _place(after, kinds)
    lines: list[str] = []
    size = 0
    for name in kinds[kinds.index(kind) if kind else 0 :]:
        at = key if name == kind else None
        while rows := list(_after(_rows(name, wanted, actor), at)[: min(BATCH, limit - len(lines))]):
            for row, own in zip(rows, _lines(name, rows, wanted, actor), strict=True):
                size += sum(len(line.encode()) + 1 for line in own)
                if lines and (size > bytes_most or len(lines) >= limit):
                    return Page(lines, f"{name}:{at or ''}", left_out)
                lines += own
                at = row.pk
            if len(lines) >= limit:
                return Page(lines, f"{name}:{at}", left_out)
    return Page(lines, None, left_out)


def _check(wanted: Wanted, actor: Actor) -> None:
    unknown = sorted(set(wanted.kinds) - set(KINDS))
    if unknown or not wanted.kinds:
        raise Invalid.field("kinds", phrase("Choose some of %(names)s.", names=", ".join(KINDS)))
    check(Search("*", bucket=wanted.bucket, scope=wanted.scope), actor)
    if wanted.space_id is not None and wanted.space_id not in actor.spaces:
        raise NotAllowed(phrase("You are not a member of this team, or this token is not bound to it."))


def _place(text: str | None, kinds: Sequence[str]) -> tuple[str | None, UUID | None]:
    if text is None:
        return None, None
    kind, _, key = text.partition(":")
    try:
        if kind not in kinds or key and len(key) != 36:
            raise ValueError
        return kind, UUID(key) if key else None
    except ValueError:
        raise BadId(phrase("This is no place in the export. Send next_cursor as it was received.")) from None


def _after(rows: QuerySet[Any], at: Any) -> QuerySet[Any]:
    return rows.filter(pk__gt=at) if at else rows


def _rows(name: str, wanted: Wanted, actor: Actor) -> QuerySet[Any]:
    """The rows of a kind, in the order of their ids. Links and uses are those of memories that are exported."""
    if name == "memory":
        return _placed(Memory.objects.select_related("state"), wanted, "state__status", actor)
    memories = _placed(Memory.objects.all(), wanted, "state__status", actor).order_by().values("pk")
    if name == "use":
        return MemoryUse.objects.filter(memory_id__in=memories).order_by("pk")
    if name == "link":
        ends = visible_to(actor, Memory.objects.all()).values("pk")
        forward = MemoryLink.objects.filter(origin_id__in=memories, target_id__in=ends, target_id__gt=F("origin_id"))
        return forward.order_by("pk")
    return _placed(BESIDE[name].model._default_manager.all(), wanted, "status", actor)


def _placed(rows: QuerySet[Any], wanted: Wanted, status: str, actor: Actor) -> QuerySet[Any]:
    rows = visible_to(actor, rows)
    if wanted.space_id is not None:
        rows = rows.filter(space_id=wanted.space_id)
    if wanted.bucket not in ("%", ""):
        rows = rows.filter(ilike("bucket", wanted.bucket))
    if wanted.scope:
        rows = rows.filter(scope=wanted.scope)
    return (rows if wanted.deleted else rows.exclude(**{status: "deleted"})).order_by("pk")


def _lines(name: str, rows: Sequence[Any], wanted: Wanted, actor: Actor) -> Iterable[list[str]]:
    if name == "memory":
        return memory_lines(rows, wanted.embeddings, actor, later="link" in wanted.kinds)
    if name == "link":
        return [[_link_line(row)] for row in rows]
    head = {"format": FORMAT, "kind": name}
    return [[as_line(head | told(row, BESIDE[name]))] for row in rows]


def _link_line(row: MemoryLink) -> str:
    """A link to a memory that comes later in the file, told when both are there."""
    link = told(row, OF_MEMORIES["links"])
    return as_line({"format": FORMAT, "kind": "history", "id": row.origin_id, "links": [link]})
