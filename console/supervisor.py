"""Keeps the child processes of `manage.py up` running: starts, restarts with growing pauses, stops gracefully.

Children live in sessions of their own, so that Ctrl-C reaches only the supervisor, which then stops them in order.
Each holds the reading end of a pipe; when the supervisor dies, however it dies, the pipe ends and so do they.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

LIFELINE = "MEMORY_CONSOLE_LIFELINE"
STEADY_SECONDS = 60  # who ran this long starts afresh with short pauses
LONGEST_PAUSE = 30.0
GRACE_SECONDS = 20  # for the request or task in hand; then SIGKILL


@dataclass(slots=True)
class Child:
    """One process. `failures` counts its quick ends in a row."""

    name: str
    command: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    failures: int = 0
    started: float = 0.0
    due: float = 0.0


@dataclass(slots=True)
class Supervisor:
    """Runs `children`, telling `say` in plain words what happens to them."""

    children: Sequence[Child]
    say: Callable[[str], None]
    lifeline: tuple[int, int] = field(default_factory=os.pipe)

    def tend(self) -> None:
        """Start who should run and does not. Call it a few times a second."""
        for child in self.children:
            if child.process is not None and child.process.poll() is not None:
                self._mourn(child)
            if child.process is None and time.monotonic() >= child.due:
                self._start(child)

    def stop(self) -> None:
        """Ask all children to end, last one first, wait for them, kill who stays."""
        running = [child for child in reversed(self.children) if child.process is not None]
        for child in running:
            _signal(child, signal.SIGTERM)
        deadline = time.monotonic() + GRACE_SECONDS
        for child in running:
            try:
                child.process.wait(max(0.1, deadline - time.monotonic()))  # type: ignore[union-attr]
            except subprocess.TimeoutExpired:
                self.say(f"The {child.name} did not end within {GRACE_SECONDS} s and is killed.")
                _signal(child, signal.SIGKILL)
                child.process.wait()  # type: ignore[union-attr]
            child.process = None

    def _start(self, child: Child) -> None:
        reading = self.lifeline[0]
        environment = os.environ | {LIFELINE: str(reading)}
        child.started = time.monotonic()
        child.process = subprocess.Popen(
            child.command, env=environment, pass_fds=(reading,), stdin=subprocess.DEVNULL, start_new_session=True
        )

    def _mourn(self, child: Child) -> None:
        code = child.process.returncode if child.process else 0
        steady = time.monotonic() - child.started > STEADY_SECONDS
        child.failures = 1 if steady else child.failures + 1
        doublings = min(child.failures, 10)  # after hours of failures it would be more than a float holds
        pause = min(LONGEST_PAUSE, 0.5 * 2**doublings)
        _signal(child, signal.SIGKILL)  # what it left behind in its session
        child.process, child.due = None, time.monotonic() + pause
        how = f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
        self.say(f"The {child.name} ended ({how}). Starting it again in {pause:.0f} s.")


def follow_parent() -> None:
    """In a child: end gracefully when the supervisor is gone. Does nothing without a supervisor."""
    reading = os.environ.pop(LIFELINE, "")
    if not reading:
        return

    def wait() -> None:
        os.read(int(reading), 1)  # nothing is ever written; returns when the writing end is closed
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="lifeline", daemon=True).start()


def _signal(child: Child, number: signal.Signals) -> None:
    """SIGTERM goes to the process, which tells its own; SIGKILL to its whole session."""
    if child.process is None:
        return
    try:
        if number == signal.SIGKILL:
            os.killpg(child.process.pid, number)
        else:
            os.kill(child.process.pid, number)
    except ProcessLookupError:
        pass
