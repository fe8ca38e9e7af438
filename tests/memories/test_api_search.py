"""Strict search over the API."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from tests.memories.api_client import Api, code, problems
from tests.memories.factories import ann, bea, bob, memory, team

pytestmark = pytest.mark.django_db

RESULT = {
    "id",
    "memory_id",
    "content",
    "path",
    "bucket",
    "scope",
    "memory_type",
    "similarity",
    "created_at",
    "agent_boundary",
}


def found(api: Api, query: str = "harvest", **filters: Any) -> set[str]:
    answer = api.get("memories/search", query=query, **filters)
    assert answer.status_code == 200, answer.content
    return {one["content"] for one in answer.json()["results"]}


@pytest.mark.parametrize("prefix", ["/v1/", "/api/v1/"])
def test_a_hit_has_the_fields_of_the_contract(prefix: str) -> None:
    one = memory(ann(), "The harvest of apples starts in week 38.", path="orchard", scope="s")
    body = Api(ann(), prefix).get("memories/search", query="harvest apples").json()
    (hit,) = body["results"]
    assert set(hit) == RESULT
    assert hit["id"] == hit["memory_id"] == str(one.pk)
    assert 0 < hit["similarity"] <= 1
    assert {"coverage", "agent_boundary"} < set(body)
    assert "no_match" not in body


def test_no_strong_match_says_why_and_names_the_filters() -> None:
    memory(ann(), "The harvest of apples starts in week 38.", path="orchard")
    body = Api(ann()).get("memories/search", query="xylophone zebra", bucket="work", path="orch%").json()
    assert body["results"] == []
    assert body["no_match"]["filters"] == {"bucket": "work", "path": "orch%"}
    assert "No strong match" in body["no_match"]["reason"]


def test_explain_tells_where_the_words_were_found() -> None:
    memory(ann(), "The harvest of apples starts in week 38.")
    hit = Api(ann()).get("memories/search", query="harvest", explain="true").json()["results"][0]
    assert hit["explanation"]["marks"] == [[4, 11]]
    assert "content" in hit["explanation"]["matched"]


def test_filters_narrow() -> None:
    memory(ann(), "harvest at home", bucket="home", path="a/b", scope="s", memory_type="working")
    memory(ann(), "harvest at work", bucket="work", path="c")
    api, home = Api(ann()), {"harvest at home"}
    narrowed = ({"bucket": "h%"}, {"path": "a/%"}, {"scope": "s"}, {"memory_type": "working"})
    assert [found(api, **one) for one in narrowed] == [home] * 4
    assert found(api, bucket="%", memory_type="%", scope="", path="") == {"harvest at home", "harvest at work"}


def test_a_star_lists_newest_first_and_since_and_until_bound_it() -> None:
    for day in (1, 2, 3):
        memory(ann(), f"day {day}", created_at=datetime(2026, 5, day, tzinfo=UTC))
    api = Api(ann())
    span = {"since": "2026-05-02T00:00:00Z", "until": "2026-05-03T00:00:00Z"}
    listed = [one["content"] for one in api.get("memories/search", query="*").json()["results"]]
    assert listed == ["day 3", "day 2", "day 1"]
    assert found(api, "*", **span) == {"day 2"}
    assert found(api, "", query_mode="activity_log", **span) == {"day 2"}


def test_working_memories_come_first_when_preferred() -> None:
    memory(ann(), "harvest planned", memory_type="working", created_at=datetime(2020, 1, 1, tzinfo=UTC))
    memory(ann(), "harvest done")
    first = Api(ann()).get("memories/search", query="*", prefer_working="true").json()["results"][0]
    assert first["memory_type"] == "working"


WRONG: list[tuple[dict[str, str], list[str]]] = [
    ({}, ["query"]),
    ({"query": ""}, ["query"]),
    ({"query": " \t"}, ["query"]),
    ({"query": "x" * 1_001}, ["query"]),
    ({"query": "x", "limit": "0"}, ["limit"]),
    ({"query": "x", "limit": "51"}, ["limit"]),
    ({"query": "x", "limit": "five"}, ["limit"]),
    ({"query": "x", "memory_type": "poem"}, ["memory_type"]),
    ({"query": "x", "explain": "True"}, ["explain"]),
    ({"query": "x", "prefer_working": "1"}, ["prefer_working"]),
    ({"query": "x", "threshold": "nan"}, ["threshold"]),
    ({"query": "x", "threshold": "2"}, ["threshold"]),
    ({"query": "x", "since": "May"}, ["since"]),
    ({"query": "x", "since": "2026-05-02", "until": "2026-05-01"}, ["until"]),
    ({"query": "x", "time_order": "random"}, ["time_order"]),
    ({"query": "x", "query_mode": "dream"}, ["query_mode"]),
    ({"query": "x", "path": "%" * 21}, ["path"]),
    ({"query": "x", "query_mode": "activity_log"}, ["since", "until"]),
    (
        {"query": "x", "query_mode": "activity_log", "since": "2026-05-01T00:00:00", "until": "2026-05-02T00:00:00Z"},
        ["since"],
    ),
]


@pytest.mark.parametrize(("query", "where"), WRONG)
def test_a_bad_parameter_is_named(query: dict[str, str], where: list[str]) -> None:
    answer = Api(ann()).get("memories/search", **query)
    assert problems(answer) == where
    assert answer.json()["detail"][0]["loc"][0] == "query"


@pytest.mark.parametrize("key", [str(uuid4()), "atlas"])
def test_a_foreign_team_is_refused_and_never_empty(key: str) -> None:
    answer = Api(ann()).get("memories/search", query="x", team_id=key)
    assert (answer.status_code, code(answer)) == (403, "permission_denied")


def test_bob_finds_and_counts_nothing_of_anns() -> None:
    memory(ann(), "harvest secret")
    answer = Api(bob()).get("memories/search", query="harvest", explain="true")
    assert answer.json()["results"] == []
    assert answer.json()["coverage"]["records"] == 0
    assert b"secret" not in answer.content


def test_the_team_finds_what_is_its_own() -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    memory(ann(), "harvest shared", team=atlas)
    memory(ann(), "harvest private")
    assert found(Api(bea())) == {"harvest shared"}
    assert found(Api(ann()), team_id=str(atlas.pk)) == {"harvest shared"}


@pytest.mark.parametrize(
    ("bounds", "seen"),
    [
        ({"buckets": ["work"]}, {"harvest work"}),
        ({"buckets": []}, set()),
        ({"scope": "s"}, {"harvest home"}),
        ({"path_prefix": "a"}, {"harvest work"}),
        ({"agent_id": "scout"}, {"harvest home"}),
    ],
)
def test_a_filter_never_widens_what_a_token_is_bound_to(bounds: dict[str, Any], seen: set[str]) -> None:
    memory(ann(), "harvest work", bucket="work", path="a/x")
    memory(ann(), "harvest home", bucket="home", path="b", scope="s", agent_id="scout")
    api = Api(ann(), **bounds)
    assert found(api) == found(api, bucket="%", path="%") == seen


def test_what_was_forgotten_is_not_found_and_what_was_restored_is() -> None:
    one, api = memory(ann(), "harvest note"), Api(ann())
    seen = [found(api)]
    for verb in ("forget", "restore"):
        api.post(f"memories/{one.pk}/{verb}")
        seen.append(found(api))
    assert seen == [{"harvest note"}, set(), {"harvest note"}]


def test_search_takes_the_scope_to_read() -> None:
    answer = Api(ann(), scopes=["memory:write", "audit"]).get("memories/search", query="x")
    assert (answer.status_code, answer.json()["detail"]["scope"]) == (403, "memory:read")
