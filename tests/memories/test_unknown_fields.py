"""Addresses of our own refuse fields that they do not know; what clients of the contract send along is ignored."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from console.contract import TOLERANT
from console.openapi.schema import OPERATIONS
from tests.memories.api_client import Api, problems, rows
from tests.memories.asking import EVERYTHING, filled, routes
from tests.memories.factories import ann, memory, version

pytestmark = pytest.mark.django_db
OWN: list[tuple[str, str, dict[str, Any]]] = [
    ("PUT", "memories/{id}/pin", {}),
    ("DELETE", "memories/{id}/pin", {}),
    ("PUT", "memories/{id}/hold", {"name": "Case 12"}),
    ("DELETE", "memories/{id}/hold", {}),
    ("POST", "memories/{id}/versions/1/revert", {}),
]


@pytest.mark.parametrize(("verb", "path", "body"), OWN, ids=lambda value: str(value))
def test_a_field_that_is_not_known_is_refused_by_name_and_nothing_changes(
    verb: str, path: str, body: dict[str, Any]
) -> None:
    one = memory(ann(), "zebra", version=2, hold="Case 11" if verb == "DELETE" else "")
    version(one, 1, "zebras")
    api = Api(ann(), scopes=EVERYTHING)
    before = rows()
    answer = api.call(verb, f"/v1/{path.format(id=one.pk)}", body | {"reasn": "typed wrong"})
    assert problems(answer) == ["reasn"]
    assert rows() == before


VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE")
OPEN = ("/health", "/ready", "/.well-known/agent-discovery.json", "/.well-known/memory-os.json")  # no address of /v1


def operations() -> dict[str, Any]:
    """Each verb of each address of the API, with its pattern."""
    found = {}
    for path, entry in routes():
        view = getattr(entry.callback, "cls", None)
        found |= {f"{verb} {filled(path, UUID(int=1))}": entry for verb in VERBS if hasattr(view, verb.lower())}
    return found


OWN_ADDRESSES = sorted(name for name, entry in operations().items() if entry.name not in TOLERANT)


@pytest.mark.parametrize("operation", OWN_ADDRESSES)
def test_a_filter_that_is_not_known_never_means_everything(operation: str) -> None:
    (verb, path), api = operation.split(), Api(ann(), scopes=EVERYTHING)
    before = rows()
    answer = api.call(verb, f"{path}?bukcet=home&reasn=", {})
    assert problems(answer) == ["bukcet", "reasn"]
    assert rows() == before


def test_an_address_of_the_contract_takes_a_filter_that_is_not_known_as_if_it_were_not_there() -> None:
    api, lists = Api(ann(), scopes=EVERYTHING), ["memories", "reminders", "decisions", "timeline", "audit/events"]
    for path in lists:
        assert api.get(path, bukcet="home").status_code == 200, path
    assert {api.call("GET", f"{path}?bukcet=home").status_code for path in OPEN} == {200}


def test_every_tolerant_address_is_one_and_what_an_own_one_takes_is_told() -> None:
    named = {entry.name: entry for entry in operations().values()}
    assert set(named) >= TOLERANT
    for path, entry in routes():
        view = getattr(entry.callback, "cls", None)
        if view is None or entry.name in TOLERANT:
            continue
        short = path.removeprefix("v1/").replace("<str:", "{").replace("<int:", "{").replace(">", "}")
        told = {OPERATIONS[f"{verb} {short}"].query for verb in VERBS if hasattr(view, verb.lower())}
        assert told <= {view.query}, path


def test_what_clients_of_the_contract_send_along_is_ignored() -> None:
    api = Api(ann())
    made = api.post("remember", {"content": "zebra", "path": "p", "unknown": 1})
    assert made.status_code == 200
    gone = api.post(f"memories/{made.json()['id']}/forget", {"bucket": "work", "scope": None, "unknown": 1})
    assert gone.status_code == 200
