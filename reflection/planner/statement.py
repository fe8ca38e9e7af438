"""The one sentence that stands for a cluster of rows, and the words each row lends it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from reflection.planner.clusters import Matrix, similarity
from reflection.planner.rows import Row
from reflection.policy import Policy
from reflection.summarizer.courtesies import is_courtesy
from reflection.summarizer.sentences import says_something, split
from reflection.summarizer.words import units, word_count


@dataclass(frozen=True, slots=True)
class Statement:
    """The most central sentence of the medoid, that row, and each row's own sentence closest to it."""

    text: str
    row: Row
    quotes: dict[UUID, str]
    lowest: float  # the least similarity of any two rows, 1.0 for equal words


def state(cluster: Sequence[Row], policy: Policy) -> Statement | None:
    """What the rows of `cluster` (sorted) say, or None where none of them makes a statement.

    The medoid is taken among the rows that do: a question in the middle does not silence the answers around it.
    """
    alike = _alike(cluster, policy.cosine_floor)
    declared = {n: [text for text in split(row.content) if _declares(text, policy)] for n, row in enumerate(cluster)}
    central = np.round(alike.mean(axis=1), 5)
    best = max((n for n in declared if declared[n]), key=lambda n: (central[n], -n), default=None)
    if best is None:
        return None
    medoid, sentences = cluster[best], declared[best]
    others = [set(units(row.content)) for row in cluster]
    text = max(sentences, key=lambda sentence: _central(sentence, others))
    quotes = {row.id: text if row is medoid else _closest(text, row.content) for row in cluster}
    return Statement(text, medoid, quotes, round(float(alike.min()), 5))


def _declares(sentence: str, policy: Policy) -> bool:
    long_enough = word_count(sentence) >= policy.promote_min_words
    return long_enough and says_something(sentence) and not is_courtesy(sentence)


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
    own = set(units(statement))
    return max(split(content), key=lambda text: len(own & set(units(text))) / (1 + len(units(text))), default=content)
