"""Who waits for whom: whatever reads records to quote them, and whatever deletes them for good, take turns in a space.
The imports of one person take turns too.

A plan holds words of records in memory before it stores them. Were one of them erased meanwhile, its words would come
back with the plan. So plans, their application and their undo hold off erasures of their space, and an erasure waits
until they are done. Both ask before they lock any row, and the turn ends with the transaction, a crash included.
"""

from __future__ import annotations

from uuid import UUID

from django.db import OperationalError, connection, transaction
from psycopg.errors import LockNotAvailable

from console.errors import Conflict
from console.postgres import patience
from console.saying import phrase

IMPORT_SECONDS = 10  # that one import waits for another
SET_PATIENCE = "SELECT set_config('lock_timeout', %s, true)"
UNDER_WAY = phrase(
    "Another import of yours is under way, and nothing of this one was stored. Send it again when that one has ended: "
    "what it brought is known then, and nothing is stored twice."
)


def hold_off_erasures(space_id: UUID) -> None:
    """Let nothing of this space be erased until the transaction ends. Others may hold it off at the same time."""
    _ask("SELECT pg_advisory_xact_lock_shared(hashtextextended(%s, 0))", space_id)


def erase_alone(space_id: UUID) -> None:
    """Wait until nobody quotes records of this space, and let nobody begin until the transaction ends.

    What follows, whoever asked for it, looks through whatever may quote a record, so it gets the time of the worker.
    """
    _ask("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", space_id)
    patience.take_time()


def import_alone(owner_id: UUID) -> None:
    """Wait until no other import of this person is under way, and let none begin until the transaction ends.

    Of the same file sent twice, the second then finds what the first brought. Raises Conflict where it takes long.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('lock_timeout')")
            usual = cursor.fetchone()[0]
            cursor.execute(SET_PATIENCE, [f"{IMPORT_SECONDS}s"])
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"import {owner_id}"])
            cursor.execute(SET_PATIENCE, [usual])
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable):
            raise Conflict(UNDER_WAY, retry_after=IMPORT_SECONDS) from None
        raise


def _ask(statement: str, space_id: UUID) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, [f"erase {space_id}"])
