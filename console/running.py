"""Which consoles run on this data folder: each `up` holds a lock on a file that names its port."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from django.conf import settings


def lock_file(home: Path, port: int) -> Path:
    """The file that the `up` of this home and port holds."""
    return home / f"up-{port}.lock"


def lock(descriptor: int) -> bool:
    """Take the lock of an open file; False when somebody else holds it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def address() -> str | None:
    """Where the console of this data folder answers, if one runs; the one of PORT where several do."""
    ports = [int(path.stem[3:]) for path in settings.HOME.glob("up-*.lock") if path.stem[3:].isdigit() and _held(path)]
    if not ports or settings.PORT in ports:
        return None
    return f"http://127.0.0.1:{min(ports)}"


def _held(path: Path) -> bool:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return not lock(descriptor)
    finally:
        os.close(descriptor)
