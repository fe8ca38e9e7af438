"""Whose rows PostgreSQL shows: the context that the row security of every table asks for.

A request names its spaces inside its one transaction, and the name ends with it. Work that looks after all spaces,
commands of the operator and rounds of the worker, says so for as long as it runs. Without either there are no rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from uuid import UUID

from django.db import connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import DatabaseError, InterfaceError

SPACES = "memory_console.spaces"
ACTOR = "memory_console.actor"
EVERYWHERE = "*"

_everywhere: ContextVar[bool] = ContextVar("everywhere", default=False)


def name_spaces(spaces: Iterable[UUID], actor_id: UUID | None) -> None:
    """Show the rows of these spaces, until the transaction ends."""
    _set({SPACES: ",".join(str(key) for key in spaces), ACTOR: str(actor_id or "")}, local=True)


@contextmanager
def within(spaces: Iterable[UUID], actor_id: UUID | None) -> Iterator[None]:
    """One transaction that sees the rows of these spaces."""
    with transaction.atomic():
        before = _now()
        name_spaces(spaces, actor_id)
        yield
        _set({SPACES: before}, local=True)


@contextmanager
def everywhere() -> Iterator[None]:
    """Rows of every space on this thread's connection, and on one that replaces it, for as long as the block runs."""
    before = _now()
    token = _everywhere.set(True)
    _set({SPACES: EVERYWHERE}, local=False)
    try:
        yield
    finally:
        _everywhere.reset(token)
        _leave(before)


def connected(fresh: BaseDatabaseWrapper) -> None:
    """Give a connection just made its context: that of the block in which it was made; the schema's owner sees all."""
    if fresh.alias == "owner" or _everywhere.get():
        with fresh.cursor() as cursor:
            cursor.execute("SELECT set_config(%s, %s, false)", [SPACES, EVERYWHERE])


def _leave(before: str) -> None:
    """Put the former context back. A connection on which that fails is closed: a new one has none."""
    if connection.connection is None or connection.needs_rollback:
        return
    try:
        _set({SPACES: before}, local=False)
    except (DatabaseError, InterfaceError):
        connection.close()


def _now() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(current_setting(%s, true), '')", [SPACES])
        found: str = cursor.fetchone()[0]
    return found


def _set(values: dict[str, str], *, local: bool) -> None:
    each = ", ".join(["set_config(%s, %s, %s)"] * len(values))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {each}", [part for name, value in values.items() for part in (name, value, local)])
