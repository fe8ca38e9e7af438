"""What the rules say about one memory: what each action would do with it, and why, or why not."""

from __future__ import annotations

import math
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from console.errors import Invalid
from reflection.services.why import MOST_HOURS, explain

REASONS = {
    "expired": "Its time is over",
    "half_life": "Importance falls with time",
    "faded": "Faded",
    "cited": "Kept in a summary",
    "idle_working": "Working memory, idle",
    "duplicate": "Said again by a newer one",
    "protection": "Not protected",
    "episode": "Part of an episode to tell",
    "repeated": "Repeated, independent evidence",
}


@require_safe
def show(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Each action with its gates, measured and asked for; `hours` is how far a pass looks back."""
    found = explain(record_id, hours=_hours(request), actor=request.actor)
    answers = [
        (one, [(REASONS.get(reason.name, reason.name), reason.gates) for reason in one.reasons])
        for one in found.answers
    ]
    context = {"nav": "memories", "found": found, "memory": found.memory, "answers": answers}
    return render(request, "reflection/why.html", context)


def _hours(request: HttpRequest) -> float:
    text = request.GET.get("hours", "").strip() or "24"
    try:
        hours = float(text) if len(text) < 20 else math.nan
    except ValueError:
        hours = math.nan
    if not math.isfinite(hours) or not 0 < hours <= MOST_HOURS:
        raise Invalid.field("hours", f"hours is a number from 0 to {MOST_HOURS:,}. Correct it.", where="query")
    return hours
