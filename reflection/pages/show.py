"""One pass: its preview, its progress, its result."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from console.errors import Invalid, NotAllowed, NotFound, Refused
from console.saying import phrase
from memories.access import Actor, check_may_approve
from reflection import queries, report, report_text
from reflection.models import ReflectPass
from reflection.pages import asked, narrow, planning
from reflection.pages.groups import ALL_AT_ONCE, Drift, Place, groups_of, query, selected, size
from reflection.pages.left import left_of
from reflection.pages.narrow import Narrow, Standing
from reflection.pages.selection import Outline, outline, parse, written
from reflection.report import state_of
from reflection.services import demands, drift
from reflection.services.viewing import viewed_positions
from reflection.states import CHANGES, Outcome, PassKind, Status

UNDER_WAY = (Status.APPROVED, Status.APPLYING)
LATE = timedelta(seconds=20)  # after this, the page asks whether the worker runs
SLOWEST_POLL_SECONDS = 5


@require_safe
def show(request: HttpRequest, pass_id: UUID) -> HttpResponse:
    """The page of a pass. `out` leaves candidates out, `group` and `after` turn the pages of a long plan.

    `action`, `path`, `text` and `only` narrow what is shown.
    """
    reflect_pass = queries.find(pass_id, actor=request.actor)
    left_out, place = parse(request.GET.get("out", "")), _place(request, reflect_pass)
    return page(request, reflect_pass, left_out=left_out, place=place, part=narrow.read(request.GET, reflect_pass))


@require_safe
def candidate(request: HttpRequest, pass_id: UUID, candidate_id: UUID) -> HttpResponse:
    """Where this candidate stands on the page of its pass, on whichever part of a long one."""
    reflect_pass = queries.find(pass_id, actor=request.actor)
    one = reflect_pass.candidates.filter(pk=candidate_id).first()
    if one is None:
        raise NotFound(phrase("This pass has no such candidate."))
    after = {"group": one.action, "after": one.position - 1} if one.position else {"group": one.action}
    whole = sum(size(action) for action in reflect_pass.candidates.values_list("action", flat=True))
    part = query(**after) if whole > ALL_AT_ONCE else ""
    return redirect(f"{reverse('pass', args=[pass_id])}{part}#c{one.position}")


def _place(request: HttpRequest, reflect_pass: ReflectPass) -> Place:
    group, after = request.GET.get("group", ""), asked.whole(request, "after")
    actions = [name.value for name in CHANGES[PassKind(reflect_pass.kind)]]
    if group and group not in actions:
        text = phrase("%(field)s is one of %(choices)s. Correct it.", field="group", choices=", ".join(actions))
        raise Invalid.field("group", text, where="query")
    return Place(group, -1 if after is None else after)


def page(
    request: HttpRequest,
    reflect_pass: ReflectPass,
    *,
    left_out: Collection[int] = (),
    place: Place | None = None,
    part: Narrow | None = None,
    refusal: Refused | None = None,
    comment: str = "",
) -> HttpResponse:
    """The whole page; after a refusal with the refusal's status, its sentence, and what the person had chosen."""
    if reflect_pass.status == Status.PLANNING:
        return planning.page(request, reflect_pass, refusal=refusal)
    actor, whole, state = request.actor, outline(reflect_pass), state_of(reflect_pass)
    chosen = frozenset(left_out) & whole.actions.keys()
    rights = rights_of(reflect_pass, state, actor)
    context = {
        "nav": "passes",
        "pass": reflect_pass,
        "state": state,
        "space": queries.space_name(reflect_pass, actor),
        "counts": report.to_come(reflect_pass) if state in UNDER_WAY else report.tally_of(reflect_pass),
        "views": state == Status.PLANNED or state == Status.APPLIED and reflect_pass.approved_by_policy,
        **_filters(reflect_pass),
        **left_of(reflect_pass, actor=actor),
        **_shown(reflect_pass, state, whole, chosen, place or Place(), part or Narrow(), actor),
        "refused": refusal,
        "audit_id": request.audit_id,
        "comment": comment,
        **rights,
        "own": reflect_pass.planned_by_id == actor.user_id and reflect_pass.planned_token_id is None,
        "deciders": queries.deciders(reflect_pass) if rights["why_not"] else [],
        **(_result(reflect_pass) if reflect_pass.applied_at else {}),
        **(_progress(reflect_pass, 0) if state in UNDER_WAY else {}),
    }
    return render(request, "reflection/pass.html", context, status=refusal.status if refusal else 200)


def _shown(
    reflect_pass: ReflectPass,
    state: Status,
    whole: Outline,
    left_out: frozenset[int],
    place: Place,
    part: Narrow,
    actor: Actor,
) -> dict[str, Any]:
    """The candidates that are shown, in groups, with what is selected and what moved since the plan."""
    drifted = drift.since(reflect_pass, actor=actor) if state == Status.PLANNED else {}
    viewed = viewed_positions(reflect_pass, actor=actor)
    standing = Standing({whole.ids[key] for key in drifted}, viewed, left_out)
    only = narrow.matching(part, reflect_pass, whole, standing, actor=actor)
    kept = part.as_query()
    groups = groups_of(
        reflect_pass, whole, place, drifted=drifted, left_out=left_out, only=only, kept=kept, actor=actor
    )
    return {
        "part": part,
        "place": place,
        "matching": len(whole.ids if only is None else only),
        "viewed": viewed,
        "groups": groups,
        "selected": selected(whole, groups, drifted=drifted, left_out=left_out),
        "out": written(left_out),
        "without_part": query(out=written(left_out)),
        **_drifted(reflect_pass, whole, drifted, left_out, part),
    }


def _filters(reflect_pass: ReflectPass) -> dict[str, Any]:
    """What the filters of the page offer."""
    states = narrow.OUTCOMES if reflect_pass.applied_at else narrow.STATES
    more = {name: narrow.STATES[name] for name in ("viewed", "unviewed")}
    return {
        "part_actions": [name.value for name in CHANGES[PassKind(reflect_pass.kind)] if reflect_pass.counts.get(name)],
        "part_states": {**states, **more},
    }


def rights_of(reflect_pass: ReflectPass, state: Status, actor: Actor) -> dict[str, Any]:
    """Whether this person may decide, and if not, why."""
    try:
        check_may_approve(actor, reflect_pass, four_eyes=False)
    except NotAllowed as refusal:
        return {"may_end": False, "may_approve": False, "why_not": refusal.told}
    undoable = state == Status.APPLIED
    found = {
        "may_end": True,
        "undoable": undoable,
        "may_approve": state == Status.PLANNED and reflect_pass.digest != "",
        "why_not": "",
    }
    try:
        check_may_approve(actor, reflect_pass, four_eyes=demands.on(reflect_pass).four_eyes)
    except NotAllowed as refusal:
        found |= {"may_approve": False, "why_not": refusal.told}
    return found


def _drifted(
    reflect_pass: ReflectPass, whole: Outline, drifted: Drift, left_out: Collection[int], part: Narrow
) -> dict[str, Any]:
    """The records that moved since the plan, each once, and the address that leaves their candidates out."""
    if not drifted:
        return {}
    changes = {change.memory_id: change for lines in drifted.values() for change in lines}
    places = {whole.ids[key] for key in drifted}
    return {
        "changes": list(changes.values()),
        "records": queries.records_in(reflect_pass),
        "drifted": len(drifted),
        "all_back": all(change.back for change in changes.values()),
        "left_to_write": len(whole.ids) - len(drifted),
        "refuses": demands.on(reflect_pass).refuses,
        "drifted_out": places <= set(left_out),
        "without_drifted": query(**part.as_query(), out=written(places | set(left_out))),
    }


def _result(reflect_pass: ReflectPass) -> dict[str, Any]:
    """What was written, left out, skipped and taken back, with its audit and the text to copy."""
    candidates = list(reflect_pass.candidates.values_list("outcome", flat=True))
    tally = {outcome.value: candidates.count(outcome) for outcome in Outcome}
    ids = report.audit_ids(reflect_pass)
    return {
        "tally": tally,
        "written": tally["applied"] + tally["rolled_back"] + tally["kept"],
        "first_audit_ids": ids[: report_text.FIRST_AUDIT_IDS],
        "more_audit_ids": ids[report_text.FIRST_AUDIT_IDS :],
        "text": report.as_text(reflect_pass),
        "signs_off": reflect_pass.status == Status.APPLIED
        and reflect_pass.approved_by_policy
        and reflect_pass.signed_off_at is None,
    }


def _progress(reflect_pass: ReflectPass, polls: int) -> dict[str, Any]:
    waited = timezone.now() - (reflect_pass.approved_at or timezone.now())
    return {
        "seconds": int(waited.total_seconds()),
        "late": waited > LATE,
        "polls": polls + 1,
        "interval": min(SLOWEST_POLL_SECONDS, 1 + polls // 5),
    }


@require_safe
def status(request: HttpRequest, pass_id: UUID) -> HttpResponse:
    """Where an approved pass stands, as a fragment that asks again until the pass has ended, then the whole page."""
    reflect_pass = queries.find(pass_id, actor=request.actor)
    polls = asked.whole(request, "polls") or 0
    state = state_of(reflect_pass)
    context = {"pass": reflect_pass, "state": state, **_progress(reflect_pass, polls)}
    response = render(request, "reflection/status.html", context)
    if request.htmx and state not in UNDER_WAY:
        response["HX-Refresh"] = "true"
    return response


@require_safe
def text(request: HttpRequest, pass_id: UUID) -> HttpResponse:
    """The report of a pass as a text file."""
    reflect_pass = queries.find(pass_id, actor=request.actor)
    response = HttpResponse(report.as_text(reflect_pass), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="memory-reflect-report-{pass_id}.txt"'
    return response
