"""Finding what an address of the API names. What is in the trash is not there."""

from __future__ import annotations

from typing import TypeVar

from console.errors import NotFound
from memories.access import Actor, check_may_use
from memories.models import Decision, LedgerEntry, Memory, Todo
from memories.services import fields, records

Record = TypeVar("Record", Memory, Todo, LedgerEntry, Decision)


def undeleted(record: Record) -> Record:
    """The record itself. Raises NotFound for one in the trash."""
    if records.standing(record).status == "deleted":
        raise NotFound(records.ABSENT)
    return record


def memory_of(record_id: str, actor: Actor) -> Memory:
    """The visible memory, to tell what it says. Raises NotAllowed, BadId, and NotFound for one in the trash too."""
    check_may_use(actor, "memory:read")
    memory = records.find(fields.record_id(record_id), actor=actor, kinds=("memory",))
    assert isinstance(memory, Memory)
    return undeleted(memory)
