"""Strict search: what matches and why it was found, or that nothing strong enough was."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import NoReverseMatch, reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from console.errors import Invalid, NotFound
from memories.access import Actor, in_spaces
from memories.models import AuditRecord
from memories.pages.forms import SearchForm
from memories.pages.listing import chips
from memories.search.search import UUID_TEXT, Search, near_misses
from memories.search.search import search as strict_search
from memories.services import erase, records

NOT_FILTERS = ("query", "limit")
ID = re.compile(
    rf"(?:(?:mem|todo|led|dec|snap|pass|aud|audit|memory|ledger|decision|snapshot)_)?(?P<id>{UUID_TEXT.pattern})",
    re.IGNORECASE,
)
PAGES = {"memory": "memory", "todo": "todo", "ledger": "ledger-entry", "decision": "decision", "snapshot": "snapshot"}


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """The hits of a question; a whole id leads straight to its record."""
    form = SearchForm(request.GET, request.actor)
    query = request.GET.get("query", "")
    context: dict[str, Any] = {"filters": form, "search_query": query, "asked": "query" in request.GET}
    if not context["asked"]:
        context["filters"] = SearchForm(None, request.actor)
        return render(request, "memories/search.html", context)
    if target := _place(query.strip(), request.actor):
        return redirect(target)
    context["is_id"] = ID.fullmatch(query.strip()) is not None
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
    if wanted.lists or ID.fullmatch(wanted.query.strip()):
        return {}
    asking = request.GET.copy()
    asking["near"] = "1"
    return {"near_url": f"{request.path}?{asking.urlencode()}"}


def _place(text: str, actor: Actor) -> str | None:
    """The address of what this id names; None when `text` is no id, or none of anything that the actor may see."""
    given = ID.fullmatch(text)
    if given is None:
        return None
    key = UUID(given["id"])
    try:
        kind = records.kind_of(records.find(key, actor=actor))
        return _address(PAGES.get(kind, ""), key)
    except NotFound:
        pass
    try:
        return _address("erased", erase.erasure_of(key, actor=actor).record_id)
    except NotFound:
        return _in_the_audit(key, actor)


def _in_the_audit(key: UUID, actor: Actor) -> str | None:
    """Where a pass, or an audit line of this id, is shown."""
    lines = in_spaces(actor, AuditRecord.objects.all())
    if lines.filter(object_type="pass", object_id=key).exists():
        return _address("pass", key)
    line = lines.filter(pk=key).first()
    if line is None:
        return None
    query = {"object": str(line.object_id)} if line.object_id else {"action": line.action}
    return f"{reverse('audit')}?{urlencode(query)}"


def _address(page: str, key: UUID) -> str | None:
    """The address of a record's page, where there is such a page."""
    try:
        return reverse(page, args=[key])
    except NoReverseMatch:
        return None
