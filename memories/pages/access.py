"""What the person may do here: their spaces, roles and tokens."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language_info
from django.views.decorators.http import require_POST, require_safe

from memories.models import ApiToken
from memories.pages import keyset
from memories.services import tokens


@require_safe
def access(request: HttpRequest) -> HttpResponse:
    """Spaces with roles, tokens with scopes and bounds, language and time zone."""
    rows = ApiToken.objects.filter(user_id=request.actor.own).select_related("team")
    page = keyset.page([keyset.Source(rows, "created_at", lambda row: row.created_at)], request.GET, request.path)
    context = {"nav": "access", "spaces": request.actor.spaces.values(), "now": timezone.now()}
    context |= {"tokens": page.rows, "page": page}
    context["language"] = _language(getattr(request.user, "language", ""))
    return render(request, "memories/access.html", context)


@require_POST
def revoke(request: HttpRequest, token_id: UUID) -> HttpResponse:
    """End one of the person's own tokens."""
    token = tokens.revoke(token_id=token_id, actor=request.actor)
    messages.success(request, f"The token {token.prefix}… is revoked. Nothing gets in with it any more.")
    return redirect("access")


def _language(code: str) -> str:
    """`pt-BR` as Brazilian Portuguese; a code that nobody knows as it is."""
    try:
        return str(get_language_info(code.lower())["name"])
    except KeyError:
        return code
