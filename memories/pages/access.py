"""What the person may do here: their spaces, roles and tokens."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from memories.models import ApiToken


@require_safe
def access(request: HttpRequest) -> HttpResponse:
    """Spaces with roles, tokens with scopes and bounds, language and time zone."""
    rows = ApiToken.objects.filter(user_id=request.actor.own).select_related("team").order_by("-created_at", "-pk")
    context = {"nav": "access", "spaces": request.actor.spaces.values(), "tokens": rows, "now": timezone.now()}
    return render(request, "memories/access.html", context)
