"""The planner as the rules read: one row after the other, all of them at hand, all proposals built, then cut.

It shares with the real one what words a proposal uses, how an episode is told and how a cluster is judged; which rows
a rule concerns, it says by itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from reflection.planner import archive, decay, episodes, expire, promote, summarize
from reflection.planner.columns import columns_of
from reflection.planner.rows import SKIPPED_KEPT, Plan, Proposal, Row, Skipped, Window
from reflection.policy import Policy
from reflection.states import Action
from reflection.summarizer import extractive
from tests.reflection.planner_rows import ALWAYS, DAY, NOW


def naive(
    rows: Sequence[Row],
    *,
    actions: Collection[Action] = tuple(Action),
    window: Window = ALWAYS,
    as_of: datetime = NOW,
    policy: Policy,
    limit: int = 1_000_000,
) -> Plan:
    rows = sorted(rows, key=lambda row: (row.created_at, row.id))
    expired = {row.id for row in rows if row.expires_at is not None and row.expires_at <= as_of}
    live = [replace(row, cited_by=None) if row.cited_by in expired else row for row in rows if row.id not in expired]
    done: dict[Action, list[Proposal]] = defaultdict(list)
    skipped: list[Skipped] = []
    near: list[Skipped] = []
    rewritten: set[UUID] = set()
    leaving: set[UUID] = set()
    guarded: set[UUID] = set()
    if Action.SUMMARIZE in actions:
        found = episodes.find(live, window=window, policy=policy)
        rewritten = {episode.summary.id for episode in found.episodes if episode.summary}
        tell = partial(summarize.propose, as_of=as_of, policy=policy, summarizer=extractive)
        done[Action.SUMMARIZE] = [tell(episode) for episode in found.episodes]
        skipped, near = skipped + found.skipped, near + found.near_misses
    if Action.ARCHIVE in actions:
        proposals = archived(live, as_of, policy, rewritten)
        done[Action.ARCHIVE], kept = apart(proposals, rows, skipped, Action.ARCHIVE)
        leaving, guarded = {p.target_id for p in done[Action.ARCHIVE] if p.target_id}, kept
    if Action.PROMOTE in actions:
        facts = lambda clusters: live  # noqa: E731
        told = promote.find(live, window=window, as_of=as_of, policy=policy, facts=facts, leaving=leaving)
        done[Action.PROMOTE] = told.proposals
        skipped, near = skipped + told.skipped, near + told.near_misses
    if Action.EXPIRE in actions:
        due = [expire.proposal(row, as_of) for row in rows if row.id in expired]
        done[Action.EXPIRE], _ = apart(due, rows, skipped, Action.EXPIRE)
    if Action.DECAY in actions:
        staying = [row for row in live if row.id not in leaving | guarded | rewritten]
        due = [decay.proposal(row, as_of, policy) for row in staying if decays(row, as_of, policy)]
        done[Action.DECAY], _ = apart(due, rows, skipped, Action.DECAY)
    every = [proposal for action in Action for proposal in done[action]]
    return Plan(
        every[:limit],
        skipped[:SKIPPED_KEPT],
        near[: policy.near_misses],
        max(0, len(every) - limit),
        max(0, len(skipped) - SKIPPED_KEPT),
    )


def apart(
    proposals: Iterable[Proposal], rows: Sequence[Row], skipped: list[Skipped], action: Action
) -> tuple[list[Proposal], set[UUID]]:
    """The proposals for rows that may be changed; the others are listed."""
    guarded = {row.id: row.protected for row in rows if row.protected}
    free: list[Proposal] = []
    kept: set[UUID] = set()
    for one in proposals:
        assert one.target_id
        if why := guarded.get(one.target_id):
            text = f"Would {action.value}, and is protected: {why}."
            skipped.append(Skipped(action, (one.target_id,), "protected", text))
            kept.add(one.target_id)
        else:
            free.append(one)
    return free, kept


def decays(row: Row, as_of: datetime, policy: Policy) -> bool:
    if row.memory_type == "identity" or not policy.half_life_days.get(row.memory_type):
        return False
    value = round(decay.importance_at(row, as_of, policy), 6)
    return round(abs(row.importance - value), 9) >= policy.decay_step


def archived(rows: Sequence[Row], as_of: datetime, policy: Policy, rewritten: Collection[UUID]) -> list[Proposal]:
    faded = {row.id for row in rows if fades(row, as_of, policy)}
    summaries = [row for row in rows if row.is_summary and row.id not in rewritten]
    keepers = {row.id: row for row in summaries if row.id not in faded and row.updated_at < as_of}
    others = [row for row in rows if not row.is_summary]
    why: dict[UUID, tuple[int, Row | None]] = {}
    for row in others:
        idle, keeper = as_of - row.last_touched, keepers.get(row.cited_by) if row.cited_by else None
        if row.id in faded:
            why[row.id] = archive.FADED, None
        elif keeper and row.memory_type == "episodic" and as_of - row.created_at > policy.archive_cited_age_days * DAY:
            if idle >= policy.archive_cited_unused_days * DAY:
                why[row.id] = archive.CITED, keeper
        elif row.memory_type == "working" and idle >= policy.archive_working_days * DAY:
            why[row.id] = archive.IDLE, None
    why = duplicates([row for row in others if row.id not in why or row.protected]) | why
    needed = {row.cited_by for row in rows if row.id not in why or row.protected}
    why |= {row.id: (archive.FADED, None) for row in summaries if row.id in faded and row.id not in needed}
    gone = sorted((row for row in rows if row.id in why), key=lambda row: row.is_summary)
    return [proposed(row, *why[row.id], rows, as_of, policy) for row in gone]


def fades(row: Row, as_of: datetime, policy: Policy) -> bool:
    low = decay.importance_at(row, as_of, policy) < policy.archive_below
    return low and as_of - row.last_touched >= policy.archive_unused_days * DAY


def duplicates(rows: Sequence[Row]) -> dict[UUID, tuple[int, Row | None]]:
    equal: dict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        if row.folded:
            equal[(*row.boundary, row.memory_type, row.speaker, row.folded)].append(row)
    pairs = [(row, newest) for *older, newest in equal.values() for row in older]
    brought_back = {row.id for row, newest in pairs if row.reactivated_at and row.reactivated_at >= newest.created_at}
    return {row.id: (archive.DUPLICATE, newest) for row, newest in pairs if row.id not in brought_back}


def proposed(row: Row, rule: int, keeper: Row | None, rows: Sequence[Row], as_of: datetime, policy: Policy) -> Proposal:
    """In the words of the real one, for a table of these two rows."""
    pair = columns_of([row, keeper] if keeper else [row])
    found = archive.Found(pair.versions * 0, pair.versions * 0 + rule, pair.versions * 0 + (1 if keeper else 0))
    return archive.proposal(pair, found, 0, as_of=as_of, policy=policy)
