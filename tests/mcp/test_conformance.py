"""The protocol's conformance programme, where MCP_CONFORMANCE says that it is installed: see docs/mcp.md."""

from __future__ import annotations

import os
import shlex
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.mcp.bridge import Bridge

pytestmark = pytest.mark.soak
NOT_PASSED_ON = ("transfer-encoding", "content-length", "connection", "date", "server")


@pytest.fixture
def relay(bridge: Bridge) -> Iterator[str]:
    """An address that adds the token, which the programme cannot send."""

    class Relay(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            names = ("Accept", "Origin", "MCP-Protocol-Version")
            sent = {name: self.headers[name] for name in names if self.headers[name]}
            own = f"{self.server.server_address[0]}:{self.server.server_address[1]}"
            if self.headers["Host"] not in (own, own.replace("127.0.0.1", "localhost")):
                sent["Host"] = self.headers["Host"]
            reply = bridge.post(body, verb=self.command, **sent)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                if name not in NOT_PASSED_ON:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        do_GET = do_DELETE = do_POST

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Relay)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/mcp"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("scenario", ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"])
def test_the_programme_finds_nothing_wrong(relay: str, scenario: str) -> None:
    command = [*shlex.split(os.environ["MCP_CONFORMANCE"]), "server", "--url", relay, "--scenario", scenario]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and "0 failed, 0 warnings" in done.stdout, done.stdout + done.stderr
