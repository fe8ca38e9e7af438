"""Django inside an ASGI server: each request runs from end to end in one thread of a fixed pool.

Django's own handler gives every request a thread of its own, so no connection to the database outlives a request and
nothing bounds how many are open. Here there are as many threads as WEB_THREADS says, each with one connection that
it keeps, and what runs in them is plain synchronous code in one transaction.
"""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.core import signals
from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.base import BaseHandler
from django.http import HttpResponseBase

from console.limits import body_limit

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

WHOLE_BYTES = 1_000_000  # a file up to this size is read at once, not handed over in pieces
PIECE_BYTES = 256 * 1024
STALLED_SECONDS = 120  # for which a client may take nothing of a piece: after that its thread is there for others


class Threaded(BaseHandler):
    """The ASGI application of pages and API, run by the threads of `pool`."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        super().__init__()
        self.load_middleware()
        self.pool = pool

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, answer in a thread, send."""
        body = await _body(scope, receive)
        if body is None:
            return
        loop = asyncio.get_running_loop()

        def put(message: Message) -> None:
            sending = asyncio.run_coroutine_threadsafe(_sent(send, message), loop)
            try:
                sending.result(STALLED_SECONDS)
            except TimeoutError:
                sending.cancel()
                raise ConnectionAbortedError("The client takes nothing any more.") from None

        for message in await loop.run_in_executor(self.pool, self._answer, scope, body, put):
            await send(message)

    def _answer(self, scope: Scope, body: bytes, put: Callable[[Message], None]) -> list[Message]:
        """In a thread: the messages to send. Large files are `put` piece by piece, as fast as the client takes them."""
        signals.request_started.send(sender=self.__class__, scope=scope)
        response = self.get_response(ASGIRequest(scope, io.BytesIO(body)))
        try:
            start = started(response)
            if not response.streaming or int(response.get("Content-Length") or WHOLE_BYTES + 1) <= WHOLE_BYTES:
                return [start, {"type": "http.response.body", "body": b"".join(response)}]
            put(start)
            for piece in _pieces(response):
                put({"type": "http.response.body", "body": piece, "more_body": True})
            return [{"type": "http.response.body", "body": b""}]
        finally:
            response.close()


def started(response: HttpResponseBase) -> Message:
    """Status, headers and cookies."""
    headers = [(name.lower().encode("ascii"), value.encode("latin1")) for name, value in response.items()]
    headers += [
        (b"set-cookie", cookie.output(header="").strip().encode("ascii")) for cookie in response.cookies.values()
    ]
    return {"type": "http.response.start", "status": response.status_code, "headers": headers}


def _pieces(response: HttpResponseBase) -> Iterator[bytes]:
    response.block_size = PIECE_BYTES  # type: ignore[attr-defined]
    for part in response:  # type: ignore[attr-defined]
        yield from (part[at : at + PIECE_BYTES] for at in range(0, len(part), PIECE_BYTES))


async def _sent(send: Send, message: Message) -> None:
    await send(message)


async def _body(scope: Scope, receive: Receive) -> bytes | None:
    """The body; None when the client left. One without a length, or over the limit, stays unread: it is refused."""
    said = [value for name, value in scope["headers"] if name == b"content-length"]
    if not said or not said[0].isdigit() or int(said[0]) > body_limit(scope["path"]):
        return b""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if not message.get("more_body"):
            return bytes(body)
