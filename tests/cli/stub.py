"""A server that answers as it is told, for what a healthy console does not do."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True)
class Canned:
    """One answer. A body that is text is sent as it is; `breaks` ends the connection without an answer."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    breaks: bool = False


@dataclass(slots=True)
class Stub:
    """Answers in their order, the last one again and again; `asked` are the requests."""

    url: str
    answers: list[Canned]
    asked: list[tuple[str, str, dict[str, Any], dict[str, str]]] = field(default_factory=list)

    def next(self) -> Canned:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def answering(*answers: Canned) -> Iterator[Stub]:
    """A server that gives these answers."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.stub = Stub(f"http://127.0.0.1:{server.server_port}", list(answers))  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.stub  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    def _answer(self) -> None:
        stub: Stub = self.server.stub  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        stub.asked.append((self.command, self.path, json.loads(body or b"{}"), dict(self.headers)))
        told = stub.next()
        if told.breaks:
            self.close_connection = True
            return
        data = told.body.encode() if isinstance(told.body, str) else json.dumps(told.body).encode()
        self.send_response(told.status)
        for name, text in {"Content-Type": "application/json", **told.headers}.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = _answer

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""
