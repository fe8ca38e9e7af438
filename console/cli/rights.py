"""What a token may, in words that are the same wherever a command shows it."""

from __future__ import annotations

from collections.abc import Iterable

from console.cli import speech

WRITES, RESTORES = "memory:write", "memory:restore"


def line(scopes: Iterable[str]) -> str:
    """The scopes in one order, with the one that comes along with another, ready to be shown."""
    found = set(scopes)
    if WRITES not in found:
        return speech.line(", ".join(sorted(found)))
    along = {RESTORES: f"{RESTORES} (comes along with {WRITES})"}
    return speech.line(", ".join(along.get(name, name) for name in sorted({*found, RESTORES})))
