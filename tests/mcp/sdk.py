"""The protocol's own client, over HTTP and over standard input and output."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import mcp_types as types
from django.db import connections
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.browser.running import ROOT
from tests.mcp.bridge import Bridge

MODES = ("auto", "legacy")
Person = Callable[[str], types.ElicitResult]


def over_http(
    bridge: Bridge, use: Callable[[Client], Awaitable[Any]], *, mode: str, person: Person | None = None
) -> Any:
    """What `use` returns with a client of the endpoint."""

    async def run() -> Any:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {bridge.key}"}, timeout=60) as http:
            transport = streamable_http_client(f"{bridge.server}{bridge.path}", http_client=http)
            async with Client(transport, mode=mode, **_asked(person)) as client:
                return await use(client)

    return _on_a_loop_of_its_own(run)


def over_stdio(
    bridge: Bridge, use: Callable[[Client], Awaitable[Any]], *, mode: str, person: Person | None = None, **more: str
) -> Any:
    """What `use` returns with a client of `manage.py mcp`."""
    environment = {**os.environ, "MCP_TOKEN": bridge.key, "MCP_URL": f"{bridge.server}{bridge.path}", **more}
    program = StdioServerParameters(command=sys.executable, args=["manage.py", "mcp"], cwd=str(ROOT), env=environment)

    async def run() -> Any:
        async with Client(program, mode=mode, **_asked(person)) as client:
            return await use(client)

    return _on_a_loop_of_its_own(run)


def _on_a_loop_of_its_own(run: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """In a thread of its own: the browser of other tests keeps a loop running in this one."""

    def whole() -> Any:
        try:
            return asyncio.run(run())
        finally:
            connections.close_all()

    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(whole).result()


def call(bridge: Bridge, name: str, arguments: dict[str, Any], *, person: Person | None = None) -> types.CallToolResult:
    """One call by a client of today, which shows the person an address where it is asked to."""
    found: types.CallToolResult = over_http(
        bridge, lambda client: client.call_tool(name, arguments), mode="auto", person=person
    )
    return found


def _asked(person: Person | None) -> dict[str, Any]:
    if person is None:
        return {}

    def answer(address: str) -> types.ElicitResult:
        try:
            return person(address)
        finally:
            connections.close_all()  # this thread's

    async def ask(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestURLParams)
        return await asyncio.to_thread(answer, params.url)

    return {"elicitation_callback": ask}
