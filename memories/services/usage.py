"""Marks of use: a memory that helped somebody stays important for longer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from console.errors import NotFound
from memories import audit
from memories.access import Actor, check_may_use, check_may_write
from memories.models import LifecycleStatus, Memory, MemoryUse
from memories.services import fields, kinds, records
from memories.services.fading import importance_now

STEP = 0.05  # of importance, for one use


@dataclass(frozen=True, slots=True)
class Used:
    """The memory, and whether this use was counted now: one of a known tracking id was counted before."""

    memory: Memory
    counted: bool


@transaction.atomic
def mark(
    *,
    memory_id: UUID,
    action: str = "used",
    context: str = "",
    tracking_id: str | None = None,
    metadata: dict[str, Any] | None = None,
    actor: Actor,
) -> Used:
    """Count one use: the importance of this moment rises by STEP to at most 1 and decays from there, from now on.

    It moves the version, because importance is part of what a plan stands on; `updated_at` and the versions to go back
    to stay, because nothing that was said changed. Raises Invalid, NotFound, NotAllowed.
    """
    check_may_use(actor, "memory:write")
    kinds.check({"action": action, "use_context": context, "usage_tracking_id": tracking_id})
    fields.check({"metadata": {} if metadata is None else metadata})
    memory = records.lock(memory_id, actor=actor, kinds=("memory",))
    assert isinstance(memory, Memory)
    check_may_write(actor, memory)
    if memory.state.status == LifecycleStatus.DELETED:
        raise NotFound(records.ABSENT)
    if tracking_id is not None and MemoryUse.objects.filter(memory=memory, tracking_id=tracking_id).exists():
        return Used(memory, counted=False)
    now, state = timezone.now(), memory.state
    MemoryUse.objects.create(
        memory=memory,
        action=action,
        tracking_id=tracking_id,
        context=context,
        metadata=metadata or {},
        at=now,
        user_id=actor.user_id,
        agent_id=actor.agent_id,
    )
    was = state.importance
    state.importance = state.base = min(1.0, round(importance_now(memory, now) + STEP, 6))
    state.anchor = state.last_used_at = now
    state.use_count, state.version = state.use_count + 1, state.version + 1
    state.save(update_fields=["importance", "base", "anchor", "last_used_at", "use_count", "version"])
    detail = {"importance": [was, state.importance], "uses": state.use_count, "version": state.version}
    audit.record(actor, "memory.use", "memory", memory.pk, space_id=memory.space_id, detail=detail)
    return Used(memory, counted=True)
