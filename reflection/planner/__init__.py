"""What a reflection pass would do: pure functions, rows in, candidates out. No database, no clock.

`survey` decides over columns which rows are concerned and asks a `Shelf` for the words and meanings of those alone;
`Survey.plan` then builds as many proposals as the limit allows. `plan` is both at once, for rows at hand.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from reflection.planner.columns import Places, columns_of
from reflection.planner.rows import Plan, Row, Rows, Window
from reflection.planner.survey import survey
from reflection.policy import Policy
from reflection.states import Action
from reflection.summarizer import Summarizer, extractive


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
    ordered = sorted(rows, key=lambda row: (row.created_at, row.id))
    shelf = AtHand(ordered)
    found = survey(columns_of(ordered), shelf, actions=actions, window=window, as_of=as_of, policy=policy)
    return found.plan(limit, summarizer)


@dataclass(frozen=True, slots=True)
class AtHand:
    """A shelf of rows that are all there."""

    all: list[Row]

    def rows(self, places: Places) -> list[Row]:
        """See Shelf."""
        return [self.all[place] for place in places]

    def facts(self, clusters: Sequence[Rows], among: Places) -> list[Row]:
        """All of `among`; see Shelf."""
        facts = self.rows(among) if clusters else []
        wanted = {row.id for row in facts} | {key for row in facts for key in row.cites}
        return [row for row in self.all if row.id in wanted]
