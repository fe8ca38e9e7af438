"""What a reflection pass would do: one pure function, rows in, candidates out. No database, no clock."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from uuid import UUID

from reflection.planner import archive, decay, episodes, expire, promote, summarize
from reflection.planner.rows import Plan, Proposal, Row, Skipped, Window
from reflection.policy import Policy
from reflection.states import Action
from reflection.summarizer import Summarizer, extractive

_Draft = Callable[[], Proposal]


def plan(
    rows: Sequence[Row],
    *,
    actions: Collection[Action],
    window: Window,
    as_of: datetime,
    policy: Policy,
    limit: int,
    summarizer: Summarizer = extractive,
) -> Plan:
    """What reflect would change among `rows`, the active and visible records inside the filters.

    The order of `rows` does not matter. `window` bounds summarize and promote only. At most `limit` proposals come
    back, in canonical order; `cut` says how many more there are, and planning again after applying brings those.
    Planning again at the same `as_of` after everything was applied brings none. Raises ValueError for an `as_of`
    without a time zone or a negative limit.
    """
    if as_of.tzinfo is None:
        raise ValueError("as_of needs a time zone; give it in UTC.")
    if limit < 0:
        raise ValueError("limit must be 0 or more.")
    scene = _Scene(rows, actions=actions, window=window, as_of=as_of, policy=policy, summarizer=summarizer)
    drafts = scene.drafts()
    return Plan(
        proposals=[draft() for draft in drafts[:limit]],
        skipped=scene.skipped,
        near_misses=scene.near_misses[: policy.near_misses],
        cut=max(0, len(drafts) - limit),
    )


class _Scene:
    """One planning: the rows in order, and what the actions so far have said about them."""

    def __init__(
        self,
        rows: Sequence[Row],
        *,
        actions: Collection[Action],
        window: Window,
        as_of: datetime,
        policy: Policy,
        summarizer: Summarizer,
    ) -> None:
        self.rows = sorted(rows, key=lambda row: (row.created_at, row.id))
        self.live = _live(self.rows, as_of)
        self.actions, self.window, self.as_of, self.policy = frozenset(actions), window, as_of, policy
        self.summarizer = summarizer
        self.skipped: list[Skipped] = []
        self.near_misses: list[Skipped] = []
        self.rewritten: set[UUID] = set()

    def drafts(self) -> list[_Draft]:
        """All proposals in canonical order, each still to be built: only those within the limit cost a summary.

        They are looked for in another order: what a pass rewrites it does not archive as well, what it archives is
        no longer known to promote, and does not decay.
        """
        told = self._summaries() if Action.SUMMARIZE in self.actions else []
        archiving = self._changes(
            Action.ARCHIVE,
            archive.candidates(self.live, as_of=self.as_of, policy=self.policy, rewritten=self.rewritten),
        )
        leaving = {proposal.target_id for proposal in archiving if proposal.target_id}
        promoted = self._promotions(leaving) if Action.PROMOTE in self.actions else []
        expiring = self._changes(Action.EXPIRE, expire.candidates(self.rows, as_of=self.as_of))
        guarded = {memory_id for item in self.skipped if item.action is Action.ARCHIVE for memory_id in item.memory_ids}
        settled = leaving | guarded
        staying = [row for row in self.live if row.id not in settled]
        decaying = self._changes(Action.DECAY, decay.candidates(staying, as_of=self.as_of, policy=self.policy))
        return [*told, *(partial(_same, p) for p in (*promoted, *expiring, *decaying, *archiving))]

    def _summaries(self) -> list[_Draft]:
        found = episodes.find(self.live, window=self.window, policy=self.policy)
        self.skipped += found.skipped
        self.near_misses += found.near_misses
        self.rewritten = {episode.summary.id for episode in found.episodes if episode.summary}
        build = partial(summarize.propose, policy=self.policy, summarizer=self.summarizer)
        return [partial(build, episode) for episode in found.episodes]

    def _promotions(self, leaving: set[UUID]) -> list[Proposal]:
        found = promote.find(self.live, window=self.window, policy=self.policy, leaving=leaving)
        self.skipped += found.skipped
        self.near_misses += found.near_misses
        return found.proposals

    def _changes(self, action: Action, proposals: Iterable[Proposal]) -> list[Proposal]:
        """The proposals of one action without those for protected rows, which are listed instead."""
        if action not in self.actions:
            return []
        guarded = {row.id: row.protected for row in self.rows if row.protected}
        found: list[Proposal] = []
        for proposal in proposals:
            reason = guarded.get(proposal.target_id) if proposal.target_id else None
            if reason and proposal.target_id:
                text = f"Would {action.value}, and is protected: {reason}."
                self.skipped.append(Skipped(action, (proposal.target_id,), "protected", text))
            else:
                found.append(proposal)
        return found


def _live(rows: Sequence[Row], as_of: datetime) -> list[Row]:
    """The rows not expired at `as_of`; what only an expired summary told is untold again."""
    expired = {row.id for row in rows if expire.due(row, as_of)}
    return [replace(row, cited_by=None) if row.cited_by in expired else row for row in rows if row.id not in expired]


def _same(proposal: Proposal) -> Proposal:
    return proposal
