"""The one sentence that stands for a cluster of rows, and the words each row lends it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from reflection.planner import claims
from reflection.planner.clusters import Matrix, similarity
from reflection.planner.rows import Row
from reflection.planner.stance import of_its_day
from reflection.planner.stems import lacking
from reflection.policy import Policy
from reflection.summarizer.applause import is_compliment
from reflection.summarizer.courtesies import is_courtesy
from reflection.summarizer.sentences import says_something, split
from reflection.summarizer.words import units, word_count


@dataclass(frozen=True, slots=True)
class Statement:
    """The sentence that most rows bear out, its row, and of each row that does its own sentence closest to it."""

    text: str
    row: Row
    quotes: dict[UUID, str]
    lowest: float  # the least similarity of any two rows, 1.0 for equal words

    def borne_out_by(self, cluster: Sequence[Row]) -> list[Row]:
        """Those rows of `cluster` that say so, in order."""
        return [row for row in cluster if row.id in self.quotes]


def state(cluster: Sequence[Row], policy: Policy) -> Statement | None:
    """What the rows of `cluster` (sorted) say, or None where none of them makes a statement.

    Of the sentences that most rows bear out, the one of the most central row. A question in the middle does not silence
    the answers around it.
    """
    texts = {row.folded: row for row in reversed(cluster)}  # the first of equal words speaks
    texts = dict(reversed(texts.items()))
    alike, times = _alike(cluster, list(texts), policy.cosine_floor), Counter(row.folded for row in cluster)
    central = np.round(np.average(alike, axis=1, weights=[times[folded] for folded in texts]), 5).tolist()
    told = {folded: _told(row.content) for folded, row in texts.items()}
    others = [set(units(row.content)) for row in texts.values()]
    best: tuple[tuple[float, ...], str, Row] | None = None
    for n, row in enumerate(texts.values()):
        for text in split(row.content):
            if _declares(text, policy):
                often = sum(times[folded] for folded in _bearing(text, row, told))
                found = ((often, central[n], -n, _central(text, others)), text, row)
                best = max(best or found, found, key=lambda item: item[0])
    if best is None:
        return None
    _, text, medoid = best
    bearing = _bearing(text, medoid, told)
    closest = {content: _closest(text, content) for content in {row.content for row in cluster}}
    quotes = {row.id: closest[row.content] for row in cluster if row.folded in bearing}
    kept = [n for n, folded in enumerate(texts) if folded in bearing]
    return Statement(text, medoid, quotes | {medoid.id: text}, round(float(alike[np.ix_(kept, kept)].min()), 5))


def _told(content: str) -> list[claims.Sentence]:
    return [claims.sentence(text) for text in split(content) if _tells(text)]


def _bearing(text: str, row: Row, told: Mapping[str, list[claims.Sentence]]) -> set[str]:
    """The (folded) texts with a sentence that says enough of `text` of `row`, its own included."""
    said = claims.sentence(text)
    return {row.folded} | {folded for folded, others in told.items() if any(other.tells(said) for other in others)}


def _declares(sentence: str, policy: Policy) -> bool:
    return word_count(sentence) >= policy.promote_min_words and _tells(sentence) and bool(claims.news(sentence))


def _tells(sentence: str) -> bool:
    """Whether it states anything that lasts: no question, greeting, thanks or praise, and nothing of its own day."""
    if of_its_day(sentence):
        return False
    return says_something(sentence) and not is_courtesy(sentence) and not is_compliment(sentence)


def _alike(cluster: Sequence[Row], texts: Sequence[str], floor: float) -> Matrix:
    """Similarity of every two (folded) texts of the cluster (n, n); each is 1 to itself whatever its vectors."""
    same: Matrix = np.eye(len(texts), dtype=np.float32)
    by_text = {row.folded: row.vector for row in cluster if row.vector is not None}
    if len(by_text) < len(texts):
        return same
    alike: Matrix = np.maximum(same, similarity(np.stack([by_text[text] for text in texts]), floor))
    return alike


def _central(sentence: str, others: Sequence[set[str]]) -> float:
    """Mean share of the sentence's informative units that each row has too, longer sentences first among equals."""
    own = set(units(sentence))
    if not own:
        return 0.0
    return sum(len(own & other) / len(own) for other in others) / len(others) + min(len(own), 20) * 1e-3


def _closest(statement: str, content: str) -> str:
    """The sentence of `content` that shares most with the statement; the first one where none shares anything."""
    own = claims.news(statement)

    def common(text: str) -> tuple[int, int]:
        other = claims.news(text)
        return len(own) - len(lacking(own, other)), -len(other)

    return max(split(content), key=common, default=content)
