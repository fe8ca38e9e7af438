"""What a memory cites and what cites it, a page of each at a time: a summary may rest on thousands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest

from console.errors import Invalid
from console.saying import phrase
from memories.access import Actor, live, visible_to
from memories.models import Memory, MemoryLink
from memories.pages.keyset import between, grouped
from memories.pages.listing import LINE

SIZE = 50
PAGES_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class Links:
    """One page of links, how many there are in all, and the way to the pages before and after.

    `away` counts those whose other end is archived or expired.
    """

    rows: Sequence[MemoryLink]
    total: int
    away: int
    range_text: str
    prev_url: str
    next_url: str


def linked(request: HttpRequest, of: Memory) -> dict[str, Any]:
    """Both directions as search would find them; with `links=all` the archived and expired too, never the trash."""
    whole = request.GET.get("links") == "all"
    cites = _page(request, "cites", of.links.all(), "target", whole=whole)
    cited_by = _page(request, "cited_by", of.linked_from.all(), "origin", whole=whole)
    return {"cites": cites, "cited_by": cited_by, "away": cites.away + cited_by.away, "whole": whole}


def _page(request: HttpRequest, name: str, links: QuerySet[MemoryLink], end: str, *, whole: bool) -> Links:
    """The page of `links` that the address asks for under `name`."""
    number = _number(request, name)
    places = list(links.order_by("kind", "position", "pk").values_list("pk", f"{end}_id"))
    kept, alive = _standing(request.actor, [other for _, other in places])
    shown = [key for key, other in places if other in (kept if whole else alive)]
    first, total = (number - 1) * SIZE, len(shown)
    rows = _rows(links.filter(pk__in=shown[first : first + SIZE]), end)
    return Links(
        rows=rows,
        total=total,
        away=len(kept) - len(alive),
        range_text=between(first + 1, first + len(rows), grouped(total)) if total > SIZE and rows else "",
        prev_url=_url(request, name, min(number - 1, -(-total // SIZE))) if total > SIZE and number > 1 else "",
        next_url=_url(request, name, number + 1) if first + SIZE < total else "",
    )


def _standing(actor: Actor, ids: list[UUID]) -> tuple[set[UUID], set[UUID]]:
    """Which of `ids` are visible and not in the trash, and which of them are live."""
    seen = visible_to(actor, Memory.objects.filter(pk__in=ids))
    kept = seen.exclude(state__status="deleted").values_list("pk", flat=True)
    return set(kept), set(live(seen).values_list("pk", flat=True))


def _rows(links: QuerySet[MemoryLink], end: str) -> Sequence[MemoryLink]:
    """Links with one line of the memory at their other `end`."""
    narrow = links.select_related(end, f"{end}__state").annotate(line=Left(f"{end}__content", LINE))
    kept = [f"{end}__{part}" for part in ("id", "path", "derivation", "memory_type", "state__status")]
    narrow = narrow.only("id", "kind", "position", "quote", "origin_id", "target_id", *kept)
    return list(narrow.order_by("kind", "position", "pk"))


def _number(request: HttpRequest, name: str) -> int:
    """The number of the page, from 1. Raises Invalid."""
    text = request.GET.get(name, "1")
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= PAGES_MOST):
        raise Invalid.field(name, phrase("This is no page. Start at the first one."), where="query")
    return int(text)


def _url(request: HttpRequest, name: str, number: int) -> str:
    rest = request.GET.copy()
    rest[name] = str(number)
    return f"{request.path}?{rest.urlencode()}#{name.replace('_', '-')}"
