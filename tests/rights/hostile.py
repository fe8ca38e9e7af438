"""Values that would like to break a reader: each is refused in words, or stored and told as it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

DEEP: Any = "x"
for _ in range(40):
    DEEP = [DEEP]

TEXTS = [
    "a\x00b",
    "\ud800half",
    "\u202egnp.exe\u2066",
    "zero\u200bwidth\ufeff\u00ad",
    "e" + "\u0301" * 10_000,
    "line\r\nX-Injected: yes",
    "a\u2028b\u2029c\x85d\x0b",
    "\x1b[31mred\x07",
    "9" * 5_000,
    "NaN",
    "-Infinity",
    "1e400",
    "x" * 200_000,
    "% _ \\ %_\\%",
    "'; DROP TABLE memories_memory; --",
    "{{7*7}}{% debug %}${jndi:ldap://x}",
    "../../../../etc/passwd",
    "<|endoftext|>",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u0130stanbul \u00df \U000e0041",
    "   ",
    "((((((((((a+)+)+)+",
    "=cmd|'/c calc'!A1",
    "0000-00-00T99:99:99+99:99",
    "99999-01-01",
    "(a & | ! <-> :*",
]
OTHERS: list[Any] = [10**400, -1, 2**63, 1e308, 0.1, True, [], {}, [None], {"a": {"b": "\x00"}}, {"": ""}, DEEP]
RAW = [
    b'{"x": NaN}',
    b'{"x": Infinity}',
    b'{"x": 1e999}',
    b'"\\ud800"',
    b"\xff\xfe{}",
    b"[" * 5_000,
    b"",
    b"null",
    b"[]",
]


def chosen(values: list[Any], number: int, most: int | None) -> Iterator[Any]:
    """Some of the values, others for each number; all of them where `most` is None."""
    if most is None:
        yield from values
    else:
        yield from (values[(number * most + step) % len(values)] for step in range(most))
