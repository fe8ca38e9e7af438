"""Lines of JSON, one object each, with what is wrong with a line in its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from console.formats.strict import DEPTH_LIMIT, Unreadable, value_of
from console.saying import phrase

LINE_LIMIT = 1_000_000  # bytes
LEVELS = DEPTH_LIMIT + 3  # a former version stands that much deeper in a line than in a request


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that cannot be taken: its number, counted from 1, and why."""

    number: int
    why: str


def lines(file: BinaryIO) -> Iterator[tuple[int, dict[str, Any] | BadLine, int]]:
    """The rows of the file with their numbers and sizes in bytes; blank lines are passed over."""
    number = 0
    while raw := file.readline(LINE_LIMIT + 1):
        number += 1
        size = len(raw)
        if size > LINE_LIMIT:
            while raw and not raw.endswith(b"\n"):
                raw = file.readline(LINE_LIMIT)
                size += len(raw)
            yield number, BadLine(number, phrase("it is longer than %(most)s bytes", most=f"{LINE_LIMIT:,}")), size
        elif raw.strip():
            yield number, _row(number, raw), size


def _row(number: int, raw: bytes) -> dict[str, Any] | BadLine:
    try:
        row = value_of(raw.decode("utf-8-sig" if number == 1 else "utf-8"), LEVELS)
    except UnicodeDecodeError:
        return BadLine(number, phrase("it is not UTF-8"))
    except Unreadable as fault:
        return BadLine(number, fault.why)
    return row if isinstance(row, dict) else BadLine(number, phrase("it is not a JSON object"))
