"""One address for everything a skill does: an operation by name, with arguments that may all be texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, read
from console.errors import Invalid
from console.saying import phrase
from memories.access import Actor
from memories.api import shapes, skill_kinds, skill_memories

Operation = Callable[[dict[str, Any], Actor], dict[str, Any]]
READS: dict[str, Operation] = {
    "recall": skill_memories.recalled,
    "search": skill_memories.searched,
    "overview": skill_memories.overview,
    "activity": skill_memories.activity,
    "todo-list": skill_kinds.todo_list,
    "ledger-list": skill_kinds.ledger_list,
    "ledger-summary": skill_kinds.ledger_summary,
    "doctor": skill_memories.doctor,
}
WRITES: dict[str, Operation] = {
    "remember": skill_memories.remembered,
    "update": skill_memories.updated,
    "forget": skill_memories.forgotten,
    "state-save": skill_kinds.state_save,
    "state-restore": skill_kinds.state_restore,
    "todo-add": skill_kinds.todo_add,
    "todo-done": skill_kinds.todo_done,
    "expense-add": skill_kinds.expense_add,
    "ledger-delete": skill_kinds.ledger_delete,
}
OPERATIONS = READS | WRITES


class Arguments(shapes.Given):
    """An object of arguments."""

    default_error_messages = {"arguments": _("This is no object of arguments. Send names with their values.")}

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """The arguments; a null and an empty text count as left out."""
        if not isinstance(data, dict):
            self.fail("arguments")
        return {name: value for name, value in data.items() if value not in (None, "")}


class Wanted(serializers.Serializer):
    """POST skill/operations."""

    operation = shapes.Text()
    arguments = Arguments(default=dict)


class Operations(Door):
    """POST skill/operations."""

    def keeps_answers(self, request: Request) -> bool:
        """Not of what only reads."""
        return body_of(request).get("operation") not in list(READS)

    def post(self, request: Request) -> Response:
        """Carry out one operation. It takes and answers what the address of the same act does."""
        sent, actor = read(Wanted, body_of(request)), actor_of(request)
        operation = OPERATIONS.get(sent["operation"])
        if operation is None:
            known = ", ".join(sorted(OPERATIONS))
            raise Invalid.field("operation", phrase("There is no such operation. Send one of %(known)s.", known=known))
        result = operation(sent["arguments"], actor)
        request_id = request._request.request_id  # type: ignore[attr-defined]
        return Response({"ok": True, "operation": sent["operation"], "result": result, "request_id": request_id})
