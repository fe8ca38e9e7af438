"""Writing by key: one writer at a time, and slots of working state, of which one is active in a place."""

from __future__ import annotations

from uuid import UUID

from django.db import connection
from django.utils import timezone

from console.errors import Conflict
from memories.access import live
from memories.models import LifecycleStatus, Memory
from memories.models.memory import MemoryType

SLOT = "state:"  # before the key of a slot


def one_writer(space_id: UUID, bucket: str, scope: str | None, key: str | None) -> None:
    """Serialise writers of one key or text: a unique index cannot, for deleted records may share both."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"remember {space_id} {bucket} {scope} {key}"]
        )


def check_free(memory: Memory, *, status: str) -> None:
    """Before a locked slot stands at `status` in its place: Conflict where another active one has its key there.

    Of other memories with a key, several may stand side by side; the eldest is the one that is written to.
    """
    over = memory.expires_at is not None and memory.expires_at <= timezone.now()
    key, slot = memory.semantic_key or "", memory.memory_type == MemoryType.WORKING
    if not (slot and key.startswith(SLOT)) or status != LifecycleStatus.ACTIVE or over:
        return
    space_id = memory.team_id or memory.owner_id
    one_writer(space_id, memory.bucket, memory.scope, key)
    others = live(Memory.objects.filter(space_id=space_id, bucket=memory.bucket, scope=memory.scope))
    others = others.filter(owner_id=memory.owner_id, memory_type=MemoryType.WORKING, semantic_key=key)
    other = others.exclude(pk=memory.pk).values_list("pk", flat=True).first()
    if other is not None:
        raise Conflict(
            f"The state “{key.removeprefix(SLOT)}” is held by another memory here, {other}. Forget or archive that one "
            "first.",
            other=str(other),
        )
