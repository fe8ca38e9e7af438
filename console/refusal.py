"""A refusal in the form its caller reads: JSON for the API, a fragment for htmx, else a page."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render

from console import carried
from console.errors import Invalid, NotSignedIn, Refused, Unavailable

PASSING = (429, 500, 503)  # the same form may be taken when it is sent again
API_PREFIXES = ("/v1/", "/api/v1/", "/health", "/ready", "/.well-known/", "/mcp")


def is_api(request: HttpRequest) -> bool:
    """Whether the address belongs to machines: tokens only, JSON answers."""
    return request.path.startswith(API_PREFIXES)


def refusal_json(refusal: Refused) -> dict[str, Any]:
    """The contract's error bodies: a list of problems for bad input, else a code and a message."""
    if isinstance(refusal, Invalid):
        return {"detail": [problem.as_json() for problem in refusal.problems]}
    more = {key: value for key, value in refusal.detail.items() if value is not None}
    return {"detail": {"code": refusal.code, "message": refusal.told, **more}}


def refusal_response(request: HttpRequest, refusal: Refused) -> HttpResponseBase:
    """Render `refusal`, and remember it on the request so that it can be audited after the roll back."""
    request.refusal = refusal
    if is_api(request):
        response: HttpResponse = JsonResponse(refusal_json(refusal), status=refusal.status)
    else:
        htmx = getattr(request, "htmx", False)
        name = "parts/refused.html" if htmx else "refused.html"
        context: dict[str, Any] = {"refused": refusal, "audit_id": getattr(request, "audit_id", ""), "retry_url": ""}
        if refusal.status >= 500 and request.method in ("GET", "HEAD"):
            context["retry_url"] = request.get_full_path()
        if refusal.status >= 500:  # who is signed in says the database, and that may be what is down
            context["user"] = AnonymousUser()
        if refusal.status in PASSING or isinstance(refusal, NotSignedIn):
            context |= _kept(request)
        response = render(request, name, context, status=refusal.status)
    if isinstance(refusal, NotSignedIn):
        response["WWW-Authenticate"] = 'Bearer realm="memory-console"'
    if isinstance(refusal, Unavailable) or "retry_after" in refusal.detail:
        response["Retry-After"] = str(refusal.detail.get("retry_after", 2))
    return response


def _kept(request: HttpRequest) -> dict[str, Any]:
    """The form that was sent, and its fields as the text that the sign-in page takes along."""
    fields = carried.sent(request)
    return {} if fields is None else {"form_sent": True, "fields": fields, "carried": carried.written(fields)}
