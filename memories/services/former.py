"""Giving many memories back what they were, and taking that back again; set by set, for passes.

The caller has locked the rows with `lifecycle.lock_many`, compared the versions, and writes the audit lines in the same
transaction. What a memory said until now is kept as a version.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memories.access import Actor
from memories.models import LifecycleStatus, Memory, MemoryEmbedding, MemoryState, MemoryVersion
from memories.services.revise import snapshot
from memories.services.status import MARKERS

TEXT = ("content", "path", "bucket", "scope", "memory_type", "confidence", "metadata", "expires_at")
OWN = [*TEXT, "pinned", "updated_at"]
STANDING = ["status", "archived_at", "expired_at", "deleted_at", "deleted_by", "status_before_delete"]
STATE = [*STANDING, "importance", "base", "anchor", "version"]
REASON = "what a token wrote was taken back"
BATCH = 200


@dataclass(frozen=True, slots=True)
class Former:
    """A locked memory and what of it is to be as it was: fields of TEXT, `importance`, `pinned`, `status`."""

    memory: Memory
    values: Mapping[str, Any]  # plain JSON values


def put_back(many: Sequence[Former], *, at: datetime, actor: Actor) -> dict[UUID, dict[str, Any]]:
    """Write these values, each memory in one new version. Returns what `take_back` needs, by memory."""
    undo = {one.memory.pk: _noted(one) for one in many}
    told = [one for one in many if _told(one.values)]
    MemoryVersion.objects.bulk_create((_version(one.memory, at, actor) for one in told), batch_size=BATCH)
    for one in many:
        _write(one.memory, one.values)
        if _told(one.values):
            one.memory.updated_at = at
        if "importance" in one.values:
            state = one.memory.state
            state.importance = state.base = one.values["importance"]
            state.anchor = at
        if "status" in one.values:
            _stand(one.memory.state, one.values["status"], at, actor)
        one.memory.state.version += 1
    texts = [one.memory for one in many if set(one.values) & {*TEXT, "pinned", "importance"}]
    _save([one.memory for one in many], texts, [one.memory for one in many if _retold(one.values)])
    return undo


def take_back(many: Sequence[tuple[Memory, Mapping[str, Any]]]) -> None:
    """Take a `put_back` back: text, fields, importance and standing as they were before it."""
    for memory, undo in many:
        _write(memory, undo["values"])
        memory.updated_at = datetime.fromisoformat(undo["updated_at"])
        for name, value in undo["state"].items():
            setattr(memory.state, *_state_value(name, value))
        memory.state.version += 1
    _forget_versions([(memory.pk, undo["number"]) for memory, undo in many if undo["number"] is not None])
    texts = [memory for memory, undo in many if undo["number"] is not None or undo["values"]]
    _save([memory for memory, _ in many], texts, [memory for memory, undo in many if _retold(undo["values"])])


def _forget_versions(kept: Sequence[tuple[UUID, int]]) -> None:
    """Take these versions of these memories back."""
    rows = MemoryVersion.objects.filter(memory_id__in=[key for key, _ in kept])
    pairs = set(kept)
    ids = [pk for pk, key, number in rows.values_list("pk", "memory_id", "number") if (key, number) in pairs]
    MemoryVersion.objects.filter(pk__in=ids).delete()


def _told(values: Mapping[str, Any]) -> bool:
    """Whether what the memory says, or where it belongs, changes: then a version is kept."""
    return bool(set(values) & {*TEXT, "importance"})


def _retold(values: Mapping[str, Any]) -> bool:
    """Whether what its vector is made from may change: the content, or the speaker that its metadata names."""
    return bool({"content", "metadata"} & set(values))


def _noted(one: Former) -> dict[str, Any]:
    memory, state = one.memory, one.memory.state
    now = {**snapshot(memory), "content": memory.content, "pinned": memory.pinned}
    standing = {name: getattr(state, "deleted_by_id" if name == "deleted_by" else name) for name in STANDING}
    return {
        "values": {name: now[name] for name in one.values if name in now and name != "importance"},
        "state": {
            name: value.isoformat() if isinstance(value, datetime) else str(value) if isinstance(value, UUID) else value
            for name, value in (
                standing | {"importance": state.importance, "base": state.base, "anchor": state.anchor}
            ).items()
        },
        "updated_at": memory.updated_at.isoformat(),
        "number": state.version if _told(one.values) else None,
    }


def _state_value(name: str, value: Any) -> tuple[str, Any]:
    if name == "deleted_by":
        return "deleted_by_id", UUID(value) if value else None
    return name, datetime.fromisoformat(value) if value and (name.endswith("_at") or name == "anchor") else value


def _version(memory: Memory, at: datetime, actor: Actor) -> MemoryVersion:
    return MemoryVersion(
        memory=memory,
        number=memory.state.version,
        content=memory.content,
        fields=snapshot(memory),
        replaced_at=at,
        replaced_by_id=actor.user_id,
        reason=REASON,
    )


def _write(memory: Memory, values: Mapping[str, Any]) -> None:
    for name in (*TEXT, "pinned"):
        if name in values:
            value = values[name]
            moment = name == "expires_at" and value is not None
            setattr(memory, name, datetime.fromisoformat(value) if moment else value)


def _stand(state: MemoryState, status: str, at: datetime, actor: Actor) -> None:
    """Let the state stand at `status`, unsaved. What moves to the trash keeps its markers, as `forget` has it."""
    if status == LifecycleStatus.DELETED:
        state.status_before_delete, state.status = state.status, status
        state.deleted_at, state.deleted_by_id = at, actor.user_id
        return
    state.status, state.status_before_delete = status, ""
    state.deleted_at = state.deleted_by_id = None
    for name, marker in MARKERS.items():
        setattr(state, marker, (getattr(state, marker) or at) if name == status else None)


def _save(memories: Sequence[Memory], texts: Sequence[Memory], retold: Sequence[Memory]) -> None:
    """Store the standing of all, the texts of some; the vector of a text that changed is due again."""
    for start in range(0, len(memories), BATCH):
        _execute(STATES, [_state_row(one.state) for one in memories[start : start + BATCH]])
    for start in range(0, len(texts), BATCH):
        _execute(TEXTS, [{name: getattr(one, name) for name in ("id", *OWN)} for one in texts[start : start + BATCH]])
    MemoryEmbedding.objects.filter(memory__in=[memory.pk for memory in retold]).delete()
    for active in (True, False):
        ids = [memory.pk for memory in memories if (memory.state.status == LifecycleStatus.ACTIVE) is active]
        MemoryEmbedding.objects.filter(memory__in=ids).update(active=active)


def _state_row(state: MemoryState) -> dict[str, Any]:
    names = [f"{name}_id" if name == "deleted_by" else name for name in STATE]
    return {"id": state.memory_id, **{name: getattr(state, name) for name in names}}


def _plain(value: Any) -> str:
    """A time to the microsecond, which Django's own encoder would cut to the millisecond; an id as text."""
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _execute(statement: str, rows: Sequence[Mapping[str, Any]]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, [json.dumps(rows, default=_plain)])


# Django's bulk_update writes a CASE for each field of each row, which takes a hundred times as long.
STATES = """
UPDATE memories_memorystate AS s
SET status = d.status, archived_at = d.archived_at, expired_at = d.expired_at, deleted_at = d.deleted_at,
    deleted_by_id = d.deleted_by_id, status_before_delete = d.status_before_delete, importance = d.importance,
    base = d.base, anchor = d.anchor, version = d.version
FROM jsonb_to_recordset(%s::jsonb) AS d (
    id uuid, status text, archived_at timestamptz, expired_at timestamptz, deleted_at timestamptz, deleted_by_id uuid,
    status_before_delete text, importance float8, base float8, anchor timestamptz, version integer)
WHERE s.memory_id = d.id"""
TEXTS = """
UPDATE memories_memory AS m
SET content = d.content, path = d.path, bucket = d.bucket, scope = d.scope, memory_type = d.memory_type,
    confidence = d.confidence, metadata = d.metadata, expires_at = d.expires_at, pinned = d.pinned,
    updated_at = d.updated_at
FROM jsonb_to_recordset(%s::jsonb) AS d (
    id uuid, content text, path text, bucket text, scope text, memory_type text, confidence float8, metadata jsonb,
    expires_at timestamptz, pinned boolean, updated_at timestamptz)
WHERE m.id = d.id"""
