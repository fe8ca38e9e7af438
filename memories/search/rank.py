"""How well visible rows answer a query: by their words, by their meaning, and by both.

The words score is the share of the query's information that a row covers (inverse document frequency of BM25 as the
weight of each term, Robertson and Zaragoza 2009), slightly less for long texts. The meaning score is the cosine above
the model's floor. Both lie in 0..1; their convex combination is what strictness cuts, which rank fusion, whose scores
say nothing about strength, cannot offer (Bruch et al. 2023).
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import BooleanField, FloatField, IntegerField, QuerySet
from django.db.models.expressions import RawSQL

from memories.embedding import Embedder, EmbeddingUnavailable, Vectors, get_embedder
from memories.models import Memory
from memories.search.terms import Term, Terms
from memories.search.wanted import like, literal

log = logging.getLogger(__name__)

CANDIDATES = 1_000  # rows ranked by words
NEAREST = 100  # rows ranked by meaning
COUNTED = 5_000  # rows counted of one term; above it a term says next to nothing
SMOOTHING = 1_000  # rows added to the count of all, so that in a small space a word is not common by accident
USUAL_LENGTH = 40  # lexemes of a text that is neither long nor short
LENGTH_SHARE = 0.2  # how much of the words score the length can take
WORDS_SHARE = 0.5  # of the combined score; 0.4 to 0.7 find the same
MEANING_SPAN = 0.7  # share of the way from floor to 1 at which two texts mean the same


@dataclass(frozen=True, slots=True)
class Score:
    """One row's scores, each 0..1; `meaning` is None where it has no vector. `terms` are the places of those found."""

    memory_id: UUID
    score: float
    words: float
    meaning: float | None
    terms: tuple[int, ...]
    covers: bool  # every word that says something is there


@dataclass(frozen=True, slots=True)
class Question:
    """A query in both forms; `vector` is None where the model cannot be reached."""

    terms: Terms
    weights: tuple[float, ...]
    embedder: Embedder | None
    vector: Vectors | None


def question(query: str, terms: Terms, visible: QuerySet[Memory]) -> Question:
    """`terms` weighed by how rare they are in `visible`, and the vector of `query`."""
    weights = _weights(terms.terms, visible)
    try:
        embedder = get_embedder()
        return Question(terms, weights, embedder, embedder.embed_query(query))
    except EmbeddingUnavailable as problem:
        log.warning("Searching by words only. %s", problem)
        return Question(terms, weights, None, None)


def ranked(asked: Question, rows: QuerySet[Memory]) -> list[Score]:
    """The best of `rows`, best first; equal scores in order of id."""
    for phrase in asked.terms.phrases:
        rows = rows.filter(like("folded", f"%{literal(phrase)}%"))
    found = {score.memory_id: score for score in _by_words(asked, rows)}
    found |= {score.memory_id: score for score in _by_meaning(asked, rows)}
    if asked.terms.phrases:
        found = {score.memory_id: score for score in _as_they_are(rows)} | found
    elif not any(score.words for score in found.values()):
        found |= {score.memory_id: score for score in _by_substring(asked, rows)}
    return sorted(found.values(), key=lambda score: (-score.score, str(score.memory_id)))


def _weights(terms: tuple[Term, ...], visible: QuerySet[Memory]) -> tuple[float, ...]:
    if not terms:
        return ()
    counts = _counts([visible, *(visible.filter(_matches(term.query)) for term in terms)])
    total = counts[0] + SMOOTHING
    return tuple(
        term.weight * math.log(1 + (total - count + 0.5) / (count + 0.5))
        for term, count in zip(terms, counts[1:], strict=True)
    )


def _counts(sets: list[QuerySet[Memory]]) -> list[int]:
    """How many rows each has, counted up to COUNTED, in one statement."""
    try:
        compiled = [rows.order_by().values("pk")[:COUNTED].query.sql_with_params() for rows in sets]
    except EmptyResultSet:  # the boundary admits nothing at all, such as an empty list of buckets
        return [0] * len(sets)
    statement = ", ".join(f"(SELECT count(*) FROM ({sql}) AS counted)" for sql, _ in compiled)  # noqa: S608 - of the ORM
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {statement}", [value for _, params in compiled for value in params])
        return list(cursor.fetchone())


def _matches(query: str) -> RawSQL:
    return RawSQL('"memories_memory"."search" @@ %s::tsquery', [query], BooleanField())


def _by_words(asked: Question, rows: QuerySet[Memory]) -> list[Score]:
    """Rows with the rarest terms of the query, at most CANDIDATES of them."""
    order = sorted(range(len(asked.weights)), key=lambda place: -asked.weights[place])
    telling = [place for place in order if asked.weights[place] > 0.2 * asked.weights[order[0]]]
    if not telling:
        return []
    every = " & ".join(f"({asked.terms.terms[place].query})" for place in telling)
    some = " | ".join(f"({asked.terms.terms[place].query})" for place in telling)
    full = _scored(asked, rows.filter(_matches(every)).order_by("-created_at", "-pk")[:NEAREST])
    return full + _scored(asked, rows.filter(_matches(some)).order_by(*_by_rarity(asked, telling))[:CANDIDATES])


def _by_rarity(asked: Question, telling: list[int]) -> list[Any]:
    """Rows with the rarest term first, newest first among equals."""
    return [_matches(asked.terms.terms[telling[0]].query).desc(), "-created_at", "-pk"]


def _by_meaning(asked: Question, rows: QuerySet[Memory]) -> list[Score]:
    """The nearest rows, exactly: the zero keeps an approximate index out."""
    if asked.vector is None or asked.embedder is None:
        return []
    rows = rows.filter(embedding__active=True, embedding__model=asked.embedder.name)
    distance = RawSQL(
        '("memories_memoryembedding"."vector" <=> %s::halfvec) + 0', [_as_halfvec(asked.vector)], FloatField()
    )
    return _scored(asked, rows.order_by(distance, "pk")[:NEAREST])


def _by_substring(asked: Question, rows: QuerySet[Memory]) -> list[Score]:
    """Rows that hold the query as it is, where no word of it is known: parts of ids and of long words."""
    return _as_they_are(rows.filter(like("folded", f"%{literal(asked.terms.folded)}%"))) if asked.terms.folded else []


def _as_they_are(rows: QuerySet[Memory]) -> list[Score]:
    """The newest of `rows`, which hold literally what was asked."""
    newest = rows.order_by("-created_at", "-pk").values_list("pk", flat=True)[:NEAREST]
    return [Score(pk, 1.0, 1.0, None, (), True) for pk in newest]


def _as_halfvec(vector: Vectors) -> str:
    return "[" + ",".join(f"{value:.6f}" for value in vector) + "]"


def _scored(asked: Question, rows: QuerySet[Memory]) -> list[Score]:
    queries = [term.query for term in asked.terms.terms]
    has = ", ".join(['"memories_memory"."search" @@ %s::tsquery'] * len(queries))
    annotations = {
        "has_terms": RawSQL(f"ARRAY[{has}]::boolean[]", queries, BooleanField()),  # noqa: S611 - parameters only
        "lexemes": RawSQL('length("memories_memory"."search")', [], IntegerField()),
        "cosine": _cosine(asked),
    }
    return [_score(asked, *row) for row in rows.annotate(**annotations).values_list("pk", *annotations)]


def _cosine(asked: Question) -> RawSQL:
    if asked.vector is None or asked.embedder is None:
        return RawSQL("NULL::float8", [], FloatField())
    return RawSQL(
        "(SELECT 1 - (v.vector <=> %s::halfvec) FROM memories_memoryembedding v "
        'WHERE v.memory_id = "memories_memory"."id" AND v.model = %s)',
        [_as_halfvec(asked.vector), asked.embedder.name],
        FloatField(),
    )


def _score(asked: Question, pk: UUID, has: list[bool], lexemes: int, cosine: float | None) -> Score:
    found = tuple(place for place, there in enumerate(has) if there)
    whole = sum(asked.weights)
    covered = sum(asked.weights[place] for place in found) / whole if whole else 0.0
    length = 1 - LENGTH_SHARE * (1 - 1 / (1 + max(lexemes - USUAL_LENGTH, 0) / USUAL_LENGTH))
    words = covered * length
    meaning = None
    if cosine is not None and asked.embedder is not None:
        floor = asked.embedder.floor
        meaning = min(max((cosine - floor) / ((1 - floor) * MEANING_SPAN), 0.0), 1.0)
    score = words if meaning is None else WORDS_SHARE * words + (1 - WORDS_SHARE) * meaning
    return Score(pk, score, words, meaning, found, _covers(asked, found))


def _covers(asked: Question, found: tuple[int, ...]) -> bool:
    telling = {place for place, term in enumerate(asked.terms.terms) if term.weight == 1.0}
    return bool(telling or found) and (telling or set(range(len(asked.terms.terms)))) <= set(found)
