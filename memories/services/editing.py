"""How TODOs, ledger entries, decisions and snapshots are written: made at a place, changed by field, a version on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, TypeVar

from django.utils import timezone

from console.errors import Conflict, Invalid
from console.saying import phrase
from memories.access import Actor
from memories.models import Decision, LedgerEntry, Snapshot, Todo
from memories.services import kinds
from memories.services.kinds import Place

Record = TypeVar("Record", Todo, LedgerEntry, Decision, Snapshot)


def make(
    model: type[Record],
    where: Place,
    values: Mapping[str, Any],
    *,
    source: str = "",
    source_id: str | None = None,
    actor: Actor,
) -> Record:
    """A new record of the actor at its place, unaudited. Raises Conflict for a source id that is known already."""
    source, now = source or actor.channel, timezone.now()
    known: Any = model.objects.filter(owner=actor.own, source=source, source_id=source_id)
    if source_id is not None and known.exists():
        raise Conflict(
            phrase("A record of this kind with the source id %(source_id)s exists already.", source_id=source_id)
        )
    made: Any = model.objects
    record: Record = made.create(
        **values,
        **asdict(where),
        owner_id=actor.own,
        agent_id=actor.agent_id,
        source=source,
        source_id=source_id,
        created_at=now,
        updated_at=now,
    )
    return record


def check_editable(changes: Iterable[str], editable: tuple[str, ...]) -> None:
    """Raises Invalid for a field that cannot be changed."""
    unknown = sorted(set(changes) - set(editable))
    if unknown:
        raise Invalid.field(
            unknown[0],
            phrase("%(name)s cannot be changed. Change one of %(names)s.", name=unknown[0], names=", ".join(editable)),
        )


def fill(
    record: Todo | LedgerEntry, changes: Mapping[str, Any], editable: tuple[str, ...]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Set the changes, unsaved. Returns what the editable fields were and what they are."""
    was = {name: getattr(record, name) for name in editable}
    for name, value in changes.items():
        setattr(record, name, value)
    record.path = record.path.strip("/")
    return was, {name: getattr(record, name) for name in editable}


def save(record: Todo | LedgerEntry | Decision, actor: Actor, fields: Iterable[str]) -> None:
    """Save these fields as the next version. Raises NotAllowed outside the bounds of the token."""
    kinds.check_inside(actor, record)
    record.updated_at, record.version = timezone.now(), record.version + 1
    record.save(update_fields=[*fields, "updated_at", "version"])
