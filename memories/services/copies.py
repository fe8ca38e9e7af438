"""Copies of a record's words inside snapshots of working state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.models import Memory, MemoryVersion, Snapshot
from memories.services import records

TELLING = 12  # characters; a shorter text counts as copied only where it stands alone


def scrub_snapshots(gone: Sequence[records.Record], *, at: datetime) -> dict[UUID, list[UUID]]:
    """Take every slot that names or repeats one of these memories out of the snapshots of its space.

    Returns which snapshots lost a slot, per record.
    """
    memories = [one for one in gone if isinstance(one, Memory)]
    found: dict[UUID, list[UUID]] = defaultdict(list)
    if not memories:
        return found
    rows = Snapshot.objects.filter(space_id=memories[0].space_id).exclude(pk__in=[one.pk for one in gone])
    snapshots = list(rows.order_by("pk").select_for_update(no_key=True))
    said = _said(memories) if snapshots else {}  # what it said before may be long
    for snapshot in snapshots:
        hit = [key for key, texts in said.items() if _repeats(snapshot.label, key, texts)]
        if hit:
            snapshot.label = ""
        for name, slot in list(snapshot.state.items()):
            if owners := [key for key, texts in said.items() if _repeats([name, slot], key, texts)]:
                del snapshot.state[name]
                hit += owners
        if hit:
            snapshot.updated_at, snapshot.version = at, snapshot.version + 1
            snapshot.save(update_fields=["label", "state", "updated_at", "version"])
        for key in dict.fromkeys(hit):
            found[key].append(snapshot.pk)
    return found


def _said(memories: Sequence[Memory]) -> dict[UUID, set[str]]:
    """What each memory says, is stored to say and said before."""
    said = {one.pk: {one.content} for one in memories}
    for key, content in Memory.objects.filter(pk__in=said).values_list("pk", "content"):
        said[key].add(content)
    for key, content in MemoryVersion.objects.filter(memory__in=said).values_list("memory_id", "content"):
        said[key].add(content)
    return said


def _repeats(value: Any, key: UUID, texts: set[str]) -> bool:
    """Whether any text inside `value` names the record or repeats what it says."""
    for leaf in _leaves(value):
        if str(key) in leaf or any(leaf == text or (len(text) >= TELLING and text in leaf) for text in texts):
            return True
    return False


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
