"""Something of everything that Ann has, each text unlike the others."""

from __future__ import annotations

from typing import Any

from memories.models import Decision, LedgerEntry, Memory, MemoryVersion, Snapshot, Todo
from tests.memories.mutations import decision, entry, note, snapshot, todo

OF_MONEY: dict[Any, str] = {LedgerEntry: "item"}
OF_MEMORY: dict[Any, str] = {
    Memory: "content",
    MemoryVersion: "content",
    Todo: "content",
    Decision: "context",
    Snapshot: "label",
}


def something_of_everything() -> None:
    """One record of each kind."""
    for make in (note, todo, entry, decision, snapshot):
        make()
    LedgerEntry.objects.update(item="A copper pot.")


def texts(kinds: dict[Any, str], sent: str) -> set[str]:
    """The texts of all records of these kinds, but for those that the caller sent."""
    found = {text for model, name in kinds.items() for text in model.objects.values_list(name, flat=True)}
    return {text for text in found if text and text not in sent}
