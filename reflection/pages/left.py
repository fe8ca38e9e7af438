"""What a plan left alone, with how each record begins: an id alone says nothing to a reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memories.access import Actor
from reflection import queries
from reflection.models import ReflectPass
from reflection.queries import Glimpse

FIRST = 4  # records named of each


@dataclass(frozen=True, slots=True)
class Left:
    """One line: the action, why it did not come, the first records it is about, and how many more there are."""

    action: str
    text: str
    records: Sequence[tuple[str, Glimpse | None]]
    more: int


def left_of(reflect_pass: ReflectPass, *, actor: Actor) -> dict[str, list[Left]]:
    """What was skipped and what nearly came; one query for both. Words only of records that the reader may see."""
    lines = {"skipped": reflect_pass.skipped, "near_misses": reflect_pass.near_misses}
    named = {UUID(key) for some in lines.values() for line in some for key in line["memory_ids"][:FIRST]}
    seen = queries.glimpses(named, actor=actor) if named else {}
    return {name: [_left(line, seen) for line in some] for name, some in lines.items()}


def _left(line: Mapping[str, Any], seen: Mapping[UUID, Glimpse]) -> Left:
    ids = line["memory_ids"]
    records = [(key, seen.get(UUID(key))) for key in ids[:FIRST]]
    return Left(line["action"], line["text"], records, max(0, len(ids) - FIRST))
