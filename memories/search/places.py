"""Every place in which this app keeps a record's content or its trace, for the receipt of a deletion."""

from __future__ import annotations

from uuid import UUID

from django.db import connection
from django.db.models import Q

from memories.models import LedgerEntry, Memory, MemoryEmbedding, MemoryLink, MemoryState, MemoryVersion, Todo

INDEXED = "SELECT count(*) FROM memories_memory WHERE id = %s AND (folded <> '' OR length(search) > 0)"


def places_of(record_id: UUID) -> dict[str, int]:
    """How many rows of each place belong to the record, whoever asks. All are 0 once it is erased."""
    with connection.cursor() as cursor:
        cursor.execute(INDEXED, [record_id])
        indexed = cursor.fetchone()[0]
    records = sum(model.objects.filter(pk=record_id).count() for model in (Memory, Todo, LedgerEntry))
    return {
        "record": records,
        "state": MemoryState.objects.filter(pk=record_id).count(),
        "versions": MemoryVersion.objects.filter(memory_id=record_id).count(),
        "links": MemoryLink.objects.filter(Q(origin_id=record_id) | Q(target_id=record_id)).count(),
        "embedding": MemoryEmbedding.objects.filter(pk=record_id).count(),
        "search index": indexed,
    }
