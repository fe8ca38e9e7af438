"""Everything a pass would do, found over columns; words and meanings are asked for only where rules need them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Protocol

import numpy as np

from reflection.planner import archive, decay, episodes, expire, promote, summarize
from reflection.planner.columns import EPOCH, NOBODY, Columns, Mask, Places, micros
from reflection.planner.rows import SKIPPED_KEPT, Plan, Proposal, Row, Rows, Skipped, Standing, Window
from reflection.planner.second import settle
from reflection.policy import Policy
from reflection.states import Action
from reflection.summarizer import Summarizer, extractive
from reflection.summarizer.opinion import Critic, nobody

Step = Callable[[str, int, int], None]
_NONE = np.zeros(0, dtype=np.int64)


class Shelf(Protocol):
    """Where words and meanings come from. Each is asked at most once a survey."""

    def rows(self, places: Places) -> list[Row]:
        """These rows whole, in order; one that is gone by now is left out."""
        ...

    def facts(self, clusters: Sequence[Rows], among: Places) -> list[Row]:
        """In order: those facts of `among` that may say what a cluster says, and what they cite.

        A fact is needed where it cites a row of a cluster, where it says the words of such a row or of a sentence in
        it, and where no other of its boundary and speaker (or of none known), counting what each cites, is nearer to
        such a row in meaning. More may come back.
        """
        ...


@dataclass(frozen=True, slots=True)
class _Draft:
    """The rows that one action changes; `build(n)` makes the first n of the proposals."""

    places: Places = field(default_factory=lambda: _NONE)
    build: Callable[[int], list[Proposal]] = lambda count: []

    @property
    def count(self) -> int:
        return len(self.places)


@dataclass(slots=True)
class Survey:
    """All that a pass would do, before any of it is built."""

    episodes: list[episodes.Episode] = field(default_factory=list)
    facts: promote.Found = field(default_factory=promote.Found)
    bench: promote.Bench = field(default_factory=promote.Bench)  # of these facts
    expired: _Draft = field(default_factory=_Draft)
    decayed: _Draft = field(default_factory=_Draft)
    archived: _Draft = field(default_factory=_Draft)
    skipped: list[Skipped] = field(default_factory=list)
    more_skipped: int = 0
    near_misses: list[Skipped] = field(default_factory=list)
    compared: int = 0  # rows whose words and meanings were looked at
    without_meaning: int = 0  # those among them without a vector
    policy: Policy = field(default_factory=Policy)
    as_of: datetime = EPOCH

    @property
    def found(self) -> list[_Draft]:
        """What comes after episodes and facts, in canonical order."""
        return [self.expired, self.decayed, self.archived]

    def plan(
        self,
        limit: int,
        summarizer: Summarizer = extractive,
        step: Step = lambda phase, done, of: None,
        critic: Critic = nobody,
    ) -> Plan:
        """The first `limit` proposals in canonical order, and how many more there are.

        `step` hears before each summary and each reading of a fact how many are done, of how many. Raises ValueError
        for a negative limit.
        """
        if limit < 0:
            raise ValueError("limit must be 0 or more.")
        proposals: list[Proposal] = []
        telling = self.episodes[:limit]
        for written, episode in enumerate(telling):
            step("telling", written, len(telling))
            proposals.append(summarize.propose(episode, as_of=self.as_of, policy=self.policy, summarizer=summarizer))
        facts, read = settle(self.facts, self.bench, limit - len(proposals), critic, partial(step, "checking"))
        proposals += read.kept
        for draft in self.found:
            proposals += draft.build(min(draft.count, limit - len(proposals)))
        total = len(self.episodes) + len(read.kept) + read.unread + sum(draft.count for draft in self.found)
        skipped = _with(self.skipped, facts.skipped)
        more = self.more_skipped + max(0, len(skipped) - SKIPPED_KEPT)
        near_misses = [*read.withheld, *_with(self.near_misses, facts.near_misses)][: self.policy.near_misses]
        return Plan(proposals, skipped[:SKIPPED_KEPT], near_misses, max(0, total - limit), more)


def _with(left: list[Skipped], by_promote: list[Skipped]) -> list[Skipped]:
    """What was left out, with what promote leaves out now in the place of what it left out before."""
    first = next((n for n, one in enumerate(left) if one.action == Action.PROMOTE), len(left))
    after = [one for one in left[first:] if one.action != Action.PROMOTE]
    return [*left[:first], *by_promote, *after]


def survey(
    columns: Columns, shelf: Shelf, *, actions: Collection[Action], window: Window, as_of: datetime, policy: Policy
) -> Survey:
    """Everything that `plan` would propose. Raises ValueError for an `as_of` without a time zone."""
    if as_of.tzinfo is None:
        raise ValueError("as_of needs a time zone; give it in UTC.")
    return _Scene(columns, shelf, frozenset(actions), window, as_of, policy).look()


@dataclass(slots=True)
class _Scene:
    """One planning: the columns, and what the actions so far have said about their rows."""

    columns: Columns
    shelf: Shelf
    actions: frozenset[Action]
    window: Window
    as_of: datetime
    policy: Policy
    live: Mask = field(init=False)
    rewritten: Places = field(default_factory=lambda: _NONE)
    leaving: Places = field(default_factory=lambda: _NONE)
    guarded: Places = field(default_factory=lambda: _NONE)  # would be archived, and are protected
    all: Survey = field(default_factory=Survey)

    def __post_init__(self) -> None:
        """What only an expired summary told is untold again."""
        expired = expire.due(self.columns, self.as_of)
        cited_by = self.columns.cited_by.copy()
        told = np.flatnonzero(cited_by >= 0)
        cited_by[told[expired[cited_by[told]]]] = NOBODY
        self.columns, self.live = replace(self.columns, cited_by=cited_by), ~expired

    def look(self) -> Survey:
        """The actions look in another order than the one they are told in.

        What a pass rewrites it does not archive as well, what it archives is no longer known to promote; neither
        decays.
        """
        self.all.policy, self.all.as_of = self.policy, self.as_of
        rows = self._rows()
        if Action.SUMMARIZE in self.actions:
            self._look_for_episodes(rows)
        if Action.ARCHIVE in self.actions:
            self.all.archived = self._archived()
        if Action.PROMOTE in self.actions:
            self._look_for_facts(rows)
        if Action.EXPIRE in self.actions:
            self.all.expired = self._expired()
        if Action.DECAY in self.actions:
            self.all.decayed = self._decayed()
        self.all.near_misses = self.all.near_misses[: self.policy.near_misses]
        return self.all

    def _rows(self) -> list[Row]:
        """The rows that summarize and promote look at, whole."""
        places = _NONE
        if Action.SUMMARIZE in self.actions:
            places = episodes.involved(self.columns, live=self.live, window=self.window, policy=self.policy)
        if Action.PROMOTE in self.actions:
            places = np.union1d(places, np.flatnonzero(self._evidence()))
        rows = self.shelf.rows(places) if len(places) else []
        untold = self.columns.ids_at(places[self.columns.cited_by[places] == NOBODY])
        self.all.compared, self.all.without_meaning = len(rows), sum(row.vector is None for row in rows)
        return [replace(row, cited_by=None) if row.cited_by and row.id in untold else row for row in rows]

    def _evidence(self) -> Mask:
        created = self.columns.created
        within = (micros(self.window.since) <= created) & (created < micros(self.window.until))
        return self.live & self.columns.originals & within

    def _look_for_episodes(self, rows: list[Row]) -> None:
        found = episodes.find(rows, window=self.window, policy=self.policy)
        self.all.episodes = found.episodes
        self.all.skipped += found.skipped
        self.all.near_misses += found.near_misses
        updated = {episode.summary.id for episode in found.episodes if episode.summary}
        summaries = np.flatnonzero(self.live & self.columns.summaries) if updated else _NONE
        self.rewritten = np.array([p for p in summaries.tolist() if self.columns.id_of(p) in updated], dtype=np.int64)

    def _archived(self) -> _Draft:
        found = archive.find(
            self.columns, live=self.live, as_of=self.as_of, policy=self.policy, rewritten=self.rewritten
        )
        self.leaving, self.guarded = self._split(Action.ARCHIVE, found.places)
        build = partial(archive.proposal, self.columns, found, as_of=self.as_of, policy=self.policy)
        return _Draft(self.leaving, lambda count: [build(place) for place in self.leaving[:count]])

    def _look_for_facts(self, rows: list[Row]) -> None:
        facts = self.live & self.columns.kind("semantic") & ~self.columns.summaries
        facts &= np.isin(self.columns.boundaries, self.columns.boundaries[self._evidence()])
        facts[self.leaving] = False
        self.all.bench = promote.gather(
            rows,
            window=self.window,
            as_of=self.as_of,
            policy=self.policy,
            facts=partial(self.shelf.facts, among=np.flatnonzero(facts)),
            leaving=self.columns.ids_at(self.leaving),
        )
        self.all.facts = found = self.all.bench.judge()
        self.all.skipped += found.skipped
        self.all.near_misses += found.near_misses

    def _expired(self) -> _Draft:
        return self._changes(Action.EXPIRE, ~self.live, partial(expire.proposal, as_of=self.as_of))

    def _decayed(self) -> _Draft:
        due = self.live & decay.due(self.columns, self.as_of, self.policy)
        due[self.leaving] = due[self.guarded] = due[self.rewritten] = False
        return self._changes(Action.DECAY, due, partial(decay.proposal, as_of=self.as_of, policy=self.policy))

    def _changes(self, action: Action, due: Mask, build: Callable[[Standing], Proposal]) -> _Draft:
        free, _ = self._split(action, np.flatnonzero(due))
        return _Draft(free, lambda count: [build(self.columns.standing(place)) for place in free[:count]])

    def _split(self, action: Action, places: Places) -> tuple[Places, Places]:
        """Those that may be changed, and those that are protected: these are listed, as far as there is room."""
        protected = self.columns.protected[places]
        guarded = places[protected]
        room = max(0, SKIPPED_KEPT - len(self.all.skipped))
        for place in guarded[:room]:
            row = self.columns.standing(place)
            text = f"Would {action.value}, and is protected: {row.protected}."
            self.all.skipped.append(Skipped(action, (row.id,), "protected", text))
        self.all.more_skipped += len(guarded[room:])
        return places[~protected], guarded
