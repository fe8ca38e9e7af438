"""What one line of an export says, checked before anything of it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from console.saying import phrase
from memories.access import Actor
from memories.models import LifecycleStatus, Memory, MemoryState, MemoryVersion
from memories.models.memory import Derivation, LinkKind, Trust
from memories.models.record import Lifecycle
from memories.services import fields, kinds
from memories.services import line_fields as line
from memories.services.import_words import DATED, Ask, id_of_words
from memories.services.remember import NewMemory, build, check

TIMES = ("created_at", "updated_at", "expires_at", "occurred_at", "redacted_at")
ADDED = ("channel", "agent_instance", *DATED)
FORMER = ("path", "bucket", "scope", "memory_type", "importance", "confidence", "metadata")
PLAIN = ("semantic_key", "confidence", "metadata", "provenance", "session", "source_id", "agent_id")


@dataclass(frozen=True, slots=True)
class Reference:
    """A link to a memory by the id that it has in the file."""

    target: UUID
    kind: str
    position: int
    quote: str
    created_at: datetime


@dataclass(slots=True)
class Line:
    """One memory of the file, unsaved. `given_id` is the id there, or that of its words; None: its source says it.

    `asks` are the fields that take a scope, where the line is new.
    """

    number: int
    given_id: UUID | None
    memory: Memory
    state: MemoryState
    versions: list[MemoryVersion]
    links: list[Reference]
    asks: list[Ask]


@dataclass(frozen=True, slots=True)
class Place:
    """Where everything goes: a team or one's own space, and a bucket and scope instead of those in the file."""

    team_id: UUID | None = None
    bucket: str | None = None
    scope: str | None = None


def read(number: int, row: Mapping[str, Any], place: Place, now: datetime, actor: Actor) -> Line:
    """The memory of a line; its owner is the actor, whatever the line says. Raises Invalid, NotAllowed."""
    at = {name: line.moment(row, name) for name in TIMES}
    new = NewMemory(
        content=row.get("content", ""),
        **{name: row[name] for name in PLAIN if row.get(name) is not None},
        path=line.text(row, "path"),
        bucket=place.bucket or line.text(row, "bucket") or "work",
        scope=place.scope or row.get("scope") or None,
        team_id=place.team_id,
        memory_type=line.text(row, "memory_type") or "auto",
        importance=line.part(row, "state").get("importance", row.get("importance", 0.5)),
        expires_at=at["expires_at"],
        source=line.text(row, "source"),
        language=line.text(row, "language"),
        created_at=at["created_at"],
        trust=line.among(row, "trust", list(Trust.values), Trust.NORMAL),
        pinned=line.flag(row, "pinned"),
        hold=line.text(row, "hold"),
    )
    check(replace(new, provenance=_said(new.provenance)), actor)
    asks = [*asked(new.hold), *([("trust", "admin")] if new.trust > Trust.NORMAL else [])]
    memory, state = build(new, actor, now)
    # As it was; which door it came through is in the audit.
    memory.provenance = new.provenance if new.created_at else new.provenance | DATED
    _fill(memory, row, at, now)
    _stand(state, line.part(row, "state"), now, actor)
    versions = [version_of(one, memory, state.version, actor) for one in line.listed(row, "versions")]
    once(versions)
    key = line.key(row, "id")
    if key is None and new.source_id is None:
        bucket, scope = line.text(row, "bucket") or "work", row.get("scope") or None
        key = id_of_words(new, actor, bucket=bucket, scope=scope, at=at["occurred_at"])
    links = [reference(one) for one in line.listed(row, "links")]
    return Line(number, key, memory, state, versions, links, asks)


def _said(provenance: Any) -> Any:
    """Without what a console added to it, which counts against no limit of the writer's."""
    if not isinstance(provenance, dict):
        return provenance
    short = {name for name in ADDED if isinstance(found := provenance.get(name), str) and len(found) <= 64}
    return {name: value for name, value in provenance.items() if name not in short}


def asked(hold: str) -> list[Ask]:
    """The scope that a hold takes: admins give it, and a file gives none to somebody who could not. Raises Invalid."""
    if not hold:
        return []
    fields.check({"hold": hold})
    return [("hold", "admin")]


def _fill(memory: Memory, row: Mapping[str, Any], at: Mapping[str, datetime | None], now: datetime) -> None:
    memory.updated_at = at["updated_at"] or memory.created_at
    memory.source = line.text(row, "source") if "source" in row else memory.source
    memory.session = line.text(row, "session") or None if "session" in row else memory.session
    memory.redacted_at = at["redacted_at"]
    memory.derivation = line.among(row, "derivation", list(Derivation.values), "")
    memory.pass_id = line.key(row, "pass_id") if memory.derivation else None
    if memory.derivation and memory.pass_id is None:
        raise line.wrong(
            "pass_id", phrase("A summary or fact names the pass that wrote it. Send pass_id, or no derivation.")
        )
    memory.event_type = line.text(row, "event_type")
    memory.occurred_at = at["occurred_at"] or (now if memory.event_type else None)
    kinds.check({"event_type": memory.event_type} if memory.event_type else {})


def _stand(state: MemoryState, given: Mapping[str, Any], now: datetime, actor: Actor) -> None:
    """Where it stood, and what it was worth; fading begins now for what no console looked after before."""
    lifecycle(state, given, now, actor)
    state.use_count = line.whole(given, "use_count", 0)
    fields.check({"importance": given.get("base", state.importance)})
    state.base = float(given.get("base", state.importance))
    state.anchor = line.moment(given, "anchor") or max(now, state.anchor)
    state.last_used_at = line.moment(given, "last_used_at")
    state.reactivated_at = line.moment(given, "reactivated_at")


def lifecycle(record: Lifecycle, given: Mapping[str, Any], now: datetime, actor: Actor) -> None:
    """Where a record stood; each marker stands exactly when the status says so. Raises Invalid."""
    record.status = line.among(given, "status", list(LifecycleStatus.values), "active")
    record.version = line.whole(given, "version", 1, least=1)
    deleted = record.status == "deleted"
    before = line.among(given, "status_before_delete", ["", *LifecycleStatus.values[:3]], "")
    record.status_before_delete = (before or "active") if deleted else ""
    for status, marker in (("expired", "expired_at"), ("archived", "archived_at")):
        stood = status in (record.status, record.status_before_delete)
        kept = line.moment(given, marker) if record.status != "active" else None
        setattr(record, marker, kept or (now if stood else None))
    record.deleted_at = (line.moment(given, "deleted_at") or now) if deleted else None
    record.deleted_by_id = actor.own if deleted else None


def version_of(given: Any, memory: Memory, before: int, actor: Actor) -> MemoryVersion:
    """A former version of a memory that stands at version `before` now. Raises Invalid."""
    if not isinstance(given, dict):
        raise line.wrong("versions", phrase("A version is no JSON object. Send the line as it was exported."))
    fields.check({"content": given.get("content"), "reason": line.text(given, "reason")})
    line.whole({"version": before}, "version", before, least=2)  # at the first, nothing was before
    return MemoryVersion(
        memory=memory,
        number=line.whole(given, "number", 0, least=1, most=before - 1),
        content=given["content"],
        fields=_former(given.get("fields", {})),
        replaced_at=line.moment(given, "replaced_at") or memory.updated_at,
        replaced_by_id=actor.own,
        reason=line.text(given, "reason"),
    )


def _former(given: Any) -> dict[str, Any]:
    """What a version says beside its content, which may be brought back one day. Raises Invalid."""
    fields.check({"fields": given})
    fields.check({name: given[name] for name in FORMER if name in given})
    if "expires_at" not in given:
        return dict(given)
    until = line.moment(given, "expires_at")
    return {**given, "expires_at": until.isoformat() if until else None}


def once(versions: list[MemoryVersion]) -> None:
    """Raises Invalid where two of these have one number."""
    if len({one.number for one in versions}) < len(versions):
        raise line.wrong("versions", phrase("Two versions have the same number. Send the line as it was exported."))


def reference(given: Any) -> Reference:
    """A link to another memory. Raises Invalid."""
    target = line.key(given, "target") if isinstance(given, dict) else None
    if target is None:
        raise line.wrong("links", phrase("A link names no target. Send the line as it was exported."))
    quote = given.get("quote") or ""
    if quote:
        fields.check({"content": quote})
    kind = line.among(given, "kind", list(LinkKind.values), LinkKind.RELATES_TO)
    at = line.moment(given, "created_at") or datetime.now(UTC)
    return Reference(target, kind, line.whole(given, "position", 0), quote, at)
