"""Days, weeks, months or years that a chart is drawn over, in the reader's time zone. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo

MOST = {"day": 21, "week": 27, "month": 37, "year": 40}  # of each; where there are more, the next larger is taken


@dataclass(frozen=True, slots=True)
class Periods:
    """Periods of one length, each from its first day to the next one's. `open` says that the first has no beginning."""

    unit: str
    starts: Sequence[date]
    open: bool = False

    def moments(self, zone: tzinfo) -> list[datetime]:
        """When each begins."""
        return [datetime.combine(day, time.min, tzinfo=zone) for day in self.starts]


def beginning(day: date, unit: str) -> date:
    """The first day of the period that `day` lies in; weeks begin on Monday."""
    if unit == "day":
        return day
    if unit == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if unit == "month" else day.replace(month=1, day=1)


def before(day: date, unit: str, count: int) -> date:
    """The first day of the period that lies `count` periods before the one of `day`."""
    first = beginning(day, unit)
    if unit in ("day", "week"):
        return first - timedelta(days=count * (7 if unit == "week" else 1))
    months = first.year * 12 + first.month - 1 - count * (12 if unit == "year" else 1)
    return date(months // 12, months % 12 + 1, 1)


def latest(count: int, unit: str, last: date) -> Periods:
    """The `count` periods up to and with the one of `last`."""
    return Periods(unit, [before(last, unit, n) for n in reversed(range(count))])


def spanning(first: date, last: date, *, least: str = "day") -> Periods:
    """Periods from `first` to `last`, as short as there are not too many of them, but no shorter than `least`.

    Of more than forty years the first takes in all before it.
    """
    units = list(MOST)
    for unit in units[units.index(least) :]:
        count = _count(first, last, unit)
        if count <= MOST[unit]:
            return latest(count, unit, last)
    years = latest(MOST["year"], "year", last)
    return Periods("year", years.starts, open=True)


_LENGTHS: dict[str, Callable[[date, date], int]] = {
    "day": lambda first, last: (last - first).days,
    "week": lambda first, last: (last - first).days // 7,
    "month": lambda first, last: (last.year - first.year) * 12 + last.month - first.month,
    "year": lambda first, last: last.year - first.year,
}


def _count(first: date, last: date, unit: str) -> int:
    """How many periods touch the days from `first` to `last`."""
    return _LENGTHS[unit](beginning(first, unit), beginning(last, unit)) + 1
