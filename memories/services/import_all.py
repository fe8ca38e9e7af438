"""Writing what an export holds: each memory once, however often its line comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID, uuid5

from django.db import connection, transaction
from django.utils import timezone

from console.errors import Invalid, NotAllowed, Refused
from memories import audit
from memories.access import Actor, check_may_use, visible_to
from memories.embedding.waking import embed_soon
from memories.models import Erasure, Memory, MemoryLink, MemoryState, MemoryVersion
from memories.services import import_lines, turns
from memories.services.import_lines import Line, Place
from memories.services.remember import created_detail

LINES_MOST = 5_000
BATCH = 500


@dataclass(slots=True)
class Imported:
    """How many are new, how many were here already, how many links lead to nothing here, and what is wrong by line."""

    imported: int = 0
    known: int = 0
    links_left: int = 0
    errors: list[tuple[int, str]] = field(default_factory=list)
    ids: dict[UUID, UUID] = field(default_factory=dict)  # of the file -> here


@transaction.atomic
def import_all(
    *, rows: Sequence[tuple[int, dict[str, Any]]], place: Place, dry_run: bool = False, actor: Actor
) -> Imported:
    """Store the memories of these lines for the actor; wrong ones are named and left out. A dry run writes nothing.

    An id that is free is kept; where it is not, the record gets another that is the same at every import. What is here
    already stays as it is, only links that it lacks are added. Vectors are made anew. Raises Invalid, NotAllowed.
    """
    check_may_use(actor, "memory:write")
    place = _inside(place, actor)
    turns.hold_off_erasures(place.team_id or actor.own)
    if len(rows) > LINES_MOST:
        raise Invalid.field("jsonl", f"These are more than {LINES_MOST:,} lines. Send fewer at a time.")
    found = Imported()
    lines = _read(rows, place, found, actor)
    fresh = _fresh(lines, found, actor)
    found.imported = len(fresh)
    if not dry_run:
        _write(fresh, actor)
    _connect(lines, fresh, found, None if dry_run else place.team_id or actor.own, actor)
    found.errors.sort()
    return found


def _inside(place: Place, actor: Actor) -> Place:
    """The place asked for; a token of a team writes there. Raises NotAllowed."""
    if place.team_id is None and actor.own not in actor.spaces and len(actor.spaces) == 1:
        return replace(place, team_id=next(iter(actor.spaces)))
    if place.team_id is not None and (place.team_id not in actor.spaces or place.team_id == actor.own):
        raise NotAllowed("You are not a member of this team, or this token is not bound to it.")
    return place


def _read(rows: Sequence[tuple[int, dict[str, Any]]], place: Place, found: Imported, actor: Actor) -> list[Line]:
    now, lines = timezone.now(), []
    first: dict[UUID, int] = {}
    for number, row in rows:
        try:
            line = import_lines.read(number, row, place, now, actor)
        except Refused as why:
            found.errors.append((number, _said(why)))
            continue
        if line.given_id is not None and first.setdefault(line.given_id, number) != number:
            found.errors.append((number, f"Its id stands on line {first[line.given_id]} already."))
        else:
            lines.append(line)
    return lines


def _said(why: Refused) -> str:
    if isinstance(why, Invalid):
        return " ".join(f"{one.loc[-1]}: {one.msg}" for one in why.problems)
    return why.message


def _another(key: UUID, actor: Actor) -> UUID:
    return uuid5(actor.own, str(key))


def _fresh(lines: list[Line], found: Imported, actor: Actor) -> list[Line]:
    """Those that are not here yet, with their ids. Notes what is here under which id."""
    given = [line.given_id for line in lines if line.given_id is not None]
    ids = {*given, *(_another(key, actor) for key in given)}
    here = set(visible_to(actor, Memory.objects.filter(pk__in=ids, owner_id=actor.own)).values_list("pk", flat=True))
    erased = set(Erasure.objects.filter(owner_id=actor.own, record_id__in=ids).values_list("record_id", flat=True))
    taken = _taken(ids)
    sources = _sources(lines, actor)
    fresh = []
    for line in lines:
        key = line.given_id
        known = _known(line, here, sources, actor)
        if known is not None:
            found.known += 1
        elif key is not None and {key, _another(key, actor)} & erased or _source_of(line) in sources["erased"]:
            found.errors.append((line.number, "This record was deleted for good here, and stays so."))
            continue
        else:
            line.memory.pk = _free(key, taken, actor) or line.memory.pk
            _remember_source(line, sources)
            fresh.append(line)
        if key is not None:
            found.ids[key] = known or line.memory.pk
    return fresh


def _known(line: Line, here: set[UUID], sources: dict[str, Any], actor: Actor) -> UUID | None:
    """Under which id it is here already."""
    key = line.given_id
    for one in (key, _another(key, actor)) if key else ():
        if one in here:
            return one
    by_source: UUID | None = sources["here"].get(_source_of(line))
    return by_source


def _free(key: UUID | None, taken: set[UUID], actor: Actor) -> UUID | None:
    if key is None:
        return None
    return _another(key, actor) if key in taken else key


def _taken(ids: set[UUID]) -> set[UUID]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT mc_ids_taken(%s::uuid[])", [list(ids)])
        return {row[0] for row in cursor.fetchall()}


Source = tuple[str, str]


def _source_of(line: Line) -> Source | None:
    return (line.memory.source, line.memory.source_id) if line.memory.source_id is not None else None


def _remember_source(line: Line, sources: dict[str, Any]) -> None:
    if (source := _source_of(line)) is not None:
        sources["here"][source] = line.memory.pk


def _sources(lines: list[Line], actor: Actor) -> dict[str, Any]:
    """What the actor has, and what was erased, by where it came from."""
    ids = [line.memory.source_id for line in lines if line.memory.source_id is not None]
    rows = Memory.objects.filter(owner_id=actor.own, source_id__in=ids).values_list("source", "source_id", "pk")
    gone = Erasure.objects.filter(owner_id=actor.own, source_id__in=ids).values_list("source", "source_id")
    return {"here": {(source, key): pk for source, key, pk in rows}, "erased": set(gone)}


def _write(fresh: list[Line], actor: Actor) -> None:
    Memory.objects.bulk_create([line.memory for line in fresh], batch_size=BATCH)
    for line in fresh:
        line.state.memory_id = line.memory.pk
        for version in line.versions:
            version.memory_id = line.memory.pk
    MemoryState.objects.bulk_create([line.state for line in fresh], batch_size=BATCH)
    MemoryVersion.objects.bulk_create([one for line in fresh for one in line.versions], batch_size=BATCH)
    by_space: dict[UUID, list[audit.Entry]] = {}
    for line in fresh:
        detail = created_detail(line.memory) | {"status": [None, line.state.status], "version": line.state.version}
        entry = audit.Entry("memory.import", "memory", line.memory.pk, detail=detail)
        by_space.setdefault(line.memory.team_id or line.memory.owner_id, []).append(entry)
    for space_id in sorted(by_space):
        audit.record_all(actor, by_space[space_id], space_id=space_id)
    if fresh:
        transaction.on_commit(embed_soon)


def _connect(lines: list[Line], fresh: list[Line], found: Imported, space_id: UUID | None, actor: Actor) -> None:
    """Links between what is here now, inside one space; in a dry run, without one, they are only counted.

    One that leads to nothing here is counted; another import may bring its target.
    """
    wanted = {link.target for line in lines for link in line.links} - found.ids.keys()
    seen = visible_to(actor, Memory.objects.filter(pk__in=wanted)).values_list("pk", flat=True)
    ends = found.ids | {key: key for key in seen}
    made: list[MemoryLink] = []
    for line in lines:
        origin = found.ids.get(line.given_id) if line.given_id else line.memory.pk
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


def _link(made: list[MemoryLink], fresh: set[UUID], space_id: UUID, actor: Actor) -> None:
    """Add the links that are not there yet; of a memory that was here already, its audit says so."""
    ends = {key for one in made for key in (one.origin_id, one.target_id)}
    inside = set(Memory.objects.filter(pk__in=ends, space_id=space_id).values_list("pk", flat=True))
    there = MemoryLink.objects.filter(origin_id__in=ends).values_list("origin_id", "target_id", "kind")
    known = set(there)
    new: dict[tuple[UUID, UUID, str], MemoryLink] = {}
    for one in made:
        key = (one.origin_id, one.target_id, one.kind)
        if key not in known and {one.origin_id, one.target_id} <= inside:
            new.setdefault(key, one)
    MemoryLink.objects.bulk_create(new.values(), batch_size=BATCH)
    gained = Counter(origin for origin, _, _ in new if origin not in fresh)
    entries = [audit.Entry("memory.import", "memory", key, detail={"links": gained[key]}) for key in sorted(gained)]
    audit.record_all(actor, entries, space_id=space_id)
