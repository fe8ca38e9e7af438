"""What the pages of TODOs and of the ledger share: the way to the trash and back, a page's history, its refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from memories.access import Actor, in_spaces, may_erase, may_write
from memories.models import AuditRecord, LedgerEntry, Todo
from memories.pages.moving import back, seen
from memories.services.forget import forget, restore

LINES = 50
RowOf = Callable[[HttpRequest, UUID], dict[str, Any]]


def to_trash(request: HttpRequest, record_id: UUID, *, undo: str) -> HttpResponse:
    """Move to the trash. Under htmx the row becomes “Moved to trash · Undo”; `undo` is the view that undoes it."""
    moved = forget(record_id=record_id, actor=request.actor, **seen(request))
    version = moved.record.version  # type: ignore[union-attr]
    if request.htmx and "next" in request.POST:
        context = {"undo_url": reverse(undo, args=[record_id]), "version": version}
        return render(request, "memories/kind_undo_row.html", context)
    messages.success(request, "Moved to trash.", extra_tags=f"{record_id} {version}")
    return redirect(back(request, moved.record))


def out_of_trash(request: HttpRequest, record_id: UUID, *, row_of: RowOf, template: str) -> HttpResponse:
    """Back to where it stood. Under htmx its row returns."""
    moved = restore(record_id=record_id, actor=request.actor, **seen(request))
    if request.htmx and request.POST.get("as") == "row":
        return render(request, template, {**row_of(request, record_id), "returned": "Restored"})
    messages.success(request, f"Restored. It is {moved.status}, as it was before.")
    return redirect(back(request, moved.record))


def history(record: Todo | LedgerEntry, actor: Actor) -> QuerySet[AuditRecord]:
    """The newest lines of the audit about a record."""
    return in_spaces(actor, AuditRecord.objects.filter(object_id=record.pk)).order_by("-at", "-seq")[:LINES]


def rights(record: Todo | LedgerEntry, actor: Actor) -> dict[str, bool]:
    """What the person may do with it."""
    return {"may_write": may_write(actor, record), "may_erase": may_erase(actor, record)}


def without(request: HttpRequest, **changes: str) -> str:
    """The address of this list from its first page, with some filters changed; an empty text takes one off."""
    query = request.GET.copy()
    for name in ("after", "before"):
        query.pop(name, None)
    for name, value in changes.items():
        query.pop(name, None)
        if value:
            query[name] = value
    return f"{request.path}?{query.urlencode()}"
