"""What a token wrote: which tokens a person may ask about, and the lines and records of one span of time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Min, Q, QuerySet

from console.errors import NotFound
from console.saying import phrase
from memories import audit
from memories.access import Actor, Space, in_spaces, visible_to
from memories.models import ApiToken, AuditRecord, Memory, MemoryVersion
from memories.services.revise import snapshot
from reflection.planner.reversal import Line, Version, Written

CHUNK = 500
ABSENT = phrase("There is no such token, or its writes are not yours to take back.")


def tokens_of(actor: Actor) -> QuerySet[ApiToken]:
    """One's own tokens, and those of members that may write into a team one is in; revoked ones too."""
    teams = [space.team_id for space in actor.spaces.values() if space.team_id]
    shared = Q(user__memberships__team__in=teams) & (Q(team__isnull=True) | Q(team__in=teams))
    found = ApiToken.objects.filter(Q(user_id=actor.own) | shared).distinct()
    return found.select_related("user", "team").order_by("-created_at", "-pk")


def token(token_id: UUID, *, actor: Actor) -> ApiToken:
    """The token of this id whose writes the actor may ask about. Raises NotFound."""
    found = tokens_of(actor).filter(pk=token_id).first()
    if found is None:
        raise NotFound(ABSENT)
    return found


@dataclass(frozen=True, slots=True)
class Span:
    """What one token did in one space from `since` until `until`."""

    token_id: UUID
    space: Space
    since: datetime
    until: datetime

    def lines(self, actor: Actor) -> QuerySet[AuditRecord]:
        """The lines of what it did."""
        rows = in_spaces(actor, AuditRecord.objects.filter(space_id=self.space.id, result=audit.DONE))
        return rows.filter(token_id=self.token_id, at__gte=self.since, at__lt=self.until)

    def memories(self, actor: Actor) -> QuerySet[AuditRecord]:
        """The lines about memories, without those of passes."""
        return self.lines(actor).filter(object_type="memory", action__startswith="memory.", object_id__isnull=False)


@dataclass(frozen=True, slots=True)
class Tally:
    """How much a token wrote in a span."""

    writes: int
    records: int
    passes: int
    others: dict[str, int]  # records of other kinds


def tally(span: Span, *, actor: Actor) -> Tally:
    """Count what the token wrote."""
    about = span.memories(actor).aggregate(writes=Count("pk"), records=Count("object_id", distinct=True))
    rest = span.lines(actor).filter(object_type__in=["todo", "ledger", "decision", "snapshot"])
    counted = rest.order_by().values("object_type").annotate(records=Count("object_id", distinct=True))
    return Tally(
        writes=about["writes"],
        records=about["records"],
        passes=len(passes(span, actor=actor)),
        others={row["object_type"]: row["records"] for row in counted},
    )


def passes(span: Span, *, actor: Actor) -> list[UUID]:
    """The passes that this token applied in the span."""
    rows = span.lines(actor).filter(action="pass.apply", pass_id__isnull=False).order_by("seq")
    return [key for key in rows.values_list("pass_id", flat=True) if key is not None]


def touched(span: Span, *, actor: Actor) -> list[UUID]:
    """The memories that the token wrote to, also those out of sight or gone by now, in the order of its first write."""
    first = span.memories(actor).order_by().values("object_id").annotate(first=Min("seq")).order_by("first")
    return [row["object_id"] for row in first if row["object_id"] is not None]


def written(ids: Sequence[UUID], span: Span, *, actor: Actor) -> Iterator[tuple[int, list[Written]]]:
    """Those of these memories that are visible, some at a time; with each some, how many of `ids` they were."""
    for start in range(0, len(ids), CHUNK):
        chunk = ids[start : start + CHUNK]
        found = _written(chunk, span, actor)
        yield len(chunk), [found[key] for key in chunk if key in found]


def _written(ids: Sequence[UUID], span: Span, actor: Actor) -> dict[UUID, Written]:
    rows = visible_to(actor, Memory.objects.select_related("state")).filter(pk__in=ids, space_id=span.space.id)
    memories = {memory.pk: memory for memory in rows}
    lines = _lines(ids, span, actor)
    versions = _versions(list(memories))
    return {
        key: Written(
            id=key,
            version=memory.state.version,
            now=_now(memory),
            lines=lines[key],
            versions=versions[key],
            held=memory.hold,
            redacted=memory.redacted_at is not None,
        )
        for key, memory in memories.items()
    }


def _now(memory: Memory) -> dict[str, Any]:
    return {
        **snapshot(memory),
        "content": memory.content,
        "status": memory.state.status,
        "pinned": memory.pinned,
    }


def _lines(ids: Sequence[UUID], span: Span, actor: Actor) -> dict[UUID, list[Line]]:
    """All lines about each record from the token's first write on."""
    rows = in_spaces(actor, AuditRecord.objects.filter(object_id__in=ids, space_id=span.space.id, result=audit.DONE))
    found: dict[UUID, list[Line]] = defaultdict(list)
    for row in rows.filter(at__gte=span.since).order_by("seq").defer("prev_hash", "hash"):
        ours = row.token_id == span.token_id and row.at < span.until and row.action.startswith("memory.")
        assert row.object_id is not None
        if ours or found[row.object_id]:
            line = Line(row.seq, row.at, row.action, row.actor_name or "Somebody", ours, row.detail)
            found[row.object_id].append(line)
    return found


def _versions(ids: Sequence[UUID]) -> dict[UUID, list[Version]]:
    found: dict[UUID, list[Version]] = defaultdict(list)
    for row in MemoryVersion.objects.filter(memory_id__in=ids).order_by("memory_id", "number"):
        found[row.memory_id].append(Version(row.number, {**row.fields, "content": row.content}))
    return found
