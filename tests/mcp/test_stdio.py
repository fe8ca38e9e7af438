"""`manage.py mcp`: what it says when it cannot do its work, and messages that no client of the SDK would send."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from tests.browser.running import ROOT
from tests.mcp.bridge import Bridge

PROGRAM = [sys.executable, "manage.py", "mcp"]
NOBODY = "http://127.0.0.1:9/mcp"


def talk(lines: list[str], **environment: str) -> tuple[dict[Any, Any], str, int]:
    """The answers by id to what is written to its standard input, what it says beside them, and its exit code."""
    given = {**os.environ, **environment}
    done = subprocess.run(
        PROGRAM, cwd=ROOT, env=given, input="\n".join(lines), capture_output=True, text=True, timeout=120, check=False
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return {one["id"]: one for one in answers}, done.stderr, done.returncode


def request(key: object, method: str, **params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": key, "method": method, "params": params})


def test_lines_are_answered_each_under_its_id(bridge: Bridge) -> None:
    notice = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
    lines = [request("a", "tools/list"), notice, "", "{", request(2, "tools/call", name="get_mcp_identity")]
    answers, _, code = talk(lines, MCP_TOKEN=bridge.key, MCP_URL=f"{bridge.server}/mcp")
    assert set(answers) == {"a", None, 2} and code == 0
    assert answers[None]["error"]["code"] == -32700
    assert "Owner ID:" in answers[2]["result"]["content"][0]["text"]


def test_a_bad_token_and_an_absent_server_are_said_to_the_agent(bridge: Bridge) -> None:
    refused, _, _ = talk([request(1, "tools/list")], MCP_TOKEN="mc_wrong", MCP_URL=f"{bridge.server}/mcp")
    assert "not known here" in refused[1]["error"]["message"]
    alone, _, _ = talk([request(1, "tools/list")], MCP_TOKEN="mc_x", MCP_URL=NOBODY)
    assert "does not answer" in alone[1]["error"]["message"] and "MCP_URL" in alone[1]["error"]["message"]


def test_without_a_token_it_says_what_to_do_and_ends() -> None:
    answers, said, code = talk([], MCP_TOKEN="")
    assert answers == {} and code == 1 and "MCP_TOKEN is not set" in said and "Traceback" not in said


def test_the_profile_of_the_environment_is_asked_for(bridge: Bridge) -> None:
    lines = [request(1, "tools/list")]
    answers, _, _ = talk(lines, MCP_TOKEN=bridge.key, MCP_URL=f"{bridge.server}/mcp", MCP_PROFILE="extended")
    search = next(tool for tool in answers[1]["result"]["tools"] if tool["name"] == "search_memory")
    assert "path_filter" in search["inputSchema"]["properties"]


def test_every_request_is_answered_whatever_is_in_it(bridge: Bridge) -> None:
    half = request(1, "tools/call", name="recall", arguments={"query": "\ud800"})
    name = request(2, "tools/call", name="\ud800", _meta={"io.modelcontextprotocol/protocolVersion": "2026-01-01"})
    answers, _, code = talk(
        [half, name, request(3, "tools/list")], MCP_TOKEN=bridge.key, MCP_URL=f"{bridge.server}/mcp"
    )
    assert set(answers) == {1, 2, 3} and code == 0 and "result" in answers[3]
    assert "error" in answers[1] and "error" in answers[2]


def test_an_address_that_is_none_is_said_to_the_agent() -> None:
    answers, _, _ = talk([request(1, "tools/list")], MCP_TOKEN="mc_x", MCP_URL="127.0.0.1:8321")
    assert "set MCP_URL" in answers[1]["error"]["message"]
    for token, url in (("mc_x", "http://[bad/mcp"), ("mc_é", NOBODY)):
        answers, said, code = talk([request(1, "tools/list")], MCP_TOKEN=token, MCP_URL=url)
        assert answers == {} and code == 1 and "MCP_URL is no address" in said and "Traceback" not in said
