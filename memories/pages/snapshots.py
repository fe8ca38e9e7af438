"""Snapshots of working state: what an agent can start again from."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from django.views.decorators.http import require_safe

from memories.access import visible_to
from memories.models import Snapshot
from memories.pages import keyset, kinds
from memories.pages.kind_forms import SnapshotFilter
from memories.pages.listing import chips
from memories.services import records
from memories.services import snapshots as service

SAID = {
    "current_task": _("Current task"),
    "next_action": pgettext_lazy("of a task", "Next"),
    "blocked_reason": _("Blocked"),
}


@require_safe
def snapshots(request: HttpRequest) -> HttpResponse:
    """The newest first, filtered by what the address says."""
    filters = SnapshotFilter(request.GET, request.actor)
    return kinds.listing(request, "memories/snapshots.html", filters, _listed, nav="snapshots")


def _listed(request: HttpRequest, filters: SnapshotFilter) -> dict[str, Any]:
    actor = request.actor
    rows = service.listed(service.Wanted(**filters.common()), actor=actor)
    source = keyset.Source(rows, "created_at", lambda row: row.created_at)
    page = keyset.page([source], request.GET, request.path, size=filters.cleaned_data["limit"])
    return {
        "page": page,
        "chips": chips(request, filters),
        "first_use": not page.rows and not visible_to(actor, Snapshot.objects.all()).exists(),
    }


@require_safe
def snapshot(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Its slots as they were; in the trash too."""
    found = records.find(record_id, actor=request.actor, kinds=("snapshot",))
    assert isinstance(found, Snapshot)
    context = {"nav": "snapshots", "snapshot": found, "slots": _slots(found), **kinds.about(found, request.actor)}
    return render(request, "memories/snapshot.html", context)


def _slots(of: Snapshot) -> list[dict[str, Any]]:
    """Each slot: its key, and what it said, field by field where it has fields."""
    found = []
    for key, slot in sorted(of.state.items()):
        said = [(label, slot[name]) for name, label in SAID.items() if slot.get(name)]
        found.append({"key": key, "said": said, "content": slot.get("content", "")})
    return found
