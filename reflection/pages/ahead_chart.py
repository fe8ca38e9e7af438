"""The curve of an importance: from not long before today to where a pass ends it."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from console.charts import Axis, Chart, Mark, Number, Point, curve
from reflection.planner.ahead import FAR, Ahead, Leaving
from reflection.states import Action

DAY = timedelta(days=1)
POINTS, EVERY = 60, 8  # of the line, and which of them stand in the table
TICKS = (1, 3, 5, 7)  # eighths of the way that are named below
LEAST = 7 * DAY  # that are drawn
LIVES = 3  # half-lives, where nothing ends the line before
YEARLY = 300 * DAY  # what is longer is named by months
CLEAR = 0.09  # of the height between two words beside it


def chart(ahead: Ahead, leaving: Leaving | None, below: datetime | None) -> Chart:
    """The curve of a memory that fades, with today, and what ends it where something does."""
    first, last = _reach(ahead, leaving)
    even = [first + (last - first) * n / POINTS for n in range(POINTS + 1)]
    named = {*even[::EVERY], last, ahead.as_of, *([below] if below and first <= below <= last else [])}
    points = [
        Point(_days(at, ahead), ahead.value_at(at), day_of(at) if at in named else "")
        for at in sorted(named.union(even))
    ]
    told = _("From %(first)s on %(since)s to %(last)s on %(until)s; today it is %(now)s.") % {
        "first": written(points[0].y),
        "since": day_of(first),
        "last": written(points[-1].y),
        "until": day_of(last),
        "now": written(ahead.value_at(ahead.as_of)),
    }
    return curve(
        "fading",
        title=_("Importance, if nobody uses or edits it"),
        told=told,
        points=points,
        x=_along(first, last, ahead),
        y=_upwards(ahead),
        marks=[Mark(0.0, _("today")), *_end(ahead, leaving, last)],
        shown=written,
    )


def written(value: Number) -> str:
    """An importance with three decimals, as the rules reckon it."""
    return number_format(f"{value:.3f}", 3)


def day_of(at: datetime) -> str:
    """The day of the reader."""
    return date_format(timezone.localtime(at), "DATE_FORMAT")


def _reach(ahead: Ahead, leaving: Leaving | None) -> tuple[datetime, datetime]:
    today, life = ahead.as_of, ahead.policy.half_life_days[ahead.row.memory_type]
    if leaving and leaving.at <= today:
        return min(ahead.row.anchor, today - timedelta(hours=1)), today  # all of it: there is nothing to come
    last = leaving.at if leaving else today + max(LEAST, min(LIVES * life * DAY, FAR))
    return min(today, max(ahead.row.anchor, today - max(LEAST, last - today))), last


def _days(at: datetime, ahead: Ahead) -> float:
    return (at - ahead.as_of) / DAY


def _along(first: datetime, last: datetime, ahead: Ahead) -> Axis:
    form = "SHORT_DAY_FORMAT" if last - first < YEARLY else "SHORT_MONTH_FORMAT"
    moments = [first + (last - first) * eighth / 8 for eighth in TICKS]
    ticks = [(_days(at, ahead), date_format(timezone.localtime(at), form)) for at in moments]
    return Axis(_("Day"), _days(first, ahead), _days(last, ahead), ticks)


def _upwards(ahead: Ahead) -> Axis:
    """From 0 to 1, with the height under which it may be archived."""
    limit = ahead.policy.archive_below
    heights = [limit, *(height for height in (0.0, 0.25, 0.5, 0.75, 1.0) if abs(height - limit) >= CLEAR)]
    return Axis(_("Importance"), 0.0, 1.0, [(height, number_format(f"{height:g}")) for height in sorted(heights)])


def _end(ahead: Ahead, leaving: Leaving | None, last: datetime) -> list[Mark]:
    if leaving is None or leaving.at <= ahead.as_of:
        return []
    archived = leaving.proposal.action == Action.ARCHIVE
    return [Mark(_days(last, ahead), pgettext("status", "archived") if archived else pgettext("status", "expired"))]
