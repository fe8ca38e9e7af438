"""What a memory cites and what cites it, a page of each at a time: a summary may rest on thousands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest

from console.errors import Invalid
from memories.access import live, visible_to
from memories.models import Memory, MemoryLink
from memories.pages.listing import LINE

SIZE = 50
PAGES_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class Links:
    """One page of links, how many there are in all, and the way to the pages before and after."""

    rows: list[MemoryLink]
    total: int
    range_text: str
    prev_url: str
    next_url: str


def linked(request: HttpRequest, of: Memory) -> dict[str, Any]:
    """Both directions as search would find them; with `links=all` the archived and expired too, never the trash."""
    whole = request.GET.get("links") == "all"
    seen = visible_to(request.actor, Memory.objects.all())
    kept, alive = seen.exclude(state__status="deleted"), live(seen)
    shown = kept if whole else alive
    away = Q(target__in=kept) & ~Q(target__in=alive), Q(origin__in=kept) & ~Q(origin__in=alive)
    return {
        "cites": _page(request, "cites", of.links.filter(target__in=shown), "target"),
        "cited_by": _page(request, "cited_by", of.linked_from.filter(origin__in=shown), "origin"),
        "away": of.links.filter(away[0]).count() + of.linked_from.filter(away[1]).count(),
        "whole": whole,
    }


def _page(request: HttpRequest, name: str, links: QuerySet[MemoryLink], end: str) -> Links:
    """The page of `links` that the address asks for under `name`, with one line of the memory at the other `end`."""
    number, total = _number(request, name), links.count()
    first = (number - 1) * SIZE
    narrow = links.select_related(end, f"{end}__state").annotate(line=Left(f"{end}__content", LINE))
    kept = [f"{end}__{part}" for part in ("id", "path", "derivation", "memory_type", "state__status")]
    narrow = narrow.only("id", "kind", "position", "quote", "origin_id", "target_id", *kept)
    rows = list(narrow.order_by("kind", "position", "pk")[first : first + SIZE])
    more = total > SIZE
    return Links(
        rows=rows,
        total=total,
        range_text=f"{first + 1:,}–{first + len(rows):,} of {total:,}" if more and rows else "",
        prev_url=_url(request, name, min(number - 1, -(-total // SIZE))) if more and number > 1 else "",
        next_url=_url(request, name, number + 1) if first + SIZE < total else "",
    )


def _number(request: HttpRequest, name: str) -> int:
    """The number of the page, from 1. Raises Invalid."""
    text = request.GET.get(name, "1")
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= PAGES_MOST):
        raise Invalid.field(name, "This is no page. Start at the first one.", where="query")
    return int(text)


def _url(request: HttpRequest, name: str, number: int) -> str:
    rest = request.GET.copy()
    rest[name] = str(number)
    return f"{request.path}?{rest.urlencode()}#{name.replace('_', '-')}"
