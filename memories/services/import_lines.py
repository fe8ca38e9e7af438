"""What one line of an export says, checked before anything of it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from console.errors import Invalid, Problem
from memories.access import Actor, check_may_use
from memories.models import LifecycleStatus, Memory, MemoryState, MemoryVersion
from memories.models.memory import Derivation, LinkKind, Trust
from memories.services import fields, kinds
from memories.services.remember import NewMemory, build, check

PARTS_MOST = 1_000  # versions, and links, of one memory
WHOLE_MOST = 2_000_000_000
TIMES = ("created_at", "updated_at", "expires_at", "occurred_at", "redacted_at")
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
    """One memory of the file, unsaved. `given_id` is the id there, None where it has none."""

    number: int
    given_id: UUID | None
    memory: Memory
    state: MemoryState
    versions: list[MemoryVersion]
    links: list[Reference]


@dataclass(frozen=True, slots=True)
class Place:
    """Where everything goes: a team or one's own space, and a bucket and scope instead of those in the file."""

    team_id: UUID | None = None
    bucket: str | None = None
    scope: str | None = None


def read(number: int, row: Mapping[str, Any], place: Place, now: datetime, actor: Actor) -> Line:
    """The memory of a line; its owner is the actor, whatever the line says. Raises Invalid, NotAllowed."""
    at = {name: _time(row, name) for name in TIMES}
    new = NewMemory(
        content=row.get("content", ""),
        **{name: row[name] for name in PLAIN if row.get(name) is not None},
        path=_text(row, "path"),
        bucket=place.bucket or _text(row, "bucket") or "work",
        scope=place.scope or row.get("scope") or None,
        team_id=place.team_id,
        memory_type=_text(row, "memory_type") or "auto",
        importance=_part(row, "state").get("importance", row.get("importance", 0.5)),
        expires_at=at["expires_at"],
        source=_text(row, "source"),
        language=_text(row, "language"),
        created_at=at["created_at"],
        trust=_among(row, "trust", list(Trust.values), Trust.NORMAL),
        pinned=_flag(row, "pinned"),
        hold=_text(row, "hold"),
    )
    check(new, actor)
    _check_may_say(new, actor)
    memory, state = build(new, actor, now)
    memory.provenance = new.provenance  # as it was; which door it came through is in the audit
    _fill(memory, row, at, now)
    _stand(state, _part(row, "state"), now, actor)
    versions = [_version(one, memory, state.version, actor) for one in _list(row, "versions")]
    _once(versions)
    return Line(number, _id(row, "id"), memory, state, versions, [_link(one) for one in _list(row, "links")])


def _check_may_say(new: NewMemory, actor: Actor) -> None:
    """Trust and holds are given by people and admins; a file gives none to somebody who could not."""
    fields.check({"reason": new.hold})
    if new.trust > Trust.NORMAL or new.hold:
        check_may_use(actor, "admin")
        if len(new.hold) > 100:
            raise _wrong("hold", "The name of the hold is longer than 100 characters. Shorten it.")


def _fill(memory: Memory, row: Mapping[str, Any], at: Mapping[str, datetime | None], now: datetime) -> None:
    memory.updated_at = at["updated_at"] or memory.created_at
    memory.source = _text(row, "source") if "source" in row else memory.source
    memory.session = _text(row, "session") or None if "session" in row else memory.session
    memory.redacted_at = at["redacted_at"]
    memory.derivation = _among(row, "derivation", list(Derivation.values), "")
    memory.pass_id = _id(row, "pass_id") if memory.derivation else None
    if memory.derivation and memory.pass_id is None:
        raise _wrong("pass_id", "A summary or fact names the pass that wrote it. Send pass_id, or no derivation.")
    memory.event_type = _text(row, "event_type")
    memory.occurred_at = at["occurred_at"] or (now if memory.event_type else None)
    kinds.check({"event_type": memory.event_type} if memory.event_type else {})


def _stand(state: MemoryState, given: Mapping[str, Any], now: datetime, actor: Actor) -> None:
    """Where it stood; each marker stands exactly when the status says so."""
    state.status = _among(given, "status", list(LifecycleStatus.values), "active")
    state.version = _whole(given, "version", 1, least=1)
    state.use_count = _whole(given, "use_count", 0)
    fields.check({"importance": given.get("base", state.importance)})
    state.base = float(given.get("base", state.importance))
    state.anchor = _time(given, "anchor") or state.anchor
    state.last_used_at = _time(given, "last_used_at")
    deleted = state.status == "deleted"
    before = _among(given, "status_before_delete", ["", *LifecycleStatus.values[:3]], "")
    state.status_before_delete = (before or "active") if deleted else ""
    for status, marker in (("expired", "expired_at"), ("archived", "archived_at")):
        stood = status in (state.status, state.status_before_delete)
        kept = _time(given, marker) if state.status != "active" else None
        setattr(state, marker, kept or (now if stood else None))
    state.deleted_at = (_time(given, "deleted_at") or now) if deleted else None
    state.deleted_by_id = actor.own if deleted else None


def _version(given: Any, memory: Memory, before: int, actor: Actor) -> MemoryVersion:
    if not isinstance(given, dict):
        raise _wrong("versions", "A version is no JSON object. Send the line as it was exported.")
    fields.check(
        {"content": given.get("content"), "metadata": given.get("fields", {}), "reason": _text(given, "reason")}
    )
    return MemoryVersion(
        memory=memory,
        number=_whole(given, "number", 0, least=1, most=max(1, before - 1)),
        content=given["content"],
        fields=given.get("fields", {}),
        replaced_at=_time(given, "replaced_at") or memory.updated_at,
        replaced_by_id=actor.own,
        reason=_text(given, "reason"),
    )


def _once(versions: list[MemoryVersion]) -> None:
    if len({one.number for one in versions}) < len(versions):
        raise _wrong("versions", "Two versions have the same number. Send the line as it was exported.")


def _link(given: Any) -> Reference:
    target = _id(given, "target") if isinstance(given, dict) else None
    if target is None:
        raise _wrong("links", "A link names no target. Send the line as it was exported.")
    quote = given.get("quote") or ""
    if quote:
        fields.check({"content": quote})
    kind = _among(given, "kind", list(LinkKind.values), LinkKind.RELATES_TO)
    at = _time(given, "created_at") or datetime.now(UTC)
    return Reference(target, kind, _whole(given, "position", 0), quote, at)


def _wrong(name: str, text: str) -> Invalid:
    return Invalid(Problem(("body", name), text))


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise _wrong(name, f"{name} is no text. Send a string.")
    return value or ""


def _flag(row: Mapping[str, Any], name: str) -> bool:
    value = row.get(name)
    if value not in (None, True, False) or isinstance(value, int) and not isinstance(value, bool):
        raise _wrong(name, f"{name} is neither true nor false. Send one of them.")
    return bool(value)


def _among(row: Mapping[str, Any], name: str, known: list[Any], usual: Any) -> Any:
    value = row.get(name)
    if value is None:
        return usual
    if isinstance(value, bool | float | dict | list) or value not in known:
        raise _wrong(name, f"{name} is none of {', '.join(str(one) or 'empty' for one in known)}.")
    return value


def _whole(row: Mapping[str, Any], name: str, usual: int, *, least: int = 0, most: int = WHOLE_MOST) -> int:
    value = row.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise _wrong(name, f"{name} is no whole number from {least} to {most:,}.")
    return value


def _time(row: Mapping[str, Any], name: str) -> datetime | None:
    value = row.get(name)
    if value is None or value == "":
        return None
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) and len(value) <= 40 else None
        found = found if found is None or found.tzinfo else found.replace(tzinfo=UTC)
    except ValueError:
        found = None
    if found is None:
        raise _wrong(name, f"{name} is not ISO 8601. Write it like 2026-11-30T10:00:00Z.")
    fields.check({"created_at": found})
    return found


def _id(row: Mapping[str, Any], name: str) -> UUID | None:
    value = row.get(name)
    if value is None:
        return None
    try:
        if isinstance(value, str) and len(value) == 36:
            return UUID(value)
    except ValueError:
        pass
    raise _wrong(name, f"{name} is no whole UUID.")


def _part(row: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = row.get(name, {})
    value = {} if value is None else value
    if not isinstance(value, dict):
        raise _wrong(name, f"{name} is no JSON object. Send the line as it was exported.")
    return value


def _list(row: Mapping[str, Any], name: str) -> list[Any]:
    value = row.get(name, [])
    value = [] if value is None else value
    if not isinstance(value, list) or len(value) > PARTS_MOST:
        raise _wrong(name, f"{name} is no list of at most {PARTS_MOST:,}.")
    return value
