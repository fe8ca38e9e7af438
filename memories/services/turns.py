"""Who waits for whom: whatever reads records to quote them, and whatever deletes them for good, take turns in a space.

A plan holds words of records in memory before it stores them. Were one of them erased meanwhile, its words would come
back with the plan. So plans, their application and their undo hold off erasures of their space, and an erasure waits
until they are done. Both ask before they lock any row, and the turn ends with the transaction, a crash included.
"""

from __future__ import annotations

from uuid import UUID

from django.db import connection


def hold_off_erasures(space_id: UUID) -> None:
    """Let nothing of this space be erased until the transaction ends. Others may hold it off at the same time."""
    _ask("SELECT pg_advisory_xact_lock_shared(hashtextextended(%s, 0))", space_id)


def erase_alone(space_id: UUID) -> None:
    """Wait until nobody quotes records of this space, and let nobody begin until the transaction ends."""
    _ask("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", space_id)


def _ask(statement: str, space_id: UUID) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, [f"erase {space_id}"])
