"""A pass that the worker is still planning: how far it is, and a way to cancel it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone, translation
from django.views.decorators.http import require_safe

from console.errors import Refused
from memories.access import Actor, may_approve
from reflection import queries
from reflection.models import ReflectPass
from reflection.pages import asked
from reflection.services.planning import PHASES
from reflection.states import Status

LATE_SECONDS = 20  # unbegun for so long, the page asks whether the worker runs
SLOWEST_POLL_SECONDS = 5


def page(request: HttpRequest, reflect_pass: ReflectPass, *, refusal: Refused | None = None) -> HttpResponse:
    """The whole page; without JavaScript it loads itself again."""
    context = {
        "nav": "passes",
        "space": queries.space_name(reflect_pass, request.actor),
        "refused": refusal,
        "audit_id": request.audit_id,
        **_progress(reflect_pass, 0, request.actor),
    }
    return render(request, "reflection/planning.html", context, status=refusal.status if refusal else 200)


@require_safe
def status(request: HttpRequest, pass_id: UUID) -> HttpResponse:
    """How far it is, as a fragment that asks again until the plan is there, then the whole page."""
    reflect_pass = queries.find(pass_id, actor=request.actor)
    polls = asked.whole(request, "polls") or 0
    response = render(request, "reflection/planning_status.html", _progress(reflect_pass, polls, request.actor))
    if request.htmx and reflect_pass.status != Status.PLANNING:
        response["HX-Refresh"] = "true"
    return response


def _progress(reflect_pass: ReflectPass, polls: int, actor: Actor) -> dict[str, Any]:
    now, seconds = reflect_pass.progress, int((timezone.now() - reflect_pass.planned_at).total_seconds())
    phase = now.get("phase", "waiting")
    return {
        "pass": reflect_pass,
        "state": Status(reflect_pass.status),
        "phase": translation.gettext(PHASES.get(phase, PHASES["waiting"])),
        "done": now.get("done", 0),
        "of": now.get("of", 0),
        "seconds": seconds,
        "late": phase == "waiting" and seconds > LATE_SECONDS,
        "polls": polls + 1,
        "interval": min(SLOWEST_POLL_SECONDS, 1 + polls // 5),
        "may_cancel": reflect_pass.planned_by_id == actor.user_id or may_approve(actor, reflect_pass, four_eyes=False),
    }
