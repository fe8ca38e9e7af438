"""The OpenAPI document: every address is in it, and what is answered is what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import jsonschema
import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import Client

from console.errors import Refused
from console.openapi.examples import CODES
from console.openapi.reference import files
from console.openapi.schema import OPERATIONS, document
from memories.models import Snapshot
from memories.models.people import SCOPES
from memories.services import decisions, snapshots, todos
from reflection.services import policies, schedules
from tests.console.test_every_address import HOURLY
from tests.memories.api_client import Api
from tests.memories.asking import EVERYTHING, Case, routes
from tests.memories.factories import actor, ann, memory
from tests.memories.mutations import CASES, NEUTRAL, entry, erased
from tests.memories.page_client import signed_in
from tests.reflection.mutations import applied

VERBS = ("get", "post", "put", "patch", "delete")
ID = re.compile(r"<\w+:(\w+)>")
API_CASES = [case for case in CASES if " v1/" in case.route]


def plain(path: str) -> str:
    """An address as the document writes it."""
    return "/" + ID.sub(r"{\1}", path)


def served() -> set[str]:
    """Every verb of every address of the API."""
    found = set()
    for path, pattern in routes():
        view = getattr(pattern.callback, "cls", None)
        found |= {f"{verb.upper()} {plain(path)}" for verb in VERBS if view is not None and hasattr(view, verb)}
    return found


def told() -> set[str]:
    return {f"{verb.upper()} {path}" for path, verbs in document()["paths"].items() for verb in verbs}


def strict(schema: Any) -> Any:
    """A schema of OpenAPI 3.0 as JSON Schema, which has no `nullable`."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: strict(value) for name, value in schema.items() if name not in ("nullable", "example")}
    if found.get("exclusiveMinimum") is True:
        found["exclusiveMinimum"] = found.pop("minimum")
    return {"anyOf": [found, {"type": "null"}]} if schema.get("nullable") is True else found


def fits(route: str, answer: HttpResponse) -> None:
    """Raises where the answer is not what the document says of this status."""
    verb, path = route.split(" ")
    responses = document()["paths"][plain(path)][verb.lower()]["responses"]
    said = responses[str(answer.status_code)]
    if "$ref" in said:
        said = document()["components"]["responses"][said["$ref"].rpartition("/")[2]]
    if "application/json" not in said["content"]:
        assert answer["Content-Type"].split(";")[0] in said["content"], route
        return
    schema = strict(said["content"]["application/json"]["schema"])
    jsonschema.validate(answer.json(), schema | {"components": strict(document()["components"])})


def test_every_verb_of_every_address_is_told_and_no_other() -> None:
    assert told() == served()
    assert len(OPERATIONS) == len(told())


def test_the_files_of_the_repository_are_the_document() -> None:
    for name, content in files().items():
        there = (settings.BASE_DIR / name).read_text()
        assert there == content, f"{name} is out of date: run manage.py api_reference"


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, verbs in document()["paths"].items():
        yield from ((f"{verb} {path}", operation) for verb, operation in verbs.items())


def test_every_operation_has_its_words_its_example_and_its_scope() -> None:
    names = [operation["operationId"] for _, operation in operations()]
    assert len(names) == len(set(names))
    for route, one in operations():
        assert one["summary"] and one["description"] and one["tags"], route
        content = one.get("requestBody", {}).get("content", {}).get("application/json")
        assert content is None or "example" in content, route
        scope = one.get("x-required-scope", "")
        assert not one["security"] or scope or "/auth/token/" in route, route
        by_itself = scope in ("a person at the console", "that of the operation")
        assert by_itself or set(scope.split()) <= set(SCOPES), route


def test_examples_of_requests_are_what_the_schemas_ask_for() -> None:
    for _, operation in operations():
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content:
            jsonschema.validate(content["example"], strict(content["schema"]))


def resolved(response: dict[str, Any]) -> dict[str, Any]:
    """A response of an operation, which may be one that all share."""
    name = response.get("$ref", "").rpartition("/")[2]
    return document()["components"]["responses"][name] if name else response


def test_every_answer_has_an_example_that_its_schema_takes() -> None:
    for route, operation in operations():
        for status, response in operation["responses"].items():
            content = resolved(response)["content"].get("application/json")
            if content is None:  # a table, which is no JSON
                continue
            schema = strict(content["schema"]) | {"components": strict(document()["components"])}
            jsonschema.validate(content["example"], schema)
            assert content["example"] not in ({}, [], None), (route, status)


def kinds(of: type[Refused] = Refused) -> Iterator[type[Refused]]:
    """Every way in which the console says no."""
    yield of
    for kind in of.__subclasses__():
        yield from kinds(kind)


def test_examples_of_refusals_hold_codes_that_there_are() -> None:
    assert set(CODES.items()) <= {(one.status, one.code) for one in kinds()}


@pytest.mark.django_db
@pytest.mark.parametrize("case", API_CASES, ids=lambda case: case.route)
def test_a_change_answers_as_it_says(case: Case) -> None:
    answer, _ = case.ask()
    fits(case.route, answer)
    key, _ = case.given() if "revoke" not in case.route else (None, {})
    bad = Api(ann(), scopes=EVERYTHING).call(case.route.split(" ")[0], _address(case.route, key), b"[")
    fits(case.route, bad)


def _address(route: str, key: UUID | None) -> str:
    return ID.sub(lambda found: "1" if found[1] == "number" else str(key), "/" + route.split(" ")[1])


@pytest.mark.django_db
@pytest.mark.parametrize("route", [route for route in NEUTRAL if " v1/" in route])
def test_what_changes_nothing_answers_as_it_says(route: str) -> None:
    answer, _ = Case(route, NEUTRAL[route], ()).ask()
    fits(route, answer)


def records() -> dict[str, UUID]:
    """One record of each kind, by what the addresses about it have in common."""
    me = actor(ann())
    made = memory(ann(), "The zebra waits.")
    snapshots.take(label="noon", actor=me)
    policies.adopt(space_id=ann().pk, given={"decay_step": 0.5}, seen_version=1, actor=me)
    return {
        "reminders": todos.add(content="zebra", actor=me).pk,
        "transactions": entry(),
        "decisions": decisions.ask(context="Which?", actor=me).pk,
        "passes": applied().pk,
        "dream": applied().pk,
        "schedules": schedules.add(space_id=ann().pk, given=HOURLY, actor=me).pk,
        "erasures": erased(),
        "memories": made.pk,
    }


@pytest.mark.django_db
def test_every_address_that_is_read_answers_as_it_says() -> None:
    keys, api = records(), Api(ann(), scopes=EVERYTHING)
    assert Snapshot.objects.exists()
    paths = [path for path, pattern in routes() if hasattr(getattr(pattern.callback, "cls", None), "get")]
    assert len(paths) > 25
    for path in paths:
        key = next((key for name, key in keys.items() if name in path), None)
        answer = api.get(
            _address(f"GET {path}", key), **({"query": "zebra"} if path.endswith(("search", "recall")) else {})
        )
        assert answer.status_code == 200, (path, b"".join(answer))
        fits(f"GET {path}", answer)
        if "<" in path:
            fits(f"GET {path}", api.get(_address(f"GET {path}", UUID(int=1))))


@pytest.mark.django_db
@pytest.mark.parametrize("prefix", ["/v1/", "/api/v1/"])
def test_the_document_is_open_to_everybody(prefix: str) -> None:
    assert Client().get(f"{prefix}openapi.json").json()["openapi"].startswith("3.")


@pytest.mark.django_db
def test_the_page_loads_nothing_from_elsewhere_and_runs_no_inline_script() -> None:
    answer = signed_in(ann()).get("/api-docs")
    text, policy = answer.content.decode(), answer["Content-Security-Policy"]
    assert answer.status_code == 200 and "unsafe" not in policy and "img-src 'self' data:" in policy
    assert not re.findall(r"<script(?![^>]*src=\"/static/)", text)
    assert "data:" not in signed_in(ann()).get("/memories")["Content-Security-Policy"]
    assert Client().get("/api-docs").status_code == 302
