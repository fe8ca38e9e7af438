"""Days, moments and spans inside the planner's sentences, which are in UTC, as the reader writes and reckons them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY = rf"(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})"
_CLOCK = r"(\d\d):(\d\d)"
TIMES = re.compile(rf"\b{_DAY}\b(?: {_CLOCK}(?: to (?:{_DAY} )?{_CLOCK})? UTC\b)?")


def localized(text: str) -> str:
    """`text` with each of its days, moments and spans as the reader writes them."""
    return TIMES.sub(_told, text)


def zoned(text: str) -> str:
    """An English `text` that nobody can tell in another language, its times in the reader's zone."""
    with translation.override("en"):
        return localized(text)


def _told(match: re.Match[str]) -> str:
    day, month, year, hour, minute, *last = match.groups()
    try:
        if hour is None:
            return date_format(date(int(year), MONTHS.index(month) + 1, int(day)), "DATE_FORMAT")
        start = _local(day, month, year, hour, minute)
        if last[-1] is None:
            return date_format(start, "DATETIME_FORMAT")
        return _span(start, _local(last[0] or day, last[1] or month, last[2] or year, last[3], last[4]))
    except (ValueError, OverflowError):  # no moment of the calendar
        return match[0]


def _span(start: datetime, end: datetime) -> str:
    """The day is named twice only where it differs, and the zone too."""
    same_day, same_zone = start.date() == end.date(), start.tzname() == end.tzname()
    first = date_format(start, "SHORT_DATETIME_FORMAT" if same_zone else "DATETIME_FORMAT")
    last = f"{end:%H:%M} {end.tzname()}" if same_day else date_format(end, "DATETIME_FORMAT")
    return _("%(first)s to %(last)s") % {"first": first, "last": last}


def _local(day: str, month: str, year: str, hour: str, minute: str) -> datetime:
    at = datetime(int(year), MONTHS.index(month) + 1, int(day), int(hour), int(minute), tzinfo=UTC)
    return timezone.localtime(at)
