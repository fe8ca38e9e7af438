"""Going to a page by its name or to what has an id, and the keys: pages, and the insides of two dialogs."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from django.views.decorators.http import require_safe

from console import navigation
from console.actions import KINDS
from console.errors import NotFound
from console.navigation import Part, Place
from memories.access import Actor
from memories.pages import by_id
from memories.pages.by_id import Found
from reflection.services import schedules

LONGEST = 200  # characters that the field takes
KIND_NAMES = {
    **KINDS,
    "erased": _("receipt of a deletion"),
    "pass": pgettext_lazy("reflection", "pass"),
    "token": _("token"),
    "audit": _("line of the audit"),
    "schedule": _("schedule"),
}


@require_safe
def go(request: HttpRequest) -> HttpResponse:
    """The pages whose name holds `q`; a whole id, or the name of one page, leads straight there.

    The palette gets what there is to choose, and goes there itself.
    """
    text = request.GET.get("q", "").strip()
    key = by_id.id_in(text)
    place = found(key, actor=request.actor) if key else None
    parts = [] if key else named(text, navigation.everywhere(request.actor))
    if request.htmx:
        what = KIND_NAMES[place.kind] if place else ""
        return render(request, "console/go_part.html", _context(text, parts, place, unknown=key) | {"what": what})
    if place:
        return redirect(place.url)
    pages = [page for part in parts for page in part.places]
    if text and len(pages) == 1:
        return redirect(pages[0].name)
    return render(request, "console/go.html", _context(text, parts, place, unknown=key))


def _context(text: str, parts: list[Part], place: Found | None, *, unknown: UUID | None) -> dict[str, Any]:
    asking = f"{reverse('search')}?{urlencode({'query': text})}"
    context = {"text": text, "parts": parts, "place": place, "longest": LONGEST}
    return context | {"unknown": unknown is not None and place is None, "all_url": reverse("go"), "search_url": asking}


@require_safe
def keys(request: HttpRequest) -> HttpResponse:
    """What can be done by keys."""
    return render(request, "parts/shortcuts.html" if request.htmx else "console/keys.html", {"nav": "keys"})


def found(key: UUID, *, actor: Actor) -> Found | None:
    """The page about what has this id, a schedule among them; None where there is nothing that the actor may see."""
    if one := by_id.found(key, actor=actor):
        return one
    try:
        schedule = schedules.find(key, actor=actor).pk
    except NotFound:
        return None
    return Found("schedule", schedule, reverse("schedule", args=[schedule]))


def named(text: str, parts: Sequence[Part]) -> list[Part]:
    """The pages whose label or English name holds every word of `text`; all of them where it is empty."""
    words = folded(text).split()
    kept = (replace(part, places=tuple(place for place in part.places if _holds(place, words))) for part in parts)
    return [part for part in kept if part.places]


def _holds(place: Place, words: list[str]) -> bool:
    name = folded(f"{place.label} {place.name}")
    return all(word in name for word in words)


def folded(text: str) -> str:
    """`text` as names are compared: without case, accents and widths."""
    plain = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in plain if not unicodedata.combining(letter)).casefold()
