"""Everything that an agent needs to get in, on one page, and a try with its token."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods, require_safe

from console.errors import NotAllowed
from console.mcp.trial import attempt
from memories.pages import ways
from memories.pages.rights import allowed
from memories.pages.token_form import TokenForm


@sensitive_post_parameters("key")
@require_http_methods(["GET", "HEAD", "POST"])
def connect(request: HttpRequest) -> HttpResponse:
    """The ways in; with a token sent, also what the bridge answers to it."""
    context: dict[str, Any] = {
        "nav": "connect",
        "form": TokenForm(request.actor, auto_id="quick_%s"),
        "ways": ways.of(),
    }
    if request.method == "POST":
        return _tried(request, context, request.POST.get("key", "").strip())
    return render(request, "memories/connect.html", context)


@require_safe
def guide(request: HttpRequest) -> HttpResponse:
    """All that the bridge offers to agents, as it is written for whoever sets one up."""
    text = (settings.BASE_DIR / "docs" / "mcp.md").read_text(encoding="utf-8")
    return HttpResponse(text, content_type="text/plain; charset=utf-8", headers={"Content-Language": "en"})


@sensitive_variables("key", "context")
def _tried(request: HttpRequest, context: dict[str, Any], key: str) -> HttpResponse:
    """What came back. A refusal is an answer too: it stands in its place, and in the audit as at the door itself."""
    try:
        trial = attempt(key, actor=request.actor)
    except NotAllowed as refusal:
        request.refusal = refusal
        return render(request, "memories/connect.html", {**context, "refused": refusal, "key": key})
    context |= {"trial": trial, "rights": allowed(trial.token.scopes), "key": key, "ways": ways.of(key)}
    return render(request, "memories/connect.html", context)
