"""The first page: what there is, what waits, what happened last."""

from __future__ import annotations

from collections import Counter

from django.db.models import Case, CharField, Count, F, Value, When
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.text import capfirst
from django.views.decorators.http import require_safe

from console.words import word
from memories import audit
from memories.access import Actor, live, visible_to
from memories.embedding import EmbeddingUnavailable, store
from memories.models import AuditRecord, Decision, LedgerEntry, Memory, Snapshot, Todo
from memories.models.memory import MemoryType
from memories.pages.listing import lines

STATUSES = ("active", "archived", "expired", "deleted")


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Counts, the newest memories and the newest lines of the audit."""
    actor = request.actor
    by_type = _counts(actor)
    total = {status: sum(row[status] for row in by_type.values()) for status in STATUSES}
    for model in (Todo, LedgerEntry, Decision, Snapshot):
        total["deleted"] += visible_to(actor, model.objects.filter(status="deleted")).count()
    context = {
        "nav": "overview",
        "total": total,
        "by_type": [(kind.value, capfirst(word(kind.value)), by_type[kind.value]) for kind in MemoryType],
        "first_use": not any(sum(row.values()) for row in by_type.values()),
        "waiting": _waiting(actor),
        "latest": live(lines(visible_to(actor, Memory.objects.all()))).order_by("-created_at", "-pk")[:6],
        "lines": audit.newest(AuditRecord.objects.all(), actor, limit=8),
    }
    return render(request, "memories/overview.html", context)


def _counts(actor: Actor) -> dict[str, Counter[str]]:
    """Visible memories by type and status, without reading any text; overdue ones count as expired."""
    overdue = When(state__status="active", expires_at__lte=timezone.now(), then=Value("expired"))
    stands = Case(overdue, default=F("state__status"), output_field=CharField())
    rows = visible_to(actor, Memory.objects.all()).annotate(stands=stands).values("memory_type", "stands")
    found: dict[str, Counter[str]] = {kind: Counter() for kind in MemoryType.values}
    for row in rows.order_by().annotate(count=Count("pk")):
        found[row["memory_type"]][row["stands"]] = row["count"]
    return found


def _waiting(actor: Actor) -> store.Waiting | None:
    """How many of the latest memories wait for their vector; None when the embedder cannot say its name."""
    try:
        return store.waiting(actor)
    except EmbeddingUnavailable:
        return None
