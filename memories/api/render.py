"""Records as JSON."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from memories.access import Actor
from memories.models import Memory, MemoryVersion
from memories.services.status import standing


def ids(record_id: UUID) -> dict[str, str]:
    """A record's id under both names that clients read."""
    return {"id": str(record_id), "memory_id": str(record_id)}


def memory_json(memory: Memory) -> dict[str, Any]:
    """A memory with its state."""
    state = memory.state
    return {
        **ids(memory.pk),
        "content": memory.content,
        "path": memory.path,
        "bucket": memory.bucket,
        "scope": memory.scope,
        "team_id": memory.team_id,
        "owner_id": memory.owner_id,
        "memory_type": memory.memory_type,
        "status": standing(memory),
        "version": state.version,
        "importance": state.importance,
        "confidence": memory.confidence,
        "semantic_key": memory.semantic_key,
        "metadata": memory.metadata,
        "provenance": memory.provenance,
        "source": memory.source,
        "agent_id": memory.agent_id,
        "language": memory.language,
        "trust": memory.trust,
        "pinned": memory.pinned,
        "hold": memory.hold or None,
        "derivation": memory.derivation or None,
        "pass_id": memory.pass_id,
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
        "expires_at": memory.expires_at,
        "redacted_at": memory.redacted_at,
    }


def version_json(version: MemoryVersion) -> dict[str, Any]:
    """What a memory was before one revision."""
    return {
        **version.fields,
        "version": version.number,
        "content": version.content,
        "replaced_at": version.replaced_at,
        "replaced_by": version.replaced_by.username if version.replaced_by else None,
        "reason": version.reason,
    }


def event_json(line: Any) -> dict[str, Any]:
    """One line of the audit, to which `hands.attach` has said with which token it was done."""
    hand = line.hand
    return {
        "id": line.pk,
        "action": line.action,
        "result": line.result,
        "target_id": line.object_id,
        "target_type": line.object_type,
        "pass_id": line.pass_id,
        "actor_id": line.actor_id,
        "actor": line.actor_name,
        "channel": line.channel,
        "agent_id": line.agent_id,
        "token_prefix": hand.prefix if hand else None,
        "token_name": hand.name or None if hand else None,
        "reason": line.reason,
        "detail": line.detail,
        "space_id": line.space_id,
        "seq": line.seq,
        "request_id": line.request_id,
        "audit_id": line.audit_id,
        "created_at": line.at,
    }


def boundary_json(actor: Actor) -> dict[str, Any]:
    """Everything that this caller may touch."""
    bounds = actor.bounds
    return {
        "owner_id": actor.user_id,
        "owner": actor.name,
        "private": actor.user_id in actor.spaces,
        "team_ids": [space.team_id for space in actor.spaces.values() if space.team_id],
        "buckets": list(bounds.buckets) if bounds.buckets is not None else None,
        "scope": bounds.scope,
        "path_prefix": bounds.path_prefix or None,
        "agent_id": bounds.agent_id or actor.agent_id or None,
    }
