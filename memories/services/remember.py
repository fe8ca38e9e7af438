"""Writing new memories: one at a time, or many from a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.expressions import RawSQL
from django.utils import timezone
from uuid6 import uuid7

from console.errors import Conflict, NotAllowed
from console.saying import phrase
from memories import audit
from memories.access import Actor, check_may_use, live, visible_to
from memories.embedding.waking import embed_soon
from memories.models import Erasure, Memory, MemoryState
from memories.models.memory import MemoryType, Trust
from memories.services import fields, keyed


@dataclass(frozen=True, slots=True)
class NewMemory:
    """What is to be remembered. Times are aware; `created_at` is given only by imports and the demo."""

    content: str
    path: str = ""
    bucket: str = "work"
    scope: str | None = None
    team_id: UUID | None = None
    memory_type: str = "auto"
    semantic_key: str | None = None
    importance: float = 0.5
    confidence: float | None = None
    expires_at: datetime | None = None
    source: str = ""
    source_id: str | None = None
    session: str | None = None
    agent_id: str = ""
    language: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)
    dedupe: bool = False
    created_at: datetime | None = None
    here_since: datetime | None = None  # for what was kept elsewhere before: when fading begins
    last_used_at: datetime | None = None
    trust: int = Trust.NORMAL
    pinned: bool = False
    hold: str = ""
    id: UUID | None = None  # given where an import knows a memory by its words


@dataclass(frozen=True, slots=True)
class Remembered:
    """The record, and what happened: `created`, `unchanged` (already known) or `updated` (by its semantic key)."""

    memory: Memory
    status: str


CHECKED = [
    "content",
    "path",
    "bucket",
    "scope",
    "semantic_key",
    "importance",
    "confidence",
    "metadata",
    "provenance",
    "expires_at",
    "created_at",
    "last_used_at",
    "source",
    "source_id",
    "session",
    "agent_id",
    "language",
]


def check(new: NewMemory, actor: Actor) -> None:
    """Whether `new` is well formed and lies inside the actor's boundary. Raises Invalid or NotAllowed."""
    values = {name: getattr(new, name) for name in CHECKED}
    if new.memory_type != "auto":
        values["memory_type"] = new.memory_type
    fields.check(values)
    if new.team_id is not None and (new.team_id not in actor.spaces or new.team_id == actor.own):
        raise NotAllowed(phrase("You are not a member of this team, or this token is not bound to it."))
    if new.team_id is None and actor.own not in actor.spaces:
        raise NotAllowed(phrase("This token writes for its team only. Send the team's id as team_id."))
    if not actor.bounds.allow(bucket=new.bucket, scope=new.scope, path=new.path):
        raise NotAllowed(phrase("This place lies outside the space that the token is bound to."))


@transaction.atomic
def remember(*, new: NewMemory, actor: Actor) -> Remembered:
    """Store one memory and audit it.

    With `semantic_key` the record of that key is revised instead (the same content is a no-op); with `dedupe` a live
    record of the same place, type and normalised content is kept. Raises Invalid, NotAllowed, Conflict.
    """
    check_may_use(actor, "memory:write")
    check(new, actor)
    one_writer_per_key(new, actor)
    known = _known(new, actor)
    if known is not None:
        return _again(known, new, actor)
    if new.source_id is not None and _source_taken(new, actor):
        raise Conflict(
            phrase(
                "A record with the source id %(source_id)s exists already, or was erased for good.",
                source_id=new.source_id,
            )
        )
    memory, state = build(new, actor, timezone.now())
    memory.save(force_insert=True)
    state.save(force_insert=True)
    audit.record(actor, "memory.create", "memory", memory.pk, space_id=_space(memory), detail=created_detail(memory))
    transaction.on_commit(embed_soon)
    return Remembered(memory, "created")


def _space(memory: Memory) -> UUID:
    return memory.team_id or memory.owner_id


def one_writer_per_key(new: NewMemory, actor: Actor) -> None:
    """Serialise writers of one key or text: a unique index cannot, for deleted records may share both."""
    if new.semantic_key is None and not new.dedupe:
        return
    keyed.one_writer(new.team_id or actor.own, new.bucket, new.scope, new.semantic_key)


def _known(new: NewMemory, actor: Actor) -> Memory | None:
    if new.semantic_key is None and not new.dedupe:
        return None
    rows = live(visible_to(actor, Memory.objects.select_related("state")))
    rows = rows.filter(space_id=new.team_id or actor.own, owner_id=actor.own, bucket=new.bucket, scope=new.scope)
    if new.semantic_key is not None:
        return rows.filter(semantic_key=new.semantic_key).order_by("created_at", "pk").first()
    same = rows.annotate(same=RawSQL("folded = mc_fold(%s)", [new.content])).filter(same=True)
    if new.memory_type != "auto":
        same = same.filter(memory_type=new.memory_type)
    return same.order_by("created_at", "pk").first()


def _again(known: Memory, new: NewMemory, actor: Actor) -> Remembered:
    from memories.services.revise import revise

    if known.content == new.content or new.semantic_key is None:
        return Remembered(known, "unchanged")
    changes = {"content": new.content} | {
        name: getattr(new, name) for name in UPSERTED if getattr(new, name) != PLAIN.get(name)
    }
    memory = revise(memory_id=known.pk, changes=changes, reason="written again under its semantic key", actor=actor)
    return Remembered(memory, "updated")


UPSERTED = ("path", "importance", "confidence", "expires_at", "metadata")  # beside the content, where they are given
PLAIN = {"path": "", "importance": 0.5, "metadata": {}}  # what these are when they are not


def source_of(new: NewMemory, actor: Actor) -> str:
    """Where a record says it comes from: what the writer names, else the door it came through."""
    return new.source or actor.channel


def _source_taken(new: NewMemory, actor: Actor) -> bool:
    source = {"owner_id": actor.own, "source": source_of(new, actor), "source_id": new.source_id}
    return Memory.objects.filter(**source).exists() or Erasure.objects.filter(**source).exists()


def build(new: NewMemory, actor: Actor, now: datetime) -> tuple[Memory, MemoryState]:
    """The unsaved record and its state, attributed to the actor."""
    at = new.created_at or now
    memory = Memory(
        id=new.id or uuid7(),
        owner_id=actor.own,
        team_id=new.team_id,
        bucket=new.bucket,
        scope=new.scope,
        path=new.path.strip("/"),
        memory_type=picked_type(new),
        content=new.content,
        semantic_key=new.semantic_key,
        confidence=new.confidence,
        metadata=new.metadata,
        provenance=_provenance(new, actor),
        session=new.session or _session(new.provenance),
        source=source_of(new, actor),
        source_id=new.source_id,
        agent_id=actor.bounds.agent_id or new.agent_id or actor.agent_id,
        token_id=actor.token_id,
        language=new.language,
        trust=new.trust,
        expires_at=new.expires_at,
        pinned=new.pinned,
        hold=new.hold,
        created_at=at,
        updated_at=at,
    )
    state = MemoryState(
        memory=memory,
        importance=new.importance,
        base=new.importance,
        anchor=max(at, new.last_used_at or at, new.here_since or at),
        last_used_at=new.last_used_at,
    )
    return memory, state


def picked_type(new: NewMemory) -> str:
    """The type given, or for `auto`: a keyed fact is semantic, something that expires is working, else an event."""
    if new.memory_type != "auto":
        return new.memory_type
    if new.semantic_key is not None:
        return MemoryType.SEMANTIC
    return MemoryType.WORKING if new.expires_at is not None else MemoryType.EPISODIC


def _session(provenance: dict[str, Any]) -> str | None:
    for name in ("session_id", "session"):
        value = provenance.get(name)
        if isinstance(value, str) and value:
            return value[:200]
    return None


def _provenance(new: NewMemory, actor: Actor) -> dict[str, Any]:
    """What the writer says of the origin, beside what the server knows of it."""
    known = {"channel": actor.channel, "agent_instance": actor.agent_instance_hash}
    return {**new.provenance, **{name: value for name, value in known.items() if value}}


def created_detail(memory: Memory) -> dict[str, Any]:
    """Metadata of a new record for its audit line."""
    return {
        "status": [None, "active"],
        "type": memory.memory_type,
        "bucket": memory.bucket,
        "path": memory.path,
        "characters": len(memory.content),
    }


BATCH = 500


@transaction.atomic
def import_many(*, news: Sequence[NewMemory], actor: Actor) -> int:
    """Store a batch whose ids, here or at their source, are new; those known already or erased for good are left out.

    Returns how many.

    Each record is audited. The caller keeps all batches of one file in one transaction, so that nothing is half
    written. Raises Invalid or NotAllowed for the first bad one.
    """
    check_may_use(actor, "memory:write")
    for new in news:
        check(new, actor)
    now = timezone.now()
    taken = _taken_sources(news, actor)
    known = _known_ids(news, actor)
    fresh = [new for new in news if (source_of(new, actor), new.source_id) not in taken and new.id not in known]
    built = [build(new, actor, now) for new in fresh]
    Memory.objects.bulk_create([memory for memory, _ in built], batch_size=BATCH)
    MemoryState.objects.bulk_create([state for _, state in built], batch_size=BATCH)
    lines = [audit.Entry("memory.import", "memory", one.pk, detail=created_detail(one)) for one, _ in built]
    audit.record_across(actor, ((_space(memory), line) for (memory, _), line in zip(built, lines, strict=True)))
    transaction.on_commit(embed_soon)
    return len(built)


def _known_ids(news: Sequence[NewMemory], actor: Actor) -> set[UUID]:
    """Those of the ids given that are here, or were."""
    ids = [new.id for new in news if new.id is not None]
    here = Memory.objects.filter(owner_id=actor.own, pk__in=ids).values_list("pk", flat=True)
    return {*here, *Erasure.objects.filter(record_id__in=ids).values_list("record_id", flat=True)}


def _taken_sources(news: Sequence[NewMemory], actor: Actor) -> set[tuple[str, str | None]]:
    ids = [new.source_id for new in news if new.source_id is not None]
    taken: set[tuple[str, str | None]] = set()
    for rows in (Memory.objects.all(), Erasure.objects.all()):
        taken.update(rows.filter(owner_id=actor.own, source_id__in=ids).values_list("source", "source_id"))
    seen: set[tuple[str, str | None]] = set()
    for new in news:
        key = (source_of(new, actor), new.source_id)
        if new.source_id is not None and key in seen:
            raise Conflict(
                phrase("The source id %(source_id)s occurs twice. Give each record its own.", source_id=new.source_id)
            )
        seen.add(key)
    return taken
