"""Addresses of our own refuse fields that they do not know; what clients of the contract send along is ignored."""

from __future__ import annotations

from typing import Any

import pytest

from tests.memories.api_client import Api, problems, rows
from tests.memories.asking import EVERYTHING
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


@pytest.mark.parametrize("path", ["export/csv", "memories/{id}/versions"])
def test_a_filter_that_is_not_known_never_means_everything(path: str) -> None:
    one = memory(ann(), "zebra")
    assert problems(Api(ann()).get(path.format(id=one.pk), bukcet="home")) == ["bukcet"]


def test_what_clients_of_the_contract_send_along_is_ignored() -> None:
    api = Api(ann())
    made = api.post("remember", {"content": "zebra", "path": "p", "unknown": 1})
    assert made.status_code == 200
    gone = api.post(f"memories/{made.json()['id']}/forget", {"bucket": "work", "scope": None, "unknown": 1})
    assert gone.status_code == 200
