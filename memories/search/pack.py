"""A bounded pack of memories for a prompt: the best there are, never more items or tokens than asked.

Tokens are estimated at three bytes of UTF-8 each, rounded up: more than most tokenizers make of European text, and
about one for each Chinese, Japanese or Korean character. The estimate is of the whole text that is handed out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from console.errors import Invalid, Problem
from console.saying import phrase
from memories.access import Actor
from memories.search.hits import Hit, in_time
from memories.search.search import recall
from memories.search.wanted import LIMIT_MOST, Search

BYTES_OF_A_TOKEN = 3
TOKENS_MOST = 100_000
BETWEEN = "\n\n"
CUT_OFF = " …"
SHORTEST = 40  # characters of the best memory that are worth handing out alone


@dataclass(frozen=True, slots=True)
class Pack:
    """The hits that fit, in order of strength, and the text made of them with its estimated length in tokens."""

    items: list[Hit]
    text: str
    tokens: int
    coverage: dict[str, Any]
    filters: dict[str, str]


def tokens_of(text: str) -> int:
    """Estimated tokens of `text`."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_OF_A_TOKEN)


def recall_context(actor: Actor, wanted: Search, *, max_items: int = 10, max_tokens: int = 2_000) -> Pack:
    """Up to `max_items` memories that fit into `max_tokens`. A memory that does not fit is passed over, but the best
    one is shortened rather than left out. An order of time is that of what was chosen. Raises Invalid and NotAllowed.
    """
    _check(max_items, max_tokens)
    found = recall(actor, replace(wanted, limit=max_items, time_order=wanted.time_order if wanted.lists else None))
    items: list[Hit] = []
    text = ""
    for hit in found.hits:
        longer = text + (BETWEEN if text else "") + _told(hit)
        if tokens_of(longer) <= max_tokens:
            items, text = [*items, hit], longer
    items = in_time(items, wanted)
    text = BETWEEN.join(_told(hit) for hit in items)
    if found.hits and not items:
        text = _shortened(_told(found.hits[0]), max_tokens)
        items = found.hits[:1] if text else []
    return Pack(items, text, tokens_of(text), found.coverage, found.filters)


def _told(hit: Hit) -> str:
    """A memory as a prompt reads it: where and when it was recorded, who spoke, and the content as it is."""
    memory = hit.memory
    speaker = memory.metadata.get("speaker") if isinstance(memory.metadata, dict) else None
    heading = [memory.path, memory.created_at.date().isoformat(), speaker if isinstance(speaker, str) else ""]
    return f"[{' · '.join(part for part in heading if part)}]\n{memory.content}"


def _shortened(text: str, max_tokens: int) -> str:
    """The start of `text` within `max_tokens`; empty where that says nothing."""
    room = max_tokens * BYTES_OF_A_TOKEN - len(CUT_OFF.encode())
    kept = text.encode("utf-8", "replace")[: max(room, 0)].decode("utf-8", "ignore").rstrip()
    return kept + CUT_OFF if len(kept) >= SHORTEST else ""


def _check(max_items: int, max_tokens: int) -> None:
    limits: Sequence[tuple[str, int, int]] = (
        ("max_items", max_items, LIMIT_MOST),
        ("max_tokens", max_tokens, TOKENS_MOST),
    )
    problems = [
        Problem(
            ("query", name),
            phrase(
                "%(name)s is %(value)s. Give a whole number from 1 to %(most)s.",
                name=name,
                value=value,
                most=f"{most:,}",
            ),
        )
        for name, value, most in limits
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most
    ]
    if problems:
        raise Invalid(*problems)
