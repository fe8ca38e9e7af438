"""Finding one record to write to: visible, locked, and at the version that the caller saw."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from console.errors import NotFound, Stale
from console.saying import phrase
from memories.access import Actor, check_ledger, may_use, visible_to
from memories.models import Decision, LedgerEntry, Memory, MemoryState, Snapshot, Todo

Record = Memory | Todo | LedgerEntry | Decision | Snapshot
KINDS: dict[str, type[Memory] | type[Todo] | type[LedgerEntry] | type[Decision] | type[Snapshot]] = {
    "memory": Memory,
    "todo": Todo,
    "ledger": LedgerEntry,
    "decision": Decision,
    "snapshot": Snapshot,
}
OF_KIND = {
    "memory": phrase("This is the id of a memory. Look for it among the memories."),
    "todo": phrase("This is the id of a TODO. Look for it among the TODOs."),
    "ledger": phrase("This is the id of a ledger entry. Look for it among the ledger entries."),
    "decision": phrase("This is the id of a decision. Look for it among the decisions."),
    "snapshot": phrase("This is the id of a snapshot. Look for it among the snapshots."),
}
ABSENT = phrase("There is no such record, or it is not yours to see.")


def kind_of(record: Record) -> str:
    """The name of the record's kind, a key of KINDS."""
    return next(name for name, model in KINDS.items() if isinstance(record, model))


def standing(record: Record) -> MemoryState | Todo | LedgerEntry | Decision | Snapshot:
    """The row that holds the record's status and version."""
    return record.state if isinstance(record, Memory) else record


def find(record_id: UUID, *, actor: Actor, kinds: Iterable[str] = KINDS, lock: bool = False) -> Record:
    """The visible record of this id, in whichever table; deleted ones too.

    Raises NotFound, and NotAllowed for an entry of the ledger without the scope ledger:read.
    """
    for kind in kinds:
        model = KINDS[kind]
        rows: Any = visible_to(actor, model.objects.all())
        if model is Memory:
            # The condition makes the join an inner one: the nullable side of an outer join cannot be locked.
            rows = rows.select_related("state", "owner", "team").filter(state__version__gte=1)
        if lock:
            rows = rows.select_for_update(no_key=True, of=("self", "state") if model is Memory else ("self",))
        found: Record | None = rows.filter(pk=record_id).first()
        if found is not None:
            check_ledger(actor, found, "ledger:read")
            return found
    raise NotFound(_of_another_kind(record_id, actor, set(KINDS) - set(kinds)) or ABSENT)


def _of_another_kind(record_id: UUID, actor: Actor, others: set[str]) -> str:
    """Where to look for an id that is good, but of a record of another kind that the actor may see; else nothing."""
    for kind in sorted(others if may_use(actor, "ledger:read") else others - {"ledger"}):
        if visible_to(actor, KINDS[kind].objects.filter(pk=record_id)).exists():
            return OF_KIND[kind]
    return ""


def lock(record_id: UUID, *, actor: Actor, seen_version: int | None = None, kinds: Iterable[str] = KINDS) -> Record:
    """Like `find`, locked until the end of the transaction. Raises Stale when the version moved."""
    record = find(record_id, actor=actor, kinds=kinds, lock=True)
    now = standing(record).version
    if seen_version is not None and now != seen_version:
        raise Stale(
            phrase(
                "This record was changed since you saw it (version %(seen_version)s, now %(now)s). Look at it again.",
                seen_version=seen_version,
                now=now,
            ),
            seen=seen_version,
            now=now,
        )
    return record
