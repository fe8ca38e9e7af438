"""A console as a person meets it: a web server and a worker of their own, on the test database."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

from console.supervisor import LIFELINE

ROOT = Path(__file__).resolve().parent.parent.parent
WEB = [sys.executable, "-m", "gunicorn", "-c", "python:console.gunicorn_conf", "console.asgi"]
WORKER = [sys.executable, "manage.py", "worker", "--quiet"]
READY_SECONDS = 60
END_SECONDS = 20
BETWEEN_TRIES_SECONDS = 0.1


@contextmanager
def running_console(environment: dict[str, str], programs: Sequence[Sequence[str]] = (WEB, WORKER)) -> Iterator[str]:
    """The address of a console with these environment variables; it ends with this process at the latest."""
    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    own = {"PORT": str(port), "CONSOLE_URL": url, "WEB_THREADS": "4", "SWEEP_SECONDS": "3"}
    reading, writing = os.pipe()
    started: list[subprocess.Popen[bytes]] = []
    try:
        for command in programs:
            started.append(_start(command, os.environ | environment | own | {LIFELINE: str(reading)}, reading))
        _wait_until_healthy(port, started[0])
        yield url
    finally:
        os.close(writing)
        os.close(reading)
        for process in started:
            process.terminate()
        for process in started:
            _end(process)


def _free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port: int = server.getsockname()[1]
    return port


def _start(command: Sequence[str], environment: dict[str, str], lifeline: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, pass_fds=(lifeline,), stdin=subprocess.DEVNULL, start_new_session=True
    )


def _wait_until_healthy(port: int, web: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while not _healthy(port):
        assert time.monotonic() < deadline, f"/health does not answer within {READY_SECONDS} s"
        try:
            code = web.wait(BETWEEN_TRIES_SECONDS)
        except subprocess.TimeoutExpired:
            continue
        raise AssertionError(f"the web server ended with exit code {code}; what it said stands above")


def _healthy(port: int) -> bool:
    client = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        client.request("GET", "/health")
        return client.getresponse().status == 200
    except OSError:
        return False
    finally:
        client.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
