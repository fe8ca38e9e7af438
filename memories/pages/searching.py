"""Strict search: what matches and why it was found, or that nothing strong enough was."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from console.errors import Invalid, NotFound
from memories.access import Actor
from memories.models import Memory
from memories.pages.forms import SearchForm
from memories.pages.listing import chips
from memories.search.search import UUID_TEXT
from memories.search.search import search as strict_search
from memories.services import erase, records

NOT_FILTERS = ("query", "limit")


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """The hits of a question; a whole id leads straight to its record."""
    form = SearchForm(request.GET, request.actor)
    query = request.GET.get("query", "")
    context: dict[str, Any] = {"filters": form, "search_query": query, "asked": "query" in request.GET}
    if not context["asked"]:
        context["filters"] = SearchForm(None, request.actor)
        return render(request, "memories/search.html", context)
    if target := _record(query.strip(), request.actor):
        return redirect(*target)
    if form.is_valid():
        try:
            context["found"] = strict_search(request.actor, form.wanted())
        except Invalid as refusal:
            form.take(refusal)
    context["chips"] = [chip for chip in chips(request, form) if chip["field"] not in NOT_FILTERS]
    return render(request, "memories/search.html", context, status=422 if form.errors else 200)


def _record(text: str, actor: Actor) -> tuple[str, UUID] | None:
    """Where the record of this id is shown; None when `text` is no id of one that the actor may see."""
    if not UUID_TEXT.fullmatch(text):
        return None
    key = UUID(text)
    try:
        if isinstance(records.find(key, actor=actor), Memory):
            return "memory", key
    except NotFound:
        try:
            return "erased", erase.erasure_of(key, actor=actor).record_id
        except NotFound:
            return None
    return None
