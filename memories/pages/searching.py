"""Strict search: what matches and why it was found, or that nothing strong enough was."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from console.errors import Invalid
from memories.pages import by_id
from memories.pages.forms import SearchForm
from memories.pages.listing import chips
from memories.search.search import Search, near_misses
from memories.search.search import search as strict_search

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
    key = by_id.id_in(query)
    if key and (place := by_id.found(key, actor=request.actor)):
        return redirect(place.url)
    context["is_id"] = key is not None
    if form.is_valid():
        try:
            wanted = form.wanted()
            context |= {"found": strict_search(request.actor, wanted)} | _near(request, wanted)
        except Invalid as refusal:
            form.take(refusal)
    context["chips"] = [chip for chip in chips(request, form) if chip["field"] not in NOT_FILTERS]
    return render(request, "memories/search.html", context, status=422 if form.errors else 200)


def _near(request: HttpRequest, wanted: Search) -> dict[str, Any]:
    """What strictness held back, only where the address asks for it; else the address that does."""
    if request.GET.get("near") == "1":
        return {"near": near_misses(request.actor, wanted)}
    if wanted.lists or by_id.id_in(wanted.query):
        return {}
    asking = request.GET.copy()
    asking["near"] = "1"
    return {"near_url": f"{request.path}?{asking.urlencode()}"}
