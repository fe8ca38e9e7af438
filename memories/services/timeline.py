"""The timeline: events, which are episodic memories with a kind of event and the time at which it happened."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from console.errors import Invalid, Problem
from console.saying import phrase
from memories import audit
from memories.access import Actor, check_may_use, live
from memories.embedding.waking import embed_soon
from memories.models import Memory
from memories.models.memory import MemoryType
from memories.services import kinds
from memories.services.remember import NewMemory, build, check, created_detail

USUAL_TYPE = "event"


@dataclass(frozen=True, slots=True)
class NewEvent:
    """What happened. `occurred_at` is aware; None means now."""

    content: str
    event_type: str = USUAL_TYPE
    occurred_at: datetime | None = None
    session: str | None = None
    importance: float = 0.5
    bucket: str | None = None
    scope: str | None = None
    team_id: UUID | None = None
    path: str = ""
    source: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)


@transaction.atomic
def record(*, event: NewEvent, actor: Actor) -> Memory:
    """Write one event down. Raises Invalid, NotAllowed."""
    check_may_use(actor, "memory:write")
    now = timezone.now()
    occurred_at = event.occurred_at or now
    kinds.check({"event_type": event.event_type, "occurred_at": occurred_at})
    usual = "/".join(part for part in (actor.bounds.path_prefix.strip("/"), "timeline") if part)
    path = usual if event.path == "" else event.path
    where = kinds.place(actor, team_id=event.team_id, bucket=event.bucket, scope=event.scope, path=path)
    new = NewMemory(
        content=event.content,
        path=where.path,
        bucket=where.bucket,
        scope=where.scope,
        team_id=where.team_id,
        memory_type=MemoryType.EPISODIC,
        importance=event.importance,
        session=event.session,
        source=event.source,
        metadata=event.metadata,
    )
    check(new, actor)
    memory, state = build(new, actor, now)
    memory.event_type, memory.occurred_at = event.event_type, occurred_at
    memory.save(force_insert=True)
    state.save(force_insert=True)
    audit.record(actor, "memory.create", "memory", memory.pk, space_id=memory.space_id, detail=created_detail(memory))
    transaction.on_commit(embed_soon)
    return memory


@dataclass(frozen=True, slots=True)
class Wanted(kinds.Filter):
    """Filters of events. `since` belongs to the range, `until` does not; both are aware. `query` is not used."""

    since: datetime | None = None
    until: datetime | None = None
    session: str | None = None
    event_type: str = kinds.ANY


def listed(wanted: Wanted, *, actor: Actor) -> QuerySet[Memory]:
    """The live events wanted, the latest first. Raises Invalid, NotAllowed."""
    check_may_use(actor, "memory:read")
    problems = [Problem(("query", name), said) for name, said in _problems(wanted)]
    if problems:
        raise Invalid(*problems)
    rows = live(kinds.listed(actor, Memory.objects.select_related("state").exclude(event_type=""), wanted))
    exact: dict[str, Any] = {
        "occurred_at__gte": wanted.since,
        "occurred_at__lt": wanted.until,
        "session": wanted.session or None,
        "event_type": None if wanted.event_type in (kinds.ANY, "") else wanted.event_type,
    }
    rows = rows.filter(**{name: value for name, value in exact.items() if value is not None})
    return rows.order_by("-occurred_at", "-pk")


def _problems(wanted: Wanted) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = [
        (name, phrase("%(name)s has more than 200 characters. Shorten it.", name=name))
        for name in ("session", "event_type")
        if len(getattr(wanted, name) or "") > 200
    ]
    if wanted.since and wanted.until and wanted.until <= wanted.since:
        found.append(("until", phrase("until must be later than since. Change one of them.")))
    return found
