"""What two people who do the same have at the end: everything that is stored of them, but for ids and times."""

from __future__ import annotations

from typing import Any

from memories.models import AuditRecord, LedgerEntry, Memory, MemoryVersion, Todo, User

NOWHERE = "01990000-0000-7000-8000-000000000000"
# The same thought worded nearly alike: whatever looks for equals tells these apart, or does not, on both sides.
CONTENTS = [
    "The kettle broke.",
    "the KETTLE broke.",
    "The  kettle broke",
    "The kettle broke!",
    "Tea at four.",
    "Chá às quatro.",
    "お茶は四時です。",
    "Ann moved to Lisbon in 2024.",
    "",
]
PATHS = ["home", "home/kitchen", "work/plan", "home", "../up"]
PLACE = ("bucket", "scope", "path", "agent_id", "hold")
MEMORY = ("content", *PLACE, "memory_type", "semantic_key", "confidence", "metadata", "expires_at", "pinned")
STATE = ("status", "status_before_delete", "importance", "base", "version")
STANDING = ("status", "status_before_delete", "version")
TODO = ("content", "note", "due_at", *PLACE, *STANDING)
ENTRY = ("item", "note", "amount", "currency", "category", "transaction_type", "occurred_on", *PLACE, *STANDING)


def stored_by(who: User) -> dict[str, list[tuple[Any, ...]]]:
    """All records of `who`, in order of their making, and what was done to them."""
    memories = Memory.objects.filter(owner=who).order_by("pk")
    versions = MemoryVersion.objects.filter(memory__owner=who).order_by("memory", "number")
    todos, entries = Todo.objects.filter(owner=who), LedgerEntry.objects.filter(owner=who)
    acts = AuditRecord.objects.filter(space_id=who.pk, result="done").order_by("seq")
    return {
        "memories": list(memories.values_list(*MEMORY, *(f"state__{name}" for name in STATE))),
        "redacted": [(at is not None,) for at in memories.values_list("redacted_at", flat=True)],
        "versions": list(versions.values_list("number", "content", "fields", "reason")),
        "todos": [(todo.item_status, *(getattr(todo, name) for name in TODO)) for todo in todos.order_by("pk")],
        "ledger": list(entries.order_by("pk").values_list(*ENTRY)),
        "audit": list(acts.values_list("action", "object_type", "reason")),
    }


def looks(record: dict[str, Any]) -> dict[str, Any]:
    """What a record looks like in an answer, but for its ids and times."""
    names = ("content", "path", "bucket", "scope", "memory_type", "status", "item_status", "importance", "confidence")
    more = ("metadata", "version", "note", "due_at", "item", "amount", "currency", "transaction_type", "category")
    return {name: record[name] for name in (*names, *more) if name in record}
