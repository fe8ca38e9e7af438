"""Which rows make up an episode, and which of them a summary already tells. Pure.

An episode is a run of originals of one boundary and one path with gaps of at most `policy.episode_gap_hours`. A row's
path is its place, so "same parent path" means: equal path. A row whose time is only that of its import makes none: what
came in together need not have happened together. Rows that a standing summary cites are part of the episode:
they show which summary a new row continues. Long episodes are cut by topic over *all* their rows, cited or not, so that
the cut comes out the same in the next pass, after a limit or a summary took effect.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from uuid import UUID

import numpy as np

from reflection.planner.clusters import by_topic, even_chunks
from reflection.planner.columns import NOBODY, Columns, Mask, Places, micros, span
from reflection.planner.rows import Row, Rows, Skipped, Window
from reflection.planner.wording import many, name
from reflection.policy import Policy
from reflection.states import Action
from reflection.summarizer import extractive

_TOPIC_BLOCK = 240  # rows compared with each other at once; a longer episode is cut by time first


@dataclass(frozen=True, slots=True)
class Episode:
    """Rows that one summary shall tell: a new one, or `summary` brought up to date with them."""

    rows: tuple[Row, ...]
    summary: Row | None = None
    earlier: tuple[Row, ...] = ()  # what `summary` tells already, as far as it may be quoted
    part: bool = False  # one topic or stretch of a longer episode

    @property
    def all_rows(self) -> list[Row]:
        """Old and new rows in time order."""
        return sorted([*self.earlier, *self.rows], key=_order)


@dataclass(slots=True)
class Found:
    """The episodes to tell, in order of their first row, and what stays out."""

    episodes: list[Episode] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    near_misses: list[Skipped] = field(default_factory=list)
    seated: dict[UUID, int] = field(default_factory=lambda: defaultdict(int))  # rows that each summary takes on


def reach(policy: Policy) -> timedelta:
    """How long ago the first event may be of an episode that had too few of them until now."""
    return timedelta(hours=policy.episode_gap_hours) * (policy.summary_min_rows - 1)


def involved(columns: Columns, *, live: Mask, window: Window, policy: Policy) -> Places:
    """The rows that `find` has to see: episodes with something open, the summaries that tell them, all these quote.

    Whatever else there is, `find` would pass over: it may be given these rows alone.
    """
    told = live & columns.placed_in_time & (columns.cited_by >= 0)
    told[told] = (live & columns.summaries)[columns.cited_by[told]]
    created = columns.created
    reached = (micros(window.since) - span(window.reach) <= created) & (created < micros(window.until))
    untold = live & columns.placed_in_time & (columns.cited_by == NOBODY) & reached
    open_ = untold & (micros(window.since) <= created)
    rows = np.flatnonzero(told | untold)
    rows = rows[np.lexsort((rows, columns.paths[rows], columns.boundaries[rows]))]
    runs = _run_numbers(columns, rows, span(timedelta(hours=policy.episode_gap_hours)))
    going_on = np.zeros(len(rows) + 1, dtype=bool)
    going_on[runs[open_[rows]]] = True
    rows = rows[going_on[runs]]
    standing = np.unique(columns.cited_by[rows][columns.cited_by[rows] >= 0])
    origins, targets = columns.cites
    quoted = targets[np.isin(origins, standing)]
    return np.unique(np.concatenate((rows, standing, quoted[live[quoted]])))


def _run_numbers(columns: Columns, rows: Places, gap: int) -> Places:
    """For `rows`, sorted by place and time, the number of the episode that each belongs to."""
    if not len(rows):
        return rows
    elsewhere = (np.diff(columns.paths[rows]) != 0) | (np.diff(columns.boundaries[rows]) != 0)
    breaks = elsewhere | (np.diff(columns.created[rows]) > gap)
    return np.concatenate(([0], np.cumsum(breaks)))


def find(rows: Rows, *, window: Window, policy: Policy) -> Found:
    """All episodes of `rows` (sorted, not expired) with something new to tell in the window."""
    summaries = {row.id: row for row in rows if row.is_summary}
    quotable = {row.id: row for row in rows if not row.held}
    places: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in rows:
        if _original(row) and (row.cited_by in summaries or _untold(row, window)):
            places[(*row.boundary, row.path)].append(row)
    gap, found = timedelta(hours=policy.episode_gap_hours), Found()
    runs = [run for place in places.values() for run in _runs(place, gap) if _goes_on(run, window)]
    for run in sorted(runs, key=lambda run: _order(run[0])):
        _Seating(run, summaries, quotable, policy, found).seat()
    found.episodes = sorted(_once_each(found.episodes), key=lambda episode: _order(episode.all_rows[0]))
    return found


def _once_each(episodes: Iterable[Episode]) -> Iterable[Episode]:
    """The episodes, with those that go on in one and the same summary as one: it is brought up to date once a pass."""
    going_on: dict[UUID, Episode] = {}
    for episode in episodes:
        if episode.summary is None:
            yield episode
            continue
        before = going_on.get(episode.summary.id)
        rows = sorted([*(before.rows if before else ()), *episode.rows], key=_order)
        part = episode.part or before is not None
        going_on[episode.summary.id] = replace(episode, rows=tuple(rows), part=part)
    yield from going_on.values()


def _original(row: Row) -> bool:
    return row.memory_type == "episodic" and not (row.is_summary or row.held or row.undated)


def _untold(row: Row, window: Window) -> bool:
    return row.cited_by is None and window.reaches(row.created_at)


def _goes_on(run: list[Row], window: Window) -> bool:
    return any(row.cited_by is None and row.created_at in window for row in run)


def _runs(rows: list[Row], gap: timedelta) -> Iterable[list[Row]]:
    run: list[Row] = []
    for row in rows:
        if run and row.created_at - run[-1].created_at > gap:
            yield run
            run = []
        run.append(row)
    yield run


class _Seating:
    """Gives each untold row of one episode a summary: a standing one that tells its topic, or a new one."""

    def __init__(
        self, run: list[Row], summaries: dict[UUID, Row], quotable: dict[UUID, Row], policy: Policy, found: Found
    ) -> None:
        self.run, self.quotable, self.policy, self.found = run, quotable, policy, found
        self.told = {row.id: summaries[row.cited_by] for row in run if row.cited_by}
        self.added: dict[UUID, list[Row]] = defaultdict(list)
        self.begun: list[list[Row]] = []

    def seat(self) -> None:
        """Add this episode's shares to what was found."""
        parts = _parts(self.run, self.policy)
        few: list[Row] = []
        for part in parts:
            rest = self._continue([row for row in part if row.id not in self.told], self._summaries_of(part))
            few += [] if self._begin(rest) else rest
        few = self._continue(sorted(few, key=_order), self._summaries_of(self.run))
        if not self._begin(few):
            self._squeeze_in(few)
        self._offer_all(part=len(parts) > 1)

    def _summaries_of(self, rows: list[Row]) -> list[Row]:
        """The summaries that tell any of `rows`, the one that tells most of them first."""
        counts: dict[UUID, int] = defaultdict(int)
        by_id: dict[UUID, Row] = {}
        for row in rows:
            if summary := self.told.get(row.id):
                counts[summary.id] += 1
                by_id[summary.id] = summary
        return sorted(by_id.values(), key=lambda s: (-counts[s.id], s.created_at, s.id))

    def _continue(self, rows: list[Row], targets: list[Row]) -> list[Row]:
        """Seat `rows` in `targets` while there is room; returns those left over. A protected summary has none."""
        for summary in targets:
            room = max(0, self.policy.summary_max_rows - len(summary.cites) - self.found.seated[summary.id])
            if rows and room and summary.protected:
                text = f"{name(summary.id)} would be brought up to date, and is protected: {summary.protected}."
                skip = Skipped(Action.SUMMARIZE, (summary.id,), "protected", text)
                self.found.skipped += [] if skip in self.found.skipped else [skip]
                continue
            self.added[summary.id] += rows[:room]
            self.found.seated[summary.id] += len(rows[:room])
            rows = rows[room:]
        return rows

    def _begin(self, rows: list[Row]) -> bool:
        """Begin new summaries of `rows`, if there are enough for one."""
        if len(rows) < self.policy.summary_min_rows:
            return False
        self.begun += even_chunks(rows, self.policy.summary_max_rows)
        return True

    def _squeeze_in(self, rows: list[Row]) -> None:
        """Seat a few left-over rows in the first new summaries with room, or say that there are too few."""
        for chunk in sorted(self.begun, key=lambda chunk: _order(chunk[0])):
            room = self.policy.summary_max_rows - len(chunk)
            chunk += rows[:room]
            rows = rows[room:]
        if len(rows) == self.policy.summary_min_rows - 1 or (rows and self.told):
            why = "the summaries of its episode take no more, and " if self.told else ""
            needed = self.policy.summary_min_rows
            text = f"{many(len(rows), 'untold memory', 'untold memories')}: {why}a new summary needs {needed}."
            self._miss(rows, "too_few", text)

    def _offer_all(self, *, part: bool) -> None:
        for chunk in self.begun:
            self._offer(Episode(tuple(sorted(chunk, key=_order)), part=part))
        standing = {summary.id: summary for summary in self.told.values()}
        for summary_id, rows in self.added.items():
            cites = standing[summary_id].cites
            earlier = tuple(self.quotable[cited] for cited in cites if cited in self.quotable)
            self._offer(Episode(tuple(sorted(rows, key=_order)), standing[summary_id], earlier, part=part))

    def _offer(self, episode: Episode) -> None:
        if not episode.rows:
            return
        if any(extractive.earns(row.content) for row in episode.rows):
            self.found.episodes.append(episode)
        else:
            self._miss(list(episode.rows), "declarative", "Only greetings and questions: nothing to tell.")

    def _miss(self, rows: list[Row], gate: str, text: str) -> None:
        self.found.near_misses.append(Skipped(Action.SUMMARIZE, tuple(row.id for row in rows), gate, text))


def _order(row: Row) -> tuple[object, ...]:
    return (row.created_at, row.id)


def _parts(run: list[Row], policy: Policy) -> list[list[Row]]:
    """The episode whole, or by topic where it is long; by time where vectors are missing."""
    if len(run) <= policy.episode_split_rows:
        return [run]
    if any(row.vector is None for row in run):
        return even_chunks(run, policy.episode_split_rows)
    parts: list[list[Row]] = []
    for block in even_chunks(run, _TOPIC_BLOCK):
        vectors = np.stack([row.vector for row in block if row.vector is not None])
        for topic in by_topic(
            vectors,
            threshold=policy.episode_split_cosine,
            floor=policy.cosine_floor,
            smallest=policy.summary_min_rows,
        ):
            parts += even_chunks([block[i] for i in topic], policy.summary_max_rows)
    return parts
