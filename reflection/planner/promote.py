"""promote: what several sessions say independently becomes a fact. Pure.

Each gate measures what its name says, one after the other: repeated, independent, declarative, not known, trusted. A
fact is known when an active semantic record says the same words, comes close enough in meaning, or rests on the same
evidence (its `cites`). Summaries are no facts and make nothing known. Where speakers are known, each is heard apart: a
fact is one speaker's, and what another one says makes it neither repeated nor known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import numpy as np

from reflection.planner.agreement import agreeing
from reflection.planner.columns import EPOCH
from reflection.planner.known import Known
from reflection.planner.rows import Cited, Proposal, Row, Rows, Skipped, Window
from reflection.planner.statement import Statement, state
from reflection.planner.summarize import fields_of, place_of, worth_of
from reflection.planner.voices import Voices, apart
from reflection.planner.wording import many, name, span
from reflection.policy import Policy
from reflection.states import Action
from reflection.summarizer.words import word_count


@dataclass(slots=True)
class Found:
    """The facts to promote, in order of their first row, and what a gate stopped."""

    proposals: list[Proposal] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    near_misses: list[Skipped] = field(default_factory=list)


Facts = Callable[[Sequence[Sequence[Row]]], Rows]
Evidence = frozenset[UUID]  # the rows that bear a fact out
_Topics = dict[tuple[object, ...], list[list[Row]]]  # the clusters of each boundary


@dataclass(frozen=True, slots=True)
class Bench:
    """The clusters that may become facts and what is known of them, ready to be judged as often as need be."""

    rounds: Sequence[_Topics] = ()
    told: Rows = ()
    leaving: Container[UUID] = ()
    as_of: datetime = EPOCH
    policy: Policy = field(default_factory=Policy)
    voices: Mapping[tuple[object, ...], Voices] = field(default_factory=dict)

    def judge(self, withheld: Container[Evidence] = ()) -> Found:
        """What the gates let through. Facts of `withheld` evidence are neither proposed nor known."""
        known = _known(self.told, self.leaving, self.policy)
        found = Found()
        for n, clusters in enumerate(self.rounds):
            one = self._round(clusters, known, withheld)
            found = found if n else Found([], one.skipped, one.near_misses)
            found.proposals += one.proposals
        return found

    def _round(self, topics: _Topics, known: dict[tuple[object, ...], Known], withheld: Container[Evidence]) -> Found:
        """The facts of these clusters; what they find is known afterwards."""
        found = Found()
        for boundary, clusters in topics.items():
            learnt = known.setdefault(boundary, Known([], {}, self.policy))
            voices = self.voices.get(boundary, Voices())
            _Gates(learnt, self.as_of, self.policy, found, withheld, voices).judge(clusters)
            found.near_misses += voices.each_once(self.policy)
        found.proposals.sort(key=lambda proposal: (proposal.why["first"], proposal.basis[0].memory_id))
        return found


def find(
    rows: Rows, *, window: Window, as_of: datetime, policy: Policy, facts: Facts, leaving: Container[UUID] = ()
) -> Found:
    """All facts that the episodic rows of the window bear out; see `gather`."""
    return gather(rows, window=window, as_of=as_of, policy=policy, facts=facts, leaving=leaving).judge()


def gather(
    rows: Rows, *, window: Window, as_of: datetime, policy: Policy, facts: Facts, leaving: Container[UUID] = ()
) -> Bench:
    """What the episodic rows of the window may bear out. `rows` are sorted and not expired.

    `facts` is asked once what is known already of clusters that may become facts: it gives rows, in order, the semantic
    ones and what these cite. `leaving` are the rows that this same pass archives. They count as evidence, but what only
    they know is not known; and since the clusters of those that stay may differ, these are looked at too, after the
    first.
    """
    evidence = [row for row in rows if _original(row) and row.created_at in window]
    staying = [row for row in evidence if row.id not in leaving]
    rounds = [_by_topic(evidence, policy)]
    if len(staying) < len(evidence):
        rounds.append(_by_topic(staying, policy))
    voices = {boundary: Voices.of(said) for boundary, said in _by_boundary(evidence).items()}
    return Bench(rounds, facts(_asked(rounds, policy)), leaving, as_of, policy, voices)


def _by_topic(rows: Rows, policy: Policy) -> _Topics:
    """The clusters of each boundary."""
    return {boundary: _clusters(members, policy) for boundary, members in _by_boundary(rows).items()}


def _asked(rounds: Iterable[_Topics], policy: Policy) -> list[list[Row]]:
    """The clusters that get as far as the question what is known."""
    clusters = [cluster for one in rounds for members in one.values() for cluster in members]
    return [cluster for cluster in clusters if not _too_little(cluster, policy)]


def _known(told: Rows, leaving: Container[UUID], policy: Policy) -> dict[tuple[object, ...], Known]:
    by_id = {row.id: row for row in told}
    facts = [row for row in told if _fact(row) and row.id not in leaving]
    return {boundary: Known(members, by_id, policy) for boundary, members in _by_boundary(facts).items()}


def _original(row: Row) -> bool:
    return row.memory_type == "episodic" and not row.is_summary and not row.held


def _fact(row: Row) -> bool:
    return row.memory_type == "semantic" and not row.is_summary


def _by_boundary(rows: Iterable[Row]) -> dict[tuple[object, ...], list[Row]]:
    found: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in rows:
        found[row.boundary].append(row)
    return found


def _clusters(rows: Sequence[Row], policy: Policy) -> list[list[Row]]:
    """Rows in which one speaker says the same, at least two each. "I moved to Basel" is not the same of two people."""
    spoken: dict[str | None, list[Row]] = defaultdict(list)
    for row in rows:
        spoken[row.speaker].append(row)
    found = [cluster for of_one in spoken.values() for cluster in _of_one(of_one, policy)]
    return sorted(found, key=lambda cluster: _order(cluster[0]))


def _of_one(rows: Sequence[Row], policy: Policy) -> list[list[Row]]:
    """Equal words first, then agreement over one row of each."""
    equal: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if word_count(row.content):
            equal[row.folded].append(row)
    texts = list(equal.values())
    spoken = [n for n, text in enumerate(texts) if _vector_of(text) is not None]
    merged = [[n] for n, text in enumerate(texts) if _vector_of(text) is None]
    if spoken:
        vectors = np.stack([v for n in spoken if (v := _vector_of(texts[n])) is not None])
        told = [texts[n][-1].content for n in spoken]
        merged += [[spoken[i] for i in cluster] for cluster in agreeing(told, vectors, policy)]
    found = [sorted((row for n in cluster for row in texts[n]), key=_order) for cluster in merged]
    return [cluster for cluster in found if len(cluster) > 1]


def _order(row: Row) -> tuple[object, ...]:
    return (row.created_at, row.id)


def _vector_of(text: Sequence[Row]) -> np.ndarray | None:
    """Of equal words the newest, which is the one that archive leaves standing."""
    return next((row.vector for row in reversed(text) if row.vector is not None), None)


@dataclass(frozen=True, slots=True)
class _Gates:
    known: Known
    as_of: datetime
    policy: Policy
    found: Found
    withheld: Container[Evidence]
    voices: Voices

    def judge(self, clusters: Sequence[list[Row]]) -> None:
        """Send each cluster through the gates, in order of first row."""
        for cluster in clusters:
            statement = None if _too_little(cluster, self.policy) else state(cluster, self.policy)
            borne = statement.borne_out_by(cluster) if statement else cluster
            if missed := _too_little(borne, self.policy):
                self.found.near_misses.append(_left(borne, *self._with_others(borne, *missed)))
            elif statement is None:
                text = f"Said {many(len(borne), 'time')}, but only as questions, greetings or fragments."
                self.found.near_misses.append(_left(borne, "declarative", text))
            elif frozenset(row.id for row in borne) in self.withheld:
                continue
            elif stopped := self._stopped(borne, statement):
                self.found.skipped.append(_left(borne, *stopped))
            else:
                self.found.proposals.append(_proposal(borne, statement, self.as_of, self.policy))
                self.known.add(statement, borne)

    def _with_others(self, cluster: Sequence[Row], gate: str, text: str) -> tuple[str, str]:
        """Why it is too little, and how many say the same words that do not count."""
        others = self.voices.others(cluster) if gate == "repeated" else 0
        return gate, f"{text} {apart(others)}" if others else text

    def _stopped(self, cluster: list[Row], statement: Statement) -> tuple[str, str] | None:
        if fact := self.known.as_what(statement, cluster):
            return "already_known", f"Already known as {fact}."
        low = [row for row in cluster if row.trust < self.policy.promote_min_trust]
        if low:
            return "untrusted", (
                f"{many(len(low), 'source is', 'sources are')} below the trust level {self.policy.promote_min_trust}, "
                f"first {name(low[0].id)}. Raise the trust of the sources, or write the fact yourself."
            )
        return None


def _too_little(cluster: Sequence[Row], policy: Policy) -> tuple[str, str] | None:
    """The gate among repeated and independent that stops the cluster, and why; None where both hold."""
    rows, sessions, hours = len(cluster), len(_sessions(cluster)), len(_hours(cluster))
    if rows < policy.promote_min_rows:
        return "repeated", f"Said {many(rows, 'time')}; the rule asks for {policy.promote_min_rows}."
    if sessions < policy.promote_min_sessions or hours < policy.promote_min_hours:
        return "independent", (
            f"Said {many(rows, 'time')} in {many(sessions, 'session')} and {many(hours, 'different hour')}; the "
            f"rule asks for {policy.promote_min_sessions} and {policy.promote_min_hours}."
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


def _proposal(cluster: list[Row], statement: Statement, as_of: datetime, policy: Policy) -> Proposal:
    sessions, hours = _sessions(cluster), _hours(cluster)
    confidence = round(1 - 0.5 ** len(sessions), 6)
    path = place_of(_common_path(cluster), "facts")
    when = span(cluster[0].created_at, cluster[-1].created_at)
    return Proposal(
        action=Action.PROMOTE,
        target_id=None,
        before={},
        after=fields_of(cluster, statement.text, path, confidence, worth_of(cluster, as_of, policy))
        | ({"speaker": cluster[0].speaker} if cluster[0].speaker else {}),
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
