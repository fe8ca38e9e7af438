"""The nearest vectors: exactly in a space of usual size, by the HNSW index in a very large one.

Exact search reads every vector of the space, which is faster than the index up to about 50,000 of them and misses none.
The planner guesses the crossing wrongly, so it is chosen here (docs/adr/0006-search-index.md). The index is scanned on
until enough rows have passed the filters, and its order is only nearly right: whoever asks sorts again. A scan may end
too early, because it has a limit and because many equal vectors tear holes into the graph: then all are read.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import connection, transaction
from django.db.models import FloatField, QuerySet
from django.db.models.expressions import RawSQL

from memories.embedding import Embedder, Vectors
from memories.models import Memory

EXACT_MOST = 50_000  # rows
REMEMBERED_SECONDS = 60.0  # how long a space counts as large or not
SPACES_MOST = 10_000  # remembered at once
VECTOR = '"memories_memoryembedding"."vector"'
SCAN = {"hnsw.ef_search": "100", "hnsw.iterative_scan": "relaxed_order", "enable_sort": "off"}
AFTER = {"hnsw.ef_search": "40", "hnsw.iterative_scan": "off", "enable_sort": "on"}
# The texts lie in the way of whoever counts rows by reading the table; and where there are no statistics yet, as just
# after an import, nested loops would compare all rows with all.
COUNT = {"enable_seqscan": "off", "enable_nestloop": "off"}
COUNTED = {"enable_seqscan": "on", "enable_nestloop": "on"}

_large: dict[tuple[str, str], tuple[float, bool]] = {}


def nearest(
    rows: QuerySet[Memory], embedder: Embedder, vector: Vectors, *, most: int, there: int | None = None
) -> list[UUID]:
    """Ids of the `most` rows nearest to the unit `vector`; `rows` are joined to active vectors of the model.

    `there` is how many rows there are at most, where that is known.
    """
    if (there is not None and there <= EXACT_MOST) or not _is_large(rows, embedder.name):
        return _exactly(rows, vector, most)
    cast = f"halfvec({len(vector)})"
    distance = RawSQL(f"{VECTOR}::{cast} <=> %s::{cast}", [as_halfvec(vector)], FloatField())  # noqa: S611
    with _with_settings(SCAN, AFTER):
        found = list(rows.order_by(distance).values_list("pk", flat=True)[:most])
    return found if len(found) == most else _exactly(rows, vector, most)


def _exactly(rows: QuerySet[Memory], vector: Vectors, most: int) -> list[UUID]:
    # The zero keeps the index out.
    distance = RawSQL(f"({VECTOR} <=> %s::halfvec) + 0", [as_halfvec(vector)], FloatField())  # noqa: S611
    return list(rows.order_by(distance, "pk").values_list("pk", flat=True)[:most])


def as_halfvec(vector: Vectors) -> str:
    """The vector as PostgreSQL reads it."""
    return "[" + ",".join(f"{value:.6f}" for value in vector) + "]"


def forget_sizes() -> None:
    """Count anew at the next search."""
    _large.clear()


def _is_large(rows: QuerySet[Memory], model: str) -> bool:
    """Whether `rows` are more than EXACT_MOST; for rows of the same spaces and filters an answer holds for a minute."""
    try:
        sql, params = rows.order_by().values("pk").query.sql_with_params()
    except EmptyResultSet:  # the boundary admits nothing at all
        return False
    key = (model, f"{sql} {[value for value in params if not hasattr(value, 'tzinfo')]}")
    now = time.monotonic()
    known = _large.get(key)
    if known is None or now - known[0] > REMEMBERED_SECONDS:
        if len(_large) >= SPACES_MOST:
            _large.clear()
        with _with_settings(COUNT, COUNTED):
            known = _large[key] = now, rows.order_by()[EXACT_MOST : EXACT_MOST + 1].exists()
    return known[1]


@contextmanager
def _with_settings(within: dict[str, str], after: dict[str, str]) -> Iterator[None]:
    """Settings for one query; they are put back, because a request is one transaction."""
    with transaction.atomic():
        _set(within)
        yield
        _set(after)


def _set(values: dict[str, str]) -> None:
    each = ", ".join(["set_config(%s, %s, true)"] * len(values))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {each}", [part for item in values.items() for part in item])
