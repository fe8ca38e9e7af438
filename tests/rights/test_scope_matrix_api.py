"""Every operation of the API, asked by everybody who could ask it: the answers are those of the table."""

from __future__ import annotations

import json

import pytest

from console.openapi.schema import document
from memories.api.skill import OPERATIONS
from tests.memories.asking import routes
from tests.memories.factories import ann
from tests.rights.api_requests import PARAMETER, ROWS, Asked, asked
from tests.rights.principals import ALL, CREDENTIALS, ODD_CREDENTIALS, elsewhere, sets_of_scopes
from tests.rights.records import OF_MEMORY, OF_MONEY, texts
from tests.rights.tables import OPEN, PERSON, Row

pytestmark = pytest.mark.django_db


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
    told = document()["paths"]["/" + PARAMETER.sub(r"{\1}", path)][verb.lower()]
    named = told.get("x-required-scope", "").split()
    if row.scopes == PERSON:
        assert " ".join(named) == "a person at the console"
    else:
        assert (set(named) if named else set()) == row.enough[0] and (row.scopes == OPEN) == (not told["security"])
