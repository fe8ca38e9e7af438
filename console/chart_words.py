"""What charts say: periods by their names, numbers as the reader writes them, and what there is to be seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _

from console.charts import Bucket, Number
from console.periods import Periods

FORMATS = {  # below the axis, and in the table
    "day": ("SHORT_DAY_FORMAT", "DATE_FORMAT"),
    "week": ("SHORT_DAY_FORMAT", "DATE_FORMAT"),
    "month": ("SHORT_MONTH_FORMAT", "YEAR_MONTH_FORMAT"),
    "year": ("Y", "Y"),
}


def unit_name(periods: Periods) -> str:
    """What stands at the head of the periods in a table."""
    return {"day": _("Day"), "week": _("Week from"), "month": _("Month"), "year": _("Year")}[periods.unit]


def buckets(periods: Periods, address: Callable[[date], str] = lambda day: "") -> list[Bucket]:
    """The periods as places on an axis; `address` says where the one that begins on a day leads."""
    short, long = FORMATS[periods.unit]
    made = [Bucket(date_format(day, short), date_format(day, long), address(day)) for day in periods.starts]
    if periods.open:
        before = _("until %(year)s") % {"year": made[0].name}
        made[0] = Bucket(before, before)
    return made


def written(value: Number) -> str:
    """A number as the reader writes it, its thousands parted."""
    return number_format(value, force_grouping=True)


def told(places: Sequence[Bucket], sums: Sequence[Number], shown: Callable[[Number], str] = written) -> str:
    """All there is together, and where there is most."""
    most = max(range(len(sums)), key=lambda n: sums[n])
    values = {"total": shown(sum(sums)), "most": shown(sums[most]), "where": places[most].name}
    return _("%(total)s in all. The most, %(most)s: %(where)s. The table below has every number.") % values
