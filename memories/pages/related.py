"""What else is known about one memory: those that say something alike, and all of it as JSON."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from memories.api.finding import undeleted
from memories.pages.memory import find, raw
from memories.search.related import related


@require_safe
def alike(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """The nearest in meaning: a page of its own, or the part of the memory's page that is fetched after it."""
    memory = find(record_id, request.actor)
    context = {"nav": "memories", "memory": memory, "related": related(memory, actor=request.actor)}
    part = bool(request.htmx) and not request.htmx.boosted
    return render(request, "memories/related_part.html" if part else "memories/related.html", context)


@require_safe
def as_json(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """The same as GET memories/{id} of the API answers."""
    return HttpResponse(raw(undeleted(find(record_id, request.actor))), content_type="application/json")
