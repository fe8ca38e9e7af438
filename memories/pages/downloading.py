"""The current list as a table, and everything as lines of JSON: read in parts, sent as they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from console.downloads import TooMany, sent
from console.errors import Invalid, Problem
from console.saying import phrase
from memories import audit as trail
from memories.access import Actor
from memories.models import Memory
from memories.pages import auditing, keyset, listing
from memories.pages.form_fields import NO_SPACE, Labelled, SpaceField
from memories.pages.forms import AuditFilter, ListFilter
from memories.pages.keyset import Place, Source
from memories.pages.kind_forms import LedgerFilter, TodoFilter
from memories.pages.ledger import midnight
from memories.pages.todos import SHOWS
from memories.services import export, hands, ledger, sheets, todos
from memories.services.export_everything import Wanted, export_everything
from memories.services.sheets import ROWS_MOST, Sheet

PART = 1_000  # rows


@require_safe
def memories(request: HttpRequest) -> StreamingHttpResponse:
    """The list of memories within its filters."""
    given = _valid(ListFilter(request.GET, request.actor))
    rows = listing.filtered(Memory.objects.select_related("state"), request.actor, given)
    return table(request, "memories", sheets.MEMORIES, [listing.source(rows, request.actor, given)])


@require_safe
def memory_lines(request: HttpRequest) -> StreamingHttpResponse:
    """The list of memories within its filters, each complete as a line of JSON, in the order of ids."""
    given = _valid(ListFilter(request.GET, request.actor))
    rows = listing.filtered(Memory.objects.select_related("state"), request.actor, given).order_by("pk")

    def read(after: UUID | None) -> tuple[str, UUID | None]:
        batch = list((rows.filter(pk__gt=after) if after else rows)[: export.BATCH + 1])
        shown = batch[: export.BATCH]
        found = export.memory_lines(shown, False, request.actor)
        text = "".join(f"{line}\n" for own in found for line in own)
        return text, shown[-1].pk if len(batch) > len(shown) else None

    return sent(read, kind="application/x-ndjson", name="memories.jsonl", actor=request.actor)


@require_safe
def todo_list(request: HttpRequest) -> StreamingHttpResponse:
    """The TODOs within their filters, in the order of their list."""
    filters = TodoFilter(request.GET, request.actor)
    show = _valid(filters)["show"]
    rows = todos.listed(todos.Wanted(**filters.common(), **SHOWS[show]), actor=request.actor)
    if show == "completed":
        source = Source(rows, "completed_at", lambda row: row.completed_at)
    else:
        source = Source(todos.by_due(rows), "turned", lambda row: row.turned)
    return table(request, "todos", sheets.TODOS, [source])


@require_safe
def ledger_list(request: HttpRequest) -> StreamingHttpResponse:
    """The entries within their filters."""
    filters = LedgerFilter(request.GET, request.actor)
    _valid(filters)
    rows = ledger.listed(filters.wanted(timezone.localdate()), actor=request.actor)
    source = Source(rows, "occurred_on", lambda row: midnight(row.occurred_on))
    return table(request, "ledger", sheets.LEDGER, [source])


@require_safe
def audit(request: HttpRequest) -> StreamingHttpResponse:
    """The lines of the audit within their filters."""
    given = _valid(AuditFilter(request.GET))
    parts = trail.by_space(auditing.rows(given), request.actor)
    return table(request, "audit", sheets.AUDIT, [Source(part, "at", lambda row: row.at) for part in parts])


def _valid(form: forms.Form) -> dict[str, Any]:
    """What the address asks for. Raises Invalid: a file has no place in which to show what is wrong."""
    if form.is_valid():
        return form.cleaned_data
    problems = [Problem(("query", name), str(texts[0])) for name, texts in form.errors.items()]
    raise Invalid(*problems)


def table(request: HttpRequest, name: str, sheet: Sheet, sources: Sequence[Source]) -> StreamingHttpResponse:
    """These rows as CSV for a spreadsheet, marked as UTF-8 unless `bom=0`. Raises TooMany."""
    mark = "" if request.GET.get("bom") == "0" else sheets.BOM
    return sent(
        csv_parts(sheet, sources, mark, actor=request.actor), kind="text/csv", name=f"{name}.csv", actor=request.actor
    )


def csv_parts(sheet: Sheet, sources: Sequence[Source], mark: str, *, actor: Actor) -> Any:
    """How such a table is read, part by part. Raises TooMany where it would be cut off."""
    if not keyset.at_most(sources, ROWS_MOST):
        rows = phrase(
            "These are more than %(most)s rows. Narrow the filters, or download everything as JSON.",
            most=f"{ROWS_MOST:,}",
        )
        raise TooMany(rows)

    def read(after: Place | None) -> tuple[str, Place | None]:
        rows, following = keyset.part(sources, after, PART)
        head = mark + sheet.head() if after is None else ""
        return head + sheet.body(hands.attach(rows, actor=actor)), following

    return read


class Everything(Labelled):
    """Which space is wanted."""

    space = SpaceField(required=False, error_messages=NO_SPACE)

    def __init__(self, data: Any, actor: Actor) -> None:
        super().__init__(data, label_suffix="", auto_id="export_%s")
        self.fields["space"].offer(actor, empty=_("All spaces"))


@require_safe
def everything(request: HttpRequest) -> StreamingHttpResponse:
    """All records of the spaces as lines of JSON, which an import brings back."""
    wanted = Wanted(space_id=_valid(Everything(request.GET, request.actor))["space"])

    def read(after: str | None) -> tuple[str, str | None]:
        page = export_everything(wanted=wanted, after=after, actor=request.actor)
        return "".join(f"{line}\n" for line in page.lines), page.following

    return sent(read, kind="application/x-ndjson", name="memory-console.jsonl", actor=request.actor)
