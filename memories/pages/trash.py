"""What was moved to the trash: records of all kinds in one list."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from memories.access import Actor, may_erase, visible_to
from memories.pages import keyset
from memories.pages.form_fields import Labelled
from memories.pages.listing import LINE, chips
from memories.services import records
from memories.services.purge import goes_at, retentions

KINDS = [
    ("memory", _("Memories")),
    ("todo", _("TODOs")),
    ("ledger", _("Ledger entries")),
    ("decision", _("Decisions")),
    ("snapshot", _("Snapshots")),
]
TEXT = {"memory": "content", "todo": "content", "ledger": "item", "decision": "context", "snapshot": "label"}
MODELS: dict[str, Any] = records.KINDS


class TrashFilter(Labelled):
    """The filters of the trash."""

    kind = forms.ChoiceField(required=False, choices=[("", _("All records")), *KINDS])
    limit = forms.IntegerField(
        required=False, min_value=1, max_value=keyset.SIZE_LIMIT, widget=forms.HiddenInput, initial=keyset.SIZE
    )

    def __init__(self, data: Any) -> None:
        super().__init__(data, label_suffix="", auto_id="filter_%s")


@require_safe
def trash(request: HttpRequest) -> HttpResponse:
    """Newest deleted first, with who deleted it and when."""
    filters = TrashFilter(request.GET)
    context: dict[str, Any] = {"nav": "trash", "filters": filters}
    if not filters.is_valid():
        return render(request, "memories/trash.html", context, status=422)
    kinds = [filters.cleaned_data["kind"]] if filters.cleaned_data["kind"] else list(MODELS)
    size = filters.cleaned_data["limit"] or keyset.SIZE
    sources = [_source(kind, request.actor) for kind in kinds]
    context["page"] = keyset.page(sources, request.GET, request.path, size=size)
    days = context["days"] = retentions(request.actor)
    for row in context["page"].rows:
        row.kind = records.kind_of(row)
        row.standing = records.standing(row)
        row.erasable = may_erase(request.actor, row)
        row.goes_at = goes_at(row, days.get(row.space_id))
    context["chips"] = chips(request, filters)
    return render(request, "memories/trash.html", context)


def _source(kind: str, actor: Actor) -> keyset.Source:
    rows: QuerySet[Any] = visible_to(actor, MODELS[kind].objects.all()).annotate(line=Left(TEXT[kind], LINE))
    if kind == "memory":
        rows = rows.select_related("state__deleted_by").defer("content", "metadata", "provenance")
        return keyset.Source(
            rows.filter(state__status="deleted"), "state__deleted_at", lambda row: row.state.deleted_at
        )
    rows = rows.select_related("deleted_by").filter(status="deleted")
    return keyset.Source(rows, "deleted_at", lambda row: row.deleted_at)
