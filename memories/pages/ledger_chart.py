"""The chart of the ledger: one currency, month by month, with its exact sums below."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from console.chart_words import buckets, unit_name
from console.charts import Chart, Number, Series, bars
from console.periods import Periods, latest, spanning
from console.words import word
from memories.pages import kinds
from memories.pages.kind_forms import LedgerFilter
from memories.services import ledger as service
from memories.services.ledger import Totals

MONTHS = 12  # up to the one that is shown
ByMonth = Mapping[date, Totals]


@dataclass(frozen=True, slots=True)
class Drawn:
    """The chart, and the addresses at which another currency is drawn."""

    chart: Chart
    others: Sequence[tuple[str, str]]


def drawn(request: HttpRequest, filters: LedgerFilter) -> Drawn | None:
    """The twelve months up to the one shown, else the days chosen; of the currency with most entries where none is
    asked for. None where there are no entries.
    """
    today = timezone.localdate()
    wanted, year = filters.wanted(today), _year_until(filters.month_shown(today))
    if year is not None:
        last = service.month_of(year.starts[-1].year, year.starts[-1].month)[1]
        wanted = replace(wanted, date_from=year.starts[0], date_to=last)
    found = service.by_month(wanted, actor=request.actor)
    if not found:
        return None
    entries = {code: sum(one.count for one in months.values()) for code, months in found.items()}
    currency = max(sorted(entries), key=lambda code: entries[code])
    months = found[currency]
    chart = _chart(request, currency, year or spanning(min(months), max(months), least="month"), months)
    return Drawn(chart, [(code, kinds.without(request, currency=code)) for code in sorted(entries) if code != currency])


def _year_until(month: str) -> Periods | None:
    return latest(MONTHS, "month", date(int(month[:4]), int(month[5:]), 1)) if month else None


def _chart(request: HttpRequest, currency: str, periods: Periods, months: ByMonth) -> Chart:
    def address(day: date) -> str:
        month = f"{day:%Y-%m}" if periods.unit == "month" else ""
        return kinds.without(request, month=month, since="", until="", every="") if month else ""

    def shown(value: Number) -> str:
        return number_format(service.in_minor_units(Decimal(value), currency), force_grouping=True)

    sums = _summed(periods, months, currency)
    series = [Series(str(capfirst(word(kind))), [one.sums[kind] for one in sums], kind) for kind in service.TYPES]
    return bars(
        "by-month",
        title=_("%(currency)s by month") % {"currency": currency},
        told=_told(sums, shown),
        buckets=buckets(periods, address),
        series=[one for one in series if any(one.values)],
        x_name=unit_name(periods),
        y_name=currency,
        last=Series(_("Net"), [one.net for one in sums]),
        beside=True,
        shown=shown,
        ticked=lambda value: number_format(value, force_grouping=True),
    )


def _summed(periods: Periods, months: ByMonth, currency: str) -> list[Totals]:
    """The sums of each period; what lies before the first counts in it."""
    sums = [Totals(currency) for _start in periods.starts]
    for month, one in months.items():
        into = sums[max(0, bisect_right(periods.starts, month) - 1)]
        for kind in service.TYPES:
            into.sums[kind] += one.sums[kind]
            into.counts[kind] += one.counts[kind]
    return sums


def _told(sums: Sequence[Totals], shown: Any) -> str:
    parts = [
        f"{word(kind)} {shown(whole)}"
        for kind in service.TYPES
        if (whole := sum((one.sums[kind] for one in sums), Decimal(0)))
    ]
    return _("In all: %(sums)s. The table below has every sum.") % {"sums": ", ".join(parts)}
