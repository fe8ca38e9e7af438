"""Hostile values in every field, filter and header that the OpenAPI document and the tools' schemas name: no 5xx.

A new field is tried by itself. `make soak` tries every value in every field.
"""

from __future__ import annotations

import json
from itertools import count
from typing import Any
from urllib.parse import quote

import pytest
from django.db import transaction
from django.http import HttpResponse

from console.mcp.tools import TOOLS
from console.openapi.schema import document
from tests.mcp.here import Agent
from tests.memories.factories import ann, token
from tests.rights import api_requests, tool_calls
from tests.rights.api_requests import Asked
from tests.rights.hostile import OTHERS, RAW, TEXTS, chosen
from tests.rights.principals import ALL
from tests.rights.tables import Row

pytestmark = pytest.mark.django_db

FEW = 2  # values in each field; others in the next
PLAIN = {"content", "item", "context", "label", "note", "resolution"}  # what is told as it was sent
OF_SKILLS = ("query", "limit", "path", "bucket", "scope", "team_id", "note", "reason", "memory_type", "metadata")


def operation_of(row: Row) -> dict[str, Any]:
    """What the document says of the operation."""
    verb, path = row.name.split(" ")
    pattern = api_requests.PARAMETER.sub(r"{\1}", path)
    found: dict[str, Any] = document()["paths"][f"/{pattern}"][verb.lower()]
    return found


def body_fields(row: Row) -> list[str]:
    """The fields of its body."""
    schema = operation_of(row).get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    if "$ref" in schema:
        schema = document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return list(schema.get("properties", {}))


def named(row: Row, where: str) -> list[str]:
    """Its parameters in the query or in headers."""
    return [one["name"] for one in operation_of(row).get("parameters", []) if one["in"] == where]


def headers() -> dict[str, str]:
    return {"Authorization": f"Bearer {token(ann(), scopes=ALL)[1]}"}


def held(answer: HttpResponse, about: Any) -> None:
    """Raises where it is a fault of ours, or an answer that cannot be read."""
    body = answer.getvalue().decode()
    assert answer.status_code < 500, (about, answer.status_code, body[:300])
    if answer.status_code >= 400:
        assert json.loads(body), about
    assert "X-Injected" not in answer and "Traceback" not in body, about


def in_bodies(row: Row, good: Asked, key: dict[str, str], most: int | None) -> None:
    numbers = count()
    for name in body_fields(row):
        for value in chosen([*TEXTS, *OTHERS], next(numbers), most):
            answer = good.send(key, body=json.dumps({**good.body, name: value}).encode())
            held(answer, (name, repr(value)[:80]))
            if name in PLAIN and isinstance(value, str) and answer.status_code == 200:
                told = json.loads(answer.getvalue()).get(name)
                assert told in (None, value, value.strip()), (name, repr(value)[:80])
    arguments = good.body.get("arguments")
    if isinstance(arguments, dict):
        for name in dict.fromkeys([*arguments, *OF_SKILLS]):
            for value in chosen([*TEXTS, *OTHERS], next(numbers), most):
                sent = {**good.body, "arguments": {**arguments, name: value}}
                held(good.send(key, body=json.dumps(sent).encode()), (name, repr(value)[:80]))
    for raw in chosen(RAW, len(row.name), most):
        held(good.send(key, body=raw), raw[:40])


def in_queries(row: Row, good: Asked, key: dict[str, str], most: int | None) -> None:
    for number, name in enumerate(named(row, "query")):
        for value in chosen(TEXTS, number, most):
            rest = "".join(f"&{other}={quote(text)}" for other, text in good.query.items() if other != name)
            held(good.send(key, query=f"{name}={_quoted(value)}{rest}"), (name, value[:80]))
        held(good.send(key, query=f"{name}=%FF%FE&{name}=2"), name)


def in_headers(row: Row, good: Asked, key: dict[str, str], most: int | None) -> None:
    names = [*named(row, "header"), "X-Request-ID", "X-Memory-OS-Agent-ID", "X-Memory-OS-Agent-Instance-ID"]
    for number, name in enumerate(names):
        for value in chosen(TEXTS, number + len(row.name), most):
            sent = value.encode("utf-8", "replace").decode("latin-1")[:4_000]
            held(good.send({**key, name: sent}), (name, value[:80]))


def in_addresses(good: Asked, key: dict[str, str], most: int | None) -> None:
    for value in chosen(TEXTS, len(good.path), most):
        path = _quoted(value[:2_000]).join(api_requests.UUIDS.split(good.path))
        held(Asked(good.verb, path, good.body).send(key), (path[:80],))


def _quoted(value: str) -> str:
    return quote(value.encode("utf-8", "surrogatepass"), safe="")


def everywhere(row: Row, most: int | None) -> None:
    """The values in every place of this operation."""
    good, key = api_requests.asked(row), headers()
    held(good.send(key), "the good request")
    in_bodies(row, good, key, most) if good.verb != "GET" else None
    in_queries(row, good, key, most)
    in_headers(row, good, key, most)
    in_addresses(good, key, most) if api_requests.UUIDS.search(good.path) else None


@pytest.mark.parametrize("row", api_requests.ROWS, ids=str)
def test_some_hostile_values_in_every_place_of_the_api(row: Row) -> None:
    everywhere(row, FEW)


@pytest.mark.soak
@pytest.mark.parametrize("row", api_requests.ROWS, ids=str)
def test_every_hostile_value_in_every_place_of_the_api(row: Row) -> None:
    everywhere(row, None)


def in_arguments(row: Row, most: int | None) -> None:
    """The values in every parameter of a tool; what comes back can be sent as JSON."""
    good, agent = tool_calls.asked(row), Agent(ann(), scopes=ALL)
    names = agent.tools()[row.name].input_schema["properties"]
    assert set(names) == set(TOOLS[row.name].takes)
    for number, name in enumerate([*names, "x\ny"]):
        for value in chosen([*TEXTS, *OTHERS, float("nan")], number, most):
            point = transaction.savepoint()
            said = agent.calls(row.name, {**good, name: value})
            transaction.savepoint_rollback(point)
            assert not said.failed or said.code != "internal_error", (name, repr(value)[:80], said.text)
            json.dumps(said.data, allow_nan=False)
            said.text.encode()
            seen = said.text.replace("\U0001f468\u200d\U0001f469\u200d\U0001f467", "")  # joined to one picture
            assert all(letter.isprintable() or letter == "\n" for letter in seen), (name, repr(value)[:80])


@pytest.mark.parametrize("row", tool_calls.ROWS, ids=str)
def test_some_hostile_values_in_every_parameter_of_the_tools(row: Row) -> None:
    in_arguments(row, FEW)


@pytest.mark.soak
@pytest.mark.parametrize("row", tool_calls.ROWS, ids=str)
def test_every_hostile_value_in_every_parameter_of_the_tools(row: Row) -> None:
    in_arguments(row, None)
