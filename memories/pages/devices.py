"""Where a person gives an agent a token: it shows a code, they enter it, look and decide."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memories.pages.rights import allowed, meanings
from memories.pages.teams import password_asked
from memories.services import devices


@require_http_methods(["GET", "HEAD", "POST"])
@password_asked
def device_login(request: HttpRequest) -> HttpResponse:
    """The code, then what the agent asks for, then what was decided."""
    code = (request.POST.get("code") or request.GET.get("code") or "").strip()[:40]
    if not code:
        return render(request, "memories/device_login.html", {"found": None})
    if request.method == "POST":
        granted = request.POST.getlist("scopes") if request.POST.get("verdict") == "approve" else []
        if request.POST.get("verdict") == "approve" and not granted:
            return _asked(request, code, fault=_("Tick at least one right, or refuse the agent."))
        found = devices.decide(user_code=code, granted=granted, actor=request.actor)
        return render(request, "memories/device_done.html", {"found": found, "rights": allowed(granted)})
    return _asked(request, code)


def _asked(request: HttpRequest, code: str, *, fault: str = "") -> HttpResponse:
    found = devices.find(code)
    ticked = () if fault else found.scopes
    context = {"found": found, "code": code, "rights": _rights(found.scopes, ticked), "fault": fault}
    context["asks_to_write"] = {"memory:read", "memory:write"} <= set(found.scopes)
    return render(request, "memories/device_login.html", context, status=422 if fault else 200)


def _rights(scopes: list[str], ticked: list[str] | tuple[str, ...]) -> list[tuple[str, str, bool]]:
    return [(name, text, name in ticked) for name, text in meanings(scopes)]
