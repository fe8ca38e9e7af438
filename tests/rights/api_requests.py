"""One good request to every operation of the API, with records of Ann around it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.db import transaction
from django.http import HttpResponse
from django.test import Client

from memories.models import User
from tests.memories.asking import Given, filled
from tests.memories.factories import token
from tests.memories.mutations import CASES, NEUTRAL, REFUSED, decision, entry, erased, note, todo
from tests.reflection.mutations import applied, planned, scheduled
from tests.rights.records import something_of_everything
from tests.rights.tables import API, Row, rows

ROWS = rows(API)
MISSING = "01a22ca2-8482-7386-8256-67939b2aa67b"
UUIDS = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
PARAMETER = re.compile(r"<\w+:(\w+)>")
IDS_OF_REQUESTS = ("X-XMemo-Audit-ID", "X-Request-ID")
NOT_COMPARED = (*IDS_OF_REQUESTS, "Expires", "Content-Length")
BROWSER = Client(raise_request_exception=False)  # one for all: a new one reads all static files again


READ: dict[str, Callable[[], UUID]] = {
    "reminders": todo,
    "transactions": entry,
    "decisions": decision,
    "passes": lambda: applied().pk,
    "dream": lambda: applied().pk,
    "schedules": scheduled,
    "erasures": erased,
    "memories": note,
}
SKILLS: dict[str, Callable[[], dict[str, Any]]] = {
    "remember": lambda: {"content": "Tea.", "path": "p"},
    "recall": lambda: {"query": "kettle"},
    "search": lambda: {"query": "kettle"},
    "update": lambda: {"memory_id": str(note()), "path": "shelf"},
    "forget": lambda: {"memory_id": str(note())},
    "state-save": lambda: {"content": "Pouring."},
    "state-restore": lambda: {"state_key": "plan"},
    "todo-add": lambda: {"content": "Buy tea."},
    "todo-done": lambda: {"todo_id": str(todo())},
    "expense-add": lambda: {"item": "tea", "amount": "3", "currency": "EUR"},
    "ledger-delete": lambda: {"entry_id": str(entry())},
    "expense-delete": lambda: {"entry_id": str(entry())},
}
CHANGES = {case.route: case.given for case in CASES} | NEUTRAL | REFUSED


def given(row: Row) -> Given:
    """What is asked about, and what is sent, with records of Ann around it."""
    if "operation" in row.more:
        make = SKILLS.get(row.more["operation"], dict)
        return None, {"operation": row.more["operation"], "arguments": make()}
    if row.name in CHANGES:
        key, body = CHANGES[row.name]()
        return key, {**body, **row.more}
    make_key = next((make for name, make in READ.items() if name in row.name), None)
    return (make_key() if make_key and "<" in row.name else None), {}


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, as it is sent by anybody."""

    verb: str
    path: str
    body: dict[str, Any]

    def of_nothing(self) -> Asked:
        """The same about an id that nothing has."""
        return Asked(self.verb, UUIDS.sub(MISSING, self.path), json.loads(UUIDS.sub(MISSING, json.dumps(self.body))))

    @property
    def query(self) -> dict[str, str]:
        """The words of a search."""
        return {"query": "kettle"} if self.path.endswith(("/search", "/recall")) else {}

    def send(self, headers: dict[str, str], *, body: bytes | None = None, query: str | None = None) -> HttpResponse:
        """The answer, of which nothing stays; `body` and `query` are sent instead of the good ones."""
        good = json.dumps(self.body).encode() if self.verb != "GET" else b""
        address = f"{self.path}?{urlencode(self.query) if query is None else query}"
        point = transaction.savepoint()
        answer = BROWSER.generic(
            self.verb, address, good if body is None else body, content_type="application/json", headers=headers
        )
        transaction.savepoint_rollback(point)
        return answer

    def by(self, headers: dict[str, str]) -> tuple[int, str, Any]:
        """Status, body and headers of the answer, without what differs between any two."""
        answer = self.send(headers)
        named = f"{self.path} {self.body} {MISSING}"
        body = UUIDS.sub(lambda one: "ID" if one[0] in named else one[0], answer.getvalue().decode())
        for name in IDS_OF_REQUESTS:
            body = body.replace(answer[name], "")
        told = {name: sorted(value.split("; ")) for name, value in answer.items() if name not in NOT_COMPARED}
        return answer.status_code, body, told

    def with_a_token(self, who: User, scopes: set[str], **fields: Any) -> tuple[int, str, Any]:
        return self.by({"Authorization": f"Bearer {token(who, scopes=sorted(scopes), **fields)[1]}"})


def asked(row: Row) -> Asked:
    """The request of a row, after Ann has got something of everything."""
    something_of_everything()
    if "reflect" in row.name or "passes" in row.name or "runs" in row.name:
        planned()
    key, body = given(row)
    verb, path = row.name.split(" ")
    return Asked(verb, filled(path, key), body)
