"""TODOs: added and completed."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from console.errors import Conflict, NotAllowed
from memories import audit
from memories.access import Actor, check_may_use, check_may_write
from memories.models import LifecycleStatus, Todo
from memories.services import fields, records


@transaction.atomic
def add(
    *,
    content: str,
    due_at: datetime | None = None,
    team_id: UUID | None = None,
    bucket: str = "work",
    scope: str | None = None,
    path: str = "",
    source: str = "",
    source_id: str | None = None,
    actor: Actor,
) -> Todo:
    """A new open TODO. Raises Invalid, NotAllowed."""
    check_may_use(actor, "memory:write")
    fields.check({"content": content, "bucket": bucket, "scope": scope, "path": path, "source_id": source_id})
    if (team_id or actor.own) not in actor.spaces:
        raise NotAllowed("You are not a member of this team, or this token is not bound to it.")
    now = timezone.now()
    todo = Todo.objects.create(
        owner_id=actor.own,
        team_id=team_id,
        bucket=bucket,
        scope=scope,
        path=path,
        content=content,
        due_at=due_at,
        source=source or actor.channel,
        source_id=source_id,
        created_at=now,
        updated_at=now,
    )
    audit.record(actor, "todo.create", "todo", todo.pk, space_id=todo.space_id, detail={"status": [None, "open"]})
    return todo


@transaction.atomic
def complete(*, todo_id: UUID, note: str = "", seen_version: int | None = None, actor: Actor) -> Todo:
    """Mark a TODO as done; repeating it changes nothing. Raises NotFound, NotAllowed, Conflict, Stale."""
    todo = records.lock(todo_id, actor=actor, seen_version=seen_version, kinds=("todo",))
    assert isinstance(todo, Todo)
    check_may_write(actor, todo)
    if todo.status == LifecycleStatus.DELETED:
        raise Conflict("This TODO is in the trash. Restore it first.")
    if todo.completed_at is not None:
        return todo
    now = timezone.now()
    todo.completed_at, todo.completed_by_id = now, actor.user_id
    todo.note, todo.updated_at, todo.version = note or todo.note, now, todo.version + 1
    todo.save(update_fields=["completed_at", "completed_by", "note", "updated_at", "version"])
    detail = {"status": ["open", "completed"], "version": todo.version}
    audit.record(actor, "todo.complete", "todo", todo.pk, space_id=todo.space_id, detail=detail)
    return todo
