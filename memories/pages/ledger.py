"""Money: the entries of a month, what they sum up to, and one entry."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.views.decorators.http import require_http_methods, require_POST

from memories.access import visible_to
from memories.models import LedgerEntry
from memories.pages import keyset, kinds, ledger_chart
from memories.pages.kind_forms import EditEntry, LedgerFilter, NewEntry, place_of
from memories.pages.listing import chips
from memories.services import ledger as service
from memories.services.kinds import FIRST_DAY


@require_http_methods(["GET", "HEAD", "POST"])
def ledger(request: HttpRequest) -> HttpResponse:
    """The entries and their sums, with a form for one more."""
    today = {"occurred_on": timezone.localdate()}
    form = NewEntry(request.actor, request.POST if request.method == "POST" else None, initial=today)

    def add() -> LedgerEntry:
        return service.add(**form.values(), **place_of(form, request.actor), actor=request.actor)

    done = kinds.added(request, form, add, home="ledger")
    filters = LedgerFilter(request.GET, request.actor)
    return done or kinds.listing(request, "memories/ledger.html", filters, _listed, nav="ledger", form=form)


def _listed(request: HttpRequest, filters: LedgerFilter) -> dict[str, Any]:
    """The rows of the page, the sums, and the way to other months."""
    wanted, actor = filters.wanted(timezone.localdate()), request.actor
    rows = service.listed(wanted, actor=actor).defer("note")
    source = keyset.Source(rows, "occurred_on", lambda row: midnight(row.occurred_on))
    page = keyset.page([source], request.GET, request.path, size=filters.cleaned_data["limit"])
    for row in page.rows:
        row.shown_amount = money(row.amount, row.currency)
    return {
        "page": page,
        "totals": [_shown(one) for one in service.totals(wanted, actor=actor)],
        "months": _months(request, filters),
        "drawn": ledger_chart.drawn(request, filters),
        "chips": [chip for chip in chips(request, filters) if chip["field"] not in ("month", "every")],
        "kinds": service.TYPES,
        "first_use": not page.rows and not visible_to(actor, LedgerEntry.objects.all()).exists(),
    }


def midnight(day: date) -> datetime:
    """The place of a day in the list."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def money(amount: Decimal, currency: str) -> str:
    """`amount` with the places of its currency and thousands parted."""
    return number_format(service.in_minor_units(amount, currency), force_grouping=True)


def _shown(one: service.Totals) -> dict[str, Any]:
    sums = [(kind, money(one.sums[kind], one.currency), one.counts[kind]) for kind in service.TYPES]
    return {"currency": one.currency, "sums": sums, "net": money(one.net, one.currency), "count": one.count}


def _months(request: HttpRequest, filters: LedgerFilter) -> dict[str, Any]:
    """The month shown and the addresses of its neighbours; none of them where days or all months are asked for."""
    shown = filters.month_shown(timezone.localdate())
    found: dict[str, Any] = {"all_url": kinds.without(request, month="", since="", until="", every="on")}
    if not shown:
        found["this_url"] = kinds.without(request, month="", since="", until="", every="")
        return {**found, "every": not (filters.cleaned_data["since"] or filters.cleaned_data["until"])}
    first, last = service.month_of(int(shown[:4]), int(shown[5:]))
    found |= {"name": date_format(first, "YEAR_MONTH_FORMAT"), "value": shown}
    if first > FIRST_DAY:
        found["prev_url"] = kinds.without(request, month=f"{first - timedelta(days=1):%Y-%m}", every="")
    if last < date.max:
        found["next_url"] = kinds.without(request, month=f"{last + timedelta(days=1):%Y-%m}", every="")
    return found


@require_http_methods(["GET", "HEAD", "POST"])
def entry(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """One entry, to be read and changed."""
    return kinds.read_or_change(request, record_id, ENTRY)


def _edit(entry_id: UUID, **more: Any) -> LedgerEntry:
    return service.edit(entry_id=entry_id, **more)


def _facts(entry: LedgerEntry) -> dict[str, Any]:
    return {"nav": "ledger", "entry": entry, "amount": money(entry.amount, entry.currency)}


ENTRY = kinds.Kind("ledger-entry", "memories/ledger_entry.html", EditEntry, service.find, _edit, _facts)


def row_of(request: HttpRequest, entry_id: UUID) -> dict[str, Any]:
    """What the row of one entry shows."""
    rows: QuerySet[LedgerEntry] = visible_to(request.actor, LedgerEntry.objects.all())
    row: Any = rows.get(pk=entry_id)
    row.shown_amount = money(row.amount, row.currency)
    return {"row": row, "back": request.POST.get("next", "")}


@require_POST
def forget(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """To the trash."""
    service.find(record_id, actor=request.actor)
    return kinds.to_trash(request, record_id, undo="ledger-restore")


@require_POST
def restore(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Out of the trash."""
    service.find(record_id, actor=request.actor)
    return kinds.out_of_trash(request, record_id, row_of=row_of, template="memories/ledger_row.html")
