"""summarize: an episode becomes one durable record that cites every row it tells. Pure.

A row that is cited may be pinned: citing changes nothing in it. When a summary is brought up to date and all its
sources are at hand, it is told anew from the originals; where some are gone (archived, deleted, out of sight), its text
stays and the new rows' sentences follow, so that nothing it kept is lost.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from reflection.planner.decay import importance_at
from reflection.planner.episodes import Episode
from reflection.planner.rows import Cited, Proposal, Row
from reflection.planner.wording import many, span
from reflection.policy import Policy
from reflection.states import Action
from reflection.summarizer import Source, Summarizer, Summary, join

PATH_MOST = 500  # characters of a path


def propose(episode: Episode, *, as_of: datetime, policy: Policy, summarizer: Summarizer) -> Proposal:
    """The proposal for one episode: a new summary, or the standing one brought up to date."""
    if episode.summary:
        return _update(episode, episode.summary, policy, summarizer)
    return _new(episode, as_of, policy, summarizer)


def place_of(path: str, *below: str) -> str:
    """`path` with parts below it, as far as a path may go; a leading slash stays as it is."""
    whole = "/".join([path.rstrip("/"), *below]) if path.strip("/") else path[:1] + "/".join(below)
    return whole[:PATH_MOST]


def worth_of(rows: Sequence[Row], as_of: datetime, policy: Policy) -> float:
    """The mean of what `rows` are worth at `as_of`, whenever a pass has last stored that."""
    return round(sum(importance_at(row, as_of, policy) for row in rows) / len(rows), 6)


def fields_of(rows: Sequence[Row], content: str, path: str, confidence: float | None, worth: float) -> dict[str, Any]:
    """The fields of a new record drawn from `rows`: what they are worth, lowest trust, first to last moment."""
    first = rows[0]
    return {
        "content": content,
        "path": path,
        "memory_type": "semantic",
        "importance": worth,
        "confidence": confidence,
        "trust": min(row.trust for row in rows),
        "bucket": first.bucket,
        "scope": first.scope,
        "owner_id": str(first.owner_id),
        "team_id": str(first.team_id) if first.team_id else None,
        "span": span_of(rows),
    }


def span_of(rows: Sequence[Row]) -> list[str]:
    """First and last moment of rows in time order, in ISO form."""
    return [rows[0].created_at.isoformat(), rows[-1].created_at.isoformat()]


def _new(episode: Episode, as_of: datetime, policy: Policy, summarizer: Summarizer) -> Proposal:
    rows = episode.rows
    summary, budget = _tell(rows, policy, summarizer)
    path = place_of(rows[0].path, "reflections", f"{rows[-1].created_at:%Y-%m-%d}")
    share = "one part of a long episode" if episode.part else "one episode"
    text = f"{many(len(rows), 'memory', 'memories')} of {share}, {span(rows[0].created_at, rows[-1].created_at)}"
    return Proposal(
        action=Action.SUMMARIZE,
        target_id=None,
        before={},
        after=fields_of(rows, summary.text, path, None, worth_of(rows, as_of, policy)),
        why=_why("episode", text, rows, summary, budget, policy),
        basis=_basis(rows, summary),
    )


def _update(episode: Episode, old: Row, policy: Policy, summarizer: Summarizer) -> Proposal:
    rows = episode.all_rows
    complete = len(episode.earlier) == len(old.cites)
    summary, budget = _tell(rows if complete else episode.rows, policy, summarizer)
    content = summary.text if complete else _followed_by(old.content, summary.text, policy)
    before: dict[str, Any] = {"content": old.content}
    after: dict[str, Any] = {"content": content, "span": span_of(rows)}
    if (trust := min(row.trust for row in rows)) < old.trust:
        before["trust"], after["trust"] = old.trust, trust
    text = (
        f"{many(len(episode.rows), 'new memory', 'new memories')} of an episode already told, "
        f"{span(episode.rows[0].created_at, episode.rows[-1].created_at)}"
    )
    why = _why("continued", text, rows, summary, budget, policy)
    return Proposal(
        action=Action.SUMMARIZE,
        target_id=old.id,
        before=before,
        after=after,
        why=why | {"new_rows": len(episode.rows), "told_anew": complete},
        basis=(*_basis(rows, summary), Cited(old.id, old.version, changes=True)),
    )


def _followed_by(old: str, new: str, policy: Policy) -> str:
    """The old text and the new after it; a text that is long enough already stays as it is."""
    return join([old, new]) if len(old) < policy.summary_max_chars else old


def _tell(rows: Sequence[Row], policy: Policy, summarizer: Summarizer) -> tuple[Summary, int]:
    share = int(policy.summary_share * sum(len(row.content) for row in rows))
    budget = min(policy.summary_max_chars, max(policy.summary_min_chars, share))
    sources = [Source(row.id, row.content, row.created_at, row.vector, row.speaker or "") for row in rows]
    return summarizer.summarize(sources, budget), budget


def told(rows: Sequence[Row], policy: Policy, summarizer: Summarizer) -> tuple[Summary, dict[UUID, str]]:
    """What `rows` (in time order) come to, and the words taken from each of them."""
    summary, _ = _tell(rows, policy, summarizer)
    return summary, {cited.memory_id: cited.quote for cited in _basis(rows, summary)}


def _why(rule: str, text: str, rows: Sequence[Row], summary: Summary, budget: int, policy: Policy) -> dict[str, Any]:
    since, until = span_of(rows)
    return {
        "rule": rule,
        "text": text,
        "rows": len(rows),
        "first": since,
        "last": until,
        "gap_limit_hours": policy.episode_gap_hours,
        "source_chars": sum(len(row.content) for row in rows),
        "budget_chars": budget,
        "method": summary.method,
        "note": summary.note,
    }


def _basis(rows: Sequence[Row], summary: Summary) -> tuple[Cited, ...]:
    """Every row told, with the words taken from it; several sentences of one row stand on lines of their own."""
    taken: dict[UUID, list[str]] = defaultdict(list)
    for sentence, source_id in summary.sentences:
        taken[source_id].append(sentence)
    return tuple(
        Cited(row.id, row.version, quote="\n".join(s for s in taken[row.id] if s in row.content)) for row in rows
    )
