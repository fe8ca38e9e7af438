"""Memories to search among: many, in a made-up language, with random vectors."""

from __future__ import annotations

import random
from dataclasses import dataclass, fields
from typing import Any

from django.db import connections

from memories.embedding import get_embedder
from memories.models import User

MEMORIES = 100_000
VOCABULARY, WORDS = 5_000, 16  # words in all, and in a text
TABLES = ["memories_memory", "memories_memorystate", "memories_memoryembedding"]

ID = "('01900000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid"


@dataclass(frozen=True, slots=True)
class Kept:
    """How memory `i` is kept, as SQL."""

    bucket: str = "'work'"
    path: str = "'bench/' || i % 50"
    scope: str = "NULL"
    kind: str = "'episodic'"
    status: str = "'active'"


PLAIN = Kept()
# As somebody keeps a lot: six buckets, thirty folders with folders inside, projects, all types, a tenth put away.
VARIED = Kept(
    bucket="(ARRAY['work', 'private', 'atlas', 'home', 'notes', 'reading'])[1 + i % 7 % 6]",
    path="'folder ' || i % 30 || '/' || i % 7 || '/note'",
    scope="CASE WHEN i % 3 = 0 THEN 'tenant:project:' || i % 120 END",
    kind="(ARRAY['episodic', 'semantic', 'procedural', 'working', 'identity'])[1 + i % 11 % 5]",
    status="CASE WHEN i % 20 = 3 THEN 'archived' WHEN i % 20 = 7 THEN 'expired' ELSE 'active' END",
)
_FILL = (
    # Squaring makes low places common: the first word stands in about one text of five, the last in one of 600.
    f"""INSERT INTO memories_memory (id, owner_id, bucket, path, scope, created_at, updated_at, memory_type, content,
      metadata, provenance, session, source, agent_id, language, trust, derivation, event_type, pinned, hold)
    SELECT {ID}, (%(owners)s::uuid[])[1 + i %% %(count)s], :bucket, :path, :scope, at, at, :kind, said.text,
      '{{}}', '{{}}', 's' || i %% %(count)s || '-' || i / (20 * %(count)s), '', '', 'en', 1, '', '', false, ''
    FROM generate_series(0, %(memories)s - 1) AS i, LATERAL (SELECT now() - i * interval '10 minutes' AS at) AS t,
      LATERAL (SELECT string_agg((%(words)s::text[])[1 + floor(random() ^ 2 * %(vocabulary)s)::int], ' ') AS text
               FROM generate_series(1, %(length)s) WHERE i >= 0) AS said""",  # noqa: S608 - constants
    f"""INSERT INTO memories_memorystate (memory_id, status, archived_at, expired_at, version, status_before_delete,
      importance, base, anchor, use_count)
    SELECT id, status, CASE status WHEN 'archived' THEN created_at END, CASE status WHEN 'expired' THEN created_at END,
      1, '', 0.5, 0.5, created_at, 0
    FROM generate_series(0, %(memories)s - 1) AS i JOIN memories_memory ON id = {ID},
      LATERAL (SELECT :status AS status) AS s""",  # noqa: S608 - constants
    """INSERT INTO memories_memoryembedding (memory_id, space_id, active, model, dimension, vector, created_at)
    SELECT id, space_id, true, %(model)s, %(dimension)s, l2_normalize(
      (SELECT array_agg(random_normal()::real) FROM generate_series(1, %(dimension)s) WHERE m.id IS NOT NULL)::halfvec
    ), created_at FROM memories_memory AS m""",
)
INDEXES = """SELECT i.relname, pg_get_indexdef(i.oid) FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
  WHERE x.indrelid = ANY(%s::regclass[]) AND NOT x.indisunique ORDER BY i.relname"""


def vocabulary(chance: random.Random) -> list[str]:
    """Different made-up words of two to four syllables."""
    syllables = [first + second for first in "bcdfghjklmnprstvz" for second in ("a", "e", "i", "o", "u", "an", "or")]
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        words["".join(chance.choices(syllables, k=chance.randint(2, 4)))] = None
    return list(words)


def statements(kept: Kept) -> list[str]:
    """What makes memories, states and vectors, for psycopg."""
    made = list(_FILL)
    for field in fields(kept):
        said = getattr(kept, field.name).replace("%", "%%")
        made = [statement.replace(f":{field.name}", said) for statement in made]
    return made


def fill(owners: list[User], words: list[str], kept: Kept = PLAIN) -> None:
    """The memories of one layout, in place of any before, with states, vectors and fresh statistics.

    The indexes are made after the rows: the same ones, sooner.
    """
    embedder = get_embedder()
    given: dict[str, Any] = {
        "owners": [owner.pk for owner in owners],
        "count": len(owners),
        "memories": MEMORIES,
        "words": words,
        "vocabulary": VOCABULARY,
        "length": WORDS,
        "model": embedder.name,
        "dimension": embedder.dimension,
    }
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"TRUNCATE {', '.join(TABLES)} CASCADE")
        cursor.execute(INDEXES, [TABLES])
        indexes = cursor.fetchall()
        cursor.execute(f"DROP INDEX {', '.join(name for name, _ in indexes)}")
        cursor.execute("SELECT setseed(0.5)")
        for statement in statements(kept):
            cursor.execute(statement, given)
        for _, made in indexes:
            cursor.execute(made)
        cursor.execute(f"VACUUM ANALYZE {', '.join(TABLES)}")
