"""The lineage of a memory: a picture of the nearest, and below it all of it as nested lists."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from memories.models import Memory
from memories.services import records
from memories.services.story import story
from reflection.pages import asked
from reflection.pages.picture import draw
from reflection.services import lineage
from reflection.services.lineage import Side


@require_safe
def show(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Where a memory comes from and what was made of it. `sources` and `derived` turn the pages of long lists."""
    actor = request.actor
    memory = records.find(record_id, actor=actor, kinds=("memory",))
    assert isinstance(memory, Memory)
    sources = lineage.sources(memory, start=asked.whole(request, "sources") or 0, actor=actor)
    derived = lineage.derived(memory, start=asked.whole(request, "derived") or 0, actor=actor)
    context = {
        "nav": "memories",
        "memory": memory,
        "story": story(memory, actor=actor),
        "maker": lineage.maker_of(memory, actor=actor),
        "sources": sources,
        "derived": derived,
        "gone": lineage.gone(memory),
        "picture": draw(memory, sources, derived, actor=actor),
        **_turns(sources, derived),
    }
    return render(request, "reflection/lineage.html", context)


def _turns(sources: Side, derived: Side) -> dict[str, Any]:
    """The addresses of the pages before and after, on either side."""
    found: dict[str, Any] = {}
    for name, side in (("sources", sources), ("derived", derived)):
        found[f"{name}_before"] = max(0, side.start - lineage.PAGE) if side.start else None
        found[f"{name}_after"] = side.last if side.last < side.total else None
    return found
