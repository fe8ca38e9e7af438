"""What code says to people without handing it to the translators."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import console.urls
from console.errors import Refused
from tests.console.texts import WORD

WITH_TEXT = {"Problem": 1, "field": 1, "ValidationError": 0, "add_error": 1, "wrong": 1}
WITH_TEXT |= dict.fromkeys(("success", "info", "warning", "error"), 1)  # of messages
NAMED = {"label", "help_text", "empty_label"}
ROOMS = ("console", "memories", "reflection")
# Rooms that speak English: to whoever runs the console, to programs and to agents.
ENGLISH = ("management", "migrations", "mcp", "cli", "openapi", "postgres", "embedding")
FOR_COMMANDS = {"console/importing.py"}
LOADED = console.urls  # every door, and with the doors all refusals


def refusals() -> set[str]:
    """The names of all refusals whose first argument is the sentence."""
    found, waiting = set(), [Refused]
    while waiting:
        one = waiting.pop()
        found.add(one.__name__)
        waiting += one.__subclasses__()
    return found - {"Invalid"}


def sources(root: Path) -> Iterator[Path]:
    """The modules that may speak to people."""
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.py")):
            name = path.relative_to(root)
            if not set(name.parts) & set(ENGLISH) and str(name) not in FOR_COMMANDS:
                yield path


def unmarked_in(source: str) -> list[str]:
    """Texts that are told as they stand: raised, put beside a field, or shown as a message."""
    places = WITH_TEXT | dict.fromkeys(refusals(), 0)
    found = []
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Assign) and ast.unparse(call.targets[0]) == "default_error_messages":
            given = call.value.values if isinstance(call.value, ast.Dict) else []
            found += [ast.unparse(one) for one in given if _is_text(one)]
        if not isinstance(call, ast.Call):
            continue
        name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
        if name == "error" and ast.unparse(call.func).startswith("log."):
            continue
        given = [call.args[places[name]]] if name in places and len(call.args) > places[name] else []
        given += [one.value for one in call.keywords if one.arg in NAMED]
        for one in call.keywords:
            given += one.value.values if one.arg == "error_messages" and isinstance(one.value, ast.Dict) else []
        found += [ast.unparse(one) for one in given if _is_text(one)]
    return found


def _is_text(given: ast.expr) -> bool:
    if isinstance(given, ast.IfExp):
        return _is_text(given.body) or _is_text(given.orelse)
    if isinstance(given, ast.Constant):
        return isinstance(given.value, str) and WORD.search(given.value) is not None
    if isinstance(given, ast.BinOp):
        return _is_text(given.left)
    return isinstance(given, ast.JoinedStr)
