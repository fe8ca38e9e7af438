"""Changing what a memory says, where it belongs or how it stands, keeping what it was."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from console.errors import Conflict, Invalid, NotAllowed, NotFound
from console.saying import phrase
from memories import audit
from memories.access import Actor, check_may_write
from memories.embedding.store import text_of
from memories.embedding.waking import embed_soon
from memories.models import Memory, MemoryEmbedding, MemoryVersion
from memories.models.memory import MemoryType
from memories.services import erase, fields, keyed, line_fields, records, status
from memories.services.move import move

OWN = ("content", "path", "bucket", "scope", "memory_type", "confidence", "metadata", "expires_at")
REVISABLE = (*OWN, "importance", "status", "team_id")
AUDITED = ("path", "bucket", "scope", "memory_type", "importance", "confidence", "expires_at")


def snapshot(memory: Memory) -> dict[str, Any]:
    """The revisable fields as plain JSON values, without the content."""
    return {
        "path": memory.path,
        "bucket": memory.bucket,
        "scope": memory.scope,
        "memory_type": memory.memory_type,
        "importance": memory.state.importance,
        "confidence": memory.confidence,
        "metadata": memory.metadata,
        "expires_at": memory.expires_at.isoformat() if memory.expires_at else None,
    }


@transaction.atomic
def revise(
    *,
    memory_id: UUID,
    changes: dict[str, Any],
    reason: str = "",
    seen_version: int | None = None,
    actor: Actor,
) -> Memory:
    """Change the given fields; None clears those that may be empty. Without a difference nothing is written.

    What the memory was is kept as a version. `status` may be active, archived or expired, `team_id` a team, or None
    for the owner's own space. Raises Invalid, NotFound, NotAllowed, Conflict, Stale.
    """
    _check(changes, reason)
    if "team_id" in changes:  # its words leave saved plans, so it waits for those being made
        memory = erase.locked(memory_id, seen_version, actor)
    else:
        memory = records.lock(memory_id, actor=actor, seen_version=seen_version, kinds=("memory",))
    if not isinstance(memory, Memory):
        raise NotFound(records.ABSENT)
    return _changed(memory, changes, reason, actor)


def _check(changes: dict[str, Any], reason: str) -> None:
    unknown = sorted(set(changes) - set(REVISABLE))
    if unknown:
        raise Invalid.field(
            unknown[0],
            phrase("%(name)s cannot be changed. Change one of %(names)s.", name=unknown[0], names=", ".join(REVISABLE)),
        )
    plain = {name: value for name, value in changes.items() if name not in ("status", "team_id")}
    fields.check({**plain, "reason": reason})
    if "status" in changes:
        status.check(changes["status"])


@dataclass(frozen=True, slots=True)
class _Before:
    """What a memory was before a change."""

    fields: dict[str, Any]
    content: str
    read: str  # what its vector is made from
    space_id: UUID
    status: str


def _before(memory: Memory) -> _Before:
    return _Before(snapshot(memory), memory.content, text_of(memory), memory.space_id, memory.state.status)


def _changed(memory: Memory, changes: dict[str, Any], reason: str, actor: Actor) -> Memory:
    """A locked memory with the changes, written and audited."""
    check_may_write(actor, memory)
    if memory.state.status == "deleted":
        raise Conflict(phrase("This memory is in the trash. Restore it before you change it."))
    before, now = _before(memory), timezone.now()
    for name in OWN:
        if name in changes:
            setattr(memory, name, changes[name])
    memory.path = memory.path.strip("/")
    importance = changes.get("importance", memory.state.importance)
    after = {**snapshot(memory), "importance": importance}
    rewritten = memory.content != before.content
    copies = move(memory, changes["team_id"], at=now, actor=actor) if "team_id" in changes else None
    if "status" in changes:
        status.place(memory, changes["status"], now)
    touched = rewritten or copies is not None or after != before.fields
    if not touched and memory.state.status == before.status:
        return memory
    if not actor.bounds.allow(bucket=memory.bucket, scope=memory.scope, path=memory.path):
        raise NotAllowed(phrase("This place lies outside the space that the token is bound to."))
    _check_key(memory, before, now)
    if rewritten or after != before.fields:
        _keep_version(memory, before, now, reason, actor)
    _write(memory, importance, before, now, touched=touched)
    if text_of(memory) != before.read:
        MemoryEmbedding.objects.filter(memory=memory).delete()
        transaction.on_commit(embed_soon)
    _audit(memory, before, after, reason, actor, snapshots=copies or [])
    return memory


def _check_key(memory: Memory, before: _Before, now: datetime) -> None:
    """Raises Conflict for what comes to life as a slot, or to another place, where its key is taken.

    One that stays where it is live is not asked about: whoever writes by key may be waiting for it.
    """
    until = before.fields["expires_at"]
    lived = before.status == "active" and (until is None or datetime.fromisoformat(until) > now)
    lived = lived and before.fields["memory_type"] == MemoryType.WORKING
    place = (before.space_id, before.fields["bucket"], before.fields["scope"])
    if not lived or place != (memory.space_id, memory.bucket, memory.scope):
        keyed.check_free(memory, status=memory.state.status)


def _keep_version(memory: Memory, before: _Before, now: datetime, reason: str, actor: Actor) -> None:
    MemoryVersion.objects.create(
        memory=memory,
        number=memory.state.version,
        content=before.content,
        fields=before.fields,
        replaced_at=now,
        replaced_by_id=actor.user_id,
        reason=reason,
    )


def _write(memory: Memory, importance: float, before: _Before, now: datetime, *, touched: bool) -> None:
    """Save all three parts. A person's importance is a new anchor to decay from; any change moves the version."""
    if touched:
        memory.updated_at = now
        memory.save()
    state = memory.state
    state.version += 1
    if importance != before.fields["importance"]:
        state.importance = state.base = importance
        state.anchor = now
    standing = ["status", "archived_at", "expired_at", "reactivated_at"]
    state.save(update_fields=["version", "importance", "base", "anchor", *standing])
    status.keep_index_in_step(memory)


def _audit(
    memory: Memory, before: _Before, after: dict[str, Any], reason: str, actor: Actor, *, snapshots: list[UUID]
) -> None:
    """One line; a move writes it into both chains, which are locked in the order of their ids everywhere."""
    rewritten, stands = memory.content != before.content, memory.state.status
    detail = audit.changed(before.fields, after, AUDITED)
    action = "memory.update"
    if stands != before.status:
        detail["status"] = [before.status, stands]
        if not (rewritten or after != before.fields or memory.space_id != before.space_id):
            action = f"memory.{status.VERBS[stands]}"
    if memory.space_id != before.space_id:
        detail["space"] = [str(before.space_id), str(memory.space_id)]
    if snapshots:
        detail["snapshots"] = [str(key) for key in snapshots]
    detail |= {"version": memory.state.version, "content_changed": rewritten}
    for space_id in sorted({before.space_id, memory.space_id}):
        audit.record(actor, action, "memory", memory.pk, space_id=space_id, reason=reason, detail=detail)


@transaction.atomic
def revert(*, memory_id: UUID, number: int, reason: str = "", seen_version: int | None = None, actor: Actor) -> Memory:
    """Bring the content and fields of an earlier version back, as a new version. Its space and status stay.

    A time of expiry that has passed meanwhile is not brought back: the memory would be gone at once. Raises Invalid,
    NotFound, NotAllowed, Conflict, Stale.
    """
    fields.check({"reason": reason})
    memory = records.lock(memory_id, actor=actor, seen_version=seen_version, kinds=("memory",))
    assert isinstance(memory, Memory)
    was = memory.versions.filter(number=number).first()
    if was is None:
        raise NotFound(phrase("This memory has no earlier version %(number)s. List its versions.", number=number))
    known = {name: value for name, value in was.fields.items() if name in (*OWN, "importance")}
    if "expires_at" in known:
        known["expires_at"] = line_fields.moment(known, "expires_at")
        if known["expires_at"] is not None and known["expires_at"] <= timezone.now():
            del known["expires_at"]
    changes = {**known, "content": was.content}
    fields.check(changes)  # a file may have brought the version
    return _changed(memory, changes, reason or f"back to version {number}", actor)
