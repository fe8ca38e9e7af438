"""What the person may do here: their spaces, roles and tokens."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.translation import get_language_info
from django.views.decorators.http import require_safe

from memories.services import tokens

NEWEST = 10  # tokens shown here; the others have a page of their own


@require_safe
def access(request: HttpRequest) -> HttpResponse:
    """Spaces with roles, the newest tokens that work, language and time zone."""
    own = tokens.shown_to(request.actor, state=tokens.VALID).filter(user_id=request.actor.own)
    context = {"nav": "access", "spaces": request.actor.spaces.values()}
    context |= {"tokens": own.order_by("-created_at", "-pk")[:NEWEST], "total": own.count()}
    context["spoken"] = _language(translation.get_language())
    return render(request, "memories/access.html", context)


def _language(code: str) -> str:
    return str(get_language_info(code)["name_translated"])
