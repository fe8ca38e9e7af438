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
from memories.pages.forms import TYPES
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
    type = forms.ChoiceField(label=_("Type of memory"), required=False, choices=[("", _("All types")), *TYPES])
    limit = forms.IntegerField(
        required=False, min_value=1, max_value=keyset.SIZE_LIMIT, widget=forms.HiddenInput, initial=keyset.SIZE
    )

    def __init__(self, data: Any) -> None:
        super().__init__(data, label_suffix="", auto_id="filter_%s")

    def kinds(self) -> list[str]:
        """The kinds of record that are asked for; only memories have a type."""
        kind = "memory" if self.cleaned_data["type"] else self.cleaned_data["kind"]
        return [kind] if kind else list(MODELS)


@require_safe
def trash(request: HttpRequest) -> HttpResponse:
    """Newest deleted first, with who deleted it and when."""
    filters = TrashFilter(request.GET)
    context: dict[str, Any] = {"nav": "trash", "filters": filters}
    if not filters.is_valid():
        return render(request, "memories/trash.html", context, status=422)
    given = filters.cleaned_data
    size = given["limit"] or keyset.SIZE
    sources = [_source(kind, request.actor, given["type"]) for kind in filters.kinds()]
    context["page"] = keyset.page(sources, request.GET, request.path, size=size)
    days = context["days"] = retentions(request.actor)
    for row in context["page"].rows:
        row.kind = records.kind_of(row)
        row.standing = records.standing(row)
        row.erasable = may_erase(request.actor, row)
        row.goes_at = goes_at(row, days.get(row.space_id))
    context["chips"] = chips(request, filters)
    return render(request, "memories/trash.html", context)


def _source(kind: str, actor: Actor, memory_type: str) -> keyset.Source:
    rows: QuerySet[Any] = visible_to(actor, MODELS[kind].objects.all()).annotate(line=Left(TEXT[kind], LINE))
    if kind == "memory":
        rows = rows.select_related("state__deleted_by").defer("content", "metadata", "provenance")
        rows = rows.filter(memory_type=memory_type) if memory_type else rows
        return keyset.Source(
            rows.filter(state__status="deleted"), "state__deleted_at", lambda row: row.state.deleted_at
        )
    rows = rows.select_related("deleted_by").filter(status="deleted")
    return keyset.Source(rows, "deleted_at", lambda row: row.deleted_at)
