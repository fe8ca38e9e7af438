"""Makes the embedded server give up the bytes of deleted rows, and looks for a text in its data folder.

A deleted row stays in its page until that is written anew, and in the write-ahead log until its segment is gone. The
tables are rewritten, and the log moves on past every segment that was there; none of them is kept for reuse, for a
renamed segment keeps its old bytes.
"""

from __future__ import annotations

import mmap
import os
import struct
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import LiteralString

import psycopg
from psycopg import sql

from console.traces import FLOATS, Forms

WAIT_SECONDS = 120
ROUNDS = 200  # more log segments than `max_wal_size` allows
OWN_TABLES = """
SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'm') AND c.relpersistence = 'p'
  AND (n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') OR c.oid = 'pg_statistic'::regclass)
ORDER BY 1, 2
"""

# The oldest transaction that anybody may still see: running ones, and the snapshots of this database's sessions.
OLDEST = """
SELECT least(
  pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
  (SELECT min(pg_snapshot_xmax(pg_current_snapshot())::text::bigint - age(backend_xmin)) FROM pg_stat_activity
   WHERE datname = current_database() AND pid <> pg_backend_pid()))
"""


def recycle(connection: psycopg.Connection) -> None:
    """Rewrite every table of the database and let the log go that tells of before. `connection` is a superuser's.

    Each table is locked while it is rewritten. Raises TimeoutError where a transaction does not end, and
    psycopg.errors.LockNotAvailable where somebody holds on to a table for half a minute.
    """
    _outlive_others(connection)
    connection.execute("SET lock_timeout = '30s'")
    for schema, table in connection.execute(OWN_TABLES).fetchall():
        connection.execute(sql.SQL("VACUUM (FULL) {}").format(sql.Identifier(schema, table)))
    connection.execute("ALTER SYSTEM SET wal_recycle = off")
    connection.execute("SELECT pg_reload_conf()")
    try:
        _pass_all_segments(connection)
        _pass_all_segments(connection)  # those renamed before the checkpointer had heard that none is to be kept
    finally:
        connection.execute("ALTER SYSTEM RESET wal_recycle")
        connection.execute("SELECT pg_reload_conf()")


def _outlive_others(connection: psycopg.Connection) -> None:
    """Wait until every transaction of now has ended, in all databases: while one runs, deleted rows are kept for it."""
    limit = _number(connection, "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint")
    deadline = time.monotonic() + WAIT_SECONDS
    while _number(connection, OLDEST) < limit:
        if time.monotonic() > deadline:
            raise TimeoutError(f"A transaction has been open for more than {WAIT_SECONDS} s. End it and try again.")
        time.sleep(0.1)


def _number(connection: psycopg.Connection, query: LiteralString) -> int:
    row = connection.execute(query).fetchone()
    return int(row[0]) if row else 0


def _pass_all_segments(connection: psycopg.Connection) -> None:
    """Let every segment of now go, those waiting under a later name included."""
    before = _segments(connection)
    for _ in range(ROUNDS):
        connection.execute("CHECKPOINT")
        connection.execute("SELECT pg_switch_wal()")
        connection.execute("CHECKPOINT")
        if not before & _segments(connection):
            return
    raise TimeoutError(f"The write-ahead log still has segments from before after {ROUNDS} checkpoints. Try again.")


def _segments(connection: psycopg.Connection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM pg_ls_waldir()")}


def needles_of(forms: Forms, floats: str = "") -> dict[str, list[bytes]]:
    """The forms as bytes on a disk; a vector as half and as single floats."""
    found = {name: [text.encode() for text in texts if text] for name, texts in forms.texts.items() if name != "bytes"}
    if floats:
        numbers = [float(number.strip(" []")) for number in floats.split(",")][:FLOATS]
        found["vector"] = [struct.pack(f"<{len(numbers)}{kind}", *numbers) for kind in "ef"]
    return found


def look(folder: Path, needles: Mapping[str, list[bytes]]) -> Iterator[tuple[Path, str]]:
    """Every file below `folder` that holds one of the needles, with the form that it holds."""
    for path in sorted(folder.rglob("*")):
        try:
            yield from ((path, form) for form in _held(path, needles))
        except (FileNotFoundError, IsADirectoryError):
            continue  # a temporary file that is gone again


def _held(path: Path, needles: Mapping[str, list[bytes]]) -> list[str]:
    if path.is_symlink() or not path.is_file() or path.stat().st_size == 0:
        return []
    descriptor = os.open(path, os.O_RDONLY)
    try:
        with mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ) as content:
            return [form for form, some in needles.items() if any(content.find(one) >= 0 for one in some)]
    finally:
        os.close(descriptor)
