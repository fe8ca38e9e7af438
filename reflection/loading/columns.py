"""The rows of a pass as columns, read in two statements whatever their number.

PostgreSQL writes its binary COPY format with a fixed width per row here, so numpy takes it as it comes: a hundred
thousand rows without one Python object each. See docs/adr/0011-reading-for-a-plan.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any
from uuid import UUID

import numpy as np
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.backends.postgresql.psycopg_any import mogrify
from django.db.models import BinaryField
from django.db.models.expressions import RawSQL
from numpy.typing import NDArray

from memories.access import Actor
from reflection.filters import Filters
from reflection.loading.filtered import memories_of
from reflection.planner.columns import ELSEWHERE, KINDS, NOBODY, UNNAMED, Columns, Places

_KIND = " ".join(f"WHEN '{kind}' THEN {place}" for place, kind in enumerate(KINDS))
SPEAKER = "CASE jsonb_typeof(metadata -> 'speaker') WHEN 'string' THEN nullif(metadata ->> 'speaker', '') END"
_WORDS = rf"""substr(sha256(
  uuid_send(owner_id) || convert_to(bucket, 'UTF8') || '\x00' || coalesce('\x01' || convert_to(scope, 'UTF8'), '')
  || '\x00' || coalesce('\x01' || convert_to({SPEAKER}, 'UTF8'), '')
  || '\x00' || convert_to(memory_type || E'\n' || folded, 'UTF8')), 1, 16)"""
_FIELDS = {  # name: how SQL says it, and how COPY writes it
    "ids": ("id", "S16"),
    "versions": ("version", ">i4"),
    "kinds": (f"(CASE memory_type {_KIND} END)::int2", ">i2"),
    "created": ("created_at", ">i8"),
    "updated": ("updated_at", ">i8"),
    "used": ("coalesce(last_used_at, '-infinity')", ">i8"),
    "reactivated": ("coalesce(reactivated_at, '-infinity')", ">i8"),
    "expires": ("coalesce(expires_at, 'infinity')", ">i8"),
    "anchors": ("anchor", ">i8"),
    "importance": ("importance", ">f8"),
    "base": ("base", ">f8"),
    "pinned": ("pinned", "?"),
    "held": ("hold <> ''", "?"),
    "summaries": ("derivation = 'summary'", "?"),
    "undated": ("coalesce(provenance -> 'dated_by' = '\"import\"'::jsonb, false)", "?"),
    # Only to see what cannot belong together: rows that a chance equality brings along are told apart by the planner.
    "boundaries": (
        "uuid_hash_extended(owner_id, 0) # hashtextextended(bucket, 1) # coalesce(hashtextextended(scope, 2), 3)",
        ">i8",
    ),
    "paths": ("hashtextextended(path, 0)", ">i8"),
    "speakers": (f"coalesce(hashtextextended({SPEAKER}, 4), {UNNAMED})", ">i8"),
    "words": (_WORDS, "S16"),
}
_CITING = """SELECT link.origin_id, link.target_id FROM memories_memorylink link
  JOIN memories_memory origin ON origin.id = link.origin_id
  JOIN memories_memorystate state ON state.memory_id = origin.id
  WHERE link.kind = 'derived_from' AND origin.space_id = %s AND origin.derivation = 'summary'
    AND state.status = 'active'"""
_HEAD, _TAIL = 19, 2  # bytes before the first row and after the last one


def words_of(
    owner_id: UUID, bucket: str, scope: str | None, memory_type: str, folded: str, speaker: str | None
) -> bytes:
    """What the column `words` holds for a memory of this boundary and type in which `speaker` says these words."""
    scoped, spoken = (b"" if part is None else b"\1" + part.encode() for part in (scope, speaker))
    said = f"{memory_type}\n{folded}".encode()
    return sha256(b"\0".join([owner_id.bytes + bucket.encode(), scoped, spoken, said])).digest()[:16]


def read(filters: Filters, actor: Actor) -> Columns:
    """All memories that the filters name, in order of (created, id)."""
    said = {f"c_{name}": RawSQL(sql, [], BinaryField()) for name, (sql, _) in _FIELDS.items()}  # noqa: S611
    rows = memories_of(filters, actor).order_by().annotate(**said).values_list(*said)
    layout = [(name, kind) for name, (_, kind) in _FIELDS.items()]
    try:
        table = whole(*rows.query.sql_with_params(), layout)
    except EmptyResultSet:  # a boundary that admits nothing
        table = np.zeros(0, dtype=_layout(layout))
    table = table[np.lexsort((table["ids"], table["created"]))]
    arrays = {name: _native(table[name]) for name in _FIELDS}
    cited_by, cites = _citations(arrays["ids"], filters.space.id)
    return Columns(**arrays, cited_by=cited_by, cites=cites)


def _native(values: NDArray[Any]) -> NDArray[Any]:
    """In the machine's own order of bytes, whole numbers as int64."""
    wide = np.int64 if values.dtype.kind == "i" else values.dtype.newbyteorder("=")
    return np.ascontiguousarray(values.astype(wide))


def _citations(ids: NDArray[np.bytes_], space_id: UUID) -> tuple[Places, tuple[Places, Places]]:
    """For each row the active summary that cites it, of several the latest; and all such pairs among the rows."""
    pairs = whole(_CITING, [space_id], [("origin", "S16"), ("target", "S16")])
    pairs = pairs[np.argsort(pairs["origin"], kind="stable")]
    find = Finder(ids)
    origins, targets = find.places(pairs["origin"]), find.places(pairs["target"])
    cited_by = np.full(len(ids), NOBODY, dtype=np.int64)
    here = targets >= 0
    cited_by[targets[here]] = np.where(origins[here] >= 0, origins[here], ELSEWHERE)
    both = here & (origins >= 0)
    return cited_by, (origins[both], targets[both])


def literal(ids: NDArray[np.bytes_]) -> str:
    """Many ids as PostgreSQL reads an array of them, without one Python object each."""
    digits = np.ascontiguousarray(ids).tobytes().hex()
    return "{" + ",".join(digits[at : at + 32] for at in range(0, len(digits), 32)) + "}"


class Finder:
    """Where ids stand among the ids of some columns."""

    def __init__(self, ids: NDArray[np.bytes_]) -> None:
        self._order = np.argsort(ids)
        self._sorted = ids[self._order]

    def places(self, ids: NDArray[np.bytes_]) -> Places:
        """The place of each, -1 for one that is not among them."""
        if not len(self._sorted):
            return np.full(len(ids), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self._sorted, ids), len(self._sorted) - 1)
        return np.where(self._sorted[at] == ids, self._order[at], -1)


def whole(sql: str, params: Any, fields: list[tuple[str, str]]) -> NDArray[Any]:
    """The answer to a question whose fields all have a fixed width and are never null."""
    return _table(b"".join(_copied(sql, params))[_HEAD:-_TAIL], _layout(fields))


def in_blocks(sql: str, params: Any, fields: list[tuple[str, str]], most: int) -> Iterator[NDArray[Any]]:
    """The same, about `most` rows at a time."""
    layout, kept, skip = _layout(fields), bytearray(), _HEAD
    for part in _copied(sql, params):
        kept += part
        if len(kept) >= skip + (most + 1) * layout.itemsize:
            yield _table(bytes(kept[skip : skip + most * layout.itemsize]), layout)
            del kept[: skip + most * layout.itemsize]
            skip = 0
    if len(kept) > skip + _TAIL:
        yield _table(bytes(kept[skip:-_TAIL]), layout)


def _layout(fields: list[tuple[str, str]]) -> np.dtype[Any]:
    """A row of COPY: how many fields, then each with its length before it."""
    parts: list[tuple[str, str]] = [("fields", ">i2")]
    for name, kind in fields:
        parts += [(f"{name} length", ">i4"), (name, kind)]
    return np.dtype(parts)


def _table(data: bytes, layout: np.dtype[Any]) -> NDArray[Any]:
    return np.frombuffer(data, dtype=layout)


def _copied(sql: str, params: Any) -> Iterator[Any]:
    """The answer in the binary format, piece by piece. COPY takes no parameters: the driver puts them in, quoted."""
    with connection.cursor() as cursor, connection.wrap_database_errors:
        statement = mogrify(f"COPY ({sql}) TO STDOUT (FORMAT BINARY)", params, connection)
        with cursor.copy(statement) as answer:
            yield from answer
