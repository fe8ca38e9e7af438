"""Working state: what an agent is doing now, one active slot for each space, bucket, scope and key of an owner.

A slot is a `working` memory under the semantic key `state:<key>`; its fields stand in the metadata.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from console.errors import Invalid, NotAllowed
from console.saying import phrase
from memories.access import Actor, check_may_use, live, visible_to
from memories.models import Memory
from memories.models.memory import MemoryType
from memories.services import keyed, kinds
from memories.services.remember import NewMemory, one_writer_per_key, remember
from memories.services.revise import revise

USUAL_KEY = "active_task"
PREFIX = keyed.SLOT
FIELDS = {"current_task": "Current task", "next_action": "Next", "blocked_reason": "Blocked"}
TTL_MOST = 10 * 365 * 24 * 3600  # seconds


@transaction.atomic
def update(
    *,
    state_key: str = USUAL_KEY,
    content: str = "",
    current_task: str = "",
    next_action: str = "",
    blocked_reason: str = "",
    bucket: str | None = None,
    scope: str | None = None,
    team_id: UUID | None = None,
    session: str | None = None,
    ttl_seconds: int = 0,
    actor: Actor,
) -> Memory:
    """Say what the slot holds now, in place of what it held; the same again is a no-op. A `ttl_seconds` of 0: no end.

    Without `content` the text is put together from the other fields. Raises Invalid, NotAllowed.
    """
    check_may_use(actor, "memory:write")
    said = {"current_task": current_task, "next_action": next_action, "blocked_reason": blocked_reason}
    kinds.check({"state_key": state_key, "session": session, **said, **({"content": content} if content != "" else {})})
    if isinstance(ttl_seconds, bool) or not isinstance(ttl_seconds, int) or not 0 <= ttl_seconds <= TTL_MOST:
        raise Invalid.field("ttl_seconds", phrase("Send whole seconds from 0 (no end) to %(most)s.", most=TTL_MOST))
    content = content or "\n".join(f"{name}: {said[key]}" for key, name in FIELDS.items() if said[key].strip())
    if not content:
        raise Invalid.field("content", phrase("The state is empty. Send content, current_task or next_action."))
    over = timezone.now() + timedelta(seconds=ttl_seconds) if ttl_seconds else None
    slot = {"state_key": state_key, "content": content, **said, "bucket": bucket, "scope": scope}
    return write(slot=slot, team_id=team_id, session=session, over=over, actor=actor)


def write(
    *, slot: Mapping[str, Any], team_id: UUID | None, session: str | None, over: datetime | None, actor: Actor
) -> Memory:
    """Let the slot of this key and place hold what `slot` says until `over`; a part of the caller's transaction.

    A slot that was written through another door may say more than `update` takes. Raises Invalid, NotAllowed.
    """
    place = {"team_id": team_id, "bucket": slot["bucket"], "scope": slot["scope"]}
    where = kinds.place(actor, **place, path=_path(actor))
    new = NewMemory(
        content=slot["content"],
        path=where.path,
        bucket=where.bucket,
        scope=where.scope,
        team_id=where.team_id,
        memory_type=MemoryType.WORKING,
        semantic_key=PREFIX + slot["state_key"],
        session=session,
        expires_at=over,
        metadata={name: slot[name] for name in ("state_key", *FIELDS) if slot.get(name)},
    )
    one_writer_per_key(new, actor)
    known = _known(new, actor)
    if known is None:
        return remember(new=new, actor=actor).memory
    changes = {"content": new.content, "metadata": new.metadata, "expires_at": new.expires_at}
    return revise(memory_id=known.pk, changes=changes, reason="the state moved on", actor=actor)


def _path(actor: Actor) -> str:
    return "/".join(part for part in (actor.bounds.path_prefix.strip("/"), "state") if part)


def _known(new: NewMemory, actor: Actor) -> Memory | None:
    space_id = new.team_id or actor.own
    rows = slots(actor, space_id=space_id, bucket=new.bucket, scope=new.scope)
    return rows.filter(semantic_key=new.semantic_key).order_by("created_at", "pk").first()


def current(
    *,
    state_key: str = USUAL_KEY,
    bucket: str | None = None,
    scope: str | None = None,
    team_id: UUID | None = None,
    actor: Actor,
) -> Memory | None:
    """The actor's active slot of this key and place; None without one. Raises Invalid, NotAllowed."""
    check_may_use(actor, "memory:read")
    kinds.check({"state_key": state_key})
    where = kinds.place(actor, team_id=team_id, bucket=bucket, scope=scope)
    rows = slots(actor, space_id=where.team_id or actor.own, bucket=where.bucket, scope=where.scope)
    return rows.filter(semantic_key=PREFIX + state_key).order_by("created_at", "pk").first()


def slots(actor: Actor, *, space_id: UUID, bucket: str, scope: str | None) -> QuerySet[Memory]:
    """The actor's own active slots in one place."""
    if space_id not in actor.spaces:
        raise NotAllowed(phrase("You are not a member of this team, or this token is not bound to it."))
    rows = live(visible_to(actor, Memory.objects.select_related("state")))
    rows = rows.filter(space_id=space_id, owner_id=actor.own, bucket=bucket, scope=scope)
    return rows.filter(memory_type=MemoryType.WORKING, semantic_key__startswith=PREFIX)


def holds(memory: Memory) -> bool:
    """Whether this memory is a slot, or was one before its type was changed."""
    return (memory.semantic_key or "").startswith(PREFIX)


def key_of(slot: Memory) -> str:
    """The state key of a slot."""
    return (slot.semantic_key or "").removeprefix(PREFIX)


def fields_of(slot: Memory) -> dict[str, Any]:
    """What a slot holds, as plain JSON values. `expires_at` is ISO 8601 or None."""
    return {
        "state_key": key_of(slot),
        "content": slot.content,
        **{name: str(slot.metadata.get(name, "")) for name in FIELDS},
        "bucket": slot.bucket,
        "scope": slot.scope,
        "expires_at": slot.expires_at.isoformat() if slot.expires_at else None,
        "memory_id": str(slot.pk),
        "version": slot.state.version,
    }
