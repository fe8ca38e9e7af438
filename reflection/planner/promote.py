"""promote: what several sessions say independently becomes a fact. Pure.

Each gate measures what its name says, one after the other: repeated, independent, declarative, not known, trusted. A
fact is known when an active semantic record says the same words, comes close enough in meaning, or rests on the same
evidence (its `cites`). Summaries are no facts and make nothing known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np

from reflection.planner.clusters import complete_link, edges, similarity
from reflection.planner.rows import Cited, Proposal, Row, Rows, Skipped, Window
from reflection.planner.statement import Statement, state
from reflection.planner.summarize import fields_of, place_of
from reflection.planner.wording import many, name, span
from reflection.policy import Policy
from reflection.states import Action
from reflection.summarizer.words import fold, word_count


@dataclass(slots=True)
class Found:
    """The facts to promote, in order of their first row, and what a gate stopped."""

    proposals: list[Proposal] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    near_misses: list[Skipped] = field(default_factory=list)


def find(rows: Rows, *, window: Window, policy: Policy) -> Found:
    """All facts that the episodic rows of the window bear out. `rows` are sorted and not expired."""
    boundaries: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in rows:
        if row.memory_type == "episodic" and not row.is_summary and not row.held and row.created_at in window:
            boundaries[row.boundary].append(row)
    by_id = {row.id: row for row in rows}
    facts: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in rows:
        if row.memory_type == "semantic" and not row.is_summary:
            facts[row.boundary].append(row)
    found = Found()
    for boundary, members in boundaries.items():
        clusters = _clusters(members, policy)
        if clusters:
            _Gates(_Known(facts[boundary], by_id, policy), policy, found).judge(clusters)
    found.proposals.sort(key=lambda p: (p.why["first"], p.basis[0].memory_id))
    return found


def _clusters(rows: Sequence[Row], policy: Policy) -> list[list[Row]]:
    """Rows that say the same, at least two each: equal words first, then complete link over one row of each."""
    equal: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if word_count(row.content):
            equal[row.folded].append(row)
    texts = list(equal.values())
    spoken = [n for n, text in enumerate(texts) if _vector_of(text) is not None]
    merged = [[n] for n, text in enumerate(texts) if _vector_of(text) is None]
    if spoken:
        vectors = np.stack([v for n in spoken if (v := _vector_of(texts[n])) is not None])
        pairs = edges(vectors, threshold=policy.promote_cosine, floor=policy.cosine_floor)
        merged += [[spoken[i] for i in cluster] for cluster in complete_link(len(spoken), pairs)]
    found = [sorted((row for n in cluster for row in texts[n]), key=_order) for cluster in merged]
    return sorted((cluster for cluster in found if len(cluster) > 1), key=lambda cluster: _order(cluster[0]))


def _order(row: Row) -> tuple[object, ...]:
    return (row.created_at, row.id)


def _vector_of(text: Sequence[Row]) -> np.ndarray | None:
    return next((row.vector for row in text if row.vector is not None), None)


class _Known:
    """What a boundary knows already: the words, meanings and evidence of its facts, those of this pass included."""

    def __init__(self, facts: Sequence[Row], by_id: dict[UUID, Row], policy: Policy) -> None:
        self.policy = policy
        self.words: dict[str, str] = {}
        self.evidence: dict[UUID, str] = {}
        self.meanings: list[np.ndarray] = []
        self.names: list[str] = []
        for fact in facts:
            label = name(fact.id)
            self.words.setdefault(fact.folded, label)
            self.words.setdefault(fold(fact.content), label)
            self._learn([fact, *(by_id[cited] for cited in fact.cites if cited in by_id)], fact.cites, label)

    def add(self, statement: Statement, cluster: Sequence[Row]) -> None:
        """Remember a fact that this pass proposes."""
        label = f"the fact proposed from {name(cluster[0].id)}"
        self.words.setdefault(fold(statement.text), label)
        self._learn(cluster, [row.id for row in cluster], label)

    def _learn(self, rows: Sequence[Row], evidence: Sequence[UUID], label: str) -> None:
        for row in rows:
            if row.vector is not None:
                self.meanings.append(row.vector)
                self.names.append(label)
        self.evidence.update((cited, label) for cited in evidence)

    def as_what(self, statement: Statement, cluster: Sequence[Row]) -> str | None:
        """The name of the record that says so already, or None."""
        for row in cluster:
            if label := self.evidence.get(row.id) or self.words.get(row.folded):
                return label
        if label := self.words.get(fold(statement.text)):
            return label
        if statement.row.vector is None or not self.meanings:
            return None
        near = similarity(np.stack(self.meanings), self.policy.cosine_floor, statement.row.vector[None, :])[:, 0]
        best = int(np.argmax(near))
        return self.names[best] if near[best] >= self.policy.promote_known_cosine else None


@dataclass(frozen=True, slots=True)
class _Gates:
    known: _Known
    policy: Policy
    found: Found

    def judge(self, clusters: Sequence[list[Row]]) -> None:
        """Send each cluster through the gates, in order of first row."""
        for cluster in clusters:
            statement = state(cluster, self.policy)
            if missed := self._missed(cluster, statement):
                self.found.near_misses.append(_left(cluster, *missed))
            elif statement and (stopped := self._stopped(cluster, statement)):
                self.found.skipped.append(_left(cluster, *stopped))
            elif statement:
                self.found.proposals.append(_proposal(cluster, statement, self.policy))
                self.known.add(statement, cluster)

    def _missed(self, cluster: list[Row], statement: Statement | None) -> tuple[str, str] | None:
        policy, rows = self.policy, len(cluster)
        sessions, hours = len(_sessions(cluster)), len(_hours(cluster))
        if rows < policy.promote_min_rows:
            return "repeated", f"Said {many(rows, 'time')}; the rule asks for {policy.promote_min_rows}."
        if sessions < policy.promote_min_sessions or hours < policy.promote_min_hours:
            return "independent", (
                f"Said {many(rows, 'time')} in {many(sessions, 'session')} and {many(hours, 'different hour')}; the "
                f"rule asks for {policy.promote_min_sessions} and {policy.promote_min_hours}."
            )
        if statement is None:
            return "declarative", f"Said {many(rows, 'time')}, but only as questions, greetings or fragments."
        return None

    def _stopped(self, cluster: list[Row], statement: Statement) -> tuple[str, str] | None:
        if label := self.known.as_what(statement, cluster):
            return "already_known", f"Already known as {label}."
        low = [row for row in cluster if row.trust < self.policy.promote_min_trust]
        if low:
            return "untrusted", (
                f"{many(len(low), 'source is', 'sources are')} below the trust level {self.policy.promote_min_trust}, "
                f"first {name(low[0].id)}; a person has to decide."
            )
        return None


def _sessions(cluster: Sequence[Row]) -> set[str]:
    return {row.session or row.path for row in cluster}


def _hours(cluster: Sequence[Row]) -> set[str]:
    return {f"{row.created_at:%Y-%m-%dT%H}" for row in cluster}


def _left(cluster: Sequence[Row], gate: str, text: str) -> Skipped:
    return Skipped(Action.PROMOTE, tuple(row.id for row in cluster), gate, text)


def _common_path(cluster: Sequence[Row]) -> str:
    paths = [row.path.split("/") for row in cluster]
    shared: list[str] = []
    for parts in zip(*paths, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return "/".join(shared) if shared != [""] else "/"


def _proposal(cluster: list[Row], statement: Statement, policy: Policy) -> Proposal:
    sessions, hours = _sessions(cluster), _hours(cluster)
    confidence = round(1 - 0.5 ** len(sessions), 6)
    when = span(cluster[0].created_at, cluster[-1].created_at)
    return Proposal(
        action=Action.PROMOTE,
        target_id=None,
        before={},
        after=fields_of(cluster, statement.text, place_of(_common_path(cluster), "facts"), confidence),
        why={
            "rule": "repeated",
            "text": (
                f"{many(len(cluster), 'memory says', 'memories say')} so in "
                f"{many(len(sessions), 'independent session')} and {many(len(hours), 'different hour')}, {when}"
            ),
            "rows": len(cluster),
            "sessions": len(sessions),
            "hours": len(hours),
            "lowest_similarity": statement.lowest,
            "similarity_limit": policy.promote_cosine,
            "first": cluster[0].created_at.isoformat(),
            "last": cluster[-1].created_at.isoformat(),
            "statement_from": str(statement.row.id),
        },
        basis=tuple(Cited(row.id, row.version, quote=statement.quotes[row.id]) for row in cluster),
    )
