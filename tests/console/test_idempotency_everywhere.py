"""Every address of the API that changes something can be asked again under one key: a walk through the map."""

from __future__ import annotations

from typing import Any

import pytest

from console.door import Door
from tests.memories.api_client import Api, rows
from tests.memories.asking import EVERYTHING, filled, routes
from tests.memories.factories import ann
from tests.memories.mutations import CASES

# A POST whose answer is not kept, and why it need not be.
NOT_KEPT = {
    "memories/export": "It reads; pages of a file would fill the table of answers.",
    "export": "It reads, like the one above.",
    "recall/context": "It reads; the question stands in the body because it may be long.",
    "projects/<str:project_id>/context": "It reads, like the one above.",
    "reflect/policy/preview": "It reads and plans nothing that is kept.",
    "auth/device/start": "Nobody is known yet, and codes must not be told twice.",
    "auth/device/token": "A token is told once, whatever key the request has.",
}
# A POST whose answer is kept or not by what was sent.
KEPT_BY_BODY = {
    "memories/import": "Not of a dry run: the same key then serves for doing it.",
    "import": "Not of a dry run, like the one above.",
    "skill/operations": "Not of an operation that reads.",
}
# What is no POST sets a state: asked twice it is the same, or refused because the version has moved.
SETS_A_STATE = {
    "PATCH memories/<str:record_id>",
    "PUT memories/<str:record_id>/pin",
    "DELETE memories/<str:record_id>/pin",
    "PUT memories/<str:record_id>/hold",
    "DELETE memories/<str:record_id>/hold",
    "PATCH reminders/<str:record_id>",
    "PATCH me/ledger/transactions/<str:record_id>",
    "PUT reflect/policy",
}
# Kept, but not to be seen by the walk below.
NOT_WALKED = {
    "auth/token/revoke-self": "The token of the first request opens nothing for the second.",
    "passes/<str:pass_id>/approve": "No token decides, so none has an answer to keep.",
    "passes/<str:pass_id>/reject": "No token decides.",
    "passes/<str:pass_id>/apply": "It wakes the worker, which applies a pass once.",
    "passes/<str:pass_id>/rollback": "No token decides.",
}
POSTS = {case.route.removeprefix("POST v1/"): case for case in CASES if case.route.startswith("POST v1/")}
WALKED = [path for path in POSTS if path not in NOT_WALKED]


def unsafe() -> dict[str, Any]:
    """Each verb of the API that may change something, with its door."""
    found = {}
    for path, entry in routes():
        if path.startswith("v1/"):
            door = entry.callback.cls  # type: ignore[union-attr]
            verbs = [verb for verb in ("POST", "PUT", "PATCH", "DELETE") if hasattr(door, verb.lower())]
            found |= {f"{verb} {path.removeprefix('v1/')}": door for verb in verbs}
    return found


def test_every_post_that_changes_something_keeps_its_answer() -> None:
    posts = {name.removeprefix("POST "): door for name, door in unsafe().items() if name.startswith("POST ")}
    assert len(posts) > 30
    assert {path for path, door in posts.items() if not hasattr(door.post, "__wrapped__")} == set()
    assert {path for path, door in posts.items() if not door.changes} == NOT_KEPT.keys()
    own = {path for path, door in posts.items() if door.keeps_answers is not Door.keeps_answers}
    assert own == KEPT_BY_BODY.keys()


def test_what_is_no_post_is_known_to_set_a_state() -> None:
    assert {name for name in unsafe() if not name.startswith("POST ")} == SETS_A_STATE


def test_the_walk_below_meets_every_post_that_keeps_its_answer() -> None:
    posts = {name.removeprefix("POST ") for name in unsafe() if name.startswith("POST ")}
    assert posts == {*WALKED, *NOT_WALKED, *NOT_KEPT}


@pytest.mark.django_db
@pytest.mark.parametrize("path", WALKED)
def test_asked_again_under_its_key_it_changes_nothing(path: str) -> None:
    key, body = POSTS[path].given()
    api, address = Api(ann(), scopes=EVERYTHING), filled(f"v1/{path}", key)
    first = api.call("POST", address, body, Idempotency_Key="once")
    before = rows()
    again = api.call("POST", address, body, Idempotency_Key="once")
    assert first.status_code < 300, first.content
    assert rows() == before
    assert (again.get("Idempotent-Replayed"), again.status_code) == ("true", first.status_code)
    assert again.content == first.content
