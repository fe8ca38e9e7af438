"""The protocol's own client works, as of today and as of the handshake, over both ways."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client

from memories.models import User
from tests.mcp import sdk
from tests.mcp.bridge import Bridge
from tests.memories.factories import memory

WAYS = {"http": sdk.over_http, "stdio": sdk.over_stdio}


@pytest.mark.parametrize("mode", sdk.MODES)
@pytest.mark.parametrize("way", WAYS)
def test_a_session_from_hello_to_forget(bridge: Bridge, who: User, way: str, mode: str) -> None:
    memory(who, "A line\u2028that breaks, \x85 twice.", path="odd")

    async def use(client: Client) -> list[Any]:
        tools = await client.list_tools()
        made = await client.call_tool("remember", {"content": "The kettle broke.", "path": "home"})
        found = await client.call_tool("search_memory", {"query": "kettle"})
        odd = await client.call_tool("search_memory", {"query": "breaks twice"})
        gone = await client.call_tool("forget", {"memory_id": made.structured_content["id"]})
        wrong = await client.call_tool("search_memory", {"query": ""})
        return [tools, made, found, odd, gone, wrong]

    tools, made, found, odd, gone, wrong = WAYS[way](bridge, use, mode=mode)
    assert len(tools.tools) == 18 and tools.tools[0].output_schema
    assert [hit["id"] for hit in found.structured_content["results"]] == [made.structured_content["id"]]
    assert odd.structured_content["results"][0]["content"] == "A line\u2028that breaks, \x85 twice."
    assert "Status: deleted" in gone.content[0].text
    assert wrong.is_error and wrong.content[0].text.startswith("Error: validation_error")


def test_the_client_of_today_speaks_the_version_of_today(bridge: Bridge) -> None:
    async def version(client: Client) -> Any:
        await client.list_tools()
        return client.protocol_version

    spoken = {mode: sdk.over_http(bridge, version, mode=mode) for mode in sdk.MODES}
    assert spoken == {"auto": "2026-07-28", "legacy": "2025-11-25"}
