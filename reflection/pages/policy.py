"""The policy of each space: what is in force and since when, what another would do, and the next version."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.errors import Invalid, Refused, Stale
from console.saying import phrase
from memories.access import Actor, Space
from reflection.models import ReflectionPolicy
from reflection.pages import asked
from reflection.pages.effect import shown
from reflection.pages.policy_form import PolicyForm, entered, given, listed, query, told
from reflection.services import policies, preview

VERSIONS = 20


@require_safe
def all_of(request: HttpRequest) -> HttpResponse:
    """The spaces of the person, with the policy of each."""
    rows = [
        {"space": space, "policy": policies.current(space), "may": policies.may_set(request.actor, space)}
        for space in request.actor.spaces.values()
    ]
    return render(request, "reflection/policies.html", {"nav": "policies", "rows": rows})


@require_http_methods(["GET", "HEAD", "POST"])
def one(request: HttpRequest, space_id: UUID) -> HttpResponse:
    """The form with what is in force, or with the values of the address; saves when posted."""
    space = request.actor.space(space_id)
    if request.method == "POST":
        return _save(request, space)
    now_is = policies.current(space)
    form = PolicyForm(initial=entered(now_is) | given(request.GET))
    return _page(request, space, now_is, form)


@require_safe
def effect(request: HttpRequest, space_id: UUID) -> HttpResponse:
    """What the values of the address would change, and what the next dry run would do. Nothing is written."""
    space = request.actor.space(space_id)
    now_is = policies.current(space)
    seen = asked.whole(request, "seen") or now_is.number
    return _preview(request, space, now_is, given(request.GET), seen)


@require_safe
def version(request: HttpRequest, space_id: UUID, number: int) -> HttpResponse:
    """One version: its values, and what it changed."""
    space = request.actor.space(space_id)
    found, now_is = policies.version(space_id, number, actor=request.actor), policies.current(space)
    former = policies.version(space_id, number - 1, actor=request.actor) if number > 1 else None
    context = {
        "nav": "policies",
        "space": space,
        "version": found,
        "now_is": now_is,
        "changed": told(policies.changes(former, found)) if former else [],
        "since": told(policies.changes(found, now_is)),
        "groups": listed(found),
        "may": policies.may_set(request.actor, space),
        "again": query(entered(found) | {"seen": now_is.number}),
    }
    return render(request, "reflection/policy_version.html", context)


def _save(request: HttpRequest, space: Space) -> HttpResponse:
    values = given(request.POST)
    seen = request.POST.get("seen", "")
    try:
        if not (seen.isascii() and seen.isdigit() and len(seen) < 10):
            raise Invalid.field("seen", phrase("The version you saw is missing. Load the page again."))
        was = policies.current(space).number
        made = policies.adopt(space_id=space.id, given=values, seen_version=int(seen), actor=request.actor)
    except Invalid as refusal:
        if request.htmx:
            raise
        request.refusal = refusal
        return _wrong(request, space, values, refusal)
    except Stale as refusal:
        if request.htmx:
            raise
        request.refusal = refusal
        now_is = policies.current(space)
        return _preview(request, space, now_is, values, now_is.number, refusal=refusal)
    saved = _("Saved as version %(number)s.") % {"number": made.number}
    messages.success(request, saved if made.number > was else _("Nothing had changed."))
    return redirect("policy", space.id)


def _wrong(request: HttpRequest, space: Space, values: dict[str, str], refusal: Invalid) -> HttpResponse:
    """The form with what was entered, and each problem beside its field."""
    now_is = policies.current(space)
    form = PolicyForm(entered(now_is) | values)
    form.is_valid()
    form.show(refusal)
    return _page(request, space, now_is, form, status=refusal.status)


def _page(
    request: HttpRequest, space: Space, now_is: ReflectionPolicy, form: PolicyForm, status: int = 200
) -> HttpResponse:
    history = list(policies.versions(space.id, actor=request.actor)[: VERSIONS + 1])
    context = {
        "nav": "policies",
        "space": space,
        "now_is": now_is,
        "form": form,
        "groups": listed(now_is),
        "may": policies.may_set(request.actor, space),
        "history": _history(history),
    }
    return render(request, "reflection/policy.html", context, status=status)


def _history(rows: list[ReflectionPolicy]) -> list[dict[str, Any]]:
    """Each version with what it changed; the row after the last is only compared with."""
    former = dict(zip(rows, rows[1:], strict=False))
    return [
        {"version": row, "changed": told(policies.changes(former[row], row)) if row in former else []}
        for row in rows[:VERSIONS]
    ]


def _preview(
    request: HttpRequest,
    space: Space,
    now_is: ReflectionPolicy,
    values: dict[str, str],
    seen: int,
    *,
    refusal: Refused | None = None,
) -> HttpResponse:
    """What is proposed beside what is in force. A refused save comes back here with both."""
    try:
        proposed = policies.draft(values, now_is)
    except Invalid as wrong:
        if request.htmx:
            raise
        return _wrong(request, space, values, wrong)
    changed = policies.changes(now_is, proposed)
    context = {
        "nav": "policies",
        "space": space,
        "now_is": now_is,
        "proposed": proposed,
        "changed": told(changed),
        "moved": seen != now_is.number,
        "seen": now_is.number,
        "values": entered(proposed).items(),
        "back": f"{reverse('policy', args=[space.id])}{query(entered(proposed))}",
        "may": policies.may_set(request.actor, space),
        "effect": _effect(proposed, request.actor) if changed else None,
        "refused": refusal,
        "audit_id": request.audit_id,
    }
    return render(request, "reflection/policy_preview.html", context, status=refusal.status if refusal else 200)


def _effect(proposed: ReflectionPolicy, actor: Actor) -> dict[str, Any]:
    return shown(preview.effect(proposed=proposed, actor=actor), actor=actor)
