"""How strongly one row answers a question: pure arithmetic over what was read of the row and of those beside it.

The words part weighs each term by its inverse document frequency (BM25's, Robertson and Zaragoza 2009). A term that
stands in a neighbour of the same session counts in part: people answer in the next sentence. Two figures come of it:
`words`, the share of the question that is covered, and `told`, that share times the root of all that the question says
(many telling words found are better evidence than one). The meaning part is the cosine above the model's floor, the
neighbours' included in part. A logistic function of `told` and meaning is the score: 0.5 where a right answer and the
nearest wrong one to a question of somebody else are equally likely. `bench/search.py --fit` finds its weights; see
docs/adr/0007-strictness.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.search.terms import Term

BESIDE = (0.7, 0.5, 0.3, 0.2)  # what a term counts that stands one, two, … rows before or after in the session
MEANT_BESIDE = (0.6, 0.3)  # what the mean of the neighbours' meaning counts beside one's own
MEANING_SPAN = 0.7  # share of the way from the model's floor to 1 at which two texts mean the same
USUAL = 3.0  # the root of what a usual question says (nats); `told` is 1 where all of it is found
LONGEST = 6.0  # a longer question is no better evidence, or a page of text would find anything
STRONG = 0.6  # strict search shows what scores so much; of 100 foreign questions it answers 2, own it answers 85
FITS = 0.5  # a date that fits so well counts as found


@dataclass(frozen=True, slots=True)
class Row:
    """What was read of a row: whether it has each term in any field; the places of the terms that stand in its
    content; its cosine, if any.
    """

    memory_id: UUID
    has: Sequence[bool]
    said: Sequence[int]
    cosine: float | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Weights:
    """Of the logistic function: `bias`, and what each part adds (log odds)."""

    bias: float
    told: float
    meaning: float


BY_BOTH = Weights(-8.3, 6.0, 8.5)  # python bench/search.py DATA --fit
BY_WORDS = Weights(-6.0, 7.5, 0.0)


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a score; `meaning` is None where the row has no vector."""

    words: float
    told: float
    meaning: float | None

    @property
    def score(self) -> float:
        """The score, 0..1."""
        weights = BY_WORDS if self.meaning is None else BY_BOTH
        odds = weights.bias + weights.told * self.told + weights.meaning * (self.meaning or 0.0)
        return 1 / (1 + math.exp(-odds))


def full(score: float) -> float:
    """The score of a row that itself has every word that says something: strong, and better ones still come first."""
    return max(score, STRONG + score / 10)


def found(terms: Sequence[Term], row: Row) -> list[float]:
    """How well the row itself has each term, 0..1: a word is there or not, a date fits more or less."""
    return [
        1.0 if has else term.span.fit(row.created_at.date()) if term.span is not None else 0.0
        for term, has in zip(terms, row.has, strict=True)
    ]


def found_beside(own: Sequence[float], beside: Mapping[int, Row]) -> list[float]:
    """`own` raised by what the rows beside say; `beside` maps the distance (…, -1, 1, …) to a row."""
    best = list(own)
    for distance, row in beside.items():
        share = BESIDE[abs(distance) - 1]
        for place in row.said:
            if best[place] < share:
                best[place] = share
    return best


def meaning_of(cosine: float | None, floor: float) -> float | None:
    """A cosine as 0..1: the model's floor is 0; MEANING_SPAN of the way from there to 1 is 1."""
    if cosine is None:
        return None
    return min(max((cosine - floor) / ((1 - floor) * MEANING_SPAN), 0.0), 1.0)


def meant_beside(own: float | None, beside: Mapping[int, Row], floor: float) -> float | None:
    """`own` averaged with the meaning of the rows beside, as far as they have vectors."""
    if own is None:
        return None
    total, share = own, 1.0
    for distance, weight in enumerate(MEANT_BESIDE, 1):
        near = [meaning_of(beside[at].cosine, floor) for at in (-distance, distance) if at in beside]
        known = [one for one in near if one is not None]
        if known:
            total += weight * sum(known) / len(known)
            share += weight
    return total / share


def parts(weights: Sequence[float], hits: Sequence[float], meaning: float | None) -> Parts:
    """The parts of a row's score from the terms' weights (nats) and how well each is found."""
    whole = sum(weights)
    covered = sum(weight * hit for weight, hit in zip(weights, hits, strict=True))
    if whole <= 0:
        return Parts(0.0, 0.0, meaning)
    return Parts(covered / whole, covered / whole * min(math.sqrt(whole), LONGEST) / USUAL, meaning)
