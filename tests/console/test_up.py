"""`manage.py up` as a newcomer runs it: a process of its own, stopped by signals."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from console import checks
from console.management.commands import up

ROOT = Path(__file__).resolve().parent.parent.parent
UP = [sys.executable, "manage.py", "up", "--no-demo"]
SECONDS = 40


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    pause = time.sleep
    while not condition():
        assert time.monotonic() < deadline, f"not within {SECONDS} s"
        pause(0.05)


def answers(port: int) -> bool:
    client = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        client.request("GET", "/health")
        return client.getresponse().status == 200
    except OSError:
        return False
    finally:
        client.close()


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def read_greeting(process: subprocess.Popen[bytes]) -> str:
    """What it prints until it is ready; it gives up by itself when it does not get so far."""
    lines: list[str] = []
    while not lines or not lines[-1].startswith("Ctrl-C stops it"):
        line = process.stdout.readline().decode()  # type: ignore[union-attr]
        assert line, "it ended before it was ready"
        lines.append(line)
    return "".join(lines)


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except FileNotFoundError:
        return ""


def refusal(home: Path, port: int, **more: str) -> str:
    environment = os.environ | {"MEMORY_CONSOLE_HOME": str(home), "PORT": str(port)} | more
    done = subprocess.run(UP, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


@pytest.fixture
def port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        free: int = server.getsockname()[1]
    return free


@pytest.fixture
def console(port: int, database_environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """A running console on the test database."""
    environment = os.environ | database_environment | {"PORT": str(port)}
    process = subprocess.Popen(UP, cwd=ROOT, env=environment, stdout=subprocess.PIPE)
    try:
        said = read_greeting(process)
        assert f"The Memory Console is ready: http://127.0.0.1:{port}" in said
        wait_for(lambda: len(children(process.pid)) == 2)
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]
        wait_for(lambda: not answers(port))


def test_a_busy_port_is_refused_with_the_way_out(tmp_path: Path, taken_port: int) -> None:
    said = refusal(tmp_path, taken_port)
    assert f"Port {taken_port} is in use" in said
    assert f"PORT={taken_port + 1} make run" in said
    assert not (tmp_path / "postgres").exists()


def test_a_second_console_on_the_same_home_and_port_is_refused(tmp_path: Path, port: int) -> None:
    with (tmp_path / f"up-{port}.lock").open("w") as lock:
        lock.write("4711")
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        said = refusal(tmp_path, port)
    assert f"already runs at http://127.0.0.1:{port} (process 4711)" in said
    assert "MEMORY_CONSOLE_HOME=" in said
    assert "manage.py person password NAME" in said and "manage.py token create NAME" in said


def test_production_is_refused_with_advice(tmp_path: Path, port: int) -> None:
    said = refusal(
        tmp_path,
        port,
        MEMORY_CONSOLE_MODE="production",
        SECRET_KEY="x" * 60,
        ALLOWED_HOSTS="memory.example",
        CONSOLE_URL="https://memory.example",
    )
    assert "In production run gunicorn" in said


def test_ctrl_c_stops_everything_and_ends_well(console: subprocess.Popen[bytes], port: int) -> None:
    family = children(console.pid)
    console.send_signal(signal.SIGINT)
    said = console.communicate(timeout=SECONDS)[0].decode()
    assert console.returncode == 0
    assert said.startswith("Stopping.")
    assert not answers(port)
    assert [pid for pid in family if command_line(pid)] == []


def test_a_child_that_dies_is_started_again(console: subprocess.Popen[bytes], port: int) -> None:
    family = children(console.pid)
    for pid in family:
        os.kill(pid, signal.SIGKILL)
    wait_for(lambda: len(children(console.pid)) == 2 and not set(family) & set(children(console.pid)))
    wait_for(lambda: answers(port))


def test_children_end_when_the_supervisor_is_killed(console: subprocess.Popen[bytes]) -> None:
    family = children(console.pid)
    assert {"gunicorn" in command_line(pid) for pid in family} == {True, False}
    console.kill()
    wait_for(lambda: not any("python" in command_line(pid) for pid in family))


@pytest.mark.django_db(databases=["default", "owner"])
def test_an_unfit_database_ends_it_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    for look in ("verify_server", "verify_runtime"):
        monkeypatch.setattr(checks, look, lambda connection: ["Blind to accents. Create it anew."])
    with pytest.raises(CommandError, match="Create it anew"):
        up.Command()._prepare(demo=False)
