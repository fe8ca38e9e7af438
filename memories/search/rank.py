"""How well visible rows answer a query: by their words, by their meaning, and by what stands beside them.

Candidates come by words, by meaning and by date; the best of them are read again together with their neighbours in the
same session, and scored (memories/search/strength.py). Rank fusion, whose scores say nothing about strength, could not
say that nothing answers (Bruch et al. 2023).
"""

from __future__ import annotations

import logging
import math
import sys
from concurrent.futures import Future
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from memories.embedding import Embedder, EmbeddingUnavailable, Vectors, get_embedder, waiting
from memories.search import candidates
from memories.search.around import beside, windows
from memories.search.candidates import COUNTED, Question
from memories.search.strength import (
    FITS,
    Numbers,
    Parts,
    Rows,
    found,
    found_beside,
    full,
    meaning_of,
    meant_beside,
    parts,
)
from memories.search.terms import Term, Terms
from memories.search.within import MEMORY, Sql, Within

log = logging.getLogger(__name__)

ANCHORS = 100  # rows that are read again with their neighbours
SMOOTHING = 1_000  # rows added to the count of all, so that in a small space a word is not common by accident
READ = 400  # characters of a query that the model reads; its time grows with them


@dataclass(frozen=True, slots=True)
class Score:
    """One row's score, 0..1, with its parts: what the row and those beside it have of the question (`told`, `meaning`),
    and what it has by itself (`own…`). `terms` are the places of those found in the row itself, `said` of those found
    in its content. A meaning of None: no vector.
    """

    memory_id: UUID
    score: float
    together: float  # before a row that has every word is raised
    told: float
    meaning: float | None
    own: float
    own_words: float
    own_meaning: float | None
    terms: tuple[int, ...]
    said: tuple[int, ...]


def whole(memory_id: UUID) -> Score:
    """The score of a row that holds literally what was asked."""
    return Score(memory_id, 1.0, 1.0, 1.0, None, 1.0, 1.0, None, (), ())


@dataclass(frozen=True, slots=True)
class Asking:
    """A question on its way through the model; `embedder` is None where there is none to ask."""

    embedder: Embedder | None
    vector: Future[Vectors] | None

    def answer(self) -> tuple[Embedder | None, Vectors | None]:
        """The model and the vector, or neither where the model cannot be reached in time."""
        if self.embedder is None or self.vector is None:
            return None, None
        try:
            return self.embedder, waiting.told(self.vector)
        except EmbeddingUnavailable as problem:
            log.warning("Searching by words only. %s", problem)
            return None, None


def ask(query: str) -> Asking:
    """Have the model read the start of `query`; meanwhile the database can be asked what does not need the vector."""
    try:
        embedder = get_embedder()
    except EmbeddingUnavailable as problem:
        log.warning("Searching by words only. %s", problem)
        return Asking(None, None)
    return Asking(embedder, waiting.begin(embedder.embed_query, query[:READ]))


def ranked(asked: Question, within: Within, visible: Within, least: float = 0.0) -> list[Score]:
    """The best of the rows `within` that score `least` or more, best first; equal scores in order of id. Neighbours
    count as far as they are `visible`; both are the same object where nothing narrows.
    """
    for phrase in asked.terms.phrases:
        within = within.narrowed(candidates.holding(phrase))
    table = _scored(asked, within, visible)
    chosen = np.flatnonzero(table.answers & (table.scores >= least)).tolist()
    scores = {table.rows.ids[at]: table.score_of(at) for at in chosen}
    if asked.terms.phrases:
        known = set(table.rows.ids)
        scores |= {pk: whole(UUID(pk)) for pk in candidates.newest(within.queryset) if pk not in known}
    elif not (table.hits[table.answers] > 0).any():
        scores |= {pk: whole(UUID(pk)) for pk in candidates.by_substring(asked, within.queryset)}
    return [score for _, score in sorted(scores.items(), key=lambda item: (-item[1].score, item[0]))]


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """The rows with their scores; `answers` says which of them lie within the filters."""

    rows: Rows
    hits: Numbers
    own: Parts
    together: Parts
    scores: Numbers
    answers: NDArray[np.bool_]

    def score_of(self, at: int) -> Score:
        """The score of one row."""
        return Score(
            UUID(self.rows.ids[at]),
            float(self.scores[at]),
            float(self.together.score[at]),
            float(self.together.told[at]),
            _known(self.together.meaning[at]),
            float(self.own.score[at]),
            float(self.own.words[at]),
            _known(self.own.meaning[at]),
            tuple(np.flatnonzero(self.hits[at] > 0).tolist()),
            tuple(np.flatnonzero(self.rows.said[at]).tolist()),
        )


def _known(meaning: float) -> float | None:
    return None if math.isnan(meaning) else float(meaning)


def _scored(asked: Question, within: Within, visible: Within) -> _Table:
    anchors = _anchors(asked, candidates.first(asked, within))
    around = windows(anchors)
    near = {pk for window in around for pk in window if pk is not None}
    rows = candidates.read(asked, visible, sorted({*anchors, *near}))
    places = beside(around, {pk: place for place, pk in enumerate(rows.ids)})
    hits, meaning = found(asked.terms.terms, rows), meaning_of(rows.cosine, asked.floor)
    own = parts(asked.weights, hits, meaning)
    together = parts(asked.weights, found_beside(hits, rows.said, places), meant_beside(meaning, places))
    scores = np.where(_covers(asked, hits), full(together.score), together.score).round(4)
    return _Table(rows, hits, own, together, scores, _answers(within, visible, rows.ids, anchors))


def _anchors(asked: Question, rows: Rows) -> list[str]:
    """The best of the rows by themselves, equal ones in order of id."""
    hits = found(asked.terms.terms, rows)
    scores = parts(asked.weights, hits, meaning_of(rows.cosine, asked.floor)).score
    return [rows.ids[at] for at in np.lexsort((np.array(rows.ids, dtype=np.str_), -scores))[:ANCHORS]]


def _answers(within: Within, visible: Within, ids: list[str], anchors: list[str]) -> NDArray[np.bool_]:
    """Which rows lie within the filters. Anchors do; neighbours may not."""
    if within is visible:
        return np.ones(len(ids), dtype=bool)
    allowed = {*anchors, *candidates.those(within, sorted(set(ids) - set(anchors)))}
    return np.array([pk in allowed for pk in ids], dtype=bool)


def _covers(asked: Question, hits: Numbers) -> NDArray[np.bool_]:
    """Which rows have every word that says something, or the phrase that was asked for."""
    if asked.terms.phrases:
        return np.ones(len(hits), dtype=bool)
    telling = [place for place, term in enumerate(asked.terms.terms) if term.weight == 1.0]
    there = hits[:, telling] >= FITS if telling else hits >= FITS
    return np.logical_and(there.all(axis=1), there.any(axis=1))


def question(asking: Asking, terms: Terms, visible: Within) -> Question:
    """`terms` weighed by how rare they are in `visible`, with the vector of the query.

    The weight of a term is what finding it says, in nats: a date by its length, a word by how rare it is. Where a count
    broke off, as many rows have the term as there may be; dates are not counted.
    """
    words = [place for place, term in enumerate(terms.terms) if term.span is None]
    total, *counted = _counts(visible, [terms.terms[place].query for place in words])
    counts = dict(zip(words, counted, strict=True))
    weights = tuple(_weight(term, counts.get(place, 0), total + SMOOTHING) for place, term in enumerate(terms.terms))
    bounded = tuple(
        count if (count := counts.get(place, 0)) < COUNTED else sys.maxsize for place in range(len(terms.terms))
    )
    return Question(terms, weights, bounded, total, *asking.answer())


def _weight(term: Term, count: int, total: int) -> float:
    if term.span is not None:
        return term.span.weight
    return term.weight * math.log(1 + (total - count + 0.5) / (count + 0.5))


def _counts(visible: Within, queries: list[str]) -> list[int]:
    """How many rows there are, and how many match each query, counted up to COUNTED, in one statement."""
    one = Sql(f'{MEMORY}."id"')
    sets = [visible.select(one, condition, most=COUNTED) for condition in (None, *map(candidates.has, queries))]
    statement = ", ".join(f"(SELECT count(*) FROM ({rows.text}) AS counted)" for rows in sets)  # noqa: S608 - no values
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {statement}", [value for rows in sets for value in rows.params])
        return list(cursor.fetchone())
