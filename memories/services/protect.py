"""What keeps a record: a pin against passes, a legal hold against everything that removes it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction

from console.errors import Conflict, NotAllowed
from console.saying import phrase
from memories import audit
from memories.access import Actor, check_ledger, check_may_use, check_may_write, may_use
from memories.models import LedgerEntry, Memory
from memories.models.people import Role
from memories.services import fields, records


@transaction.atomic
def set_pinned(
    *, memory_id: UUID, pinned: bool, reason: str = "", seen_version: int | None = None, actor: Actor
) -> Memory:
    """Pin a memory, so that no pass changes it, or let it go; repeating it changes nothing.

    Raises Invalid, NotFound, NotAllowed, Conflict, Stale.
    """
    fields.check({"reason": reason})
    memory = records.lock(memory_id, actor=actor, seen_version=seen_version, kinds=("memory",))
    assert isinstance(memory, Memory)
    check_may_write(actor, memory)
    if memory.state.status == "deleted":
        raise Conflict(phrase("This memory is in the trash. Restore it before you change it."))
    if memory.pinned == pinned:
        return memory
    memory.pinned = pinned
    memory.save(update_fields=["pinned"])
    _noted(memory, "pin" if pinned else "unpin", reason, {"pinned": [not pinned, pinned]}, actor)
    return memory


def may_hold(actor: Actor, record: Any) -> bool:
    """Whether the actor may set or lift a legal hold: the owner of their own space, or an admin of the team."""
    space = actor.spaces.get(record.space_id)
    if isinstance(record, LedgerEntry) and not may_use(actor, "ledger:write"):
        return False
    return space is not None and space.role == Role.ADMIN and may_use(actor, "admin")


def check_may_hold(actor: Actor, record: Any) -> None:
    """Raises NotAllowed that names the scope or the role that is missing."""
    check_may_use(actor, "admin")
    check_ledger(actor, record, "ledger:write")
    space = actor.space(record.space_id)
    if space.role != Role.ADMIN:
        raise NotAllowed(phrase("Only an admin of %(space)s may set or lift a legal hold.", space=space.name))


@transaction.atomic
def set_hold(
    *, record_id: UUID, name: str, reason: str = "", seen_version: int | None = None, actor: Actor
) -> records.Record:
    """Put a record under the legal hold `name`: it is not deleted for good, redacted, purged, moved or expired.

    It may stand in the trash. The same hold again changes nothing. Raises Invalid, NotFound, NotAllowed, Conflict
    for a record under another hold, Stale.
    """
    fields.check({"hold": name, "reason": reason})
    return _hold(record_id, name.strip(), "hold", reason, seen_version, actor)


@transaction.atomic
def lift_hold(*, record_id: UUID, reason: str = "", seen_version: int | None = None, actor: Actor) -> records.Record:
    """End the legal hold of a record, if there is one. Raises Invalid, NotFound, NotAllowed, Stale."""
    fields.check({"reason": reason})
    return _hold(record_id, "", "lift_hold", reason, seen_version, actor)


def _hold(record_id: UUID, name: str, verb: str, reason: str, seen_version: int | None, actor: Actor) -> records.Record:
    record = records.lock(record_id, actor=actor, seen_version=seen_version)
    check_may_hold(actor, record)
    was = record.hold
    if was == name:
        return record
    if was and name:
        raise Conflict(
            phrase("This record is under the legal hold “%(hold)s” already. Lift that one first.", hold=was), hold=was
        )
    record.hold = name
    record.save(update_fields=["hold"])
    _noted(record, verb, reason, {"hold": [was, name]}, actor)
    return record


def _noted(record: records.Record, verb: str, reason: str, detail: dict[str, Any], actor: Actor) -> None:
    """Move the version, so that a plan made before is not applied over it, and audit."""
    state = records.standing(record)
    state.version += 1
    state.save(update_fields=["version"])
    kind = records.kind_of(record)
    detail = {**detail, "version": state.version}
    audit.record(actor, f"{kind}.{verb}", kind, record.pk, space_id=record.space_id, reason=reason, detail=detail)
