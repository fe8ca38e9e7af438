"""Every place in which this app keeps a record's content or its trace, for the receipt of a deletion."""

from __future__ import annotations

from uuid import UUID

from django.db import connection
from django.db.models import Model, Q

from memories.models import (
    Decision,
    ErasureRequest,
    LedgerEntry,
    Memory,
    MemoryEmbedding,
    MemoryLink,
    MemoryState,
    MemoryUse,
    MemoryVersion,
    Snapshot,
    Todo,
)

INDEXED = "SELECT count(*) FROM {} WHERE id = %s AND (folded <> '' OR length(search) > 0)"
SEARCHED = ("memories_memory", "memories_todo", "memories_ledgerentry", "memories_decision")
NAMED = "SELECT count(*) FROM memories_snapshot WHERE strpos(state::text, %s) > 0"
RECORDS: dict[str, type[Model]] = {
    "memory": Memory,
    "TODO": Todo,
    "ledger entry": LedgerEntry,
    "decision": Decision,
    "snapshot": Snapshot,
}


def places_of(record_id: UUID) -> dict[str, int]:
    """How many rows of each place belong to the record, whoever asks. All are 0 once it is erased."""
    return {
        **{kind: model._default_manager.filter(pk=record_id).count() for kind, model in RECORDS.items()},
        "state": MemoryState.objects.filter(pk=record_id).count(),
        "versions": MemoryVersion.objects.filter(memory_id=record_id).count(),
        "links": MemoryLink.objects.filter(Q(origin_id=record_id) | Q(target_id=record_id)).count(),
        "embedding": MemoryEmbedding.objects.filter(pk=record_id).count(),
        "search index": _indexed(record_id),
    }


def _indexed(record_id: UUID) -> int:
    found = 0
    with connection.cursor() as cursor:
        for table in SEARCHED:
            cursor.execute(INDEXED.format(table), [record_id])
            found += cursor.fetchone()[0]
    return found


def mentions_of(record_id: UUID) -> dict[str, int]:
    """How often other rows speak of the record: marks of its use, snapshots that name it, reasons of requests."""
    with connection.cursor() as cursor:
        cursor.execute(NAMED, [str(record_id)])
        named = cursor.fetchone()[0]
    return {
        "marks of use": MemoryUse.objects.filter(memory_id=record_id).count(),
        "snapshots that name it": named,
        "reasons of requests": ErasureRequest.objects.filter(record_id=record_id).exclude(reason="").count(),
    }
