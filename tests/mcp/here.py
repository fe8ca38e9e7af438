"""An agent at the bridge within this process: the same door, tools and answers, without a server and its protocol.

The protocol itself is tested over HTTP, with `tests.mcp.bridge`. This is for questions asked a thousand times.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import mcp_types as types
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.http import HttpResponseBase

from console.mcp import caller, server
from memories.models import User
from tests.mcp.bridge import Said
from tests.memories import factories
from tests.memories.api_client import ALL


async def _at_once(function: Callable[..., Any], *args: Any) -> Any:
    return function(*args)


def _run(waiting: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine returns that never waits; there is no loop, in which Django would refuse to ask its database."""
    try:
        waiting.send(None)
    except StopIteration as ended:
        return ended.value
    raise AssertionError("it waits")


@contextmanager
def _one_connection() -> Iterator[None]:
    """Within the test's transaction, as with Django's own client."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)


HANDLERS = server.Handlers(_at_once)


class Agent:
    """Calls with a token of `who`, or with the headers given; `fields` are the token's scopes and bounds."""

    def __init__(self, who: User | None = None, headers: dict[str, str] | None = None, **fields: Any) -> None:
        if who is not None:
            fields.setdefault("scopes", ALL)
            self.token, key = factories.token(who, **fields)
            headers = {"Authorization": f"Bearer {key}"}
        self.headers = headers or {}

    def knock(self) -> tuple[Any, HttpResponseBase]:
        """The context of a call, and the answer at the door: 204, or why nobody comes in."""
        named = [(name.lower().encode(), value.encode()) for name, value in self.headers.items()]
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/mcp",
            "root_path": "",
            "query_string": b"profile=extended",
            "headers": [(b"host", b"testserver"), *named],
            "client": ("127.0.0.1", 1),
            "server": ("testserver", 80),
            "scheme": "http",
        }
        with _one_connection():
            found, response = caller.admitted(scope)
        session = SimpleNamespace(client_capabilities=None)
        request = SimpleNamespace(scope={"caller": found})
        return SimpleNamespace(request=request, session=session, protocol_version="2025-06-18"), response

    def tools(self) -> dict[str, types.Tool]:
        """The tools shown, by name."""
        context, response = self.knock()
        assert response.status_code == 204, response
        with _one_connection():
            return {tool.name: tool for tool in _run(HANDLERS.list_tools(context, None)).tools}

    def call(self, name: str, **arguments: Any) -> Said:
        """One call of a tool."""
        return self.calls(name, arguments)

    def calls(self, name: str, arguments: dict[str, Any]) -> Said:
        """One call of a tool with these arguments, whatever they are called."""
        context, response = self.knock()
        assert response.status_code == 204, response
        with _one_connection():
            result = _run(HANDLERS.call_tool(context, types.CallToolRequestParams(name=name, arguments=arguments)))
        text, data = result.content[0].text, result.structured_content
        return Said(text, json.loads(json.dumps(data)), bool(result.is_error))
