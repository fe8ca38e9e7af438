"""Who sees which tool, what a token may not do, and what is audited."""

from __future__ import annotations

from typing import Any

import pytest

from memories.models import AuditRecord, User
from tests.mcp.bridge import Bridge
from tests.memories import factories

READING = {
    "search_memory",
    "recall",
    "recall_context",
    "explain_memory",
    "list_memory_versions",
    "reflect_preview",
    "todos",
    "memory_overview",
    "get_mcp_identity",
}
WRITING = {"remember", "update_memory", "forget", "restore_memory", "reflect"}
ALL_TOOLS = READING | WRITING | {"redact_memory", "ledger", "query_audit", "query_consolidation_audit"}
CALLS: dict[str, dict[str, Any]] = {
    "remember": {"content": "x"},
    "update_memory": {"content": "x"},
    "forget": {},
    "redact_memory": {},
    "restore_memory": {},
    "reflect": {},
}


def lines(bridge: Bridge) -> list[tuple[str, str]]:
    found = AuditRecord.objects.filter(token_id=bridge.token.pk, channel="mcp").order_by("at", "seq")
    return [(line.action, line.result) for line in found]


def test_every_tool_is_described_annotated_and_typed(bridge: Bridge) -> None:
    tools = bridge.tools()
    assert set(tools) == ALL_TOOLS
    for tool in tools.values():
        assert len(tool["description"]) > 40 and tool["inputSchema"]["type"] == tool["outputSchema"]["type"] == "object"
        assert all("description" in one for one in tool["inputSchema"]["properties"].values()), tool["name"]
        assert set(tool["annotations"]) >= {"readOnlyHint", "destructiveHint", "openWorldHint"}


def test_the_hints_tell_what_reads_and_what_destroys(bridge: Bridge) -> None:
    hints = {name: tool["annotations"] for name, tool in bridge.tools().items()}
    reads = {name for name, hint in hints.items() if hint["readOnlyHint"]}
    assert reads == ALL_TOOLS - WRITING - {"redact_memory", "todos", "ledger"}
    assert {name for name, hint in hints.items() if hint["destructiveHint"]} == {"forget", "redact_memory", "reflect"}


def test_a_token_that_only_reads_sees_no_tool_that_writes(server: str, who: User) -> None:
    reader = Bridge(server, who, scopes=["memory:read", "ledger:read"])
    tools = reader.tools()
    assert set(tools) == READING | {"ledger"}
    assert all(tool["annotations"]["readOnlyHint"] for tool in tools.values())
    assert tools["todos"]["inputSchema"]["properties"]["action"]["enum"] == ["list"]
    assert tools["ledger"]["inputSchema"]["properties"]["action"]["enum"] == ["list", "summary"]


@pytest.mark.parametrize("scopes", [["memory:write"], ["ledger:write"], ["audit"], []])
def test_other_tokens_see_what_they_may_use(server: str, who: User, scopes: list[str]) -> None:
    seen = set(Bridge(server, who, scopes=scopes).tools())
    more = {"memory:write": WRITING - {"update_memory", "reflect"} | {"todos"}, "ledger:write": {"ledger"}}
    audit = {"query_audit", "query_consolidation_audit"}
    wanted = {"get_mcp_identity"}.union(*(more.get(scope, audit) for scope in scopes))
    assert seen == wanted


@pytest.mark.parametrize("tool", [*CALLS, "todos", "ledger", "query_audit"])
def test_a_hidden_tool_is_refused_too_and_the_refusal_audited(server: str, who: User, tool: str) -> None:
    reader = Bridge(server, who, scopes=["memory:read"])
    kept = factories.memory(who, "The kettle broke.")
    sent = CALLS.get(tool, {}) | (
        {"memory_id": str(kept.pk)} if tool in CALLS and tool not in ("remember", "reflect") else {}
    )
    sent |= {"action": "add", "content": "x"} if tool == "todos" else {"action": "list"} if tool == "ledger" else {}
    said = reader.call(tool, **sent)
    assert said.code == "permission_denied" and "Next step: Do not try again." in said.text
    assert lines(reader) == [(f"mcp.{tool}", "refused")]


def test_each_verb_leaves_one_line(bridge: Bridge) -> None:
    made = bridge.call("remember", content="The kettle broke.").data["id"]
    bridge.call("search_memory", query="kettle")
    bridge.call("explain_memory", memory_id=made)
    bridge.call("update_memory", memory_id=made, content="The kettle works.")
    bridge.call("forget", memory_id=made)
    bridge.call("forget", memory_id=made)
    bridge.call("restore_memory", memory_id=made)
    assert lines(bridge) == [
        ("memory.create", "done"),
        ("memory.update", "done"),
        ("memory.forget", "done"),
        ("mcp.forget", "refused"),
        ("memory.restore", "done"),
    ]


def test_a_bad_call_leaves_no_line_and_no_half(bridge: Bridge) -> None:
    bridge.call("remember", content="")
    bridge.call("explain_memory", memory_id="01990000-0000-7000-8000-000000000000")
    assert lines(bridge) == []


def test_a_bound_token_sees_and_writes_only_inside(server: str, who: User) -> None:
    outside = factories.memory(who, "The kettle at home.", bucket="home")
    bound = Bridge(server, who, buckets=["work"])
    assert bound.call("search_memory", query="kettle home").data["results"] == []
    assert bound.call("explain_memory", memory_id=str(outside.pk)).code == "not_found"
    assert bound.call("remember", content="x", bucket="home").code == "permission_denied"
    assert bound.call("forget", memory_id=str(outside.pk)).code == "not_found"


def test_a_token_that_is_revoked_meanwhile_is_refused_at_once(bridge: Bridge) -> None:
    assert not bridge.call("get_mcp_identity").failed
    type(bridge.token).objects.filter(pk=bridge.token.pk).update(revoked_at=factories.PAST)
    assert bridge.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).status == 403


def test_nothing_of_one_caller_is_carried_over_to_the_next(server: str, who: User) -> None:
    """More callers in turn than there are threads, each finding only their own."""
    other = factories.user(f"{who.username}.other")
    agents = [Bridge(server, who), Bridge(server, other)]
    for owner in (who, other):
        factories.memory(owner, f"The kettle of {owner.username} broke.")
    for number in range(24):
        agent, owner = agents[number % 2], (who, other)[number % 2]
        found = agent.call("search_memory", query="kettle", limit=50).data["results"]
        assert [hit["content"] for hit in found] == [f"The kettle of {owner.username} broke."]
