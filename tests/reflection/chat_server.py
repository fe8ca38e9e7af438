"""A chat endpoint on loopback that speaks OpenAI's protocol, well or badly: each mode is one way to answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DRIP = 0.01  # seconds between two bytes


class ChatServer:
    """`mode` names how it answers; `says` is the text, or makes one of the log that was sent."""

    def __init__(self) -> None:
        self.mode, self.status = "good", 200
        self.says: str | Callable[[str], str] = "yes"
        self.asked: list[dict[str, Any]] = []
        self.elsewhere = 0  # requests to where a redirect leads
        self.open = 0  # connections
        self.changed = threading.Condition()
        self.over = threading.Event()
        self.server = _Server(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def body(self) -> bytes:
        material = self.asked[-1]["messages"][1]["content"]
        text = self.says if isinstance(self.says, str) else self.says(material)
        return json.dumps({"choices": [{"message": {"content": text}}]}).encode()

    def count(self, by: int) -> None:
        with self.changed:
            self.open += by
            self.changed.notify_all()

    def all_closed(self) -> bool:
        """Whether every connection ends within two seconds."""
        with self.changed:
            return self.changed.wait_for(lambda: self.open == 0, timeout=2)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are what this is for."""


def _handler(chat: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            chat.count(1)

        def finish(self) -> None:
            try:
                super().finish()
            finally:
                chat.count(-1)

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/elsewhere":
                chat.elsewhere += 1
                return
            chat.asked.append(json.loads(sent))
            getattr(self, f"_{chat.mode}")()

        do_GET = do_POST

        def _answer(self, content: bytes, status: int = 200, **headers: str) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _good(self) -> None:
            self._answer(chat.body(), chat.status)

        def _garbage(self) -> None:
            self._answer(b"\x00\xff<html>" * 9)

        def _truncated(self) -> None:
            self._answer(chat.body()[:-9])

        def _cut(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "9999")
            self.end_headers()
            self.wfile.write(chat.body())
            self.close_connection = True

        def _huge(self) -> None:
            self._answer(b" " * 1_000_001 + chat.body())

        def _redirect(self) -> None:
            self._answer(b"", 307, Location="/elsewhere")

        def _silent(self) -> None:
            chat.over.wait()

        def _drip(self) -> None:
            self.send_response(200)
            self.end_headers()
            self._slowly(chat.body() + b" " * 10_000)

        def _drip_headers(self) -> None:
            self._slowly(b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 10_000)

        def _slowly(self, content: bytes) -> None:
            self.close_connection = True
            for byte in content:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                if chat.over.wait(DRIP):
                    return

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


@contextmanager
def serving() -> Iterator[ChatServer]:
    """A server for as long as the block runs."""
    made = ChatServer()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield made
    finally:
        made.over.set()
        made.server.shutdown()
        made.server.server_close()
        thread.join()
