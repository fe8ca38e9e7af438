"""Every tool of the bridge, called by everybody who could call it: the answers are those of the table."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import transaction

from console.mcp.tools import TOOLS
from memories.models import User
from tests.mcp.bridge import Said
from tests.mcp.here import Agent
from tests.memories.factories import ann
from tests.rights.principals import ALL, CREDENTIALS, ODD_CREDENTIALS, elsewhere, sets_of_scopes
from tests.rights.records import OF_MEMORY, OF_MONEY, texts
from tests.rights.tables import PERSON, Row
from tests.rights.tool_calls import MISSING, ROWS, UUIDS, asked

pytestmark = pytest.mark.django_db


def test_every_tool_and_every_action_has_a_row() -> None:
    there = {name for name, tool in TOOLS.items() if not tool.actions}
    there |= {f"{name} action={action}" for name, tool in TOOLS.items() for action in tool.actions}
    known = {row.name if "action" not in row.more else str(row) for row in ROWS}
    assert sorted(there - known) == [], "write a row for each of these in tests/rights/tables.py"
    assert sorted(known - there) == [], "these are no tools any more"


def said(row: Row, sent: dict[str, Any], who: User, scopes: set[str], **bounds: Any) -> Said:
    """What the tool answers to a token; nothing of it stays."""
    point = transaction.savepoint()
    found = Agent(who, scopes=sorted(scopes), **bounds).calls(row.name, sent)
    transaction.savepoint_rollback(point)
    return found


def let_in(found: Said) -> bool:
    """Whether the tool did it, or asked a person."""
    return not found.failed or found.code == "confirmation_required"


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_the_answers_are_those_of_the_table(row: Row) -> None:
    sent = asked(row)
    memories, money = (texts(kinds, json.dumps(sent)) for kinds in (OF_MEMORY, OF_MONEY))
    for scopes in sets_of_scopes(row):
        found = said(row, sent, ann(), scopes)
        assert let_in(found) if row.lets(scopes) else found.code == "permission_denied", (scopes, found)
        unread = (set() if "memory:read" in scopes else memories) | (set() if "ledger:read" in scopes else money)
        assert [text for text in unread if text in f"{found.text}{found.data}"] == [], scopes
    _from_elsewhere(row, sent, memories | money)


def _from_elsewhere(row: Row, sent: dict[str, Any], hers: set[str]) -> None:
    nothing = json.loads(UUIDS.sub(MISSING, json.dumps(sent)))
    for column, tokens in elsewhere().items():
        for who, bounds in tokens:
            lacking = [set(ALL) - set().union(*row.enough)] if column == "stranger" else []
            for scopes in (set(ALL), *lacking):
                found = said(row, sent, who, scopes, **bounds)
                assert [text for text in hers if text in f"{found.text}{found.data}"] == [], (column, bounds)
                if row.elsewhere[column] == "absent":
                    assert found == said(row, nothing, who, scopes, **bounds), (column, bounds, scopes)
                if scopes == set(ALL):
                    code = "" if let_in(found) else found.code
                    wanted = {"own": "", "absent": "not_found", "403": "permission_denied"}[row.elsewhere[column]]
                    assert code == wanted, (column, bounds, found)


@pytest.mark.parametrize("credential", {**CREDENTIALS, **ODD_CREDENTIALS})
def test_nobody_comes_in_without_a_good_credential(credential: str) -> None:
    headers, status = {**CREDENTIALS, **ODD_CREDENTIALS}[credential]
    _, response = Agent(headers=headers()).knock()
    assert response.status_code == status and b"detail" in b"".join(response)


def test_a_tool_is_shown_to_those_who_may_use_it() -> None:
    for scopes in [{scope} for scope in ALL] + [{"memory:read", "memory:write"}, {"memory:write", "memory:delete"}]:
        shown = Agent(ann(), scopes=sorted(scopes)).tools()
        usable = {row.name for row in ROWS if row.lets(scopes)}
        assert set(shown) == usable, scopes
        for name in usable & {"todos", "ledger"}:
            actions = {row.more["action"] for row in ROWS if row.name == name and row.lets(scopes)}
            assert set(shown[name].input_schema["properties"]["action"]["enum"]) == actions, scopes
    assert PERSON not in {row.scopes for row in ROWS}
