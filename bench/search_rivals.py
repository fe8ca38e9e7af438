"""The plain systems that stand beside the product's search: text search, vectors, and two ways to join them.

They see what the product sees of a record at its plainest: the speaker and the text, and the same vectors. PostgreSQL
ranks by `ts_rank` over an OR of the question's stems, pgvector by cosine. Rank fusion adds 1 / (60 + place). The convex
combination halves both scores, each mapped to 0..1 by one line for all questions.
"""

from __future__ import annotations

from uuid import UUID

from django.db import connection

from bench.search_figures import Ranked
from memories.embedding import Embedder

KEPT = 100
FUSED = 60  # Cormack, Clarke and Buettcher 2009
NAMES = ("postgresql text search", "vectors", "rank fusion", "convex combination")

PREPARE = """
CREATE TEMP TABLE bench_text AS
SELECT id, space_id, source_id, to_tsvector('english', coalesce(metadata ->> 'speaker', '') || ' ' || content) AS words
FROM memories_memory WHERE source = 'locomo'
"""
TEXT = """
WITH asked AS (
  SELECT string_agg(quote_literal(lexeme), ' | ')::tsquery AS query
  FROM unnest(to_tsvector('english', %s)) AS lexemes (lexeme, positions, weights)
)
SELECT source_id, ts_rank(words, query) AS score FROM bench_text, asked
WHERE space_id = %s AND words @@ query ORDER BY score DESC, id LIMIT 100
"""
VECTORS = """
SELECT source_id, 1 - (vector <=> %s::halfvec) AS score
FROM memories_memoryembedding JOIN bench_text ON id = memory_id
WHERE bench_text.space_id = %s ORDER BY score DESC, id LIMIT 100
"""


def prepare() -> None:
    """Make the table of texts that the plain systems read."""
    with connection.cursor() as cursor:
        cursor.execute(PREPARE)


def answers(question: str, space: UUID, embedder: Embedder) -> dict[str, Ranked]:
    """What each system answers, best first."""
    vector = "[" + ",".join(f"{value:.6f}" for value in embedder.embed_query(question)) + "]"
    with connection.cursor() as cursor:
        cursor.execute(TEXT, [question, space])
        text: Ranked = cursor.fetchall()
        cursor.execute(VECTORS, [vector, space])
        near: Ranked = cursor.fetchall()
    return dict(zip(NAMES, (text, near, _fused(text, near), _convex(text, near, embedder.floor)), strict=True))


def _fused(*lists: Ranked) -> Ranked:
    score: dict[str, float] = {}
    for ranked in lists:
        for place, (key, _) in enumerate(ranked, 1):
            score[key] = score.get(key, 0.0) + 1 / (FUSED + place)
    return _sorted(score)


def _convex(text: Ranked, near: Ranked, floor: float) -> Ranked:
    """Half and half; `ts_rank` is doubled and cut at 1, the cosine counted from the model's floor."""
    score = {key: 0.5 * min(2 * rank, 1.0) for key, rank in text}
    for key, cosine in near:
        score[key] = score.get(key, 0.0) + 0.5 * max(cosine - floor, 0.0) / (1 - floor)
    return _sorted(score)


def _sorted(score: dict[str, float]) -> Ranked:
    return sorted(score.items(), key=lambda item: (-item[1], item[0]))[:KEPT]
