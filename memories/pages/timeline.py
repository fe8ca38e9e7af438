"""The timeline: events by day, in the person's own time zone."""

from __future__ import annotations

from datetime import date
from itertools import groupby
from typing import Any

from django.db.models.functions import Left
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.access import visible_to
from memories.models import Memory
from memories.pages import keyset, kinds
from memories.pages.kind_forms import TimelineFilter
from memories.pages.listing import LINE, chips
from memories.services import hands
from memories.services import timeline as service


@require_safe
def timeline(request: HttpRequest) -> HttpResponse:
    """The latest events first, filtered by what the address says."""
    filters = TimelineFilter(request.GET, request.actor)
    shown = {"nav": "timeline", "today": timezone.localdate()}
    return kinds.listing(request, "memories/timeline.html", filters, _listed, **shown)


def _listed(request: HttpRequest, filters: TimelineFilter) -> dict[str, Any]:
    rows = service.listed(service.Wanted(**filters.common()), actor=request.actor)
    narrow = rows.annotate(line=Left("content", LINE)).defer("content", "metadata", "provenance")
    source = keyset.Source(narrow, "occurred_at", lambda row: row.occurred_at, list(request.actor.spaces))
    page = keyset.page([source], request.GET, request.path, size=filters.cleaned_data["limit"])
    hands.attach(page.rows, actor=request.actor)
    events = visible_to(request.actor, Memory.objects.exclude(event_type=""))
    return {
        "page": page,
        "days": [(day, list(group)) for day, group in groupby(page.rows, key=_day)],
        "chips": chips(request, filters),
        "first_use": not page.rows and not events.exists(),
    }


def _day(event: Memory) -> date:
    """The day on which it happened, where the reader is."""
    assert event.occurred_at is not None
    return timezone.localtime(event.occurred_at).date()
