"""A shell in which the command line is run as people and programs run it: as a process of its own."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND = [sys.executable, "-P", "-m", "console.cli"]
SECONDS = 60


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True, slots=True)
class Shell:
    """A shell in the folder `home`, with `token` for the console at `url` in its environment."""

    home: Path
    url: str | None = None
    token: str | None = None

    def without_token(self) -> Shell:
        return replace(self, token=None)

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: text for name, text in os.environ.items() if name in ("PATH", "LANG", "LC_ALL")}
        own = {"PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(self.home / "config"), "HOME": str(self.home)}
        given = {"MEMORY_CONSOLE_URL": self.url, "MEMORY_CONSOLE_TOKEN": self.token}
        return {**kept, "PYTHONUTF8": "1", **own, **{name: text for name, text in given.items() if text}, **more}

    def __call__(self, *arguments: str, stdin: str | bytes = "", **environment: str) -> Ended:
        """Run one command, with this standard input. Whatever it says, the token is not in it."""
        sent = stdin.encode() if isinstance(stdin, str) else stdin
        ran = subprocess.run(
            [*COMMAND, *arguments],
            input=sent,
            capture_output=True,
            cwd=self.home,
            env=self.environment(**environment),
            timeout=SECONDS,
        )
        return self._checked(Ended(ran.returncode, ran.stdout.decode(), ran.stderr.decode()))

    def begun(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start one command."""
        return subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.home,
            env=self.environment(),
            preexec_fn=_hear_interrupts,
        )

    def at_a_terminal(self, *arguments: str, typed: str = "", screen: bool = False, **environment: str) -> Ended:
        """Run one command with a person at its terminal, who types this; with `screen` its output goes there too."""
        master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (24, 100))
        started = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=slave,
            stdout=slave if screen else subprocess.PIPE,
            stderr=slave,
            cwd=self.home,
            env=self.environment(TERM="xterm", **environment),
            start_new_session=True,
            preexec_fn=_own_the_terminal,
        )
        os.close(slave)
        shown = _all_of(master, typed)
        out = started.communicate(timeout=SECONDS)[0] or b""
        return self._checked(Ended(started.returncode, out.decode(), shown.replace("\r\n", "\n")))

    def _checked(self, ended: Ended) -> Ended:
        assert not self.token or self.token not in ended.out + ended.err
        assert "Traceback" not in ended.err, ended.err
        return ended


def _hear_interrupts() -> None:
    """Whoever runs the tests may have been told to ignore them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _own_the_terminal() -> None:
    """Ctrl-C reaches only whose terminal it is."""
    _hear_interrupts()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _all_of(master: int, typed: str) -> str:
    """What is shown at the terminal until nobody writes to it any more; where it asks, this is typed."""
    shown = b""
    while select.select([master], [], [], SECONDS)[0]:
        try:
            part = os.read(master, 10_000)
        except OSError:  # how Linux says that the other side is closed
            part = b""
        if not part:
            break
        shown += part
        if typed and shown.endswith(b": "):
            os.write(master, typed.encode())
            typed = ""
    os.close(master)
    return shown.decode()
