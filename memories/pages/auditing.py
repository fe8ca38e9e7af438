"""The audit of the spaces that a person is in, and whether its chains are whole."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from memories import audit as trail
from memories.models import AuditRecord
from memories.pages import keyset
from memories.pages.forms import AuditFilter
from memories.pages.listing import chips
from memories.services import hands

LOOKUPS = {
    "action": "action",
    "result": "result",
    "actor": "actor_name",
    "object": "object_id",
    "pass_id": "pass_id",
    "line": "pk",
    "since": "at__gte",
    "until": "at__lt",
}


@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """Newest first, filtered by what the address says; `verify=1` checks the chains."""
    filters = AuditFilter(request.GET)
    context: dict[str, Any] = {"nav": "audit", "filters": filters}
    if not filters.is_valid():
        return render(request, "memories/audit.html", context, status=422)
    given = filters.cleaned_data
    parts = trail.by_space(rows(given), request.actor)
    sources = [keyset.Source(part, "at", lambda row: row.at) for part in parts]
    context["page"] = keyset.page(sources, request.GET, request.path, size=given["limit"])
    hands.attach(context["page"].rows, actor=request.actor)
    context["chips"] = chips(request, filters)
    if request.GET.get("verify") == "1":
        context["chains"] = trail.chains(request.actor)
    return render(request, "memories/audit.html", context)


def rows(given: dict[str, Any]) -> QuerySet[AuditRecord]:
    """The lines that the filters let through."""
    wanted = {lookup: given[name] for name, lookup in LOOKUPS.items() if given[name]}
    return AuditRecord.objects.filter(**wanted).defer("prev_hash", "hash")
