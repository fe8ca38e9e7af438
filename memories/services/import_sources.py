"""Where records of an import came from: what is known by it, and what stands where the actor does not look.

One owner has each source id once, in whichever space. Where it is taken out of sight of a token's bounds, or in a team
that was left, the record gets another, the same at every import: nobody learns of what they may not see, nor is stopped
by it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID, uuid5

from django.db import connection
from django.db.models import Model

from memories.access import Actor, visible_to
from memories.models import Erasure

Source = tuple[str, str]


def source_of(record: Any) -> Source | None:
    """Its source and its id there; None where it has no id."""
    return (record.source, record.source_id) if record.source_id is not None else None


class Sources:
    """What the actor has, and what was deleted for good, by where it came from."""

    def __init__(self, kind: str, model: type[Model], records: Iterable[Any], actor: Actor) -> None:
        given = {record.source_id for record in records if record.source_id is not None}
        ids = [*given, *(_another(one, actor) for one in given)]
        self._actor = actor
        rows: Any = visible_to(actor, model._default_manager.filter(owner_id=actor.own, source_id__in=ids))
        self._here: dict[Source, UUID] = {
            (source, key): pk for source, key, pk in rows.values_list("source", "source_id", "pk")
        }
        self._taken = _taken(kind, ids, actor)
        gone = Erasure.objects.filter(owner_id=actor.own, source_id__in=ids)
        self._gone = {(source, str(key)) for source, key in gone.values_list("source", "source_id")}

    def known(self, record: Any) -> UUID | None:
        """Under which id the actor has it already."""
        return next((self._here[one] for one in self._names(record) if one in self._here), None)

    def gone(self, record: Any) -> bool:
        """Whether the actor deleted it for good."""
        return not self._gone.isdisjoint(self._names(record))

    def take(self, record: Any) -> None:
        """Note that the file brings this one; it gets another source id where its own is taken out of sight."""
        source = source_of(record)
        if source is None:
            return
        self._here[source] = record.pk
        if source in self._taken:
            record.source_id = _another(record.source_id, self._actor)
            self._here[record.source, record.source_id] = record.pk

    def _names(self, record: Any) -> tuple[Source, ...]:
        source = source_of(record)
        return (source, (source[0], _another(source[1], self._actor))) if source else ()


def _another(source_id: str, actor: Actor) -> str:
    bounds, spaces = actor.bounds, "" if actor.own in actor.spaces else sorted(map(str, actor.spaces))
    within = (bounds.buckets, bounds.scope, bounds.path_prefix, bounds.agent_id, spaces)
    return str(uuid5(actor.own, repr((within, source_id))))


def _taken(kind: str, ids: list[str], actor: Actor) -> set[Source]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM mc_sources_taken(%s, %s, %s::text[])", [kind, actor.own, ids])
        return {(source, key) for source, key in cursor.fetchall()}
