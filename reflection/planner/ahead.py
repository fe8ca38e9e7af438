"""What the rules will do to one record if nobody uses or edits it, and when. Pure.

Nothing here knows a rule or a formula. Rules change their minds only at moments that can be told beforehand, when a
limit of age, use or importance is passed: the planner is asked at each of them, as a pass at that moment would ask it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from uuid import UUID

from reflection.planner import AtHand, plan
from reflection.planner.columns import Columns, columns_of, days, micros, moment
from reflection.planner.decay import importance_at
from reflection.planner.rows import Proposal, Row, Rows, Window
from reflection.planner.survey import survey
from reflection.policy import Policy
from reflection.states import Action

FAR = timedelta(days=3_650)  # nobody is told what lies further ahead than ten years
CLOSE = timedelta(seconds=1)  # how exactly a moment is found
_NEXT = timedelta(microseconds=1)
_AWAY = (Action.EXPIRE, Action.ARCHIVE)
_AGES = ("archive_unused_days", "archive_cited_unused_days", "archive_working_days", "archive_cited_age_days")


@dataclass(frozen=True, slots=True)
class Leaving:
    """The first moment from which on a pass takes the record out of the active set, and what it then says."""

    at: datetime
    proposal: Proposal


@dataclass(frozen=True)
class Ahead:
    """What lies before the record `id` among `rows`, which hold all that the rules compare it with.

    Where they do not, `whole` says so: then nobody knows when it leaves.
    """

    rows: Rows
    id: UUID
    as_of: datetime
    policy: Policy
    whole: bool = True

    @cached_property
    def row(self) -> Row:
        """The record in question."""
        return next(row for row in self.rows if row.id == self.id)

    @cached_property
    def steady(self) -> str:
        """Why it does not fade, or nothing: its protection, `half_life` for a type without one, or `floor`."""
        row = self.row
        if row.protected:
            return row.protected
        if not self.policy.half_life_days.get(row.memory_type):
            return "half_life"
        return "floor" if min(1.0, row.base) <= self.policy.decay_floor else ""

    def value_at(self, at: datetime) -> float:
        """The importance that a pass at `at` leaves it with."""
        if self.steady in ("", "floor"):
            return importance_at(self.row, at, self.policy)
        return self.row.importance

    def written_from(self) -> datetime | None:
        """From when on a pass would store another importance; None where not before FAR."""
        alone = [replace(self.row, expires_at=None)]
        return self._first(lambda at: bool(_asked(alone, [Action.DECAY], at, self.policy)))

    def below_from(self) -> datetime | None:
        """From when on it is less important than what may be archived for being faded."""
        return self._below(self.row)

    def leaving(self) -> Leaving | None:
        """When it is archived or expires, by whichever rule comes first; None where not before FAR, or nobody knows."""
        if self.row.protected or not self.whole:
            return None
        at = next((at for at in self._turns() if self._leaves(at + _NEXT)), None)
        if at is None:
            return None
        proposals = _asked(self.rows, _AWAY, at + _NEXT, self.policy)
        return Leaving(at, next(one for one in proposals if one.target_id == self.id))

    @cached_property
    def _columns(self) -> tuple[Columns, int]:
        """The columns of all rows, which serve for every moment, and the place of the record in them."""
        ordered = sorted(self.rows, key=lambda row: (row.created_at, row.id))
        return columns_of(ordered), ordered.index(self.row)

    def _leaves(self, at: datetime) -> bool:
        columns, place = self._columns
        window = Window(at, at)
        found = survey(columns, AtHand([]), actions=_AWAY, window=window, as_of=at, policy=self.policy)
        return place in found.expired.places or place in found.archived.places

    def _turns(self) -> list[datetime]:
        """The moments at which a rule may change its mind."""
        last, own = self.as_of + FAR, {self.as_of, self.row.expires_at}
        # Before a summary is faded itself, only its expiry takes it away.
        first = (self.below_from() or last) if self.row.is_summary else self.as_of
        found = {self.as_of, *(at for row in self.rows for at in self._turns_of(row))}
        return sorted(at for at in found if self.as_of <= at <= last and (at >= first or at in own))

    def _turns_of(self, row: Row) -> Iterator[datetime]:
        for name in _AGES:
            age = days(getattr(self.policy, name))
            for since in {micros(row.last_touched), micros(row.created_at)}:
                if since + age <= micros(self.as_of + FAR):
                    yield moment(since + age)
        if row.expires_at:
            yield row.expires_at
        if below := self._below(row):
            yield below

    def _below(self, row: Row) -> datetime | None:
        return self._first(lambda at: importance_at(row, at, self.policy) < self.policy.archive_below)

    def _first(self, holds: Callable[[datetime], bool]) -> datetime | None:
        """The first moment from now on at which `holds`, which then holds for good, does."""
        early, late = self.as_of, self.as_of + FAR
        if holds(early) or not holds(late):
            return early if holds(early) else None
        while late - early > CLOSE:
            middle = early + (late - early) / 2
            early, late = (early, middle) if holds(middle) else (middle, late)
        return late


def _asked(rows: Sequence[Row], actions: Sequence[Action], at: datetime, policy: Policy) -> list[Proposal]:
    """What a pass at `at` proposes among `rows`."""
    window = Window(at, at)  # of summarize and promote, which are not asked
    return plan(rows, actions=actions, window=window, as_of=at, policy=policy, limit=len(rows)).proposals
