"""Hiding a record and bringing it back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Model
from django.utils import timezone

from console.errors import Conflict, NotFound
from console.saying import phrase
from memories import audit
from memories.access import Actor, check_may_restore, check_may_write
from memories.models import LifecycleStatus, Memory, MemoryEmbedding, MemoryState
from memories.services import fields, keyed, records

MOVED = ["status", "status_before_delete", "deleted_at", "deleted_by", "version"]


@dataclass(frozen=True, slots=True)
class Moved:
    """The record after the move, and the id of its audit line."""

    record: records.Record
    status: str
    audit_id: UUID


@transaction.atomic
def forget(*, record_id: UUID, reason: str = "", seen_version: int | None = None, actor: Actor) -> Moved:
    """Move one record to the trash: hidden everywhere, restorable. Raises NotFound, NotAllowed, Conflict, Stale."""
    fields.check({"reason": reason})
    record = records.lock(record_id, actor=actor, seen_version=seen_version)
    was = hide(record, timezone.now(), actor)
    return _moved(record, "forget", was, reason, actor)


@transaction.atomic
def restore(*, record_id: UUID, reason: str = "", seen_version: int | None = None, actor: Actor) -> Moved:
    """Bring one record back from the trash to where it stood. Raises NotFound, NotAllowed, Conflict, Stale."""
    fields.check({"reason": reason})
    record = records.lock(record_id, actor=actor, seen_version=seen_version)
    was = bring_back(record, actor)
    return _moved(record, "restore", was, reason, actor)


def hide(record: records.Record, now: datetime, actor: Actor) -> str:
    """Let a locked record stand in the trash, unsaved. Returns where it stood. Raises NotFound, NotAllowed."""
    check_may_write(actor, record)
    state = records.standing(record)
    if state.status == LifecycleStatus.DELETED:
        raise NotFound(phrase("This record is deleted already. It waits in the trash."))
    was = state.status
    state.status_before_delete, state.status = was, LifecycleStatus.DELETED
    state.deleted_at, state.deleted_by_id = now, actor.user_id
    state.version += 1
    return was


def bring_back(record: records.Record, actor: Actor) -> str:
    """Let a locked record stand where it stood before, unsaved. Raises NotAllowed, Conflict."""
    check_may_restore(actor, record)
    state = records.standing(record)
    if state.status != LifecycleStatus.DELETED:
        raise Conflict(phrase("This record is not in the trash: it is %(status)s.", status=state.status))
    if isinstance(record, Memory):
        keyed.check_free(record, status=state.status_before_delete)
    state.status, state.status_before_delete = state.status_before_delete, ""
    state.deleted_at = state.deleted_by_id = None
    if isinstance(state, MemoryState) and state.status == LifecycleStatus.ACTIVE:
        state.reactivated_at = timezone.now()
    state.version += 1
    return LifecycleStatus.DELETED


def moved_fields(model: type[Model]) -> list[str]:
    """The columns of a standing that `hide` and `bring_back` change."""
    return [*MOVED, "reactivated_at"] if model is MemoryState else MOVED


def line(record: records.Record, verb: str, was: str, reason: str, **more: str) -> audit.Entry:
    """The audit line of a move."""
    kind, state = records.kind_of(record), records.standing(record)
    detail = {"status": [was, state.status], "version": state.version, **more}
    return audit.Entry(f"{kind}.{verb}", kind, record.pk, reason=reason, detail=detail)


def _moved(record: records.Record, verb: str, was: str, reason: str, actor: Actor) -> Moved:
    """Save the new standing, keep the vector index in step, and audit."""
    state = records.standing(record)
    state.save(update_fields=moved_fields(type(state)))
    if isinstance(record, Memory):
        active = state.status == LifecycleStatus.ACTIVE
        MemoryEmbedding.objects.filter(memory=record).update(active=active)
    entry = line(record, verb, was, reason)
    audit.record_all(actor, [entry], space_id=record.space_id)
    return Moved(record, state.status, entry.id)
