"""One snapshot of working state: what an agent can start again from."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from memories.models import Snapshot
from memories.pages import kinds
from memories.services import records, state


@require_safe
def snapshot(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Its slots as they were; in the trash too."""
    found = records.find(record_id, actor=request.actor, kinds=("snapshot",))
    assert isinstance(found, Snapshot)
    context = {"snapshot": found, "slots": _slots(found), **kinds.about(found, request.actor)}
    return render(request, "memories/snapshot.html", context)


def _slots(of: Snapshot) -> list[dict[str, Any]]:
    """Each slot: its key, and what it said, field by field where it has fields."""
    found = []
    for key, slot in sorted(of.state.items()):
        said = [(label, slot[name]) for name, label in state.FIELDS.items() if slot.get(name)]
        found.append({"key": key, "said": said, "content": slot.get("content", "")})
    return found
