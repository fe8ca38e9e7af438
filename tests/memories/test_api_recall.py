"""Recall, a pack for a prompt, and why a memory exists, over the API."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from memories.models import Memory, MemoryEmbedding, MemoryLink
from memories.search.pack import tokens_of
from tests.memories.api_client import Api, code, problems, rows
from tests.memories.factories import ann, bea, bob, memory, team

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_model")]


def zoo() -> tuple[Memory, Memory]:
    """A strong and a weak answer to “zebra kiosk”."""
    return memory(ann(), "the zebra kiosk opened", path="zoo"), memory(ann(), "a kiosk somewhere else", bucket="home")


def link(origin: Memory, target: Memory, quote: str) -> None:
    MemoryLink.objects.create(origin=origin, target=target, kind="derived_from", quote=quote, created_at=timezone.now())


@pytest.mark.parametrize("prefix", ["/v1/", "/api/v1/"])
def test_recall_gives_weak_ones_too_and_says_which_are_strong(prefix: str) -> None:
    strong, weak = zoo()
    body = Api(ann(), prefix).get("recall", query="zebra kiosk").json()
    assert [(one["id"], one["strong"]) for one in body["results"]] == [(str(strong.pk), True), (str(weak.pk), False)]
    assert "no_match" not in body
    assert "no_match" not in Api(ann(), prefix).get("recall", query="xylophone").json()


def test_recall_keeps_to_filters_and_limit() -> None:
    strong, weak = zoo()
    api = Api(ann())
    for filters, wanted in (({"bucket": "home"}, weak), ({"path": "zo%"}, strong), ({"limit": "1"}, strong)):
        assert [one["id"] for one in api.get("recall", query="zebra kiosk", **filters).json()["results"]] == [
            str(wanted.pk)
        ]


def test_recall_explains_itself() -> None:
    zoo()
    (hit,) = Api(ann()).get("recall", query="zebra", explain="true").json()["results"]
    assert hit["explanation"]["matched"] == ["content"]
    assert hit["explanation"]["beside"] == 0.0
    assert hit["explanation"]["visible_because"] == "private"


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ({}, "query"),
        ({"query": " "}, "query"),
        ({"query": "x", "limit": "0"}, "limit"),
        ({"query": "x", "limit": "51"}, "limit"),
        ({"query": "x", "memory_type": "poem"}, "memory_type"),
        ({"query": "x", "explain": "1"}, "explain"),
    ],
)
def test_a_bad_recall_is_refused_by_name(query: dict[str, str], where: str) -> None:
    assert problems(Api(ann()).get("recall", **query)) == [where]


def test_a_pack_has_the_fields_of_the_contract() -> None:
    strong, weak = zoo()
    api, before = Api(ann()), rows()
    body = api.post("recall/context", {"query": "zebra kiosk", "memory_type": "auto", "scope": None}).json()
    assert set(body) >= {"items", "context_text", "budget", "coverage", "agent_boundary", "scope"}
    assert [set(one) for one in body["items"]] == [{"id", "memory_id", "path", "bucket", "scope"}] * 2
    assert [one["memory_id"] for one in body["items"]] == [str(strong.pk), str(weak.pk)]
    assert "the zebra kiosk opened" in body["context_text"]
    assert rows() == before


@pytest.mark.parametrize("items", [1, 2, 50])
@pytest.mark.parametrize("tokens", [1, 30, 100, 1_000])
def test_a_pack_stays_within_items_and_tokens(items: int, tokens: int) -> None:
    for number in range(4):
        memory(ann(), f"zebra {number} " + "日本語 words " * number * 5)
    body = Api(ann()).post("recall/context", {"query": "zebra", "max_items": items, "max_tokens": tokens}).json()
    assert len(body["items"]) == body["budget"]["items"] <= items
    assert tokens_of(body["context_text"]) == body["budget"]["tokens"] <= tokens


def test_a_pack_keeps_to_filters() -> None:
    strong, weak = zoo()
    api = Api(ann())
    for filters, wanted in (
        ({"bucket": "home"}, weak),
        ({"path": "zoo"}, strong),
        ({"threshold": 0.6}, strong),
        ({"max_items": 1}, strong),
    ):
        body = api.post("recall/context", {"query": "zebra kiosk", **filters}).json()
        assert [one["id"] for one in body["items"]] == [str(wanted.pk)]


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({}, "query"),
        ({"query": 7}, "query"),
        ({"query": "\t"}, "query"),
        ({"query": "x", "max_items": 0}, "max_items"),
        ({"query": "x", "max_items": 51}, "max_items"),
        ({"query": "x", "max_tokens": 100_001}, "max_tokens"),
        ({"query": "x", "max_tokens": 1.5}, "max_tokens"),
        ({"query": "x", "status": "archived"}, "status"),
        ({"query": "x", "threshold": 2}, "threshold"),
        ({"query": "x", "threshold": True}, "threshold"),
        ({"query": "x", "memory_type": "poem"}, "memory_type"),
        ({"query": "x", "prefer_working": "yes"}, "prefer_working"),
    ],
)
def test_a_bad_pack_is_refused_by_name_in_the_body(body: dict[str, Any], where: str) -> None:
    answer = Api(ann()).post("recall/context", body)
    assert problems(answer) == [where]
    assert answer.json()["detail"][0]["loc"][0] == "body"


def test_bob_recalls_nothing_of_anns() -> None:
    zoo()
    api = Api(bob())
    found, pack = api.get("recall", query="zebra kiosk"), api.post("recall/context", {"query": "zebra kiosk"})
    assert (found.json()["results"], found.json()["coverage"]["records"]) == ([], 0)
    assert (pack.json()["items"], pack.json()["context_text"]) == ([], "")
    assert b"somewhere" not in found.content + pack.content


def test_a_foreign_team_is_refused() -> None:
    other, api = team("Other", bob="admin"), Api(ann())
    answers = [
        api.get("recall", query="x", team_id=str(other.pk)),
        api.post("recall/context", {"query": "x", "team_id": str(other.pk)}),
    ]
    assert [(one.status_code, code(one)) for one in answers] == [(403, "permission_denied")] * 2


def test_all_three_take_the_scope_to_read() -> None:
    one, api = memory(ann(), "a note"), Api(ann(), scopes=["memory:write", "audit"])
    answers = [
        api.get("recall", query="x"),
        api.post("recall/context", {"max_items": 0}),
        api.get(f"memories/{one.pk}/explain"),
    ]
    assert [(each.status_code, each.json()["detail"]["scope"]) for each in answers] == [(403, "memory:read")] * 3


def test_an_explanation_tells_where_a_memory_came_from() -> None:
    source = memory(ann(), "the zebra kiosk opened at nine")
    made = memory(ann(), "the kiosk opens early", provenance={"chat": "7"}, source="notes", session="talk/1")
    link(made, source, "opened at nine")
    told = Api(ann()).get(f"memories/{made.pk}/explain").json()["memory"]
    assert (told["id"], told["provenance"], told["source"]) == (str(made.pk), {"chat": "7"}, "notes")
    assert (told["session"], told["visible_because"]) == ("talk/1", "private")
    assert [(one["id"], one["kind"], one["quote"]) for one in told["links"]] == [
        (str(source.pk), "derived_from", "opened at nine")
    ]
    back = Api(ann()).get(f"memories/{source.pk}/explain").json()["memory"]
    assert [one["memory_id"] for one in back["linked_from"]] == [str(made.pk)]


def test_a_vector_is_told_only_on_request() -> None:
    one, api = memory(ann(), "a note"), Api(ann())
    address = f"memories/{one.pk}/explain"
    assert "embedding" not in api.get(address, include_embedding="false").json()["memory"]
    assert api.get(address, include_embedding="true").json()["memory"]["embedding"] is None
    MemoryEmbedding.objects.create(memory=one, space_id=one.space_id, model="m", dimension=2, vector=[0.5, 1.0])
    told = api.get(address, include_embedding="true").json()["memory"]["embedding"]
    assert (told["model"], told["dimension"], told["vector"]) == ("m", 2, [0.5, 1.0])
    assert problems(api.get(address, include_embedding="1")) == ["include_embedding"]


def test_links_to_what_is_hidden_or_deleted_are_not_told() -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    made = memory(ann(), "shared", team=atlas)
    link(made, memory(ann(), "private"), "private quote")
    link(made, memory(ann(), "gone", team=atlas, status="deleted"), "gone quote")
    link(memory(ann(), "private later"), made, "shared")
    answer = Api(bea()).get(f"memories/{made.pk}/explain")
    told = answer.json()["memory"]
    assert (told["links"], told["linked_from"], told["visible_because"]) == ([], [], "team Atlas")
    assert b"quote" not in answer.content.replace(b'"quote"', b"")


def test_what_is_deleted_missing_or_anothers_is_404() -> None:
    hers, gone = memory(ann(), "a note"), memory(bob(), "a note", status="deleted")
    answers = [Api(bob()).get(f"memories/{key}/explain") for key in (hers.pk, gone.pk, uuid4())]
    assert [(one.status_code, code(one)) for one in answers] == [(404, "not_found")] * 3
    wrong = Api(bob()).get("memories/seven/explain")
    assert (wrong.status_code, code(wrong)) == (400, "invalid_memory_id")
