"""Schedules: which there are, what became of them, and making, changing, pausing and deleting them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.errors import Conflict, Invalid, NotAllowed, NotFound, Refused, Stale
from console.saying import phrase
from memories.access import Actor
from reflection import report
from reflection.models import Schedule, ScheduledRun
from reflection.pages.rhythms import rhythm_words
from reflection.pages.schedule_form import ScheduleForm, starting
from reflection.report import state_of
from reflection.services import policies, schedules

RUNS = 20


@require_safe
def all_of(request: HttpRequest) -> HttpResponse:
    """The schedules of the person's spaces."""
    rows = list(schedules.schedules_of(request.actor).order_by("next_at", "made_at", "pk"))
    last = schedules.last_runs(rows)
    context = {"nav": "schedules", "rows": [_row(row, request.actor) | {"last": last.get(row.pk)} for row in rows]}
    return render(request, "reflection/schedules.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """An empty form; makes the schedule when posted."""
    if request.method != "POST":
        initial = starting(timezone.get_current_timezone_name()) | {"team_id": request.GET.get("team_id", "")}
        return _new(request, ScheduleForm(request.actor, initial=initial))
    form = ScheduleForm(request.actor, request.POST)
    form.is_valid()
    try:
        space_id = _space(request.POST.get("team_id", "").strip(), request.actor)
        made = schedules.add(space_id=space_id, given=form.given(request.actor), actor=request.actor)
    except (Invalid, NotAllowed, Conflict) as refusal:
        if request.htmx:
            raise
        request.refusal = refusal
        form.show(refusal)
        return _new(request, form, status=refusal.status)
    messages.success(request, _("Saved. The first plan is made when it is due."))
    return redirect("schedule", made.pk)


def _new(request: HttpRequest, form: ScheduleForm, status: int = 200) -> HttpResponse:
    return render(request, "reflection/schedule_new.html", {"nav": "schedules", "form": form}, status=status)


def _space(team_id: str, actor: Actor) -> UUID:
    """One's own space, or that of a team one belongs to. Raises NotAllowed."""
    if not team_id:
        return actor.own
    for space in actor.spaces.values():
        if space.team_id is not None and str(space.team_id) == team_id.lower():
            return space.id
    raise NotAllowed(phrase("You are not a member of this team. Ask one of its admins."))


@require_http_methods(["GET", "HEAD", "POST"])
def one(request: HttpRequest, schedule_id: UUID) -> HttpResponse:
    """One schedule with its plans; changes it when posted."""
    schedule = schedules.find(schedule_id, actor=request.actor)
    if request.method != "POST":
        return _one(request, schedule, _filled(request, schedule))
    form = ScheduleForm(request.actor, request.POST, space=request.actor.space(schedule.space_id))
    form.is_valid()
    try:
        schedules.change(
            schedule_id=schedule_id, given=form.given(request.actor), seen_version=_seen(request), actor=request.actor
        )
    except (Invalid, NotAllowed, Stale) as refusal:
        if request.htmx:
            raise
        request.refusal = refusal
        schedule = schedules.find(schedule_id, actor=request.actor)
        if isinstance(refusal, Stale):
            return _one(request, schedule, form, refusal=refusal)
        form.show(refusal)
        return _one(request, schedule, form, status=refusal.status)
    messages.success(request, _("Saved."))
    return redirect("schedule", schedule_id)


def _filled(request: HttpRequest, schedule: Schedule) -> ScheduleForm:
    asked = schedules.as_given(schedule)
    mine = asked.get("owner_filter") == str(schedule.made_by_id)
    initial = starting(schedule.zone) | asked | {"owner_filter": "me" if mine else ""}
    return ScheduleForm(request.actor, initial=initial, space=request.actor.space(schedule.space_id))


def _one(
    request: HttpRequest,
    schedule: Schedule,
    form: ScheduleForm,
    *,
    status: int = 200,
    refusal: Refused | None = None,
) -> HttpResponse:
    runs = schedule.runs.filter(reflect_pass__isnull=False).select_related("reflect_pass").order_by("-slot")[:RUNS]
    context = {
        "nav": "schedules",
        "form": form,
        "runs": [_run(run) for run in runs],
        "refused": refusal,
        "audit_id": request.audit_id,
        "applies": policies.current(request.actor.space(schedule.space_id)).on_schedule == "apply",
        **_row(schedule, request.actor),
    }
    return render(request, "reflection/schedule.html", context, status=refusal.status if refusal else status)


def _row(schedule: Schedule, actor: Actor) -> dict[str, Any]:
    return {
        "schedule": schedule,
        "words": rhythm_words(schedules.rhythm_of(schedule)),
        "space": actor.space(schedule.space_id),
        "may_change": schedules.may_change(actor, schedule),
        "may_end": schedules.may_end(actor, schedule),
    }


def _run(run: ScheduledRun) -> dict[str, Any]:
    assert run.reflect_pass is not None
    counts = report.counts_of(run.reflect_pass)
    return {
        "run": run,
        "pass": run.reflect_pass,
        "state": state_of(run.reflect_pass),
        "total": sum(counts.values()),
        "counts": [(action, word, counts[word]) for action, word in report.COUNT_NAMES.items()],
    }


def pause(request: HttpRequest, schedule_id: UUID) -> HttpResponse:
    """Nothing is planned until it goes on."""
    return _decided(request, schedule_id, schedules.pause, _("Paused. Nothing is planned until it goes on."))


def resume(request: HttpRequest, schedule_id: UUID) -> HttpResponse:
    """Go on with the next slot."""
    return _decided(request, schedule_id, schedules.resume, _("It goes on. What was missed is not made up for."))


def delete(request: HttpRequest, schedule_id: UUID) -> HttpResponse:
    """End it."""
    return _decided(request, schedule_id, schedules.delete, _("Deleted. The passes it planned stay."), to="schedules")


def _decided(
    request: HttpRequest, schedule_id: UUID, verb: Callable[..., Any], said: str, *, to: str = ""
) -> HttpResponse:
    """Carry `verb` out. A refusal is shown above the schedule; opened without a form this leads back to it."""
    if request.method != "POST":
        return redirect("schedule", schedule_id)
    try:
        verb(schedule_id=schedule_id, seen_version=_seen(request), actor=request.actor)
    except NotFound:
        raise
    except Refused as refusal:
        if request.htmx:
            raise
        request.refusal = refusal
        schedule = schedules.find(schedule_id, actor=request.actor)
        return _one(request, schedule, _filled(request, schedule), refusal=refusal)
    messages.success(request, said)
    return redirect(to) if to else redirect("schedule", schedule_id)


def _seen(request: HttpRequest) -> int:
    """The version that the page showed. Raises Invalid."""
    text = request.POST.get("version", "")
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Invalid.field("version", phrase("The version you saw is missing. Load the page again."))
    return int(text)
