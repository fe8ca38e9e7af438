"""Every limit at its edge: what lies at it is taken, one more is refused with the status and the field that says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as ours
from django.http import HttpResponse
from django.test import Client

from console.formats.strict import Unreadable, value_of
from console.rest import JSON_DEPTH
from memories.models import Memory
from memories.models.memory import CONTENT_LIMIT
from memories.search.wanted import PATTERN_LIMIT, QUERY_LIMIT, WILDCARDS_MOST
from memories.services import fields, import_all
from memories.services.bulk import HARD_MOST, SOFT_MOST
from tests.mcp.here import Agent
from tests.memories.api_client import Api, problems
from tests.memories.asking import EVERYTHING
from tests.memories.factories import ann, bob, memory, token
from tests.memories.page_client import signed_in

pytestmark = pytest.mark.django_db
DOCUMENT = Path(__file__).parents[2] / "docs" / "openapi.json"
TEA = {"content": "The zebra drinks tea.", "path": "p"}
# The least that each of these takes.
LEAST: dict[str, dict[str, Any]] = {
    "/v1/remember": TEA,
    "/v1/reminders": {"content": "Buy tea"},
    "/v1/decisions": {"context": "Which tea?"},
    "/v1/me/ledger/transactions": {"item": "tea", "amount": "3", "currency": "EUR"},
    "/v1/timeline/events": {"content": "Tea was served."},
    "/v1/update_state": {"content": "Tea is brewing."},
    "/v1/restart/snapshot": {},
    "/v1/auth/device/start": {"client_id": "hermes"},
}
SAID_AS = {"session_id": "session"}  # how a refusal names a field
READ = ("/v1/memories", "/v1/memories/search", "/v1/recall", "/v1/memories/stats", "/v1/reminders", "/v1/decisions")
READ += ("/v1/me/ledger/transactions", "/v1/restart/snapshot", "/v1/timeline", "/v1/audit/events", "/v1/passes")
READ += ("/v1/audit/consolidation", "/v1/reflect/policy/versions")


@cache
def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(DOCUMENT.read_text())
    return found


def of_bodies() -> Iterator[tuple[str, str, int]]:
    """Each text of a body with its most characters, as the OpenAPI document has them."""
    for path in LEAST:
        schema = document()["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]
        named = document()["components"]["schemas"].get(schema.get("$ref", "").rsplit("/", 1)[-1], schema)
        for name, about in named["properties"].items():
            if "maxLength" in about and name != "currency":
                yield path, name, about["maxLength"]


def of_queries() -> Iterator[tuple[str, str, int]]:
    """Each whole number of a query with its highest value."""
    for path in READ:
        for one in document()["paths"][path]["get"]["parameters"]:
            if one["schema"].get("type") == "integer" and "maximum" in one["schema"]:
                yield path, one["name"], one["schema"]["maximum"]


def of_filters() -> Iterator[tuple[str, str, int]]:
    """Each text of a query with its most characters."""
    for path in READ:
        for one in document()["paths"][path]["get"]["parameters"]:
            if one["in"] == "query" and "maxLength" in one["schema"]:
                yield path, one["name"], one["schema"]["maxLength"]


def nested(levels: int, inner: Any) -> dict[str, Any]:
    """An object of so many objects and lists, one in the other, with `inner` in the last."""
    for level in range(levels):
        inner = {"a": inner} if (levels - level) % 2 else [inner]
    return inner  # type: ignore[no-any-return]


@pytest.mark.parametrize(("path", "name", "most"), list(of_filters()))
def test_a_text_of_a_query_is_no_longer_than_the_document_says(path: str, name: str, most: int) -> None:
    asked = {"query": "tea"} if path.endswith(("search", "recall")) else {}
    answer = Api(ann(), scopes=EVERYTHING).get(path, **{**asked, name: "x" * (most + 1)})
    assert problems(answer) == [name]


@pytest.mark.parametrize("known", [True, False])
def test_a_key_that_is_too_long_is_refused_whoever_sends_it(known: bool) -> None:
    headers = {"Idempotency-Key": "k" * 300}
    if known:
        headers["Authorization"] = f"Bearer {token(ann(), scopes=EVERYTHING)[1]}"
    body = {"operation": "doctor", "arguments": {}}
    asked = Client().post("/v1/skill/operations", body, content_type="application/json", headers=headers)
    assert problems(asked) == ["Idempotency-Key"]


@pytest.mark.parametrize(("path", "name", "most"), list(of_bodies()))
def test_a_text_of_the_api_is_as_long_as_the_document_says(path: str, name: str, most: int) -> None:
    api = Api(ann(), scopes=EVERYTHING)
    taken = api.post(path, LEAST[path] | {name: "z" * most})
    assert taken.status_code < 300, taken.content
    fresh = {"content": "Another tea."} if "content" in LEAST[path] else {}
    assert problems(api.post(path, LEAST[path] | fresh | {name: "z" * (most + 1)})) == [SAID_AS.get(name, name)]


@pytest.mark.parametrize(("path", "name", "most"), list(of_queries()))
def test_a_number_of_a_query_is_as_high_as_the_document_says(path: str, name: str, most: int) -> None:
    api, least = Api(ann(), scopes=EVERYTHING), {"query": "zebra"} if path in READ[1:3] else {}
    assert api.get(path, **least, **{name: most}).status_code == 200
    assert problems(api.get(path, **least, **{name: most + 1})) == [name]


@pytest.mark.parametrize("name", ["metadata", "provenance"])
def test_an_object_holds_so_many_characters_of_json(name: str) -> None:
    api, most = Api(ann()), fields.METADATA_LIMIT - len('{"a": ""}')
    assert api.post("remember", TEA | {name: {"a": "z" * most}}).status_code == 200
    assert problems(api.post("remember", TEA | {name: {"a": "z" * (most + 1)}})) == [name]


@pytest.mark.parametrize("inner", ["text", 1, None, [], {}], ids=repr)
def test_json_is_twenty_levels_deep_whatever_the_innermost_holds(inner: Any) -> None:
    levels = JSON_DEPTH - 1 - isinstance(inner, dict | list)  # the body, or the line, is the outermost
    kept, deep = nested(levels, inner), nested(levels + 1, inner)
    api, agent = Api(ann(), scopes=EVERYTHING), Agent(ann(), scopes=EVERYTHING)
    assert api.post("remember", TEA | {"metadata": kept}).status_code == 200
    assert api.post("remember", TEA | {"metadata": {"a": [deep]}}).status_code == 400
    assert api.post("remember", TEA | {"metadata": deep}).status_code == 400
    assert not agent.call("remember", **TEA, metadata=kept).failed
    assert "nested deeper than 20 levels" in agent.call("remember", **TEA, metadata=deep).text
    assert value_of(json.dumps({"a": kept}))
    with pytest.raises(Unreadable, match="nested deeper than 20 levels"):
        value_of(json.dumps({"a": deep}))
    assert Memory.objects.count() == 2


WIDEST = {"a": "z" * (fields.METADATA_LIMIT - len('{"a": ""}'))}


@pytest.mark.parametrize("most", [nested(JSON_DEPTH - 1, "deep"), WIDEST], ids=["deep", "wide"])
def test_what_is_as_deep_or_wide_as_can_be_comes_back_with_an_import(most: dict[str, Any]) -> None:
    api, other = Api(ann(), scopes=EVERYTHING), Api(bob(), scopes=EVERYTHING)
    key = api.post("remember", TEA | {"metadata": most, "provenance": most}).json()["id"]
    assert api.patch(f"memories/{key}", {"metadata": {"now": "flat"}}).status_code == 200
    lines = api.post("export", {}).json()["jsonl"]
    answer = other.post("import", {"format": "memory-console", "text": lines})
    assert answer.json()["error_count"] == 0, answer.content
    made = Memory.objects.get(owner=bob())
    assert (made.metadata, made.versions.get().fields["metadata"]) == ({"now": "flat"}, most)


def test_a_body_of_the_api_is_a_million_bytes_long() -> None:
    api, most = Api(ann()), ours.BODY_LIMIT_BYTES
    text = json.dumps(TEA).encode()
    assert most == 1_000_000
    assert api.call("POST", "remember", text.ljust(most)).status_code == 200
    assert api.call("POST", "remember", text.ljust(most + 1)).status_code == 413
    assert Memory.objects.count() == 1


def test_a_form_is_a_million_bytes_long() -> None:
    browser, most = signed_in(ann()), ours.BODY_LIMIT_BYTES
    start = b"theme=dark&pad="
    for size, status in ((most, 302), (most + 1, 413)):
        answer = browser.post("/theme", start.ljust(size, b"z"), content_type="application/x-www-form-urlencoded")
        assert answer.status_code == status


@pytest.mark.parametrize("path", ["/v1/remember", "/login"])
@pytest.mark.parametrize(("length", "status"), [("9" * 5_000, 413), ("9" * 21, 413), ("x", 400), ("-1", 400)])
def test_a_length_is_a_number_whatever_its_digits(path: str, length: str, status: int) -> None:
    assert Client().generic("POST", path, b"", CONTENT_LENGTH=length).status_code == status


def test_a_file_is_five_million_bytes_long() -> None:
    browser, most = signed_in(ann()), ours.UPLOAD_LIMIT_BYTES
    body = b"--z\r\nContent-Disposition: form-data; name=%s\r\n\r\n"
    head = body % b'"file"; filename="a.txt"'
    for size, refused in ((most, False), (most + 1, True)):
        sent = head.ljust(size - 9, b"z") + b"\r\n--z--\r\n"
        answer = browser.generic("POST", "/import", sent, content_type="multipart/form-data; boundary=z")
        assert len(sent) == size and (answer.status_code == 413) is refused


def test_an_address_is_eight_thousand_characters_long() -> None:
    most = ours.URL_LIMIT_CHARS
    for path in ("/search?query=zebra&pad=", "/v1/memories/search?query=zebra&pad="):
        for size, refused in ((most, False), (most + 1, True)):
            who = signed_in(ann()) if path.startswith("/search") else None
            address = path.ljust(size, "z")
            answer = who.get(address) if who else Api(ann()).call("GET", address)
            assert len(address) == size and (answer.status_code == 414) is refused


def test_a_question_is_a_thousand_characters_long() -> None:
    api, browser = Api(ann()), signed_in(ann())
    for path in ("memories/search", "recall"):
        assert api.get(path, query="z" * QUERY_LIMIT).status_code == 200
        assert problems(api.get(path, query="z" * (QUERY_LIMIT + 1))) == ["query"]
    assert api.post("recall/context", {"query": "z" * QUERY_LIMIT}).status_code == 200
    assert problems(api.post("recall/context", {"query": "z" * (QUERY_LIMIT + 1)})) == ["query"]
    assert browser.get("/search", {"query": "z" * QUERY_LIMIT}).status_code == 200
    assert browser.get("/search", {"query": "z" * (QUERY_LIMIT + 1)}).status_code == 422
    assert QUERY_LIMIT == 1_000


@pytest.mark.parametrize("name", ["path", "bucket"])
def test_a_pattern_has_so_many_characters_and_wildcards(name: str) -> None:
    api = Api(ann())
    good = ["z" * PATTERN_LIMIT, "z%" * WILDCARDS_MOST]
    bad = ["z" * (PATTERN_LIMIT + 1), "z%" * (WILDCARDS_MOST + 1)]
    for asked in (lambda text: api.get("memories/search", query="zebra", **{name: text}),):
        assert [asked(text).status_code for text in good] == [200, 200]
        assert [problems(asked(text)) for text in bad] == [[name], [name]]
    assert (PATTERN_LIMIT, WILDCARDS_MOST) == (200, 20)


@pytest.mark.parametrize("path", ["/memories", "/audit", "/trash", "/todos", "/ledger", "/tokens", "/timeline"])
def test_a_page_of_a_list_has_two_hundred_rows_at_most(path: str) -> None:
    browser = signed_in(ann())
    assert browser.get(path, {"limit": 200}).status_code == 200
    assert browser.get(path, {"limit": 201}).status_code == 422


def test_a_pass_has_as_many_candidates_as_its_limit_allows() -> None:
    api = Api(ann(), scopes=EVERYTHING)

    def notes(limit: int) -> str:
        answer = api.post("reflect", {"actions_csv": "expire", "dry_run": True, "limit": limit})
        assert answer.status_code == 200, answer.content
        return json.dumps(answer.json())

    assert "was clamped" not in notes(5_000)
    assert "limit 5001 was clamped to 5000." in notes(5_001)


@pytest.mark.parametrize(("verb", "most"), [("forget", SOFT_MOST), ("erase", HARD_MOST)])
def test_so_many_records_are_ticked_at_once(verb: str, most: int) -> None:
    status = "deleted" if verb == "erase" else "active"
    browser, ids = signed_in(ann()), [f"{memory(ann(), f'zebra {n}', status=status).pk}:1" for n in range(most + 1)]

    def sent(some: list[str]) -> HttpResponse:
        form = {"include": some, "count": str(len(some)), "reason": "of no use", "word": "delete"}
        return browser.post(f"/records/selected/{verb}", form)

    assert sent(ids[:most]).status_code < 400
    assert sent(ids).status_code in (400, 422)


def test_an_import_takes_so_many_lines() -> None:
    api, most = Api(ann(), scopes=EVERYTHING), import_all.LINES_MOST
    lines = '{"content":"a","path":"p"}\n' * (most + 1)
    assert api.post("memories/import", {"jsonl": lines, "dry_run": True, "limit": most}).status_code == 200
    assert problems(api.post("memories/import", {"jsonl": lines, "dry_run": True, "limit": most + 1})) == ["limit"]


def test_a_key_of_a_request_has_so_many_characters() -> None:
    api = Api(ann())
    assert api.post("remember", TEA, Idempotency_Key="k" * 255).status_code == 200
    assert problems(api.post("remember", TEA, Idempotency_Key="k" * 256)) == ["Idempotency-Key"]


def test_content_on_a_page_is_as_long_as_over_the_api() -> None:
    browser = signed_in(ann())
    form = {"space": str(ann().pk), "path": "p", "bucket": "work", "type": "semantic", "importance": "0.5"}
    assert browser.post("/memories/new", form | {"content": "z" * CONTENT_LIMIT}).status_code == 302
    assert browser.post("/memories/new", form | {"content": "z" * (CONTENT_LIMIT + 1)}).status_code == 422
    assert CONTENT_LIMIT == 64_000
