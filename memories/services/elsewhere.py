"""Where else a record's words stand: other apps register here how they take them out, count them, or write them anew.

Memories know nothing of passes; reflection registers its saved plans and its way to tell a summary anew.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memories.models import Memory


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What a summary or fact says once some of its sources are gone. `quotes` names every source that it rests on."""

    content: str
    quotes: Mapping[UUID, str]
    trust: int
    span: tuple[str, str]  # first and last moment of what it tells, in ISO form


Scrub = Callable[[Sequence[UUID]], None]
Count = Callable[[UUID], int]
Rewrite = Callable[[Sequence[Memory], Collection[UUID]], Mapping[UUID, Rewritten]]
SCRUBBERS: list[Scrub] = []
CHECKS: dict[str, Count] = {}
REWRITERS: list[Rewrite] = []


def also_scrub(each: Scrub) -> Scrub:
    """Register another place that quotes records (saved plans); it is emptied in the same transaction."""
    SCRUBBERS.append(each)
    return each


def also_check(place: str) -> Callable[[Count], Count]:
    """Register how many words of a record another place still holds: none after an erasure."""

    def register(count: Count) -> Count:
        CHECKS[place] = count
        return count

    return register


def also_rewrite(each: Rewrite) -> Rewrite:
    """Register what becomes of derived records that lose sources: their new text; those it leaves out are erased."""
    REWRITERS.append(each)
    return each


def scrub(ids: Sequence[UUID]) -> None:
    """Take every word of these records out of the registered places."""
    for each in SCRUBBERS:
        each(ids)


def places_quoting(record_id: UUID) -> dict[str, int]:
    """What every registered place still holds of a record."""
    return {place: count(record_id) for place, count in CHECKS.items()}


def rewritten(derived: Sequence[Memory], gone: Collection[UUID]) -> dict[UUID, Rewritten]:
    """The new texts of those of `derived` that outlive the loss of the records `gone`."""
    found: dict[UUID, Rewritten] = {}
    if derived:
        for each in REWRITERS:
            found.update(each(derived, gone))
    return found
