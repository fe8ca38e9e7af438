"""The charts of the overview: how memories grew, how important they are, what passes changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from console.chart_words import buckets, told, unit_name, written
from console.charts import Bucket, Chart, Series, bars
from console.periods import Periods, latest, spanning
from console.words import word
from memories.models.memory import MemoryType
from memories.services.tallies import TENTHS, Tallies
from reflection.states import Action

DAYS, WEEKS = 7, 12  # shown at least; looked back on
CHANGED = {
    Action.SUMMARIZE: pgettext_lazy("count of memories", "summarized"),
    Action.PROMOTE: pgettext_lazy("count of memories", "promoted"),
    Action.EXPIRE: pgettext_lazy("count of memories", "expired"),
    Action.DECAY: pgettext_lazy("count of memories", "decayed"),
    Action.ARCHIVE: pgettext_lazy("count of memories", "archived"),
}


def grown(first: date | None, today: date) -> Periods:
    """The periods from the first memory until today; a week at least."""
    week = today - timedelta(days=DAYS - 1)
    return spanning(min(first or week, week), today)


def looked_back(today: date) -> Periods:
    """The last weeks, with the one of today."""
    return latest(WEEKS, "week", today)


def growth(periods: Periods, found: Tallies) -> Chart:
    """How many memories of each type were written when; those in the trash are left out."""
    places = buckets(periods)
    series = [
        Series(str(capfirst(word(kind))), found.written(kind, len(places)), str(kind)) for kind in MemoryType.values
    ]
    return _stacked("growth", _("New memories by type"), periods, places, series)


def activity(periods: Periods, applied: Mapping[Action, Sequence[int]]) -> Chart:
    """How much passes changed in each of the last weeks."""
    series = [Series(str(capfirst(CHANGED[action])), applied[action], action.value) for action in Action]
    return _stacked("activity", _("What passes changed"), periods, buckets(periods), series)


def _stacked(key: str, title: str, periods: Periods, places: Sequence[Bucket], series: Sequence[Series]) -> Chart:
    sums = [sum(one.values[place] for one in series) for place in range(len(places))]
    return bars(
        key,
        title=title,
        told=told(places, sums),
        buckets=places,
        series=[one for one in series if any(one.values)],
        x_name=unit_name(periods),
        y_name=_("Memories"),
        last=Series(_("Total"), sums),
        shown=written,
    )


def importance(found: Tallies) -> Chart:
    """How many live memories lie in each tenth of importance."""
    borders = [written(border) for border in (0, *TENTHS, 1)]
    names = [f"{low}–{high}" for low, high in zip(borders, borders[1:], strict=False)]
    places = [Bucket(name, name) for name in names]
    counts = found.importance()
    return bars(
        "importance",
        title=_("Live memories by importance"),
        told=told(places, counts),
        buckets=places,
        series=[Series(_("Memories"), counts)],
        x_name=_("Importance"),
        y_name=_("Memories"),
        shown=written,
    )
