"""What a boundary knows already: the words, meanings and evidence of its facts. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class _Fact:
    """Whose vector it is: a fact's name, the words that were read, and who said them."""

    name: str
    words: str
    speaker: str | None


class Known:
    """What a boundary knows already: the words, meanings and evidence of its facts, those of this pass included."""

    def __init__(self, facts: Sequence[Row], by_id: dict[UUID, Row], policy: Policy) -> None:
        self.policy = policy
        self.words: dict[tuple[str | None, str], str] = {}  # of a speaker
        self.evidence: dict[UUID, str] = {}
        self.meanings = _Meanings()
        self.facts: list[_Fact] = []  # one for each vector
        self.speakers: set[str | None] = set()
        for row in facts:
            fact = name(row.id)
            self.words.setdefault((row.speaker, row.folded), fact)
            self.words.setdefault((row.speaker, fold(row.content)), fact)
            cited = [by_id[key] for key in row.cites if key in by_id]
            self._learn([row, *cited], row.cites, fact, row.speaker)

    def add(self, statement: Statement, cluster: Sequence[Row]) -> None:
        """Remember a fact that this pass proposes."""
        fact = f"the fact proposed from {name(cluster[0].id)}"
        speaker = cluster[0].speaker
        self.words.setdefault((speaker, fold(statement.text)), fact)
        self._learn(cluster, [row.id for row in cluster], fact, speaker)

    def _learn(self, rows: Sequence[Row], evidence: Sequence[UUID], fact: str, speaker: str | None) -> None:
        told = [(row, row.vector) for row in rows if row.vector is not None]
        distinct: dict[tuple[str, bytes], tuple[Row, Matrix]] = {}
        for row, vector in told:
            distinct.setdefault((row.content, vector.tobytes()), (row, vector))
        for row, vector in distinct.values():
            self.meanings.add(vector)
            self.facts.append(_Fact(fact, row.content, speaker))
        self.speakers.add(speaker)
        for cited in evidence:
            self.evidence.setdefault(cited, fact)

    def as_what(self, statement: Statement, cluster: Sequence[Row]) -> str | None:
        """The name of the fact that says so already, or None. Where the nearest one is at odds with it, none does.

        Of the same speaker, or of none that is known.
        """
        for row in cluster:
            if fact := self.evidence.get(row.id) or self._in_words(row.speaker, row.folded):
                return fact
        return self._in_words(cluster[0].speaker, fold(statement.text)) or self._in_meaning(statement)

    def _in_words(self, speaker: str | None, folded: str) -> str | None:
        return self.words.get((speaker, folded)) or self.words.get((None, folded))

    def _in_meaning(self, statement: Statement) -> str | None:
        row = statement.row
        if row.vector is None or not self.facts:
            return None
        near = similarity(self.meanings.all(), self.policy.cosine_floor, row.vector[None, :])[:, 0]
        near = np.round(near, 5)  # of equal ones the first, however many were compared at once
        if not self.speakers <= {None, row.speaker}:
            near[[fact.speaker not in (None, row.speaker) for fact in self.facts]] = -1.0
        best = int(np.argmax(near))
        if near[best] < self.policy.promote_known_cosine:
            return None
        known = self.facts[best]
        at_odds = claims.at_odds(claims.of(row.content), claims.of(known.words), float(near[best]))
        return None if at_odds else known.name
