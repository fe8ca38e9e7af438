"""Finding, explaining and counting, each tool once, with what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from memories.models import User
from tests.mcp.bridge import Bridge
from tests.memories.factories import bob, memory, version

KETTLE = "The kettle in the kitchen broke on Monday."


def test_search_shows_ranked_references_places_and_contents(bridge: Bridge, who: User) -> None:
    kept = memory(who, KETTLE, path="home/kitchen")
    said = bridge.call("search_memory", query="kettle kitchen", explain=True)
    assert said.text.splitlines()[:3] == [
        "Strong matches: 1",
        f"1. Reference: {kept.pk}",
        '   Path: "home/kitchen"',
    ]
    assert f'   Content: "{KETTLE}"' in said.text and "   Why: " in said.text
    assert [hit["id"] for hit in said.data["results"]] == [str(kept.pk)]


def test_search_says_that_nothing_is_strong_and_names_the_filters(bridge: Bridge, who: User) -> None:
    memory(who, KETTLE)
    said = bridge.call("search_memory", query="submarine warranty", path_filter="home/%")
    assert said.text.startswith("No strong match.") and '"path": "home/%"' in said.text
    assert said.data["results"] == [] and said.data["no_match"]["filters"] == {"path": "home/%"}


def test_the_generic_profile_takes_query_and_limit_only(server: str, who: User) -> None:
    generic = Bridge(server, who, profile="generic")
    memory(who, KETTLE)
    assert set(generic.tools()["search_memory"]["inputSchema"]["properties"]) == {"query", "limit"}
    assert len(generic.call("search_memory", query="kettle", limit=1).data["results"]) == 1
    for name, value in {"path_filter": "%", "memory_type": "%", "prefer_working": True, "explain": True}.items():
        said = generic.call("search_memory", query="kettle", **{name: value})
        assert said.code == "validation_error" and name in said.text


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"query": ""}, "query"),
        ({"query": "  "}, "query"),
        ({}, "query"),
        ({"query": "x" * 1_001}, "query"),
        ({"query": 5}, "query"),
        ({"query": "tea", "limit": 0}, "limit"),
        ({"query": "tea", "limit": 51}, "limit"),
        ({"query": "tea", "limit": 2.5}, "limit"),
        ({"query": "tea", "memory_type": "opinion"}, "memory_type"),
        ({"query": "tea", "prefer_working": "maybe"}, "prefer_working"),
        ({"query": "tea", "scope": "x"}, "scope"),
    ],
)
def test_a_bad_search_is_refused_by_name_with_a_next_step(bridge: Bridge, wrong: dict[str, Any], named: str) -> None:
    said = bridge.call("search_memory", **wrong)
    assert said.code == "validation_error" and f'"{named}"' in said.text
    assert said.text.splitlines()[2].startswith("Next step: ")


def test_recall_marks_what_is_weak(bridge: Bridge, who: User) -> None:
    memory(who, KETTLE)
    memory(who, "A kettle costs forty euros at the shop by the river, they said.")
    said = bridge.call("recall", query="kettle kitchen Monday warranty insurance", limit=5)
    weak = [hit["strong"] for hit in said.data["results"]].count(False)
    assert said.data["results"] and said.text.count("(weak)") == weak
    assert "no_match" not in said.data


def test_a_pack_keeps_to_its_bounds(bridge: Bridge, who: User) -> None:
    for number in range(5):
        memory(who, f"Meeting note {number} about the kettle.", path=f"notes/{number}")
    said = bridge.call("recall_context", query="kettle", max_items=2, max_tokens=500, memory_type="auto", scope="")
    assert len(said.data["items"]) == 2 and said.data["budget"]["tokens"] <= 500
    assert bridge.call("recall_context", query="kettle", max_items=0).code == "validation_error"


def test_a_memory_is_explained_with_its_versions(bridge: Bridge, who: User) -> None:
    kept = memory(who, KETTLE)
    version(kept, 1, "The kettle works.")
    assert bridge.call("explain_memory", memory_id=str(kept.pk)).data["memory"]["visible_because"] == "private"
    said = bridge.call("list_memory_versions", memory_id=str(kept.pk))
    assert [one["content"] for one in said.data["versions"]] == ["The kettle works."]


@pytest.mark.parametrize("tool", ["explain_memory", "list_memory_versions", "update_memory"])
def test_a_record_of_others_is_not_found_just_like_none(bridge: Bridge, tool: str) -> None:
    foreign = memory(bob(), "Bob's own.")
    missing = "01990000-0000-7000-8000-000000000000"
    said = [bridge.call(tool, memory_id=key) for key in (str(foreign.pk), missing)]
    assert said[0].code == "not_found" and said[0] == said[1]
    assert bridge.call(tool, memory_id="mem_1").code == "invalid_memory_id"


def test_the_overview_counts(bridge: Bridge, who: User) -> None:
    memory(who, KETTLE, bucket="home")
    memory(who, "Another one.", bucket="work")
    said = bridge.call("memory_overview", group_by="bucket", top_n=1)
    assert said.data["memories"]["total_count"] == 2 and len(said.data["memories"]["groups"]) == 1
    assert set(said.data) == {"section", "memories", "todos", "ledger", "passes"}
    assert set(bridge.call("memory_overview", section="todos").data) == {"section", "todos"}
    assert bridge.call("memory_overview", section="secrets").code == "validation_error"
    assert bridge.call("memory_overview", group_by="owner").code == "validation_error"


def test_the_audit_is_read_in_pages_and_ranges(bridge: Bridge) -> None:
    made = bridge.call("remember", content="One.").data["id"]
    bridge.call("forget", memory_id=made)
    newest = bridge.call("query_audit", action_type="memory.%", limit=1).data["events"]
    assert [(line["action"], line["target_id"], line["channel"]) for line in newest] == [("memory.forget", made, "mcp")]
    older = bridge.call("query_audit", action_type="memory.%", limit=1, offset=1).data["events"]
    assert older[0]["action"] == "memory.create"
    assert bridge.call("query_audit", since="2026-01-02", until="2026-01-01").code == "validation_error"
    assert bridge.call("query_audit", since="yesterday").code == "validation_error"


def test_who_am_i_in_the_lines_that_clients_read(server: str, who: User) -> None:
    agent = Bridge(server, who, scopes=["memory:read", "memory:write"], agent_id="helper", buckets=["work"])
    said = agent.call("get_mcp_identity")
    lines = said.text.splitlines()
    assert lines[:3] == [
        f"Owner ID: {who.pk}",
        "Agent ID: helper",
        "Scopes: memory:read, memory:restore, memory:write",
    ]
    assert lines[3].startswith("Tenant: {") and said.data["tenant"]["buckets"] == ["work"]
