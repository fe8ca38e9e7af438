"""The erasure ledger beside the database: one JSON line per erased record, ids only.

A backup that is older than an erasure brings the record back and does not know of the erasure; this file does, for it
is not part of the backup. `manage.py reapply_erasures` replays it.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from uuid import UUID

from django.conf import settings

from memories.models import Erasure

log = logging.getLogger(__name__)
IDS = ("record_id", "space_id", "owner_id", "erased_by_id", "audit_id", "because_of")


def path() -> Path:
    """Where the file lies."""
    return Path(settings.ERASURES_FILE)


def append(rows: Sequence[Erasure]) -> bool:
    """Add a line for each row and wait until the disk has them. A failure is logged: the table has them too."""
    lines = "".join(json.dumps(_as_json(row), ensure_ascii=True) + "\n" for row in rows)
    try:
        path().parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path(), os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            _write(descriptor, lines.encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        log.error(
            "The erasure of %d records could not be noted in %s (%s). Make room or mend its rights, then run "
            "manage.py reapply_erasures, which adds what is missing.",
            len(rows),
            path(),
            error.strerror,
        )
        return False
    return True


def _write(descriptor: int, data: bytes) -> None:
    """All of it, on a line of its own: what a crash or a full disk cut off before stays cut off alone."""
    size = os.fstat(descriptor).st_size
    left = data if not size or os.pread(descriptor, 1, size - 1) == b"\n" else b"\n" + data
    while left:
        left = left[os.write(descriptor, left) :]


def _as_json(row: Erasure) -> dict[str, str | None]:
    return {
        **{name: str(value) if (value := getattr(row, name)) else None for name in IDS},
        "kind": row.kind,
        "source": row.source,
        "source_id": row.source_id,
        "erased_at": row.erased_at.isoformat(),
    }


def read() -> Iterator[Erasure]:
    """Every erasure in the file, unsaved. A line that was cut off by a crash is passed over and logged."""
    if not path().exists():
        return
    with path().open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                yield _from_json(json.loads(line))
            except (ValueError, KeyError, TypeError):
                log.warning("Line %d of %s is no erasure and was passed over.", number, path())


def _from_json(values: dict[str, str | None]) -> Erasure:
    ids = {name: UUID(text) if (text := values[name]) else None for name in IDS}
    moment = values["erased_at"]
    if moment is None or any(key is None for name, key in ids.items() if name != "because_of"):
        raise ValueError("incomplete")
    return Erasure(
        **ids,
        kind=values["kind"] or "",
        source=values["source"] or "",
        source_id=values["source_id"],
        erased_at=datetime.fromisoformat(moment),
    )
