"""TODOs; clients of the contract call them reminders."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, etag, if_match, read, read_query
from memories.api import kinds, shapes
from memories.api.finding import undeleted
from memories.api.render import ids
from memories.models import Todo
from memories.services import fields, todos


class New(kinds.Placed):
    """POST reminders."""

    content = shapes.Given()
    due_at = shapes.Moment(required=False)
    source = shapes.Given(required=False)  # type: ignore[assignment]


class Change(serializers.Serializer):
    """PATCH reminders/{id}."""

    content = shapes.Given(required=False)
    due_at = shapes.Moment(required=False)
    bucket = shapes.Given(required=False)
    scope = shapes.Given(required=False)
    path = shapes.Given(required=False)


class Note(serializers.Serializer):
    """POST reminders/{id}/complete."""

    note = shapes.Given(required=False)


class Listing(kinds.Narrowed):
    """GET reminders."""

    item_status = shapes.Text(default="%")
    due_before = shapes.Moment(required=False)
    overdue = shapes.Flag(default=False)


def reminder_json(todo: Todo) -> dict[str, Any]:
    """A TODO."""
    due, is_open = todo.due_at, todo.completed_at is None
    return {
        **ids(todo.pk),
        "item_kind": "reminder",
        "item_status": todo.item_status,
        "content": todo.content,
        "due_at": due,
        "overdue": bool(due and is_open and due < timezone.now()),
        "completed_at": todo.completed_at,
        "note": todo.note,
        **kinds.standing_json(todo),
    }


class Reminders(Door):
    """GET and POST reminders."""

    needs = "memory:read"

    def get(self, request: Request) -> Response:
        """The TODOs within the filters: open ones first, by due date."""
        sent = read_query(Listing, request)
        rows = todos.listed(todos.Wanted(**kinds.filters_of(sent)), actor=actor_of(request))
        page, total = kinds.page_of(rows, sent)
        return Response({"reminders": [reminder_json(todo) for todo in page], "total": total})

    def post(self, request: Request) -> Response:
        """A new one."""
        sent = kinds.written(read(New, body_of(request)))
        return _answer(todos.add(**sent, actor=actor_of(request)))


class Reminder(Door):
    """GET and PATCH reminders/{id}."""

    needs = "memory:read"

    def get(self, request: Request, record_id: str) -> Response:
        """The TODO; its version is the ETag."""
        return _answer(undeleted(todos.find(fields.record_id(record_id), actor=actor_of(request))))

    def patch(self, request: Request, record_id: str) -> Response:
        """Change some fields. A null due_at takes the date off."""
        key, raw = fields.record_id(record_id), body_of(request)
        changes = kinds.changed(read(Change, raw), raw, clears=("due_at",))
        with if_match(request) as seen:
            return _answer(todos.edit(todo_id=key, changes=changes, seen_version=seen, actor=actor_of(request)))


class Complete(Door):
    """POST reminders/{id}/complete."""

    def post(self, request: Request, record_id: str) -> Response:
        """Done; doing it again changes nothing."""
        key = fields.record_id(record_id)
        note = read(Note, body_of(request)).get("note", "")
        with if_match(request) as seen:
            return _answer(todos.complete(todo_id=key, note=note, seen_version=seen, actor=actor_of(request)))


class Reopen(Door):
    """POST reminders/{id}/reopen."""

    def post(self, request: Request, record_id: str) -> Response:
        """Open again."""
        key = fields.record_id(record_id)
        with if_match(request) as seen:
            return _answer(todos.reopen(todo_id=key, seen_version=seen, actor=actor_of(request)))


def _answer(todo: Todo) -> Response:
    return Response(reminder_json(todo), headers=etag(todo.version))
