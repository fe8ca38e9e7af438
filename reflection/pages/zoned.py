"""The planner writes its reasons in UTC, the same for everybody; a page tells the English ones in the reader's zone."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from django.utils import timezone

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY = rf"(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})"
_CLOCK = r"(\d\d):(\d\d)"
_TIMES = re.compile(rf"\b{_DAY} {_CLOCK}(?: to (?:{_DAY} )?{_CLOCK})? UTC\b")


def zoned(text: str) -> str:
    """`text` with each moment and span in UTC told in the zone of the reader, which it names."""
    return _TIMES.sub(_told, text)


def _told(match: re.Match[str]) -> str:
    day, month, year, hour, minute, *last = match.groups()
    try:
        start = _local(day, month, year, hour, minute)
        if last[-1] is None:
            return f"{_written(start)} {start:%Z}"
        end = _local(last[0] or day, last[1] or month, last[2] or year, last[3], last[4])
    except (ValueError, OverflowError):
        return match.group()
    zone = f" {start:%Z}" if start.tzname() != end.tzname() else ""
    ending = f"{end:%H:%M}" if start.date() == end.date() else _written(end)
    return f"{_written(start)}{zone} to {ending} {end:%Z}"


def _local(day: str, month: str, year: str, hour: str, minute: str) -> datetime:
    at = datetime(int(year), MONTHS.index(month) + 1, int(day), int(hour), int(minute), tzinfo=UTC)
    return timezone.localtime(at)


def _written(at: datetime) -> str:
    return f"{at.day} {MONTHS[at.month - 1]} {at.year} {at:%H:%M}"
