"""Writing the records of a file that are no memories, and what belongs to memories but stands in lines of its own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid5

from django.db import connection
from django.db.models import Q

from console.errors import Invalid, Refused
from console.saying import joined, phrase
from memories import audit
from memories.access import Actor, may_use, visible_to
from memories.models import Erasure, Memory, MemoryUse, Snapshot
from memories.services.import_kinds import Other
from memories.services.import_sources import Sources
from memories.services.import_words import lacking
from memories.services.portable import BESIDE

BATCH = 500
GONE = phrase("This record was deleted for good here, and stays so.")
OUT_OF_SIGHT = phrase("This record is here, in a place that you or this token do not see. Import it for that place.")


@dataclass(slots=True)
class Imported:
    """How many are new, how many were here already, how many links lead to nothing here, and what is wrong by line.

    `made` counts what is new by kind; `outcomes` says of each line that was read whether it is new or known. Known is
    also what the file says a second time.
    """

    imported: int = 0
    known: int = 0
    links_left: int = 0
    errors: list[tuple[int, str]] = field(default_factory=list)
    ids: dict[UUID, UUID] = field(default_factory=dict)  # memories of the file -> here
    made: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    outcomes: dict[int, str] = field(default_factory=dict)
    repeats: dict[int, int] = field(default_factory=dict)  # known lines -> the line of this file that says the same

    def new(self, number: int, kind: str) -> None:
        """The line makes a record."""
        self.imported += 1
        self.made[kind] += 1
        self.outcomes[number] = "new"

    def seen(self, number: int, first: int | None = None) -> None:
        """What the line says is here already, or stands on line `first` of the same file."""
        self.known += 1
        self.outcomes[number] = "known"
        if first is not None:
            self.repeats[number] = first

    def wrong(self, number: int, text: str) -> None:
        """The line is left out."""
        self.errors.append((number, text))
        self.outcomes[number] = "wrong"

    def refused(self, number: int, why: Refused) -> None:
        """The line is left out, with what is wrong about its fields."""
        problems = why.problems if isinstance(why, Invalid) else []
        named = [joined([one.loc[-1], one.msg], ": ") for one in problems]
        self.wrong(number, joined(named) if named else why.message)


def another(key: UUID, actor: Actor) -> UUID:
    """The id that a record of the file gets where its own is not free: the same at every import."""
    return uuid5(actor.own, str(key))


def taken(ids: set[UUID]) -> set[UUID]:
    """Those of these ids that some record has, or had, in whichever space."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT mc_ids_taken(%s::uuid[])", [list(ids)])
        return {row[0] for row in cursor.fetchall()}


def erased(ids: set[UUID], actor: Actor) -> set[UUID]:
    """Those of these ids that the actor had, or might see, and that were deleted for good."""
    rows = Erasure.objects.filter(Q(owner_id=actor.own) | Q(space_id__in=list(actor.spaces)), record_id__in=ids)
    return set(rows.values_list("record_id", flat=True))


def here(ids: set[UUID], actor: Actor) -> dict[UUID, UUID]:
    """The memories that the actor sees and these ids of a file mean: under the same id, or under the other."""
    found: dict[UUID, UUID] = {}
    both = ids | {another(key, actor) for key in ids}
    rows = visible_to(actor, Memory.objects.filter(pk__in=both)).values_list("pk", flat=True)
    known = set(rows)
    for key in ids:
        if one := next((name for name in (key, another(key, actor)) if name in known), None):
            found[key] = one
    return found


def write_beside(rows: Sequence[Other], found: Imported, *, dry_run: bool, actor: Actor) -> None:
    """Store these records for the actor, each once; what is here already stays as it is."""
    by_kind: dict[str, list[Other]] = defaultdict(list)
    for row in rows:
        by_kind[row.kind].append(row)
    for kind in (kind for kind in BESIDE if kind in by_kind):
        own = by_kind[kind]
        fresh = _uses(own, found, dry_run, actor) if kind == "use" else _fresh(own, found, actor)
        if kind == "snapshot":
            _lead_slots(fresh, found, actor)
        for one in fresh:
            found.new(one.number, kind)
        if not dry_run:
            _store(kind, fresh, actor)


def _fresh(rows: Sequence[Other], found: Imported, actor: Actor) -> list[Other]:
    """Those that are not here, with the ids they get."""
    kind, model = rows[0].kind, BESIDE[rows[0].kind].model
    ids = _ids(rows, actor)
    seen: Any = visible_to(actor, model._default_manager.filter(pk__in=ids))
    known, gone, used = set(seen.values_list("pk", flat=True)), erased(ids, actor), taken(ids)
    sources = Sources(kind, model, [row.record for row in rows], actor)
    blind = kind == "ledger" and not (may_use(actor, "ledger:read") or may_use(actor, "ledger:write"))
    made: dict[Any, int] = {}
    for row in rows:
        names = {row.given_id, another(row.given_id, actor)} if row.given_id else set()
        here_as = next(iter(names & known), None) or sources.known(row.record)
        lacks = lacking(row.asks, actor)
        if here_as and not blind:
            found.seen(row.number, made.get(here_as))
        elif not blind and (names & gone or sources.gone(row.record)):
            found.wrong(row.number, GONE)
        elif lacks or not _name(row, used, actor):
            found.wrong(row.number, lacks or OUT_OF_SIGHT)
        else:
            known.add(row.record.pk)
            sources.take(row.record)
            made[row.record.pk] = row.number
    new = set(made.values())
    return [row for row in rows if row.number in new]


def _ids(rows: Sequence[Other], actor: Actor) -> set[UUID]:
    given = {row.given_id for row in rows if row.given_id}
    return given | {another(key, actor) for key in given}


def _name(row: Other, used: set[UUID], actor: Actor) -> bool:
    """Give the record its id; whether one is free."""
    if row.given_id is not None:
        row.record.pk = another(row.given_id, actor) if row.given_id in used else row.given_id
    return row.record.pk not in used


def _lead_slots(fresh: Sequence[Other], found: Imported, actor: Actor) -> None:
    """Let slots name the memories here; one whose memory was deleted for good is left out: its words stay gone."""
    records = [row.record for row in fresh if isinstance(row.record, Snapshot)]
    named = {UUID(slot["memory_id"]) for one in records for slot in one.state.values() if slot["memory_id"]}
    ends, gone = here(named, actor) | found.ids, erased(named | {another(key, actor) for key in named}, actor)
    lost = {key for key in named if {key, another(key, actor)} & gone}
    for one in records:
        kept = {key: slot for key, slot in one.state.items() if not _lost(slot, lost)}
        for slot in kept.values():
            if slot["memory_id"]:
                slot["memory_id"] = str(ends.get(UUID(slot["memory_id"]), slot["memory_id"]))
        one.state = kept


def _lost(slot: dict[str, Any], lost: set[UUID]) -> bool:
    return bool(slot["memory_id"]) and UUID(slot["memory_id"]) in lost


def _uses(rows: Sequence[Other], found: Imported, dry_run: bool, actor: Actor) -> list[Other]:
    """Uses of the actor's memories that are not noted yet."""
    ends = found.ids | here({row.memory for row in rows if row.memory} - found.ids.keys(), actor)
    ids = _ids(rows, actor)
    memories = {ends[row.memory] for row in rows if row.memory in ends}
    noted = MemoryUse.objects.filter(memory_id__in=memories)
    known = set(noted.filter(pk__in=ids).values_list("pk", flat=True))
    tracked = set(noted.exclude(tracking_id=None).values_list("memory_id", "tracking_id"))
    used, fresh = taken(ids), []
    for row in rows:
        use: Any = row.record
        use.memory_id = ends.get(row.memory) if row.memory else None
        names = {row.given_id, another(row.given_id, actor)} if row.given_id else set()
        mark = (use.memory_id, use.tracking_id)
        if use.memory_id is None:
            found.wrong(row.number, phrase("The memory that was used is not here. Import its line before, or with it."))
        elif names & known or mark in tracked:
            found.seen(row.number)
        elif not _name(row, used, actor):
            found.wrong(row.number, OUT_OF_SIGHT)
        else:
            known.add(use.pk)
            tracked |= {mark} if use.tracking_id else set()
            fresh.append(row)
    return fresh


def _store(kind: str, fresh: Sequence[Other], actor: Actor) -> None:
    records: list[Any] = [row.record for row in fresh]
    BESIDE[kind].model._default_manager.bulk_create(records, batch_size=BATCH)
    if kind == "use":
        note([one.memory_id for one in records], "uses", actor)
        return
    entries = []
    for one in records:
        detail = {"status": [None, one.status], "version": one.version}
        entries.append((one.team_id or one.owner_id, audit.Entry(f"{kind}.import", kind, one.pk, detail=detail)))
    audit.record_across(actor, entries)


def note(memories: Sequence[UUID], what: str, actor: Actor) -> None:
    """Audit for each of these memories how many links, uses or former versions it gained."""
    counts = Counter(memories)
    rows = Memory.objects.filter(pk__in=counts).order_by("pk").values_list("pk", "space_id") if counts else ()
    audit.record_across(
        actor,
        [(space_id, audit.Entry("memory.import", "memory", key, detail={what: counts[key]})) for key, space_id in rows],
    )
