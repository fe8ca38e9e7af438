"""What a boundary knows already: the words, meanings and evidence of its facts. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import numpy as np

from reflection.planner import claims
from reflection.planner.clusters import Matrix, similarity
from reflection.planner.rows import Row
from reflection.planner.statement import Statement
from reflection.planner.wording import name
from reflection.policy import Policy
from reflection.summarizer.words import fold


class _Meanings:
    """A growing matrix of vectors; it doubles its room, so that many additions cost few copies."""

    def __init__(self) -> None:
        self._room: Matrix = np.empty((0, 0), dtype=np.float32)
        self._count = 0

    def add(self, vector: Matrix) -> None:
        """Append one vector (d,)."""
        if self._count == len(self._room):
            larger = np.empty((max(16, 2 * self._count), len(vector)), dtype=np.float32)
            larger[: self._count] = self._room[: self._count] if self._count else 0
            self._room = larger
        self._room[self._count] = vector
        self._count += 1

    def all(self) -> Matrix:
        """The vectors so far (n, d)."""
        return self._room[: self._count]


class Known:
    """What a boundary knows already: the words, meanings and evidence of its facts, those of this pass included."""

    def __init__(self, facts: Sequence[Row], by_id: dict[UUID, Row], policy: Policy) -> None:
        self.policy = policy
        self.words: dict[str, str] = {}
        self.evidence: dict[UUID, str] = {}
        self.meanings = _Meanings()
        self.facts: list[tuple[str, str]] = []  # name, and the words of each vector
        for row in facts:
            fact = name(row.id)
            self.words.setdefault(row.folded, fact)
            self.words.setdefault(fold(row.content), fact)
            self._learn([row, *(by_id[cited] for cited in row.cites if cited in by_id)], row.cites, fact)

    def add(self, statement: Statement, cluster: Sequence[Row]) -> None:
        """Remember a fact that this pass proposes."""
        fact = f"the fact proposed from {name(cluster[0].id)}"
        self.words.setdefault(fold(statement.text), fact)
        self._learn(cluster, [row.id for row in cluster], fact)

    def _learn(self, rows: Sequence[Row], evidence: Sequence[UUID], fact: str) -> None:
        for row in rows:
            if row.vector is not None:
                self.meanings.add(row.vector)
                self.facts.append((fact, row.content))
        for cited in evidence:
            self.evidence.setdefault(cited, fact)

    def as_what(self, statement: Statement, cluster: Sequence[Row]) -> str | None:
        """The name of the fact that says so already, or None. Where the nearest one is at odds with it, none does."""
        for row in cluster:
            if fact := self.evidence.get(row.id) or self.words.get(row.folded):
                return fact
        if fact := self.words.get(fold(statement.text)):
            return fact
        if statement.row.vector is None or not self.facts:
            return None
        near = similarity(self.meanings.all(), self.policy.cosine_floor, statement.row.vector[None, :])[:, 0]
        near = np.round(near, 5)  # of equal ones the first, however many were compared at once
        best = int(np.argmax(near))
        if near[best] < self.policy.promote_known_cosine:
            return None
        fact, words = self.facts[best]
        at_odds = claims.at_odds(claims.of(statement.row.content), claims.of(words), float(near[best]))
        return None if at_odds else fact
