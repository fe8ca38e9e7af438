"""Records as tables for a spreadsheet."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request

from console.door import Door, actor_of, read_query
from console.downloads import sent
from memories.access import Actor, check_may_use, visible_to
from memories.api import shapes
from memories.api.trail import lines_of
from memories.models import AuditRecord, Memory
from memories.pages.downloading import csv_parts
from memories.pages.keyset import Source
from memories.pages.ledger import midnight
from memories.search.wanted import Search, check, narrowed
from memories.services import ledger, sheets, todos
from memories.services.status import in_status

STATUSES = ("active", "archived", "expired", "%")


class Of(shapes.Given):
    """Which table is wanted."""

    default_error_messages = {"of": _("There is no such table. Choose among memories, reminders, ledger and audit.")}

    def to_internal_value(self, data: Any) -> str:
        """Its name."""
        if data not in TABLES:
            self.fail("of")
        return str(data)


class Status(shapes.Given):
    """Where memories stand."""

    default_error_messages = {"status": _("There is no such status. Choose among {known}.")}

    def to_internal_value(self, data: Any) -> str:
        """The status."""
        if data not in STATUSES:
            self.fail("status", known=", ".join(STATUSES))
        return str(data)


class Table(serializers.Serializer):
    """GET export/csv."""

    of = Of(default="memories")
    bucket = shapes.Filter(default="%")
    scope = shapes.Filter(required=False)
    team_id = shapes.Team(required=False)
    status = Status(default="active")
    since = shapes.Moment(required=False)
    until = shapes.Moment(required=False)
    bom = shapes.Flag(default=False)


class ExportTable(Door):
    """GET export/csv."""

    query = Table

    def get(self, request: Request) -> StreamingHttpResponse:
        """Memories, reminders, entries of the ledger or lines of the audit as CSV in UTF-8, newest first.

        A text that a spreadsheet would run gets a ' before it. `since` and `until` are about memories and the audit,
        `status` about memories; `bom` puts a mark before it by which spreadsheets know UTF-8.
        """
        wanted, actor = read_query(Table, request), actor_of(request)
        name = wanted["of"]
        sheet, sources = TABLES[name](wanted, actor)
        mark = sheets.BOM if wanted["bom"] else ""
        return sent(csv_parts(sheet, sources, mark, actor=actor), kind="text/csv", name=f"{name}.csv", actor=actor)


Found = tuple[sheets.Sheet, list[Source]]


def _memories(wanted: dict[str, Any], actor: Actor) -> Found:
    check_may_use(actor, "memory:read")
    names = ("bucket", "scope", "team_id", "since", "until")
    search = Search("*", **{name: wanted[name] for name in names if wanted.get(name) is not None})
    check(search, actor)
    rows = narrowed(visible_to(actor, Memory.objects.select_related("state")), search)
    rows = in_status(rows, wanted["status"])
    return sheets.MEMORIES, [Source(rows, "created_at", lambda row: row.created_at, list(actor.spaces))]


def _filter(wanted: dict[str, Any]) -> dict[str, Any]:
    return {"bucket": wanted["bucket"], "scope": wanted.get("scope"), "space_id": wanted.get("team_id")}


def _reminders(wanted: dict[str, Any], actor: Actor) -> Found:
    rows = todos.listed(todos.Wanted(**_filter(wanted)), actor=actor)
    return sheets.TODOS, [Source(rows, "created_at", lambda row: row.created_at)]


def _ledger(wanted: dict[str, Any], actor: Actor) -> Found:
    rows = ledger.listed(ledger.Wanted(**_filter(wanted)), actor=actor)
    return sheets.LEDGER, [Source(rows, "occurred_on", lambda row: midnight(row.occurred_on))]


def _audit(wanted: dict[str, Any], actor: Actor) -> Found:
    check_may_use(actor, "audit")
    rows: QuerySet[AuditRecord] = lines_of(actor).defer("prev_hash", "hash")
    if wanted.get("team_id"):
        check(Search("*", team_id=wanted["team_id"]), actor)
        rows = rows.filter(space_id=wanted["team_id"])
    spans = {"at__gte": wanted.get("since"), "at__lt": wanted.get("until")}
    rows = rows.filter(**{name: value for name, value in spans.items() if value})
    spaces = [rows.filter(space_id=key) for key in actor.spaces]
    return sheets.AUDIT, [Source(part, "at", lambda row: row.at) for part in spaces]


TABLES = {"memories": _memories, "reminders": _reminders, "ledger": _ledger, "audit": _audit}
