"""How strongly rows answer a question: pure arithmetic over what was read of them and of those beside them.

The words part weighs each term by its inverse document frequency (BM25's, Robertson and Zaragoza 2009). A term that
stands in a neighbour of the same session counts in part: people answer in the next sentence. Two figures come of it:
`words`, the share of the question that is covered, and `told`, that share times the root of all that the question says
(many telling words found are better evidence than one). The meaning part is the cosine above the model's floor, the
neighbours' included in part. A logistic function of `told` and meaning is the score: 0.5 where a right answer and the
nearest wrong one to a question of somebody else are equally likely. `bench/search.py --fit` finds its weights; see
docs/adr/0007-strictness.md.

All rows of a question are reckoned at once. A row is a line of each array: what it has (n, terms), its meaning (n,).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from memories.search.terms import Term

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]

BESIDE = (0.7, 0.5, 0.3, 0.2)  # what a term counts that stands one, two, … rows before or after in the session
DISTANCES = (-1, 1, -2, 2, -3, 3, -4, 4)  # of the columns of an array of neighbours
NOBODY = -1  # the place of a neighbour that is not there
MEANT_BESIDE = (0.6, 0.3)  # what the mean of the neighbours' meaning counts beside one's own
MEANING_SPAN = 0.7  # share of the way from the model's floor to 1 at which two texts mean the same
USUAL = 3.0  # the root of what a usual question says (nats); `told` is 1 where all of it is found
LONGEST = 6.0  # a longer question is no better evidence, or a page of text would find anything
STRONG = 0.6  # strict search shows what scores so much; of 100 foreign questions it answers 2, own it answers 85
FITS = 0.5  # a date that fits so well counts as found


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """What was read of rows: whether each has each term in any field (`has`) and in its content (`said`), its cosine
    (NaN: no vector), and the day of its record, which is read where the question names dates.
    """

    ids: list[str]
    has: NDArray[np.bool_]
    said: NDArray[np.bool_]
    cosine: Numbers
    days: list[date]


@dataclass(frozen=True, slots=True)
class Weights:
    """Of the logistic function: `bias`, and what each part adds (log odds)."""

    bias: float
    told: float
    meaning: float


BY_BOTH = Weights(-8.3, 6.0, 8.5)  # python bench/search.py DATA --fit
BY_WORDS = Weights(-6.0, 7.5, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The parts of the scores of rows; `meaning` is NaN where a row has no vector."""

    words: Numbers
    told: Numbers
    meaning: Numbers

    @property
    def score(self) -> Numbers:
        """The scores, 0..1."""
        odds = BY_BOTH.bias + BY_BOTH.told * self.told + BY_BOTH.meaning * self.meaning
        by_words = BY_WORDS.bias + BY_WORDS.told * self.told
        scores: Numbers = 1 / (1 + np.exp(-np.where(np.isnan(self.meaning), by_words, odds)))
        return scores


def full(scores: Numbers) -> Numbers:
    """The scores of rows that themselves have every word that says something: strong, and better ones come first."""
    return np.maximum(scores, STRONG + scores / 10)


def found(terms: Sequence[Term], rows: Rows) -> Numbers:
    """How well the rows themselves have each term, 0..1: a word is there or not, a date fits more or less."""
    hits = rows.has.astype(np.float64)
    for place, term in enumerate(terms):
        if term.span is not None:
            fits = {day: term.span.fit(day) for day in set(rows.days)}
            hits[:, place] = np.maximum(hits[:, place], [fits[day] for day in rows.days])
    return hits


def found_beside(own: Numbers, said: NDArray[np.bool_], beside: Places) -> Numbers:
    """`own` raised by what the rows beside say; `beside` holds their places in the columns of DISTANCES."""
    best = own
    padded = np.vstack([said, np.zeros((1, said.shape[1]), dtype=bool)])  # NOBODY says nothing
    for column, distance in enumerate(DISTANCES):
        best = np.maximum(best, padded[beside[:, column]] * BESIDE[abs(distance) - 1])
    return best


def meaning_of(cosine: Numbers, floor: float) -> Numbers:
    """Cosines as 0..1: the model's floor is 0; MEANING_SPAN of the way from there to 1 is 1. NaN stays NaN."""
    return np.clip((cosine - floor) / ((1 - floor) * MEANING_SPAN), 0.0, 1.0)


def meant_beside(own: Numbers, beside: Places) -> Numbers:
    """`own` averaged with the meaning of the rows beside, as far as they have vectors."""
    padded = np.append(own, np.nan)
    total, share = own, np.ones_like(own)
    for at, weight in enumerate(MEANT_BESIDE):
        pair = padded[beside[:, 2 * at : 2 * at + 2]]
        known = ~np.isnan(pair)
        count = known.sum(axis=1)
        total = total + weight * np.where(known, pair, 0.0).sum(axis=1) / np.maximum(count, 1)
        share = share + weight * (count > 0)
    return total / share


def parts(weights: Sequence[float], hits: Numbers, meaning: Numbers) -> Parts:
    """The parts of the rows' scores from the terms' weights (nats) and how well each is found."""
    each = np.asarray(weights, dtype=np.float64)
    whole = float(each.sum())
    if whole <= 0:
        return Parts(np.zeros(len(hits)), np.zeros(len(hits)), meaning)
    words = (hits * each).sum(axis=1) / whole  # no matrix product: equal rows are to have equal scores
    return Parts(words, words * min(whole**0.5, LONGEST) / USUAL, meaning)
