"""What a command says: answers on standard output, all else on standard error, nothing that controls a terminal.

Memories are written by agents and strangers: an escape sequence in one could rewrite the screen or the clipboard.
"""

from __future__ import annotations

import json
import os
import re
import sys
from typing import IO, Any

import click

from console.text import HIDDEN, escaped

INDENT = "    "


def visible(text: object) -> str:
    """`text` with what would be hidden or act on the terminal spelled out."""
    return HIDDEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", str(text).replace("\r\n", "\n"))


def line(text: object) -> str:
    """`visible` on one line, so that no text can pose as the next one."""
    return re.sub(r"\s+", " ", visible(text)).strip()


def block(text: object) -> str:
    """`visible` with every line indented, so that none can pose as a line of ours."""
    return "\n".join(INDENT + one.rstrip() for one in visible(text).split("\n"))


def strong(text: str) -> str:
    """Something to catch the eye. It must be `visible` already."""
    return click.style(text, bold=True)


def faint(text: str) -> str:
    """Something that is there when it is looked for. It must be `visible` already."""
    return click.style(text, dim=True)


def say(text: str) -> None:
    """A part of the answer. It must be `visible` already."""
    _write(text, sys.stdout)


def tell(text: str) -> None:
    """Something beside the answer. It must be `visible` already."""
    _write(text, sys.stderr)


def _write(text: str, stream: IO[str]) -> None:
    click.echo(text, file=stream, color=stream.isatty() and not os.environ.get("NO_COLOR"))


def document(body: Any) -> str:
    """`body` as JSON with nothing in it that a terminal would act on; it reads back as the same."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") in ("utf8", "utf8sig")
    return escaped(json.dumps(body, ensure_ascii=not utf8, indent=2))


def forgiving(*streams: Any) -> None:
    """Let these streams spell out what their encoding does not know, instead of failing in the middle."""
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def at_a_terminal() -> bool:
    """Whether there is a person who can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def agreed(question: str) -> bool:
    """Whether the person says yes. Ask only at a terminal."""
    return typed(f"{question} [y/N]").lower() in ("y", "yes")


def typed(question: str) -> str:
    """What the person types. Ask only at a terminal."""
    click.echo(f"{question}: ", nl=False, err=True)
    line = sys.stdin.readline()
    if not line:  # Ctrl-D
        raise click.Abort
    return line.strip()
