"""Starts, shares and stops the embedded PostgreSQL of one home.

The server belongs to no process: `pg_ctl` puts it into a session of its own, so it outlives Ctrl-C and a killed
parent, and whoever comes next finds it through its socket. One lock orders init, start and stop; a second, shared one
counts the users, so that the last of them can stop the server.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from console.postgres import PostgresUnavailable, cluster, places
from console.postgres.places import PORT, Place, place

_held: dict[Path, int] = {}  # users file -> descriptor, for as long as this process lives


@dataclass(frozen=True, slots=True)
class Server:
    """How to reach the running server. `port` only names the socket; there is no network port."""

    socket_dir: Path
    port: int
    superuser: str
    data_dir: Path
    log_file: Path


@dataclass(frozen=True, slots=True)
class Status:
    """What is known of a home without starting anything. `pid` is the postmaster's, None when it does not run."""

    running: bool
    pid: int | None
    initialized: bool
    account: str
    server: Server


def socket_dir(home: Path) -> Path:
    """The folder of the socket of `home`, the same before and after the start."""
    return place(home).socket_dir


def ensure_running(home: Path) -> Server:
    """The server of `home`, created and started when need be. Raises PostgresUnavailable with advice."""
    where = place(home)
    if cluster.ready(where):
        return _server(where)
    try:
        with _lock(where):
            if not cluster.ready(where):
                cluster.bring_up(where)
    except OSError as error:
        raise PostgresUnavailable(
            f"The database folder {error.filename or where.cluster} cannot be used ({error.strerror}). Set "
            "MEMORY_CONSOLE_HOME to a folder that you may write to, or DATABASE_URL to a server of your own."
        ) from error
    return _server(where)


def stop(home: Path) -> bool:
    """Stop the server of `home`, whoever uses it. Returns whether it ran."""
    where = place(home)
    if not where.near.is_dir():
        return False
    with _lock(where):
        return cluster.stop(where)


def status(home: Path) -> Status:
    """What runs for `home`; starts nothing."""
    where = place(home)
    running = cluster.postmaster(where)
    created = (where.data_dir / "PG_VERSION").exists()
    return Status(
        cluster.ready(where),
        running.pid if running else None,
        created,
        where.account.name,
        _server(where),
    )


def keep(home: Path) -> None:
    """Count this process as a user of `home` until it ends or calls `stop_if_unused`."""
    where = place(home)
    if where.users_file not in _held:
        try:
            places.make_folder(where.near)
            _held[where.users_file] = _locked(where.users_file, fcntl.LOCK_SH)
        except OSError as error:
            raise PostgresUnavailable(
                f"The data folder {where.near} cannot be used ({error.strerror}). "
                "Set MEMORY_CONSOLE_HOME to a folder that you may write to."
            ) from error


@contextmanager
def hold(home: Path) -> Iterator[Server]:
    """A running server that `stop_if_unused` of other processes leaves alone inside the block."""
    where = place(home)
    places.make_folder(where.near)
    descriptor = _locked(where.users_file, fcntl.LOCK_SH)
    try:
        yield ensure_running(home)
    finally:
        os.close(descriptor)


def stop_if_unused(home: Path) -> bool:
    """Stop the server unless another process uses `home`; this process gives up its own `keep`. True when stopped."""
    where = place(home)
    own = _held.pop(where.users_file, None)
    if own is not None:
        os.close(own)
    if not where.near.is_dir():
        return False
    try:
        descriptor = _locked(where.users_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    try:
        return stop(home)
    finally:
        os.close(descriptor)


def _server(where: Place) -> Server:
    return Server(where.socket_dir, PORT, cluster.SUPERUSER, where.data_dir, where.log_file)


def _locked(path: Path, how: int) -> int:
    descriptor = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, how)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


@contextmanager
def _lock(where: Place) -> Iterator[None]:
    places.make_folder(where.near)
    descriptor = _locked(where.lock_file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(descriptor)
