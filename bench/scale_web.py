"""A web server of this console, and one client that searches."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

from console.supervisor import LIFELINE

ROOT = Path(__file__).resolve().parent.parent
READY_SECONDS = 60
WEB = [sys.executable, "-m", "gunicorn", "-c", "python:console.gunicorn_conf", "console.asgi"]


@contextmanager
def web() -> Iterator[HTTPConnection]:
    """One client's connection to a web server of this console; the server ends with this process at the latest."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    reading, writing = os.pipe()
    environment = os.environ | {"PORT": str(port), "CONSOLE_URL": f"http://127.0.0.1:{port}", LIFELINE: str(reading)}
    server = subprocess.Popen(WEB, cwd=ROOT, env=environment, pass_fds=(reading,), start_new_session=True)
    client = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        wait_for(port, server)
        yield client
    finally:
        client.close()
        os.close(writing)
        os.close(reading)
        server.terminate()
        server.wait(30)


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    """Return once the server takes connections. Exits with a sentence where it does not."""
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    sys.exit(f"The web server did not start within {READY_SECONDS} s. What it said stands above.")


def ask(client: HTTPConnection, key: str, query: str) -> bool:
    """Put `query` through HTTP; whether anything was found. Exits with what the server said when it refuses."""
    client.request(
        "GET", f"/v1/memories/search?{urlencode({'query': query})}", headers={"Authorization": f"Bearer {key}"}
    )
    answer = client.getresponse()
    body = answer.read()
    if answer.status != 200:
        sys.exit(f"The search was answered with {answer.status}: {body[:500]!r}")
    return bool(json.loads(body)["results"])
