"""Pages, API and bridge in one process: bodies, files, and connections that stay with their threads."""

from __future__ import annotations

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.db import connection

from memories.models import AuditRecord
from tests.browser.running import ROOT
from tests.mcp.bridge import Bridge
from tests.memories.factories import memory

THREADS = 4  # as `running_console` says


def fetch(server: str, path: str, verb: str = "GET", body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
    client = HTTPConnection(urlsplit(server).netloc, timeout=60)
    try:
        client.request(verb, path, body, {name.replace("_", "-"): text for name, text in headers.items()})
        answer = client.getresponse()
        return answer.status, answer.read()
    finally:
        client.close()


def raw(server: str, request: bytes) -> bytes:
    """The first line of the answer to bytes as they are."""
    parts = urlsplit(server)
    with socket.create_connection((parts.hostname, parts.port), timeout=30) as client:
        client.sendall(request)
        return client.makefile("rb").readline()


def connections_open() -> int:
    """How many other connections to this database there are."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend'"
        )
        found: int = cursor.fetchone()[0]
    return found


def test_many_requests_at_once_open_as_many_connections_as_there_are_threads(bridge: Bridge) -> None:
    headers = {"Authorization": f"Bearer {bridge.key}"}

    def ask(number: int) -> int:
        if number % 3 == 0:
            return bridge.post({"jsonrpc": "2.0", "id": number, "method": "tools/list"}).status
        path = "/v1/memories" if number % 3 == 1 else "/login"
        return fetch(bridge.server, path, **headers)[0]

    before = most = connections_open()
    with ThreadPoolExecutor(16) as clients:
        asked = [clients.submit(ask, number) for number in range(144)]
        while not all(one.done() for one in asked):
            most = max(most, connections_open())
    assert {one.result() for one in asked} == {200}
    assert most - before <= THREADS


def test_files_are_served_whole_and_head_has_no_body(server: str) -> None:
    scripts = sorted((ROOT / "static" / "vendor").rglob("*.js"))
    assert scripts
    for script in [*scripts, ROOT / "static" / "console.js"]:
        path = f"/static/{script.relative_to(ROOT / 'static')}"
        assert fetch(server, path) == (200, Path(script).read_bytes())
        assert fetch(server, path, "HEAD") == (200, b"")


def test_a_body_reaches_the_api_whole(bridge: Bridge) -> None:
    text = "é" * 30_000
    sent = json.dumps({"content": text, "path": "long"}, ensure_ascii=False).encode()
    headers = {"Authorization": f"Bearer {bridge.key}", "Content_Type": "application/json"}
    status, answer = fetch(bridge.server, "/v1/remember", "POST", sent, **headers)
    assert status == 200
    found = fetch(bridge.server, f"/v1/memories/{json.loads(answer)['id']}", **headers)[1]
    assert json.loads(found)["content"] == text


@pytest.mark.parametrize(
    ("request_line", "headers", "status"),
    [
        (b"POST /v1/remember", b"Content-Length: 1000001", b"413"),
        (b"POST /v1/remember", b"Content-Length: -1", b"400"),
        (b"POST /v1/remember", b"Transfer-Encoding: chunked\r\n\r\n0", b"411"),
        (b"POST /v1/remember", b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0", b"4"),
        (b"POST /v1/remember", b"Content-Length: 1\r\nContent-Length: 2", b"400"),
        (b"POST /mcp", b"Content-Length: 1000001", b"413"),
        (b"GET /%ff%00?\xff", b"X: y", b"400"),
        (b"GET /login?next=%ff", b"X: y", b"200"),
        (b"GET /" + b"a" * 8_100, b"X: y", b"414"),
        (b"GET /" + b"a" * 70_000, b"X: y", b"4"),
        (b"BREW /login", b"X: y", b"403"),
        (b"GET http://evil.example/login", b"X: y", b"4"),
    ],
)
def test_a_request_that_cannot_be_taken_is_refused(
    server: str, request_line: bytes, headers: bytes, status: bytes
) -> None:
    host = urlsplit(server).netloc.encode()
    line = raw(server, request_line + b" HTTP/1.1\r\nHost: " + host + b"\r\n" + headers + b"\r\n\r\n")
    assert line.startswith(b"HTTP/1.1 " + status)


def test_no_header_says_who_asks(bridge: Bridge, server: str) -> None:
    bridge.ask("tools/call", {"name": "remember", "arguments": {"content": "x"}}, X_Forwarded_For="203.0.113.9")
    assert AuditRecord.objects.get(token_id=bridge.token.pk, action="memory.create").ip == "127.0.0.1"


def test_a_page_and_the_bridge_show_the_same(bridge: Bridge) -> None:
    memory(bridge.token.user, "The kettle broke.")
    headers = {"Authorization": f"Bearer {bridge.key}"}
    api = json.loads(fetch(bridge.server, "/v1/memories/search?query=kettle", **headers)[1])["results"]
    mcp = bridge.call("search_memory", query="kettle").data["results"]
    assert api == mcp
