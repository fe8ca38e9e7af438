"""What a line says of a TODO, a ledger entry, a decision, a snapshot or a use, checked before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from console.saying import phrase
from memories.access import Actor
from memories.models import Decision, LedgerEntry, MemoryUse, Snapshot, Todo
from memories.services import fields, kinds, ledger, state
from memories.services import line_fields as line
from memories.services.import_lines import Place, asked, lifecycle
from memories.services.import_words import Ask

Kept = Todo | LedgerEntry | Decision | Snapshot
Row = Mapping[str, Any]


@dataclass(slots=True)
class Other:
    """One record beside memories, unsaved. `memory` is the one that a use is about, by its id in the file.

    `asks` are the fields that take a scope, where the line is new.
    """

    number: int
    kind: str
    given_id: UUID | None
    record: Kept | MemoryUse
    memory: UUID | None = None
    asks: list[Ask] = field(default_factory=list)


def read(number: int, row: Row, place: Place, now: datetime, actor: Actor) -> Other:
    """The record of a line; its owner is the actor, whatever the line says. Raises Invalid, NotAllowed."""
    kind = str(row["kind"])
    if kind == "use":
        return _use(number, row, now, actor)
    record = READERS[kind](row, now, actor)
    _stand(record, row, place, now, actor)
    asks = [*([("kind: ledger", "ledger:write")] if isinstance(record, LedgerEntry) else []), *asked(record.hold)]
    return Other(number, kind, line.key(row, "id"), record, asks=asks)


def _stand(record: Kept, row: Row, place: Place, now: datetime, actor: Actor) -> None:
    """Whose it is, where it stands, and where it comes from."""
    bucket = place.bucket or line.text(row, "bucket") or ("personal" if isinstance(record, LedgerEntry) else "work")
    scope = place.scope or line.text(row, "scope") or None
    where = kinds.place(actor, team_id=place.team_id, bucket=bucket, scope=scope, path=line.text(row, "path"))
    record.owner_id, record.team_id = actor.own, where.team_id
    record.bucket, record.scope, record.path = where.bucket, where.scope, where.path
    record.agent_id = actor.bounds.agent_id or line.text(row, "agent_id")
    record.source = line.text(row, "source")
    record.source_id, record.hold = line.text(row, "source_id") or None, line.text(row, "hold")
    fields.check({name: getattr(record, name) for name in ("agent_id", "source", "source_id")})
    record.created_at = line.moment(row, "created_at") or now
    record.updated_at = line.moment(row, "updated_at") or record.created_at
    lifecycle(record, row, now, actor)


def _todo(row: Row, now: datetime, actor: Actor) -> Todo:
    values = {"content": row.get("content", ""), "due_at": line.moment(row, "due_at"), "note": line.text(row, "note")}
    kinds.check(values)
    done = line.moment(row, "completed_at")
    return Todo(**values, completed_at=done, completed_by_id=actor.own if done else None)


def _entry(row: Row, now: datetime, actor: Actor) -> LedgerEntry:
    values = {
        "transaction_type": line.text(row, "transaction_type"),
        "item": row.get("item", ""),
        "amount": ledger.amount_of(row.get("amount")),
        "currency": line.text(row, "currency"),
        "category": line.text(row, "category"),
        "occurred_on": _day(row, "occurred_on"),
        "note": line.text(row, "note"),
    }
    ledger.check(values)
    return LedgerEntry(**values)


def _day(row: Row, name: str) -> date:
    try:
        return date.fromisoformat(line.text(row, name))
    except ValueError:
        raise line.wrong(name, phrase("%(name)s is no day. Write it like 2026-11-30.", name=name)) from None


def _decision(row: Row, now: datetime, actor: Actor) -> Decision:
    due = line.moment(row, "due_at")
    kinds.check({"context": row.get("context", ""), "options": row.get("options", []), "due_at": due})
    resolution, decided = line.text(row, "resolution"), line.moment(row, "resolved_at")
    if resolution:
        kinds.check({"resolution": resolution})
        decided = decided or now
    elif decided:
        raise line.wrong("resolution", phrase("It was decided, but not what. Send resolution, or no resolved_at."))
    return Decision(
        context=row["context"],
        options=row.get("options", []),
        due_at=due,
        resolution=resolution,
        resolved_at=decided,
        resolved_by_id=actor.own if decided else None,
    )


def _snapshot(row: Row, now: datetime, actor: Actor) -> Snapshot:
    values = {"label": line.text(row, "label"), "session": line.text(row, "session") or None}
    kinds.check(values)
    slots = line.part(row, "state")
    if len(slots) > line.PARTS_MOST:
        raise line.wrong("state", phrase("A snapshot has at most %(most)s slots.", most=f"{line.PARTS_MOST:,}"))
    return Snapshot(**values, state={key: _slot(key, slot, row) for key, slot in slots.items()})


def _slot(key: str, given: Any, row: Row) -> dict[str, Any]:
    """One slot as a snapshot keeps it: starting again reads all of these names."""
    if not isinstance(given, dict):
        raise line.wrong("state", phrase("A slot is no JSON object. Send the line as it was exported."))
    texts = {name: line.text(given, name) for name in ("content", *state.FIELDS)}
    kinds.check({"state_key": key, **texts})
    place = {
        "bucket": line.text(given, "bucket") or line.text(row, "bucket") or "work",
        "scope": line.text(given, "scope") or None,
    }
    fields.check(place)
    at = {name: line.moment(given, name) for name in ("expires_at", "updated_at")}
    times = {name: moment.isoformat() if moment else None for name, moment in at.items()}
    about = line.key(given, "memory_id")
    known = {"memory_id": str(about) if about else "", "version": line.whole(given, "version", 1)}
    return {"state_key": key, **texts, **place, **known, **times}


def _use(number: int, row: Row, now: datetime, actor: Actor) -> Other:
    memory = line.key(row, "memory_id")
    if memory is None:
        raise line.wrong("memory_id", phrase("A use names no memory. Send the line as it was exported."))
    values = {"action": line.text(row, "action"), "context": line.text(row, "context")}
    tracking, about = line.text(row, "tracking_id") or None, line.part(row, "metadata")
    kinds.check({"action": values["action"], "use_context": values["context"], "usage_tracking_id": tracking})
    fields.check({"metadata": about, "agent_id": line.text(row, "agent_id")})
    at = line.moment(row, "at") or datetime.now(UTC)
    use = MemoryUse(**values, tracking_id=tracking, metadata=dict(about), at=at, user_id=actor.own)
    use.agent_id = line.text(row, "agent_id")
    return Other(number, "use", line.key(row, "id"), use, memory)


READERS: dict[str, Callable[[Row, datetime, Actor], Kept]] = {
    "todo": _todo,
    "ledger": _entry,
    "decision": _decision,
    "snapshot": _snapshot,
}
