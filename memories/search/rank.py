"""How well visible rows answer a query: by their words, by their meaning, and by what stands beside them.

Candidates come by words, by meaning and by date; the best of them are read again together with their neighbours in the
same session, and scored (memories/search/strength.py). Rank fusion, whose scores say nothing about strength, could not
say that nothing answers (Bruch et al. 2023).
"""

from __future__ import annotations

import logging
import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet

from memories.embedding import EmbeddingUnavailable, get_embedder
from memories.models import Memory
from memories.search import candidates
from memories.search.around import beside
from memories.search.candidates import Question
from memories.search.strength import FITS, Parts, Row, found, found_beside, full, meaning_of, meant_beside, parts
from memories.search.terms import Term, Terms

log = logging.getLogger(__name__)

ANCHORS = 100  # rows that are read again with their neighbours
COUNTED = 2_000  # rows counted of one term; a term of so many says next to nothing
SMOOTHING = 1_000  # rows added to the count of all, so that in a small space a word is not common by accident


@dataclass(frozen=True, slots=True)
class Score:
    """One row's score, 0..1, with its parts. `terms` are the places of those found in the row itself, `said` of those
    found in its content.
    """

    memory_id: UUID
    score: float
    parts: Parts
    own: Parts  # without what stands beside
    terms: tuple[int, ...]
    said: tuple[int, ...]
    covers: bool  # every word that says something is there, or the phrase that was asked for


def whole(memory_id: UUID) -> Score:
    """The score of a row that holds literally what was asked."""
    all_of_it = Parts(1.0, 1.0, None)
    return Score(memory_id, 1.0, all_of_it, all_of_it, (), (), covers=True)


def question(query: str, terms: Terms, visible: QuerySet[Memory]) -> Question:
    """`terms` weighed by how rare they are in `visible`, and the vector of `query`."""
    weights, counts = _weights(terms.terms, visible)
    try:
        embedder = get_embedder()
        return Question(terms, weights, counts, embedder, embedder.embed_query(query))
    except EmbeddingUnavailable as problem:
        log.warning("Searching by words only. %s", problem)
        return Question(terms, weights, counts, None, None)


def ranked(asked: Question, rows: QuerySet[Memory], visible: QuerySet[Memory]) -> list[Score]:
    """The best of `rows`, best first; equal scores in order of id. Neighbours count as far as they are `visible`."""
    for phrase in asked.terms.phrases:
        rows = rows.filter(candidates.holding(phrase))
    scores = _scores(asked, rows, visible)
    if asked.terms.phrases:
        scores = {pk: whole(pk) for pk in candidates.newest(rows)} | scores
    elif not any(score.terms for score in scores.values()):
        scores |= {pk: whole(pk) for pk in candidates.by_substring(asked, rows)}
    return sorted(scores.values(), key=lambda score: (-score.score, str(score.memory_id)))


def _scores(asked: Question, rows: QuerySet[Memory], visible: QuerySet[Memory]) -> dict[UUID, Score]:
    first = candidates.first(asked, rows)
    own = {row.memory_id: _own(asked, row) for row in first.values()}
    anchors = sorted(own, key=lambda pk: (-own[pk].score, str(pk)))[:ANCHORS]
    around = beside(anchors)
    ids = set(anchors).union(*(near.values() for near in around.values()))
    known = {row.memory_id: row for row in candidates.read(asked, visible.filter(pk__in=ids), content=True)}
    may_answer = set(rows.filter(pk__in=ids - set(anchors)).values_list("pk", flat=True)) | set(anchors)
    return {pk: _score(asked, known[pk], _rows(around.get(pk, {}), known)) for pk in known if pk in may_answer}


def _rows(near: Mapping[int, UUID], known: Mapping[UUID, Row]) -> dict[int, Row]:
    return {distance: known[pk] for distance, pk in near.items() if pk in known}


def _own(asked: Question, row: Row) -> Parts:
    return parts(asked.weights, found(asked.terms.terms, row), meaning_of(row.cosine, asked.floor))


def _score(asked: Question, row: Row, near: Mapping[int, Row]) -> Score:
    hits = found(asked.terms.terms, row)
    meaning = meaning_of(row.cosine, asked.floor)
    own = parts(asked.weights, hits, meaning)
    together = parts(asked.weights, found_beside(hits, near), meant_beside(meaning, near, asked.floor))
    places = tuple(place for place, hit in enumerate(hits) if hit > 0)
    covers = bool(asked.terms.phrases) or _covers(asked, hits)
    score = full(together.score) if covers else together.score
    return Score(row.memory_id, round(score, 4), together, own, places, tuple(row.said), covers)


def _covers(asked: Question, hits: Iterable[float]) -> bool:
    there = {place for place, hit in enumerate(hits) if hit >= FITS}
    telling = {place for place, term in enumerate(asked.terms.terms) if term.weight == 1.0}
    return bool(telling or there) and (telling or set(range(len(asked.terms.terms)))) <= there


def _weights(terms: tuple[Term, ...], visible: QuerySet[Memory]) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """What finding each term says, in nats: a date by its length, a word by how rare it is. And how many rows have it:
    where the count broke off, as many as there may be; dates are not counted.
    """
    words = [place for place, term in enumerate(terms) if term.span is None]
    if not words:
        return tuple(term.span.weight for term in terms if term.span is not None), (0,) * len(terms)
    counted = _counts([visible, *(visible.filter(candidates.matching(terms[place].query)) for place in words)])
    total, counts = counted[0] + SMOOTHING, dict(zip(words, counted[1:], strict=True))
    weights = (
        term.weight * math.log(1 + (total - counts[place] + 0.5) / (counts[place] + 0.5))
        if term.span is None
        else term.span.weight
        for place, term in enumerate(terms)
    )
    return tuple(weights), tuple(
        count if (count := counts.get(place, 0)) < COUNTED else sys.maxsize for place in range(len(terms))
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
