"""What an import adds to what a file says: an id where it gives none, and that a time is only that of the import."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

from console.saying import phrase
from memories.access import Actor, may_use
from memories.services.remember import NewMemory

DATED = {"dated_by": "import"}  # in the provenance: nobody knows when it was said
REPEATABLE = ("ledger", "use")
Ask = tuple[str, str]  # a field that a line fills, and the scope that this takes


def id_of_words(new: NewMemory, actor: Actor, *, bucket: str, scope: str | None, at: datetime | None = None) -> UUID:
    """The id of a memory to which the file gives none: the same words in the same place at the same time, the same id.

    `bucket` and `scope` are those of the file, wherever the memory goes; `at` is the time of its event.
    """
    times = [one.astimezone(UTC).isoformat() if one else "" for one in (new.created_at, at)]
    place = [new.path.strip("/"), bucket, scope, new.session, new.semantic_key]
    return _id(["memory", " ".join(new.content.split()), *place, *times, new.metadata], actor)


@dataclass(slots=True)
class Nameless:
    """Rows of a file beside memories that have no id: they get one from all that they say."""

    counts: Counter[UUID] = field(default_factory=Counter)

    def id_of(self, kind: str, row: Mapping[str, Any], actor: Actor) -> UUID:
        """The same row, the same id; but money and uses that stand twice in a file happened twice."""
        said = {name: value for name, value in row.items() if name not in ("format", "kind", "id")}
        key = _id([kind, said], actor)
        self.counts[key] += 1
        return _id([kind, said, self.counts[key]], actor) if kind in REPEATABLE else key


def _id(said: Sequence[Any], actor: Actor) -> UUID:
    return uuid5(actor.own, json.dumps(said, sort_keys=True))


def lacking(asks: Sequence[Ask], actor: Actor) -> str | None:
    """What keeps the actor from storing a new line with these fields; None where nothing does."""
    for name, scope in asks:
        if not may_use(actor, scope):
            return phrase(
                "The line is new and says %(field)s, for which this token lacks the scope %(scope)s. Leave that out, "
                "or use a token that has it.",
                field=name,
                scope=scope,
            )
    return None
