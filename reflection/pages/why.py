"""What the rules say about one memory: what each action would do with it, and why, or why not."""

from __future__ import annotations

import math
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from console.errors import Invalid
from console.saying import phrase
from reflection.services.why import MOST_HOURS, explain

REASONS = {
    "expired": gettext_lazy("Its time is over"),
    "half_life": gettext_lazy("Importance falls with time"),
    "faded": gettext_lazy("Faded"),
    "cited": gettext_lazy("Kept in a summary"),
    "idle_working": gettext_lazy("Working memory, idle"),
    "duplicate": gettext_lazy("Said again by a newer one"),
    "protection": gettext_lazy("Not protected"),
    "episode": gettext_lazy("Part of an episode to tell"),
    "repeated": gettext_lazy("Repeated, independent evidence"),
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
        said = phrase("hours is a number from 0 to %(most)s. Correct it.", most=f"{MOST_HOURS:,}")
        raise Invalid.field("hours", said, where="query")
    return hours
