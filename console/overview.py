"""The first page: what there is, how it grows, what waits, what happened last."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.text import capfirst
from django.views.decorators.http import require_safe

from console import overview_charts as charts
from console.periods import Periods
from console.words import word
from memories import audit
from memories.access import Actor, live, visible_to
from memories.embedding import EmbeddingUnavailable, store
from memories.models import AuditRecord, Memory
from memories.models.memory import MemoryType
from memories.pages.listing import lines
from memories.services import hands, tallies, todos
from memories.services.newest import newest
from memories.services.tallies import STATUSES, Tallies
from reflection import queries
from reflection.services.activity import applied

LATEST, LINES = 6, 8
RECENT = timedelta(days=30)  # what is older is seldom summarized any more


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Counts, charts, what waits, the newest memories and the newest lines of the audit."""
    actor, now = request.actor, timezone.now()
    first = tallies.oldest(actor=actor)
    periods = charts.grown(first and timezone.localdate(first), timezone.localdate(now))
    found = tallies.tallies(periods.moments(timezone.get_current_timezone()), at=now, actor=actor)
    by_type = found.by_type()
    total = {status: sum(row[status] for row in by_type.values()) for status in STATUSES}
    total["deleted"] += tallies.trashed(actor=actor)
    backlog = _backlog(found, now, actor)
    shown = live(lines(visible_to(actor, Memory.objects.all())))
    context = {
        "nav": "overview",
        "total": total,
        "by_type": [(kind.value, capfirst(word(kind.value)), by_type[kind.value]) for kind in MemoryType],
        "first_use": not any(sum(row.values()) for row in by_type.values()),
        "waiting": _waiting(actor),
        "latest": newest(shown, "created_at", spaces=list(actor.spaces), limit=LATEST),
        "lines": hands.attach(audit.newest(AuditRecord.objects.all(), actor, limit=LINES), actor=actor),
        "backlog": backlog,
        "something_waits": any(backlog.values()),
        "inbox_count": backlog["to_review"],
        "recent": {"days": RECENT.days, "hours": RECENT.days * 24},
        **_charts(periods, found, total, actor),
    }
    return render(request, "console/overview.html", context)


def _backlog(found: Tallies, now: datetime, actor: Actor) -> dict[str, int]:
    """What waits for somebody, or for a pass."""
    overdue = todos.listed(todos.Wanted(item_status="open", overdue=True), actor=actor)
    return {
        "to_review": queries.waiting_count(actor),
        "todos": overdue.order_by().count(),
        "overdue": found.overdue,
        "untold": tallies.untold(since=now - RECENT, at=now, actor=actor),
    }


def _charts(periods: Periods, found: Tallies, total: Mapping[str, int], actor: Actor) -> dict[str, Any]:
    """Those charts that have something to show."""
    weeks = charts.looked_back(timezone.localdate())
    changed = applied(weeks.moments(timezone.get_current_timezone()), actor=actor)
    shown = []
    if total["active"] or total["archived"] or total["expired"]:
        shown.append(charts.growth(periods, found))
    if total["active"]:
        shown.append(charts.importance(found))
    passes_changed = any(map(any, changed.values()))
    if passes_changed:
        shown.append(charts.activity(weeks, changed))
    return {"charts": shown, "passes_changed": passes_changed}


def _waiting(actor: Actor) -> store.Waiting | None:
    """How many of the latest memories wait for their vector; None when the embedder cannot say its name."""
    try:
        return store.waiting(actor)
    except EmbeddingUnavailable:
        return None
