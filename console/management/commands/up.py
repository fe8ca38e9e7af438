"""`manage.py up`: the whole console on this machine with one command, until Ctrl-C."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from time import monotonic
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections
from django.db.utils import OperationalError

from console import running
from console.demo import load
from console.environment import text
from console.postgres import PostgresUnavailable, launcher
from console.supervisor import Child, Supervisor
from memories.models import User

HEALTH_SECONDS = 60
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
MOST_FAILURES = 3
AGAIN = (
    "Another password: `.venv/bin/python manage.py person password NAME`; "
    "another token: `.venv/bin/python manage.py token create NAME`."
)


class _Ended(threading.Event):
    """Set by Ctrl-C, SIGTERM or a closed terminal. While `interrupts`, they also break off what runs."""

    def __init__(self) -> None:
        super().__init__()
        self.interrupts = True
        for number in SIGNALS:
            signal.signal(number, self._on_signal)

    def _on_signal(self, *_: Any) -> None:
        self.set()
        if self.interrupts:
            self.interrupts = False
            raise KeyboardInterrupt


class Command(BaseCommand):
    help = "Start database, web server and worker on this machine, with demo data on a fresh database."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--no-demo", action="store_true", help="leave a fresh database empty")

    def handle(self, *, no_demo: bool, **options: Any) -> None:
        if settings.PRODUCTION:
            raise CommandError(
                "`up` serves plain HTTP on this machine only. In production run gunicorn and `manage.py worker` as "
                "services; docs/configuration.md shows how."
            )
        if text("WEB_BIND"):
            raise CommandError(
                f"`up` listens at 127.0.0.1:{settings.PORT}; PORT names another port. WEB_BIND is for a web server of "
                "its own: unset it."
            )
        try:
            with _only_one(settings.HOME, settings.PORT):
                _check_port(settings.PORT)
                self._run(demo=not no_demo)
        except (PostgresUnavailable, OperationalError) as error:
            raise CommandError(str(error)) from error

    def _run(self, *, demo: bool) -> None:
        ended = _Ended()
        embedded = bool(settings.DATABASES["default"].get("EMBEDDED"))
        supervisor = Supervisor(_children(), self._say)
        try:
            if embedded:
                launcher.keep(settings.HOME)
                launcher.ensure_running(settings.HOME)
            self._prepare(demo=demo)
            connections.close_all()
            ended.interrupts = False
            if not ended.is_set():
                self._serve(supervisor, ended)
        except KeyboardInterrupt:
            pass
        finally:
            self._say("Stopping.")
            supervisor.stop()
            connections.close_all()
            if embedded and launcher.stop_if_unused(settings.HOME):
                self._say("The database is stopped. `make run` brings everything back.")

    def _prepare(self, *, demo: bool) -> None:
        Path(settings.STATIC_ROOT).mkdir(parents=True, exist_ok=True)  # whitenoise warns when it is missing
        call_command("migrate", interactive=False, verbosity=0, skip_checks=False)  # is the database fit?
        if demo and not User.objects.exists():
            self._say("Loading the demo: people, memories in five languages, passes ...")
            call_command("demo", if_empty=True)

    def _serve(self, supervisor: Supervisor, ended: _Ended) -> None:
        deadline = monotonic() + HEALTH_SECONDS
        while not ended.is_set() and not _healthy(settings.PORT):
            supervisor.tend()
            if monotonic() > deadline or supervisor.children[0].failures >= MOST_FAILURES:
                raise CommandError("The web server does not start. What it said stands above.")
            ended.wait(0.1)
        if not ended.is_set():
            self._welcome()
        while not ended.is_set():
            supervisor.tend()
            ended.wait(0.2)

    def _welcome(self) -> None:
        self._say(f"\nThe Memory Console is ready: {settings.CONSOLE_URL}\n\n")
        self._say(f"{load.credentials()}\n{AGAIN}\n\n")
        connections.close_all()
        self._say("Ctrl-C stops it. Everything is kept in " + str(settings.HOME))

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def _children() -> list[Child]:
    manage = str(settings.BASE_DIR / "manage.py")
    web = [sys.executable, "-m", "gunicorn", "-c", "python:console.gunicorn_conf", "console.asgi"]
    return [
        Child("web server", [*web, "--chdir", str(settings.BASE_DIR)]),
        Child("worker", [sys.executable, manage, "worker", "--quiet"]),
    ]


@contextmanager
def _only_one(home: Path, port: int) -> Iterator[None]:
    """Hold the lock of this home and port. Raises CommandError when another `up` holds it."""
    path = running.lock_file(home, port)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise CommandError(
            f"The data folder {home} cannot be used ({error.strerror}). Set MEMORY_CONSOLE_HOME to a folder that you "
            "may write to."
        ) from error
    try:
        if not running.lock(descriptor):
            other = os.read(descriptor, 20).decode() or "unknown"
            raise CommandError(
                f"This console already runs at {settings.CONSOLE_URL} (process {other}). Open it, or stop it with "
                f"Ctrl-C where it runs. For a second one beside it: PORT={port % 65535 + 1} "
                f"MEMORY_CONSOLE_HOME=/another/folder make run\n{AGAIN}"
            )
        os.truncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        yield
    finally:
        os.close(descriptor)


def _check_port(port: int) -> None:
    """Raise CommandError unless a server can listen on the port of the loopback address."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except PermissionError:
            raise CommandError(f"Port {port} needs more rights than you have. Choose a high one: PORT=8321.") from None
        except OSError:
            raise CommandError(
                f"Port {port} is in use by another program. Choose a free one: PORT={port % 65535 + 1} make run"
            ) from None


def _healthy(port: int) -> bool:
    client = HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        client.request("GET", "/health")
        return client.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        client.close()
