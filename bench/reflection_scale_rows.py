"""The records that `bench/reflection_scale.py` measures with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from django.utils import timezone
from uuid6 import uuid7

from memories.embedding import get_embedder
from memories.models import Memory, MemoryEmbedding, MemoryState, User

PASSES = 5  # applied, and as many by hand
TABLES = ["memories_memory", "memories_memorystate", "memories_memoryembedding", "memories_memorylink"]
INDEXES = """SELECT i.relname, pg_get_indexdef(i.oid) FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
  WHERE x.indrelid = ANY(%s::regclass[]) AND NOT x.indisunique AND i.relname NOT LIKE 'embedding_nearest%%'
  ORDER BY i.relname"""


@dataclass(frozen=True, slots=True)
class Layout:
    """`rows` memories of so many owners; more than one are a team. `prefix` starts their ids."""

    name: str
    rows: int
    owners: int
    prefix: str


LAYOUTS = (
    Layout("owner", 100_000, 1, "01900000"),
    Layout("team", 100_000, 5, "01910000"),
    Layout("small", 10_000, 1, "01920000"),
)

_ID = "(%(prefix)s || '-0000-7000-8000-' || lpad(to_hex({n}), 12, '0'))::uuid"
# Vectors are marked inactive, which plans do not look at: the index of the nearest ones would take minutes to build.
# Every 200th row is a summary of 40 of the events before it; in the last day every 20th event says one of six things
# again; every 33rd row repeats the words of another.
FILL = (
    f"""INSERT INTO memories_memory (id, owner_id, team_id, bucket, path, created_at, updated_at, memory_type, content,
      metadata, provenance, session, source, agent_id, language, trust, derivation, pass_id, event_type, pinned, hold,
      expires_at)
    SELECT {_ID.format(n="i")}, (%(owners)s::uuid[])[1 + i %% cardinality(%(owners)s::uuid[])], %(team)s::uuid, 'work',
      'bench/' || i / 60 %% 50, at, at,
      CASE WHEN i %% 200 = 199 THEN 'semantic' ELSE
        (ARRAY['episodic','episodic','episodic','episodic','episodic','episodic','semantic','semantic','procedural',
               'working'])[1 + i %% 10] END,
      CASE WHEN i < 144 AND i %% 10 < 2 THEN 'The harbour of fact ' || i %% 6 || ' opens at nine every morning.'
           WHEN i %% 33 = 0 THEN 'The same words were said again, number ' || i / 330
           ELSE said.text || ' ' || i END,
      '{{}}', '{{}}', 's' || i / 20, '', '', 'en', 1, CASE WHEN i %% 200 = 199 THEN 'summary' ELSE '' END,
      CASE WHEN i %% 200 = 199 THEN gen_random_uuid() END, '', i %% 97 = 0,
      CASE WHEN i %% 991 = 0 THEN 'case' ELSE '' END,
      CASE WHEN i %% 50 = 7 THEN now() - (i %% 100 - 50) * interval '1 day' END
    FROM generate_series(0, %(rows)s - 1) AS i, LATERAL (SELECT now() - i * interval '10 minutes' AS at) AS t,
      LATERAL (SELECT string_agg('w' || (random() ^ 2 * 5000)::int, ' ') AS text
               FROM generate_series(1, 16) WHERE i >= 0) AS said""",  # noqa: S608 - constants
    """INSERT INTO memories_memorystate (memory_id, status, version, status_before_delete, importance, base, anchor,
      use_count, last_used_at)
    SELECT id, 'active', 1, '', 0.5, 0.5, created_at, 0,
      CASE WHEN random() < 0.3 THEN created_at + random() * (now() - created_at) END
    FROM memories_memory WHERE starts_with(id::text, %(prefix)s)""",
    """CREATE TEMPORARY TABLE IF NOT EXISTS pool AS SELECT n, l2_normalize((
      SELECT array_agg(random_normal()::real) FROM generate_series(1, %(dimension)s) WHERE n >= 0)::halfvec) AS vector
    FROM generate_series(0, 4999) AS n""",
    """INSERT INTO memories_memoryembedding (memory_id, space_id, active, model, dimension, vector, created_at)
    SELECT id, space_id, false, %(model)s, %(dimension)s, pool.vector, created_at
    FROM memories_memory, LATERAL (SELECT ('x' || right(id::text, 8))::bit(32)::int AS i) AS place
      JOIN pool ON n = CASE WHEN i < 300 THEN i ELSE 300 + i %% 4700 END
    WHERE starts_with(id::text, %(prefix)s)""",
    f"""INSERT INTO memories_memorylink (id, origin_id, target_id, kind, position, quote, created_at)
    SELECT gen_random_uuid(), {_ID.format(n="i")}, {_ID.format(n="i + k")}, 'derived_from', k, '', now()
    FROM generate_series(199, %(rows)s - 100, 200) AS i, generate_series(1, 60) AS k
    WHERE (i + k) %% 10 < 6 AND (i + k) %% 200 <> 199""",  # noqa: S608 - constants
)


def fill_for_apply(owner: User) -> None:
    """A space in which one pass finds 500 candidates of all five kinds."""
    now, chance = timezone.now(), np.random.default_rng(7)
    made: list[tuple[Memory, dict[str, object]]] = []

    def add(text: str, kind: str, hours: float, state: dict[str, object] | None = None, **fields: object) -> None:
        at = now - timedelta(hours=hours)
        known = {"bucket": "work", "created_at": at, "updated_at": at, "language": "en", "path": "p"}
        memory = Memory(pk=uuid7(), owner=owner, content=text, memory_type=kind, **(known | fields))
        made.append((memory, {"anchor": at} | (state or {})))

    for n in range(400):
        words = " ".join(f"w{k}" for k in chance.integers(0, 5000, 16))
        add(f"Ann wrote {words} on day {n}.", "episodic", 1 + n % 40 * 0.1 + n // 40 * 0.001, path=f"day/{n // 10}")
    for n in range(30):
        add(f"The harbour of fact {n % 10} opens at nine.", "episodic", 10 + n, path=f"said/{n}", session=str(n))
    for n in range(150):
        add(f"Guest code {n}", "semantic", 90, expires_at=now - timedelta(hours=1))
        add(f"Printer {n} was moved.", "procedural", 24 * 60)
        add(f"Now comparing invoice {n}.", "working", 24 * 20)
    Memory.objects.bulk_create([memory for memory, _ in made])
    MemoryState.objects.bulk_create(MemoryState(memory=memory, **state) for memory, state in made)
    embedder = get_embedder()
    vectors = chance.normal(size=(len(made), embedder.dimension))
    MemoryEmbedding.objects.bulk_create(
        MemoryEmbedding(
            memory=memory, space_id=owner.pk, model=embedder.name, dimension=embedder.dimension, vector=vector
        )
        for (memory, _), vector in zip(made, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), strict=True)
    )
