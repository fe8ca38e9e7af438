"""JSON read strictly: UTF-8, no name twice, no NaN, not too deep, nothing that no database keeps."""

from __future__ import annotations

import json
import math
from typing import Any

from console.saying import phrase
from console.text import unstorable

DEPTH_LIMIT = 20
BOM = b"\xef\xbb\xbf"


class Unreadable(Exception):
    """What is wrong with it, as the end of a sentence that begins with “it”."""

    @property
    def why(self) -> str:
        """The reason."""
        found: str = self.args[0]
        return found


def text_of(data: bytes) -> str:
    """UTF-8, with or without a mark at its beginning, and line ends as they are here. Raises Unreadable."""
    try:
        found = data.removeprefix(BOM).decode()
    except UnicodeDecodeError:
        raise Unreadable(phrase("it is not UTF-8")) from None
    return found.replace("\r\n", "\n").replace("\r", "\n")


def value_of(text: str, levels: int = DEPTH_LIMIT) -> Any:
    """The value, of at most so many levels. Raises Unreadable."""
    try:
        value = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_once_each)
    except _Twice as why:
        raise Unreadable(phrase("it names %(name)s twice", name=why.args[0])) from None
    except (ValueError, RecursionError):
        raise Unreadable(phrase("it is not JSON")) from None
    if fault := unfit(value, 0, levels):
        raise Unreadable(fault)
    return value


class _Twice(Exception):
    """One object has two values of this name; readers of JSON differ in which one they take."""


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _Twice(repr(name[:50]))
        found[name] = value
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def unfit(value: Any, depth: int, levels: int = DEPTH_LIMIT) -> str:
    """What in `value` no database keeps; empty where it is all right."""
    if depth >= levels and isinstance(value, dict | list):
        return phrase("it is nested deeper than %(most)s levels", most=levels)
    if isinstance(value, str) and unstorable(value):
        return phrase("it holds a NUL or half a surrogate pair")
    if isinstance(value, float) and not math.isfinite(value):
        return phrase("it holds a number too large to keep")
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((fault for one in inner if (fault := unfit(one, depth + 1, levels))), "")
