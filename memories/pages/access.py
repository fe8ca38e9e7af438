"""What the person may do here: their spaces with what stands in them, roles and tokens."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.translation import get_language_info
from django.views.decorators.http import require_safe

from memories.services import tallies, tokens

NEWEST = 10  # tokens shown here; the others have a page of their own


@require_safe
def access(request: HttpRequest) -> HttpResponse:
    """Spaces with roles and what stands in them, the newest tokens that work, language and time zone."""
    own = tokens.shown_to(request.actor, state=tokens.VALID).filter(user_id=request.actor.own)
    counts, acts = tallies.live_by_space(at=timezone.now(), actor=request.actor), tallies.last_acts(actor=request.actor)
    spaces = [(space, counts[space.id], acts.get(space.id)) for space in request.actor.spaces.values()]
    context: dict[str, Any] = {"nav": "access", "spaces": spaces}
    context |= {"tokens": own.order_by("-created_at", "-pk")[:NEWEST], "total": own.count()}
    context["spoken"] = _language(translation.get_language())
    return render(request, "memories/access.html", context)


def _language(code: str) -> str:
    return str(get_language_info(code)["name_translated"])
