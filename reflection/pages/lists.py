"""The passes a person may see, and those that wait for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from console.errors import Invalid
from console.saying import phrase
from memories.access import Actor
from reflection import queries, report
from reflection.models import ReflectPass
from reflection.pages import asked
from reflection.pages.groups import query
from reflection.report import state_of
from reflection.services import drift
from reflection.states import Status

PAGE = 50
INBOX = 200  # of each kind


@require_safe
def passes(request: HttpRequest) -> HttpResponse:
    """All visible passes, newest first; narrowed by `status`, `space` and `memory`, continued `after` a pass."""
    actor = request.actor
    status, space, memory = _status(request), asked.record_id(request, "space"), asked.record_id(request, "memory")
    rows = queries.passes_of(actor)
    if status:
        rows = queries.standing(rows, status)
    if space:
        rows = rows.filter(space_id=actor.space(space).id)
    if memory:
        rows = queries.touching(rows, memory)
    total = rows.count()
    after = asked.record_id(request, "after")
    if after:
        rows = queries.older(rows, queries.find(after, actor=actor))
    found = list(rows.order_by("-planned_at", "-pk")[: PAGE + 1])
    changed = drift.changed_since(found[:PAGE], actor=actor)
    given = {"status": status, "space": space, "memory": memory}
    context = {
        "nav": "passes",
        "rows": [_row(one, actor, changed) for one in found[:PAGE]],
        "total": total,
        "statuses": list(Status),
        "given": {**given, "team": actor.space(space).team_id if space else None},
        "filtered": any(given.values()),
        "first_url": query(**given) if after else "",
        "next_url": query(**given, after=found[PAGE - 1].pk) if len(found) > PAGE else "",
    }
    return render(request, "reflection/passes.html", context)


def _status(request: HttpRequest) -> Status | None:
    text = request.GET.get("status", "")
    if text and text not in {status.value for status in Status}:
        said = phrase("%(field)s is one of %(choices)s. Correct it.", field="status", choices=", ".join(Status))
        raise Invalid.field("status", said, where="query")
    return Status(text) if text else None


@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    """Plans to decide on, the one that expires first on top, and applied passes that nobody reviewed, oldest first."""
    actor = request.actor
    waiting = queries.waiting(actor)
    plans = waiting.filter(status=Status.PLANNED).order_by("expires_at", "pk")
    applied = waiting.filter(status=Status.APPLIED).order_by("applied_at", "pk")
    shown = list(plans[:INBOX])
    changed = drift.changed_since(shown, actor=actor)
    context = {
        "nav": "inbox",
        "to_decide": [_row(one, actor, changed) for one in shown],
        "to_sign_off": [_row(one, actor, {}) for one in applied[:INBOX]],
        "all_to_decide": plans.count(),
        "all_to_sign_off": applied.count(),
    }
    return render(request, "reflection/inbox.html", context)


def _row(reflect_pass: ReflectPass, actor: Actor, changed: Mapping[UUID, int]) -> dict[str, Any]:
    counts, names, state = report.tally_of(reflect_pass), report.names_of(reflect_pass), state_of(reflect_pass)
    return {
        "pass": reflect_pass,
        "state": state,
        "space": _space(reflect_pass.space_id, actor),
        "counts": [(action, word, counts[word]) for action, word in names.items()],
        "total": sum(counts.values()),
        "changed": changed.get(reflect_pass.pk, 0) if state == Status.PLANNED else 0,
    }


def _space(space_id: UUID, actor: Actor) -> str:
    return actor.spaces[space_id].name
