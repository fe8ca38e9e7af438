"""archive: what is faded, kept elsewhere, idle or repeated leaves the active set. Pure; it never looks for words.

Three choices keep a second pass at the same `as_of` empty:

- a summary counts as the keeper of its sources only once it stands (written before `as_of`, not rewritten by this
  pass) and is not faded itself;
- a faded summary stays while any of its sources stays active, or those would be summarised all over again;
- summaries are nobody's duplicates: each is the only record of its own sources.

What somebody brought back into the active set counts as used at that moment.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from reflection.planner.columns import Columns, Mask, Numbers, Places, days, micros
from reflection.planner.decay import NEAR, importance_at, importances_at
from reflection.planner.rows import Cited, Proposal, Standing
from reflection.planner.wording import day, many, name
from reflection.policy import Policy
from reflection.states import Action

FADED, CITED, IDLE, DUPLICATE = 1, 2, 3, 4
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The rows that a rule archives, in order, summaries after their sources."""

    places: Places
    rules: Numbers  # FADED … of every row, found or not; 0: none
    keepers: Places  # of every row: what keeps its words, where its rule names one


def find(columns: Columns, *, live: Mask, as_of: datetime, policy: Policy, rewritten: Places) -> Found:
    """What archive takes away among the `live` rows; `rewritten` are the summaries that this same pass updates."""
    faded = live & _faded(columns, as_of, policy)
    summaries = live & columns.summaries
    summaries[rewritten] = False
    others = live & ~columns.summaries
    told = _told(columns, summaries & ~faded & (columns.updated < micros(as_of)))
    rules = np.zeros(len(columns), dtype=np.int64)
    keepers = np.where(columns.cited_by >= 0, columns.cited_by, 0)
    rules[others & _idle(columns, as_of, policy)] = IDLE
    rules[others & told & _spent(columns, as_of, policy)] = CITED
    rules[others & faded] = FADED
    older, newest = _duplicates(columns, others & ((rules == 0) | columns.protected))
    unruled = rules[older] == 0
    rules[older[unruled]], keepers[older[unruled]] = DUPLICATE, newest[unruled]
    staying = live & ((rules == 0) | columns.protected)
    needed = np.zeros(len(columns), dtype=bool)
    needed[columns.cited_by[staying & (columns.cited_by >= 0)]] = True
    rules[summaries & faded & ~needed] = FADED
    gone = np.flatnonzero(rules)
    return Found(gone[np.argsort(columns.summaries[gone], kind="stable")], rules, keepers)


def _faded(columns: Columns, as_of: datetime, policy: Policy) -> Mask:
    value = importances_at(columns, as_of, policy)
    found: Mask = (value < policy.archive_below + NEAR) & _unused(columns, as_of, policy.archive_unused_days)
    for place in np.flatnonzero(found & (value >= policy.archive_below - NEAR)).tolist():
        found[place] = importance_at(columns.standing(place), as_of, policy) < policy.archive_below
    return found


def _unused(columns: Columns, as_of: datetime, least_days: float) -> Mask:
    found: Mask = micros(as_of) - columns.touched >= days(least_days)
    return found


def _told(columns: Columns, keepers: Mask) -> Mask:
    """Which rows one of `keepers` cites."""
    found = columns.cited_by >= 0
    found[found] = keepers[columns.cited_by[found]]
    return found


def _spent(columns: Columns, as_of: datetime, policy: Policy) -> Mask:
    old = micros(as_of) - columns.created > days(policy.archive_cited_age_days)
    return columns.kind("episodic") & old & _unused(columns, as_of, policy.archive_cited_unused_days)


def _idle(columns: Columns, as_of: datetime, policy: Policy) -> Mask:
    return columns.kind("working") & _unused(columns, as_of, policy.archive_working_days)


def _duplicates(columns: Columns, among: Mask) -> tuple[Places, Places]:
    """All but the newest of each set of equal rows, each with that one. No other rule takes `among` away.

    Nor those that somebody brought back when the newest was there already.
    """
    places = np.flatnonzero(among & (columns.words != b""))
    texts, text = np.unique(columns.words[places], return_inverse=True)
    newest = np.zeros(len(texts), dtype=np.int64)
    newest[text] = places  # of one text the last place stays
    last = newest[text]
    older = (places != last) & (columns.reactivated[places] < columns.created[last])
    return places[older], last[older]


def proposal(columns: Columns, found: Found, place: int, as_of: datetime, policy: Policy) -> Proposal:
    """The proposal for one row that a rule archives."""
    row, rule = columns.standing(place), int(found.rules[place])
    keeper = columns.standing(found.keepers[place]) if rule in (CITED, DUPLICATE) else None
    told, text, facts = _WHY[rule](row, keeper, as_of, policy)
    cited = [Cited(row.id, row.version, changes=True)]
    if keeper:
        cited.append(Cited(keeper.id, keeper.version))
    return Proposal(
        action=Action.ARCHIVE,
        target_id=row.id,
        before={"status": "active"},
        after={"status": "archived"},
        why={
            "rule": told,
            "text": text,
            **facts,
            "last_touched": row.last_touched.isoformat(),
            "unused_days": (as_of - row.last_touched).days,
            "as_of": as_of.isoformat(),
        },
        basis=tuple(cited),
    )


_Why = tuple[str, str, dict[str, Any]]


def _why_faded(row: Standing, _: Standing | None, as_of: datetime, policy: Policy) -> _Why:
    value, idle = importance_at(row, as_of, policy), as_of - row.last_touched
    text = (
        f"Importance {value:.3f} is below {policy.archive_below:g} and nobody used or edited it for "
        f"{many(idle.days, 'day')} (the rule asks for {policy.archive_unused_days:g})."
    )
    limits = {"below": policy.archive_below, "unused_limit_days": policy.archive_unused_days}
    return "faded", text, {"importance": round(value, 6), **limits}


def _why_cited(row: Standing, keeper: Standing | None, as_of: datetime, policy: Policy) -> _Why:
    assert keeper
    age, idle = (as_of - row.created_at).days, (as_of - row.last_touched).days
    text = f"Kept in {name(keeper.id)}; {many(age, 'day')} old and unused for {many(idle, 'day')}."
    limits = {
        "age_limit_days": policy.archive_cited_age_days,
        "unused_limit_days": policy.archive_cited_unused_days,
    }
    return "cited", text, {"summary": str(keeper.id), "age_days": age, **limits}


def _why_idle(row: Standing, _: Standing | None, as_of: datetime, policy: Policy) -> _Why:
    idle, least = (as_of - row.last_touched).days, policy.archive_working_days
    text = f"Working memory, unused for {many(idle, 'day')} (the rule asks for {least:g})."
    return "idle_working", text, {"unused_limit_days": least}


def _why_duplicate(row: Standing, keeper: Standing | None, as_of: datetime, policy: Policy) -> _Why:
    assert keeper
    text = f"Same words as the newer {name(keeper.id)} of {day(keeper.created_at)}."
    return "duplicate", text, {"duplicate_of": str(keeper.id)}


_WHY: dict[int, Callable[[Standing, Standing | None, datetime, Policy], _Why]] = {
    FADED: _why_faded,
    CITED: _why_cited,
    IDLE: _why_idle,
    DUPLICATE: _why_duplicate,
}
