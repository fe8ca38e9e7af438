"""Changing what a memory says or where it belongs, keeping what it was."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from console.errors import Conflict, Invalid, NotAllowed
from memories import audit
from memories.access import Actor, check_may_write
from memories.models import Memory, MemoryEmbedding, MemoryVersion
from memories.services import fields, records
from memories.tasks import embed_soon

OWN = ("content", "path", "bucket", "scope", "memory_type", "confidence", "metadata", "expires_at")
REVISABLE = (*OWN, "importance")


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

    What the memory was is kept as a version. Raises Invalid, NotFound, NotAllowed, Conflict, Stale.
    """
    unknown = sorted(set(changes) - set(REVISABLE))
    if unknown:
        raise Invalid.field(unknown[0], f"{unknown[0]} cannot be changed. Change one of {', '.join(REVISABLE)}.")
    fields.check({**changes, "reason": reason})
    memory = records.lock(memory_id, actor=actor, seen_version=seen_version, kinds=("memory",))
    assert isinstance(memory, Memory)
    check_may_write(actor, memory)
    if memory.state.status == "deleted":
        raise Conflict("This memory is in the trash. Restore it before you change it.")
    was, old_content = snapshot(memory), memory.content
    now = timezone.now()
    for name in OWN:
        if name in changes:
            setattr(memory, name, changes[name])
    memory.path = memory.path.strip("/")
    importance = changes.get("importance", memory.state.importance)
    content_changed = memory.content != old_content
    now_is = {**snapshot(memory), "importance": importance}
    if not content_changed and now_is == was:
        return memory
    if not actor.bounds.allow(bucket=memory.bucket, scope=memory.scope, path=memory.path):
        raise NotAllowed("This place lies outside the space that the token is bound to.")
    MemoryVersion.objects.create(
        memory=memory,
        number=memory.state.version,
        content=old_content,
        fields=was,
        replaced_at=now,
        replaced_by_id=actor.user_id,
        reason=reason,
    )
    memory.updated_at = now
    memory.save()
    _move_state(memory, importance, was["importance"], now)
    if content_changed:
        MemoryEmbedding.objects.filter(memory=memory).delete()
        transaction.on_commit(embed_soon)
    detail = audit.changed(
        was, now_is, ("path", "bucket", "scope", "memory_type", "importance", "confidence", "expires_at")
    )
    detail |= {"version": memory.state.version, "content_changed": content_changed}
    audit.record(actor, "memory.update", "memory", memory.pk, space_id=memory.space_id, reason=reason, detail=detail)
    return memory


def _move_state(memory: Memory, importance: float, was: float, now: Any) -> None:
    """A person's importance is a new anchor to decay from; any revision moves the version."""
    state = memory.state
    state.version += 1
    if importance != was:
        state.importance = state.base = importance
        state.anchor = now
    state.save(update_fields=["version", "importance", "base", "anchor"])
