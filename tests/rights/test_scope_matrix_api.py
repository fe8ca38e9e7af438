"""Every operation of the API, asked by everybody who could ask it: the answers are those of the table."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from django.test import Client

from console.openapi.schema import document
from memories.api.skill import OPERATIONS
from memories.models import User
from tests.memories.asking import Given, filled, routes
from tests.memories.factories import ann, token
from tests.memories.mutations import CASES, NEUTRAL, REFUSED, decision, entry, erased, note, snapshot, todo
from tests.reflection.mutations import applied, planned, scheduled
from tests.rights.principals import ALL, CREDENTIALS, ODD_CREDENTIALS, elsewhere, sets_of_scopes
from tests.rights.records import OF_MEMORY, OF_MONEY, something_of_everything, texts
from tests.rights.tables import API, OPEN, PERSON, Row, rows

pytestmark = pytest.mark.django_db

ROWS = rows(API)
MISSING = "01a22ca2-8482-7386-8256-67939b2aa67b"
UUIDS = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
IDS_OF_REQUESTS = ("X-XMemo-Audit-ID", "X-Request-ID")
NOT_COMPARED = (*IDS_OF_REQUESTS, "Expires", "Content-Length")
BROWSER = Client(raise_request_exception=False)  # one for all: a new one reads all static files again


def served() -> set[str]:
    """Every verb of every address of the API, and every operation of a skill."""
    found = set()
    for path, pattern in routes():
        view = getattr(pattern.callback, "cls", None)
        for verb in ("get", "post", "put", "patch", "delete"):
            found |= {f"{verb.upper()} {path}"} if view is not None and hasattr(view, verb) else set()
    return found | {f"POST v1/skill/operations operation={name}" for name in OPERATIONS}


def test_every_operation_has_a_row_and_every_row_is_an_operation() -> None:
    known = {row.name for row in ROWS} | {str(row) for row in ROWS if "operation" in row.more}
    assert sorted(served() - known) == [], "write a row for each of these in tests/rights/tables.py"
    assert sorted(known - served()) == [], "these are no operations any more"


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
    "state-restore": lambda: {"snapshot_id": str(snapshot())},
    "todo-add": lambda: {"content": "Buy tea."},
    "todo-done": lambda: {"todo_id": str(todo())},
    "expense-add": lambda: {"item": "tea", "amount": "3", "currency": "EUR"},
    "ledger-delete": lambda: {"entry_id": str(entry())},
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

    def by(self, headers: dict[str, str]) -> tuple[int, str, Any]:
        """Status, body and headers of the answer, without what differs between any two; nothing of it stays."""
        words = {"query": "kettle"} if self.path.endswith(("/search", "/recall")) else None
        point = transaction.savepoint()
        answer = BROWSER.generic(
            self.verb,
            self.path,
            json.dumps(self.body).encode() if self.verb != "GET" else b"",
            content_type="application/json",
            query_params=words,
            headers=headers,
        )
        transaction.savepoint_rollback(point)
        body = UUIDS.sub(
            lambda one: "ID" if one[0] in f"{self.path} {self.body} {MISSING}" else one[0], b"".join(answer).decode()
        )
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


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_the_answers_are_those_of_the_table(row: Row) -> None:
    one = asked(row)
    memories, money = (texts(kinds, json.dumps(one.body)) for kinds in (OF_MEMORY, OF_MONEY))
    _by_scopes(row, one, memories, money)
    _without_a_good_credential(row, one)
    _from_elsewhere(row, one, memories | money)


def _by_scopes(row: Row, one: Asked, memories: set[str], money: set[str]) -> None:
    for scopes in sets_of_scopes(row):
        status, body, _ = one.with_a_token(ann(), scopes)
        if row.scopes == OPEN:
            assert status in (200, 400), (scopes, body)
        elif row.lets(scopes):
            assert status in (200, 202), (scopes, body)
        else:
            assert (status, json.loads(body).get("detail", {}).get("code")) == (403, "permission_denied"), (
                scopes,
                body,
            )
        unread = (set() if "memory:read" in scopes else memories) | (set() if "ledger:read" in scopes else money)
        assert [text for text in unread if text in body] == [], scopes


def _without_a_good_credential(row: Row, one: Asked) -> None:
    for name, (headers, status) in CREDENTIALS.items():
        expected = {200, 400} if row.scopes == OPEN and status == 401 else {status}
        found = one.by(headers())
        assert found[0] in expected and ("detail" in found[1] or row.scopes == OPEN), (name, found)


def _from_elsewhere(row: Row, one: Asked, hers: set[str]) -> None:
    for column, tokens in elsewhere().items():
        for who, bounds in tokens:
            lacking = [set(ALL) - set().union(*row.enough)] if column == "stranger" else []
            for scopes in (set(ALL), *lacking):
                found = one.with_a_token(who, scopes, **bounds)
                assert [text for text in hers if text in found[1]] == [], (column, bounds)
                if row.elsewhere[column] == "absent":
                    assert found == one.of_nothing().with_a_token(who, scopes, **bounds), (column, bounds, scopes)
                if scopes == set(ALL):
                    wanted = {"own": {200, 202}, "absent": {404}, "403": {403}}[row.elsewhere[column]]
                    assert found[0] in (wanted | {400} if row.scopes == OPEN else wanted), (column, bounds, found)


@pytest.mark.parametrize("credential", ODD_CREDENTIALS)
def test_nobody_comes_in_with_an_odd_credential(credential: str) -> None:
    headers, status = ODD_CREDENTIALS[credential]
    assert Asked("GET", "/v1/memories", {}).by(headers())[0] == status


@pytest.mark.parametrize("row", [row for row in ROWS if not row.more], ids=str)
def test_the_document_names_the_scopes_of_the_table(row: Row) -> None:
    verb, path = row.name.split(" ")
    told = document()["paths"]["/" + re.sub(r"<\w+:(\w+)>", r"{\1}", path)][verb.lower()]
    named = told.get("x-required-scope", "").split()
    if row.scopes == PERSON:
        assert " ".join(named) == "a person at the console"
    else:
        assert (set(named) if named else set()) == row.enough[0] and (row.scopes == OPEN) == (not told["security"])
