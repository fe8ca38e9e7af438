"""The text of answers. What a memory says stands in quotes on one line, so that no word can pose as ours."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework.utils.encoders import JSONEncoder

from console.text import escaped

JOINERS = "\u200c\u200d"  # parts of letters in several scripts, and of emoji
HIDDEN = ("Cc", "Cf", "Zl", "Zp", "Co", "Cn")  # what shows nothing, turns the direction of text or breaks a line


def plain(body: Any) -> Any:
    """`body` as JSON has it: ids and times as text."""
    return json.loads(json.dumps(body, cls=JSONEncoder))


def quoted(value: Any) -> str:
    """`value` as JSON on one line, with everything that hides or breaks lines written as an escape."""
    return escaped("".join(map(_shown, json.dumps(value, cls=JSONEncoder, ensure_ascii=False))))


def _shown(letter: str) -> str:
    if letter in JOINERS or unicodedata.category(letter) not in HIDDEN:
        return letter
    return json.dumps(letter)[1:-1]


def lines(heading: str, facts: Mapping[str, Any]) -> str:
    """A heading and one line for each fact, its value quoted; None and empty ones are left out."""
    told = [f"{name}: {quoted(value)}" for name, value in facts.items() if value not in (None, "", [], {})]
    return "\n".join([heading, *told])


def listed(heading: str, rows: Iterable[Any]) -> str:
    """A heading and one numbered line for each row."""
    return "\n".join([heading, *(f"{number}. {quoted(row)}" for number, row in enumerate(rows, 1))])
