"""TODOs: added, changed, completed, opened again, and listed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import DateTimeField, F, QuerySet
from django.db.models.expressions import RawSQL
from django.utils import timezone

from console.errors import Invalid
from console.saying import phrase
from memories import audit
from memories.access import Actor, check_may_revise, check_may_use
from memories.models import LifecycleStatus, Todo
from memories.services import editing, kinds, records

EDITABLE = ("content", "due_at", "bucket", "scope", "path")
STATUSES = ("open", "completed", kinds.ANY)


@transaction.atomic
def add(
    *,
    content: str,
    due_at: datetime | None = None,
    team_id: UUID | None = None,
    bucket: str | None = None,
    scope: str | None = None,
    path: str = "",
    source: str = "",
    source_id: str | None = None,
    actor: Actor,
) -> Todo:
    """A new open TODO; bucket `work` unless the token is bound to others. Raises Invalid, NotAllowed, Conflict."""
    check_may_use(actor, "memory:write")
    kinds.check({"content": content, "due_at": due_at, "source": source, "source_id": source_id})
    where = kinds.place(actor, team_id=team_id, bucket=bucket, scope=scope, path=path)
    values = {"content": content, "due_at": due_at}
    todo = editing.make(Todo, where, values, source=source, source_id=source_id, actor=actor)
    audit.record(actor, "todo.create", "todo", todo.pk, space_id=todo.space_id, detail={"status": [None, "open"]})
    return todo


def find(todo_id: UUID, *, actor: Actor) -> Todo:
    """The visible TODO of this id; deleted ones too. Raises NotFound."""
    found = records.find(todo_id, actor=actor, kinds=("todo",))
    assert isinstance(found, Todo)
    return found


def _lock(todo_id: UUID, seen_version: int | None, actor: Actor) -> Todo:
    """The TODO, locked, writable and not in the trash. Raises NotFound, NotAllowed, Conflict, Stale."""
    todo = records.lock(todo_id, actor=actor, seen_version=seen_version, kinds=("todo",))
    assert isinstance(todo, Todo)
    check_may_revise(actor, todo)
    kinds.check_not_deleted(todo, "todo")
    return todo


@transaction.atomic
def edit(*, todo_id: UUID, changes: dict[str, Any], seen_version: int | None = None, actor: Actor) -> Todo:
    """Change the given fields of EDITABLE. Without a difference nothing is written.

    Raises Invalid, NotFound, NotAllowed, Conflict, Stale.
    """
    editing.check_editable(changes, EDITABLE)
    kinds.check(changes)
    todo = _lock(todo_id, seen_version, actor)
    was, now_is = editing.fill(todo, changes, EDITABLE)
    if now_is == was:
        return todo
    editing.save(todo, actor, EDITABLE)
    detail = audit.changed(was, now_is, ("due_at", "bucket", "scope", "path"))
    detail |= {"version": todo.version, "content_changed": was["content"] != now_is["content"]}
    audit.record(actor, "todo.update", "todo", todo.pk, space_id=todo.space_id, detail=detail)
    return todo


@transaction.atomic
def complete(*, todo_id: UUID, note: str = "", seen_version: int | None = None, actor: Actor) -> Todo:
    """Mark a TODO as done; repeating it changes nothing. Raises Invalid, NotFound, NotAllowed, Conflict, Stale."""
    kinds.check({"note": note})
    todo = _lock(todo_id, seen_version, actor)
    if todo.completed_at is not None:
        return todo
    todo.completed_at, todo.completed_by_id = timezone.now(), actor.user_id
    todo.note = note or todo.note
    return _moved(todo, "complete", ["open", "completed"], actor)


@transaction.atomic
def reopen(*, todo_id: UUID, seen_version: int | None = None, actor: Actor) -> Todo:
    """Make a completed TODO open again; its note stays. On an open one this changes nothing.

    Raises NotFound, NotAllowed, Conflict, Stale.
    """
    todo = _lock(todo_id, seen_version, actor)
    if todo.completed_at is None:
        return todo
    todo.completed_at = todo.completed_by = None
    return _moved(todo, "reopen", ["completed", "open"], actor)


def _moved(todo: Todo, verb: str, status: list[str], actor: Actor) -> Todo:
    editing.save(todo, actor, ("completed_at", "completed_by", "note"))
    detail = {"status": status, "version": todo.version}
    audit.record(actor, f"todo.{verb}", "todo", todo.pk, space_id=todo.space_id, detail=detail)
    return todo


@dataclass(frozen=True, slots=True)
class Wanted(kinds.Filter):
    """Filters of TODOs. `item_status` is one of STATUSES; overdue are open ones whose `due_at` has passed."""

    item_status: str = kinds.ANY
    due_before: datetime | None = None
    overdue: bool = False


def listed(wanted: Wanted, *, actor: Actor) -> QuerySet[Todo]:
    """The TODOs wanted: open ones first, by due date, then the completed, newest first. Raises Invalid, NotAllowed."""
    check_may_use(actor, "memory:read")
    if wanted.item_status not in STATUSES:
        raise Invalid.field("item_status", phrase("Send one of %(names)s.", names=", ".join(STATUSES)), where="query")
    if wanted.due_before is not None and (fault := kinds.RULES["due_at"][0](wanted.due_before)):
        raise Invalid.field("due_before", fault, where="query")
    rows = kinds.listed(actor, Todo.objects.filter(status=LifecycleStatus.ACTIVE), wanted)
    if wanted.item_status != kinds.ANY:
        rows = rows.filter(completed_at__isnull=wanted.item_status == "open")
    if wanted.due_before is not None:
        rows = rows.filter(due_at__lt=wanted.due_before)
    if wanted.overdue:
        rows = rows.filter(completed_at__isnull=True, due_at__lt=timezone.now())
    rows = kinds.holding(rows, wanted.query)
    return rows.order_by(F("completed_at").desc(nulls_first=True), F("due_at").asc(nulls_last=True), "pk")


def by_due(rows: QuerySet[Todo]) -> QuerySet[Todo]:
    """`rows` with `turned`, a time that falls as the due date rises: lists sorted newest first show what is due first.

    It is the due date mirrored at the year 2000; TODOs without one, or one after 2199, come last.
    """
    mirrored = """timestamptz '2000-01-01Z' + (timestamptz '2000-01-01Z'
        - least(coalesce("memories_todo"."due_at", 'infinity'), timestamptz '2200-01-01Z'))"""
    return rows.annotate(turned=RawSQL(mirrored, [], DateTimeField()))  # noqa: S611 - a constant
