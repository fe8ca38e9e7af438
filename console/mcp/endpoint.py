"""POST /mcp: streamable HTTP without sessions, beside Django in the same process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from typing import Any

from django.conf import settings
from django.http import HttpResponseBase
from django.utils import translation
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from console.mcp import caller, server
from console.threaded import Message, Receive, Scope, Send, started

STREAM = b"text/event-stream"
# Where lines end for some readers beside the usual ones.
BREAKS = {b"\xe2\x80\xa8": b"\\u2028", b"\xe2\x80\xa9": b"\\u2029", b"\xc2\x85": b"\\u0085"}
OWN = (b"content-type", b"content-length", b"cache-control")  # headers that the protocol's answer has of its own


class Endpoint:
    """The ASGI application of the bridge. Whoever is let in is handed to the protocol's SDK."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self.pool = pool
        bridge = server.build(self._in_thread)
        self.streams, self.plain = (
            StreamableHTTPSessionManager(
                bridge, stateless=True, json_response=plain, max_request_body_size=settings.BODY_LIMIT_BYTES
            )
            for plain in (False, True)
        )

    async def live(self, receive: Receive, send: Send) -> None:
        """The protocol's managers run from the start of the server to its end."""
        await receive()
        async with AsyncExitStack() as running:
            for manager in (self.streams, self.plain):
                await running.enter_async_context(manager.run())
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let in or refuse, then answer."""
        found, response = await self._in_thread(caller.admitted, scope)
        if found is None:
            body = b"".join(response)
            response["Content-Length"] = str(len(body))
            await send(started(response))
            await send({"type": "http.response.body", "body": body})
        elif scope["method"] != "POST":
            await send(
                {"type": "http.response.start", "status": 405, "headers": [(b"allow", b"POST"), *_kept(response)]}
            )
            await send({"type": "http.response.body", "body": b""})
        else:
            accepts = [value for name, value in scope["headers"] if name == b"accept"]
            manager = self.streams if any(STREAM in value for value in accepts) else self.plain
            headers = scope["headers"] if accepts else [*scope["headers"], (b"accept", b"application/json")]
            send = _on_one_line(send) if manager is self.streams else send
            await manager.asgi_app({**scope, "headers": headers, "caller": found}, receive, _signed(send, response))

    async def _in_thread(self, function: Callable[..., Any], *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self.pool, _in_english, function, *args)


def _in_english(function: Callable[..., Any], *args: Any) -> Any:
    """The thread may have answered a person before; agents are spoken to in one language."""
    with translation.override("en"):
        return function(*args)


def _kept(response: HttpResponseBase) -> list[tuple[bytes, bytes]]:
    """The headers that every answer of the console carries."""
    return [pair for pair in started(response)["headers"] if pair[0] not in OWN]


def _on_one_line(send: Send) -> Send:
    """Events keep to their line for every reader: inside JSON these characters may be written as escapes."""

    async def escaped(message: Message) -> None:
        body = message.get("body", b"")
        if message.get("type") == "http.response.body" and not body.isascii():
            for letter, escape in BREAKS.items():
                body = body.replace(letter, escape)
            message = {**message, "body": body}
        await send(message)

    return escaped


def _signed(send: Send, response: HttpResponseBase) -> Send:
    async def signed(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *_kept(response), (b"cache-control", b"no-store")]}
        await send(message)

    return signed
