"""Writing what an export holds: each record once, however often its line comes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from uuid6 import uuid7

from console.errors import Invalid, NotAllowed, Refused
from console.saying import phrase
from memories import audit
from memories.access import Actor, check_may_use, visible_to
from memories.embedding.waking import embed_soon
from memories.models import Memory, MemoryLink, MemoryState, MemoryVersion
from memories.services import import_histories, import_kinds, import_lines, turns
from memories.services import line_fields as fields_of
from memories.services.import_beside import (
    GONE,
    OUT_OF_SIGHT,
    Imported,
    another,
    erased,
    here,
    note,
    taken,
    write_beside,
)
from memories.services.import_histories import History
from memories.services.import_kinds import Other
from memories.services.import_lines import Line, Place
from memories.services.import_sources import Sources
from memories.services.import_words import Nameless, lacking
from memories.services.keyed import Arriving
from memories.services.portable import BESIDE
from memories.services.remember import created_detail

LINES_MOST = 5_000
BATCH = 500


@dataclass(slots=True)
class _Lines:
    """What was read, by what it is."""

    memories: list[Line] = field(default_factory=list)
    others: list[Other] = field(default_factory=list)
    histories: list[History] = field(default_factory=list)
    nameless: Nameless = field(default_factory=Nameless)


@transaction.atomic
def import_all(
    *,
    rows: Sequence[tuple[int, dict[str, Any]]],
    place: Place,
    dry_run: bool = False,
    keep_ids: bool = True,
    format_name: str = "memory-console",
    actor: Actor,
) -> Imported:
    """Store the records of these lines for the actor; wrong ones are named and left out. A dry run writes nothing.

    An id that is free is kept (unless `keep_ids` is off: ids of other programs say nothing here); where it is not, the
    record gets another that is the same at every import. What is here already stays as it is, only links that it lacks
    are added. Vectors are made anew. Raises Invalid, NotAllowed, Conflict.
    """
    check_may_use(actor, "memory:write")
    place = _inside(place, actor)
    if not dry_run:
        turns.import_alone(actor.own)
    turns.hold_off_erasures(place.team_id or actor.own)
    if len(rows) > LINES_MOST:
        raise Invalid.field(
            "jsonl", phrase("These are more than %(most)s lines. Send fewer at a time.", most=f"{LINES_MOST:,}")
        )
    found = Imported()
    lines = _read(rows, place, found, actor)
    fresh = _fresh(lines.memories, found, keep_ids, actor)
    late = import_histories.put_to_new(lines.histories, fresh, found, actor)
    if not dry_run:
        _write(fresh, actor)
    _connect([*lines.memories, *late], fresh, found, None if dry_run else place.team_id or actor.own, actor)
    import_histories.add(late, found, dry_run=dry_run, actor=actor)
    write_beside(lines.others, found, dry_run=dry_run, actor=actor)
    if found.imported and not dry_run:
        _note(found, place, format_name, actor)
    found.errors.sort()
    return found


def _note(found: Imported, place: Place, format_name: str, actor: Actor) -> None:
    """One line for the whole act, beside those of its records."""
    detail = {"count": found.imported, "kinds": dict(found.made), "known": found.known, "left_out": len(found.errors)}
    detail |= {"format": format_name}
    audit.record(actor, "records.import", "batch", uuid7(), space_id=place.team_id or actor.own, detail=detail)


def _inside(place: Place, actor: Actor) -> Place:
    """The place asked for; a token of a team writes there. Raises NotAllowed."""
    if place.team_id is None and actor.own not in actor.spaces and len(actor.spaces) == 1:
        return replace(place, team_id=next(iter(actor.spaces)))
    if place.team_id is not None and (place.team_id not in actor.spaces or place.team_id == actor.own):
        raise NotAllowed(phrase("You are not a member of this team, or this token is not bound to it."))
    return place


def _read(rows: Sequence[tuple[int, dict[str, Any]]], place: Place, found: Imported, actor: Actor) -> _Lines:
    now, lines = timezone.now(), _Lines()
    first: dict[tuple[str, UUID], int] = {}
    for number, row in rows:
        try:
            kind = fields_of.among(row, "kind", ["memory", "history", *BESIDE], "memory")
            key = fields_of.key(row, "id")
            if kind != "history" and key and first.setdefault((kind, key), number) != number:
                found.wrong(number, phrase("Its id stands on line %(line)s already.", line=first[kind, key]))
                continue
            _take(number, kind, row, lines, place, now, actor)
        except Refused as why:
            found.refused(number, why)
    return lines


def _take(
    number: int, kind: str, row: dict[str, Any], lines: _Lines, place: Place, now: datetime, actor: Actor
) -> None:
    if kind == "memory":
        lines.memories.append(import_lines.read(number, row, place, now, actor))
    elif kind == "history":
        lines.histories.append(import_histories.read(number, row))
    else:
        other = import_kinds.read(number, row, place, now, actor)
        if other.given_id is None and not row.get("source_id"):
            other.given_id = lines.nameless.id_of(kind, row, actor)
        lines.others.append(other)


def _fresh(lines: list[Line], found: Imported, keep_ids: bool, actor: Actor) -> list[Line]:
    """Those that are not here yet, with their ids. Notes what is here under which id."""
    given = [line.given_id for line in lines if line.given_id is not None]
    ids = {*given, *(another(key, actor) for key in given)}
    seen = visible_to(actor, Memory.objects.filter(pk__in=ids))
    known_ids, gone, used = set(seen.values_list("pk", flat=True)), erased(ids, actor), taken(ids)
    memories = [line.memory for line in lines]
    sources, arriving = Sources("memory", Memory, memories, actor), Arriving(memories)
    fresh: dict[UUID, Line] = {}
    for line in lines:
        key = line.given_id
        known = _known(line, known_ids, sources, actor)
        if known is None:
            if key is not None:
                line.memory.pk = key if keep_ids and key not in used else another(key, actor)
            erased_here = key is not None and {key, another(key, actor)} & gone or sources.gone(line.memory)
            if why := GONE if erased_here else _in_the_way(line, used, arriving, actor):
                found.wrong(line.number, why)
                continue
            sources.take(line.memory)
            known_ids.add(line.memory.pk)
            found.new(line.number, "memory")
            fresh[line.memory.pk] = line
        else:
            found.seen(line.number, fresh[known].number if known in fresh else None)
        if key is not None:
            found.ids[key] = known or line.memory.pk
    return list(fresh.values())


def _in_the_way(line: Line, used: set[UUID], arriving: Arriving, actor: Actor) -> str | None:
    """Why the actor cannot store this new line; None where nothing forbids it."""
    if line.memory.pk in used:
        return OUT_OF_SIGHT
    return lacking(line.asks, actor) or arriving.refusal(line.memory)


def _known(line: Line, known_ids: set[UUID], sources: Sources, actor: Actor) -> UUID | None:
    """Under which id it is here already."""
    key = line.given_id
    for one in (key, another(key, actor)) if key else ():
        if one in known_ids:
            return one
    return sources.known(line.memory)


def _write(fresh: list[Line], actor: Actor) -> None:
    Memory.objects.bulk_create([line.memory for line in fresh], batch_size=BATCH)
    for line in fresh:
        line.state.memory_id = line.memory.pk
        for version in line.versions:
            version.memory_id = line.memory.pk
    MemoryState.objects.bulk_create([line.state for line in fresh], batch_size=BATCH)
    MemoryVersion.objects.bulk_create([one for line in fresh for one in line.versions], batch_size=BATCH)
    audit.record_across(actor, [_told(line) for line in fresh])
    if fresh:
        transaction.on_commit(embed_soon)


def _told(line: Line) -> tuple[UUID, audit.Entry]:
    """The audit line of a new memory, and the space of its chain."""
    detail = created_detail(line.memory) | {"status": [None, line.state.status], "version": line.state.version}
    entry = audit.Entry("memory.import", "memory", line.memory.pk, detail=detail)
    return line.memory.team_id or line.memory.owner_id, entry


def _connect(
    lines: Sequence[Line | History], fresh: list[Line], found: Imported, space_id: UUID | None, actor: Actor
) -> None:
    """Links between what is here now, inside one space; in a dry run, without one, they are only counted.

    One that leads to nothing here is counted; another import may bring its target.
    """
    wanted = {link.target for line in lines for link in line.links} - found.ids.keys()
    ends = found.ids | here(wanted, actor)
    made: list[MemoryLink] = []
    for line in lines:
        origin = _origin(line, found)
        if origin is None:
            continue
        for link in line.links:
            target = ends.get(link.target)
            if target is None:
                found.links_left += 1
            elif origin != target:
                about = {"kind": link.kind, "position": link.position, "quote": link.quote}
                made.append(MemoryLink(origin_id=origin, target_id=target, created_at=link.created_at, **about))
    if space_id is not None:
        _link(made, {line.memory.pk for line in fresh}, space_id, actor)


def _origin(line: Line | History, found: Imported) -> UUID | None:
    if isinstance(line, History):
        return found.ids.get(line.memory)
    return found.ids.get(line.given_id) if line.given_id else line.memory.pk


def _link(made: list[MemoryLink], fresh: set[UUID], space_id: UUID, actor: Actor) -> None:
    """Add the links of one's own memories that are not there yet; of one that was here already, its audit says so."""
    ends = {key for one in made for key in (one.origin_id, one.target_id)}
    inside = dict(Memory.objects.filter(pk__in=ends, space_id=space_id).values_list("pk", "owner_id"))
    there = MemoryLink.objects.filter(origin_id__in=ends).values_list("origin_id", "target_id", "kind")
    known = set(there)
    new: dict[tuple[UUID, UUID, str], MemoryLink] = {}
    for one in made:
        key = (one.origin_id, one.target_id, one.kind)
        if key not in known and inside.get(one.origin_id) == actor.own and one.target_id in inside:
            new.setdefault(key, one)
    MemoryLink.objects.bulk_create(new.values(), batch_size=BATCH)
    note([origin for origin, _, _ in new if origin not in fresh], "links", actor)
