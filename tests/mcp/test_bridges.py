"""What simple bridges send, who is let in, and what every answer carries."""

from __future__ import annotations

import json
import uuid

import pytest

from memories.models import AuditRecord, User
from tests.mcp.bridge import Bridge
from tests.memories import factories

LIST = {"jsonrpc": "2.0", "id": "a1", "method": "tools/list"}


def test_tools_are_listed_and_called_without_a_handshake_or_a_session(bridge: Bridge) -> None:
    reply = bridge.post(LIST)
    assert (reply.status, reply.message["id"]) == (200, "a1")
    assert reply.headers["content-type"].startswith("text/event-stream")
    assert "mcp-session-id" not in reply.headers
    assert "Owner ID:" in bridge.call("get_mcp_identity").text


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_the_version_that_was_asked_for_is_spoken(bridge: Bridge, version: str) -> None:
    hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "bridge", "version": "1"}}
    assert bridge.ask("initialize", hello)["protocolVersion"] == version
    assert bridge.ask("tools/list", MCP_Protocol_Version=version)["tools"]


def test_initialized_may_come_late_or_with_an_id(bridge: Bridge) -> None:
    assert bridge.ask("tools/list")["tools"]
    assert bridge.post({"jsonrpc": "2.0", "method": "notifications/initialized"}).status == 202
    assert bridge.ask("notifications/initialized") == {}
    assert bridge.ask("notifications/initialized", {}) == {}


@pytest.mark.parametrize("accept", ["application/json", "*/*", None])
def test_who_asks_for_json_gets_json(bridge: Bridge, accept: str | None) -> None:
    reply = bridge.post(LIST, Accept=accept)
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
    assert reply.message["result"]["tools"]


def test_nobody_is_let_in_without_a_token(bridge: Bridge) -> None:
    reply = bridge.post(LIST, Authorization=None)
    assert reply.status == 401 and reply.headers["www-authenticate"].startswith("Bearer ")
    assert reply.message["detail"]["code"] == "not_authenticated"


@pytest.mark.parametrize("header", ["Bearer mc_0123456789012345678901234567890123", "Basic YWJj", "Bearer "])
def test_a_bad_token_is_refused_with_403(bridge: Bridge, header: str) -> None:
    assert bridge.post(LIST, Authorization=header).status == 403


def test_a_slash_at_the_end_leads_to_the_same_place(bridge: Bridge) -> None:
    assert bridge.post(LIST, path="/mcp/").message["result"]["tools"]
    assert bridge.post(LIST, path="/mcp/x").status == 404


def test_an_api_key_does_as_well(bridge: Bridge) -> None:
    assert bridge.post(LIST, Authorization=None, X_API_Key=bridge.key).status == 200


@pytest.mark.parametrize("verb", ["GET", "DELETE", "PUT", "OPTIONS"])
def test_only_post_is_answered(bridge: Bridge, verb: str) -> None:
    reply = bridge.post(b"", verb=verb)
    assert (reply.status, reply.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize("authorization", ["", None, "Bearer wrong"])
def test_every_answer_carries_an_audit_id_and_the_request_id(bridge: Bridge, authorization: str | None) -> None:
    given = f"Bearer {bridge.key}" if authorization == "" else authorization
    reply = bridge.post(LIST, Authorization=given, X_Request_ID="mine-42")
    assert uuid.UUID(reply.headers["x-xmemo-audit-id"]) and reply.headers["x-request-id"] == "mine-42"
    assert "no-store" in reply.headers["cache-control"] and reply.headers["x-content-type-options"] == "nosniff"


def test_the_audit_line_of_a_call_names_the_answer_that_carried_it(bridge: Bridge) -> None:
    message = {"name": "remember", "arguments": {"content": "The kettle broke."}}
    reply = bridge.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": message})
    line = AuditRecord.objects.get(audit_id=reply.headers["x-xmemo-audit-id"])
    assert (line.action, line.channel, line.token_id) == ("memory.create", "mcp", bridge.token.pk)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://localhost.evil.example", "http://["])
def test_a_page_of_another_origin_is_refused(bridge: Bridge, origin: str) -> None:
    assert bridge.post(LIST, Origin=origin).status == 403


@pytest.mark.parametrize("origin", ["http://localhost:6274", "http://127.0.0.1:3000", "http://[::1]:80"])
def test_pages_of_this_machine_may_ask(bridge: Bridge, origin: str) -> None:
    assert bridge.post(LIST, Origin=origin).status == 200


def test_a_name_that_leads_here_by_rebinding_is_refused(bridge: Bridge) -> None:
    assert bridge.post(LIST, Host="evil.example").status == 400


def test_a_body_over_the_limit_is_refused_unread(bridge: Bridge) -> None:
    assert bridge.post(b" " * 1_000_001).status == 413
    assert bridge.post(json.dumps(LIST).encode().ljust(1_000_000)).status == 200


@pytest.mark.parametrize("body", [b"{", b"[]", b"null", b"\xff", b'{"jsonrpc":"2.0","id":1}', b"[" * 5_000])
def test_what_is_no_message_is_refused(bridge: Bridge, body: bytes) -> None:
    assert bridge.post(body).status == 400


@pytest.mark.parametrize("value", ["\0", "\ud800", float("inf"), [[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]])
def test_arguments_that_cannot_be_kept_are_refused(bridge: Bridge, value: object) -> None:
    arguments = {"content": "Tea.", "metadata_json": {"a": value}}
    reply = bridge.post(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "remember", "arguments": arguments}}
    )
    assert reply.status == 400 or reply.message["result"]["isError"]
    assert not AuditRecord.objects.filter(token_id=bridge.token.pk, action="memory.create").exists()


def test_an_unknown_method_or_tool_is_named(bridge: Bridge) -> None:
    assert bridge.ask("resources/list")["code"] == -32601
    assert bridge.ask("tools/call", {"name": "drop_tables", "arguments": {}})["code"] == -32602


def test_an_unknown_profile_is_refused(bridge: Bridge) -> None:
    assert bridge.post(LIST, path="/mcp?profile=everything").status == 422


def test_a_token_of_somebody_who_left_is_refused(server: str, who: User) -> None:
    left = Bridge(server, who)
    User.objects.filter(pk=who.pk).update(is_active=False)
    assert left.post(LIST).status == 403


def test_the_agent_is_recorded_and_not_trusted(bridge: Bridge, who: User) -> None:
    other = factories.user("somebody.else")
    params = {"name": "get_mcp_identity", "arguments": {}}
    result = bridge.ask("tools/call", params, X_Memory_OS_Agent_ID=str(other.pk))
    assert result["structuredContent"] | {"tenant": {}, "scopes": []} == {
        "owner_id": str(who.pk),
        "agent_id": str(other.pk),
        "tenant": {},
        "scopes": [],
    }
