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
    alike = _alike(cluster, policy.cosine_floor)
    central = np.round(alike.mean(axis=1), 5).tolist()
    texts = {row.folded: (n, row) for n, row in reversed(list(enumerate(cluster)))}  # the first of equal words speaks
    told = {folded: _told(row.content) for folded, (_, row) in texts.items()}
    times = Counter(row.folded for row in cluster)
    others = [set(units(row.content)) for _, row in texts.values()]
    best: tuple[tuple[float, ...], str, Row] | None = None
    for n, row in texts.values():
        for text in split(row.content):
            if _declares(text, policy):
                often = sum(times[folded] for folded in _bearing(text, row, told))
                found = ((often, central[n], -n, _central(text, others)), text, row)
                best = max(best or found, found, key=lambda item: item[0])
    if best is None:
        return None
    _, text, medoid = best
    bearing = _bearing(text, medoid, told)
    quotes = {row.id: _closest(text, row.content) for row in cluster if row.folded in bearing}
    kept = [n for n, row in enumerate(cluster) if row.folded in bearing]
    return Statement(text, medoid, quotes | {medoid.id: text}, round(float(alike[np.ix_(kept, kept)].min()), 5))


_Sentences = list[tuple[str, ...]]  # the news of each


def _told(content: str) -> _Sentences:
    return [claims.news(text) for text in split(content) if _tells(text)]


def _bearing(text: str, row: Row, told: Mapping[str, _Sentences]) -> set[str]:
    """The (folded) texts with a sentence that says enough of `text` of `row`, its own included."""
    news = claims.news(text)
    return {row.folded} | {
        folded for folded, sentences in told.items() if any(claims.tells(other, news) for other in sentences)
    }


def _declares(sentence: str, policy: Policy) -> bool:
    return word_count(sentence) >= policy.promote_min_words and _tells(sentence) and bool(claims.news(sentence))


def _tells(sentence: str) -> bool:
    """Whether it states anything: no question, greeting, thanks or praise."""
    return says_something(sentence) and not is_courtesy(sentence) and not is_compliment(sentence)


def _alike(cluster: Sequence[Row], floor: float) -> Matrix:
    """Similarity of every two rows (n, n); equal words are 1 whatever their vectors."""
    _, text = np.unique([row.folded for row in cluster], return_inverse=True)
    same: Matrix = (text[:, None] == text[None, :]).astype(np.float32)
    by_text = {row.folded: row.vector for row in cluster if row.vector is not None}
    if any(row.folded not in by_text for row in cluster):
        return same
    alike: Matrix = np.maximum(same, similarity(np.stack([by_text[row.folded] for row in cluster]), floor))
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
        return len(own) - len(claims.lacking(own, other)), -len(other)

    return max(split(content), key=common, default=content)
