"""When a schedule is due: slots are counted on the clock of a zone and answered in UTC. Pure.

A time that the clock leaves out (summer time begins) is read with the offset from before; one that it shows twice
(summer time ends) means the first. So RFC 5545 has it in 3.3.5, and so each day has one slot.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

DAY = timedelta(days=1)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class Kind(StrEnum):
    """How often."""

    DAILY = "daily"
    WEEKLY = "weekly"
    HOURS = "hours"


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How often, and since when. `at` and `weekday` (Monday is 0) are those of the clock in `zone`."""

    kind: Kind
    since: datetime
    zone: str = "UTC"
    at: time | None = None
    weekday: int | None = None
    every_hours: int | None = None

    def after(self, moment: datetime) -> datetime:
        """The first slot later than `moment`, in UTC. Raises KeyError for a zone that this machine does not know."""
        if self.kind == Kind.HOURS:
            step = timedelta(hours=self.every_hours or 1)
            return (self.since + max(1, (moment - self.since) // step + 1) * step).astimezone(UTC)
        return min(slot for slot in self._around(moment) if slot > moment)

    def _around(self, moment: datetime) -> Iterator[datetime]:
        """The slots of the days around `moment`: a week and more, for a week may lack the day's hour."""
        today = moment.astimezone(ZoneInfo(self.zone)).date()
        for ahead in range(-1, 16):
            day = today + ahead * DAY
            if self.weekday is None or day.weekday() == self.weekday:
                yield self._on(day)

    def _on(self, day: date) -> datetime:
        return datetime.combine(day, self.at or time(), tzinfo=ZoneInfo(self.zone)).astimezone(UTC)

    def words(self) -> str:
        """`every Monday at 03:00 (Asia/Tokyo)`."""
        if self.kind == Kind.HOURS:
            return "every hour" if self.every_hours == 1 else f"every {self.every_hours} hours"
        day = "day" if self.weekday is None else WEEKDAYS[self.weekday]
        return f"every {day} at {self.at:%H:%M} ({self.zone})"
