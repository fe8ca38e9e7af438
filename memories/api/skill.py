"""One address for everything a skill does: an operation by name, with arguments that may all be texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, read
from console.errors import Invalid, NotSignedIn, Refused
from console.http import public
from console.saying import phrase
from memories.access import Actor
from memories.api import shapes, skill_kinds, skill_memories

Operation = Callable[[dict[str, Any], Actor], dict[str, Any] | None]
READS: dict[str, Operation] = {
    "recall": skill_memories.recalled,
    "search": skill_memories.searched,
    "overview": skill_memories.overview,
    "activity": skill_memories.activity,
    "todo-list": skill_kinds.todo_list,
    "ledger-list": skill_kinds.ledger_list,
    "ledger-summary": skill_kinds.ledger_summary,
    "state-restore": skill_kinds.state_restore,
    "doctor": skill_memories.doctor,
}
WRITES: dict[str, Operation] = {
    "remember": skill_memories.remembered,
    "update": skill_memories.updated,
    "forget": skill_memories.forgotten,
    "state-save": skill_kinds.state_save,
    "todo-add": skill_kinds.todo_add,
    "todo-done": skill_kinds.todo_done,
    "expense-add": skill_kinds.expense_add,
    "ledger-delete": skill_kinds.ledger_delete,
    "expense-delete": skill_kinds.ledger_delete,
}
OPEN = "doctor"  # also for somebody without a token, who asks why nothing works
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

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Before each verb. Raises NotSignedIn where nobody is known, but for the one operation that is open."""
        if actor_of(request).user_id is None and not _is_open(request):
            raise NotSignedIn(phrase("Send a token: Authorization: Bearer <token>, or X-API-Key."))
        super().initial(request, *args, **kwargs)

    def keeps_answers(self, request: Request) -> bool:
        """Not of what only reads."""
        return body_of(request).get("operation") not in list(READS)

    def post(self, request: Request) -> Response:
        """Carry out one operation. It takes and answers what the address of the same act does.

        `doctor` also answers without a token, and says that there is none.
        """
        sent, actor = read(Wanted, body_of(request)), actor_of(request)
        operation = OPERATIONS.get(sent["operation"])
        if operation is None:
            known = ", ".join(sorted(OPERATIONS))
            raise Invalid.field("operation", phrase("There is no such operation. Send one of %(known)s.", known=known))
        result = operation(sent["arguments"], actor)
        ok = (result or {}).get("ok", True)  # what waits for a person has not been done
        request_id = request._request.request_id  # type: ignore[attr-defined]
        body = {"ok": ok, "operation": sent["operation"], "result": result, "request_id": request_id}
        return Response(body, status=200 if ok else 202)


def _is_open(request: Request) -> bool:
    try:
        return request.method == "POST" and body_of(request).get("operation") == OPEN
    except (Refused, APIException):
        return False


operations = public(Operations.as_view())
