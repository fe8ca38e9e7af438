"""archive: what is faded, kept elsewhere, idle or repeated leaves the active set. Pure; it never looks for words.

Three choices keep a second pass at the same `as_of` empty:

- a summary counts as the keeper of its sources only once it stands (written before `as_of`, not rewritten by this
  pass) and is not faded itself;
- a faded summary stays while any of its sources stays active, or those would be summarised all over again;
- summaries are nobody's duplicates: each is the only record of its own sources.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from reflection.planner.decay import importance_at
from reflection.planner.rows import Cited, Proposal, Row, Rows
from reflection.planner.wording import day, many, name
from reflection.policy import Policy
from reflection.states import Action

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class _Verdict:
    rule: str
    text: str
    facts: dict[str, Any]
    keeper: Row | None = None


def candidates(rows: Rows, *, as_of: datetime, policy: Policy, rewritten: Collection[UUID] = ()) -> Iterator[Proposal]:
    """One proposal for each row that a rule archives, in the order of `rows`, summaries after their sources.

    `rows` are sorted by (created_at, id) and not expired; `rewritten` are the summaries that this same pass updates.
    """
    verdicts = _verdicts(rows, as_of, policy, frozenset(rewritten))
    gone = sorted((row for row in rows if row.id in verdicts), key=lambda row: row.is_summary)
    return (_proposal(row, verdicts[row.id], as_of) for row in gone)


def _verdicts(rows: Rows, as_of: datetime, policy: Policy, rewritten: frozenset[UUID]) -> dict[UUID, _Verdict]:
    faded = {row.id: verdict for row in rows if (verdict := _faded(row, as_of, policy))}
    summaries = [row for row in rows if row.is_summary and row.id not in rewritten]
    keepers = {row.id: row for row in summaries if row.id not in faded and row.updated_at < as_of}
    others = [row for row in rows if not row.is_summary]
    found: dict[UUID, _Verdict] = {}
    for row in others:
        if verdict := faded.get(row.id) or _cited(row, keepers, as_of, policy) or _idle(row, as_of, policy):
            found[row.id] = verdict
    found = _duplicates([row for row in others if row.id not in found or row.protected]) | found
    needed = {row.cited_by for row in rows if row.id not in found or row.protected}
    return found | {row.id: faded[row.id] for row in summaries if row.id in faded and row.id not in needed}


def _faded(row: Row, as_of: datetime, policy: Policy) -> _Verdict | None:
    value, idle = importance_at(row, as_of, policy), as_of - row.last_touched
    if value >= policy.archive_below or idle < policy.archive_unused_days * _DAY:
        return None
    return _Verdict(
        "faded",
        f"Importance {value:.3f} is below {policy.archive_below:g} and nobody used or edited it for "
        f"{many(idle.days, 'day')} (the rule asks for {policy.archive_unused_days:g}).",
        {"importance": round(value, 6), "below": policy.archive_below, "unused_limit_days": policy.archive_unused_days},
    )


def _cited(row: Row, keepers: dict[UUID, Row], as_of: datetime, policy: Policy) -> _Verdict | None:
    keeper = keepers.get(row.cited_by) if row.cited_by else None
    age, idle = as_of - row.created_at, as_of - row.last_touched
    if keeper is None or row.memory_type != "episodic":
        return None
    if age <= policy.archive_cited_age_days * _DAY or idle < policy.archive_cited_unused_days * _DAY:
        return None
    return _Verdict(
        "cited",
        f"Kept in {name(keeper.id)}; {many(age.days, 'day')} old and unused for {many(idle.days, 'day')}.",
        {
            "summary": str(keeper.id),
            "age_days": age.days,
            "age_limit_days": policy.archive_cited_age_days,
            "unused_limit_days": policy.archive_cited_unused_days,
        },
        keeper,
    )


def _idle(row: Row, as_of: datetime, policy: Policy) -> _Verdict | None:
    idle = as_of - row.last_touched
    if row.memory_type != "working" or idle < policy.archive_working_days * _DAY:
        return None
    text = f"Working memory, unused for {many(idle.days, 'day')} (the rule asks for {policy.archive_working_days:g})."
    return _Verdict("idle_working", text, {"unused_limit_days": policy.archive_working_days})


def _duplicates(rows: Rows) -> dict[UUID, _Verdict]:
    """All but the newest of each set of equal rows. `rows` are those that no other rule takes away."""
    equal: dict[tuple[object, ...], list[Row]] = defaultdict(list)
    for row in rows:
        if row.folded:
            equal[(*row.boundary, row.memory_type, row.folded)].append(row)
    found: dict[UUID, _Verdict] = {}
    for *older, newest in equal.values():
        text = f"Same words as the newer {name(newest.id)} of {day(newest.created_at)}."
        for row in older:
            found[row.id] = _Verdict("duplicate", text, {"duplicate_of": str(newest.id)}, newest)
    return found


def _proposal(row: Row, verdict: _Verdict, as_of: datetime) -> Proposal:
    cited = [Cited(row.id, row.version, changes=True)]
    if verdict.keeper:
        cited.append(Cited(verdict.keeper.id, verdict.keeper.version))
    return Proposal(
        action=Action.ARCHIVE,
        target_id=row.id,
        before={"status": "active"},
        after={"status": "archived"},
        why={
            "rule": verdict.rule,
            "text": verdict.text,
            **verdict.facts,
            "last_touched": row.last_touched.isoformat(),
            "unused_days": (as_of - row.last_touched).days,
            "as_of": as_of.isoformat(),
        },
        basis=tuple(cited),
    )
