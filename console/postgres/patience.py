"""How long a statement may take, and a transaction rest, by what kind of process asks.

The web server answers people, who wait; the worker does what takes longer. Commands and migrations have no limit:
somebody looks on. What is long by right, an import or an erasure, takes its time for as long as its transaction lasts.
"""

from __future__ import annotations

from django.conf import settings
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

WEB, WORKER, COMMAND = "web", "worker", "command"
STATEMENT = "statement_timeout"
IDLE = "idle_in_transaction_session_timeout"

_process = [COMMAND]


def become(kind: str) -> None:
    """Say what this process is, before its first connection. Connections that are open keep their limits."""
    _process[0] = kind


def limits_of(kind: str) -> dict[str, int]:
    """Seconds for a statement and for resting within a transaction; 0: no limit."""
    return {STATEMENT: settings.STATEMENT_SECONDS.get(kind, 0), IDLE: settings.IDLE_TRANSACTION_SECONDS.get(kind, 0)}


def longest_rest() -> float | None:
    """Seconds for which a transaction may wait for somebody else, well before it is rolled back; None: no limit."""
    most = limits_of(_process[0])[IDLE]
    return most * 2 / 3 if most else None


def connected(fresh: BaseDatabaseWrapper) -> None:
    """Give a connection just made the limits of this process; the owner of the schema has none."""
    limits = limits_of(_process[0])
    if fresh.alias != "owner" and any(limits.values()):
        _set(fresh, limits, local=False)


def take_time() -> None:
    """Until the transaction ends, the limits are those of the worker, where they were narrower."""
    now, wider = limits_of(_process[0]), limits_of(WORKER)
    raised = {name: most for name, most in wider.items() if now[name] and (not most or most > now[name])}
    if raised and connection.in_atomic_block:
        _set(connection, raised, local=True)


def _set(on: BaseDatabaseWrapper, limits: dict[str, int], *, local: bool) -> None:
    each = ", ".join(["set_config(%s, %s, %s)"] * len(limits))
    with on.cursor() as cursor:
        cursor.execute(f"SELECT {each}", [part for name, most in limits.items() for part in (name, f"{most}s", local)])
