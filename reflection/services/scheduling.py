"""Running schedules: what is due is planned once, in the name of whoever made the schedule."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from celery import current_app
from django.db import connection, transaction
from django.db.models import Exists, F, Max, OuterRef, Q
from django.utils import timezone

from console.errors import Invalid, NotAllowed, Refused
from console.saying import phrase
from memories import audit
from memories.access import Actor, person
from memories.models import AuditRecord
from reflection import filters as parameters
from reflection.models import Candidate, OnSchedule, ReflectionPolicy, ReflectPass, Schedule, ScheduledRun
from reflection.services.plan import compute
from reflection.services.planning import LEFT_OUT
from reflection.services.run import carry_on
from reflection.services.schedules import rhythm_of
from reflection.states import Outcome, Status

log = logging.getLogger(__name__)
RUN = "reflection.tasks.run_schedule"  # by name: tasks call services, not the other way round
ATTEMPTS = 5
AT_ONCE = 100
# A run owes nothing whose plan was written (also where a person took it back), or found nothing to write. One that
# failed, expired, was cancelled or rejected, or waits, leaves its whole window to the next run; so does one that left a
# part out.
_WRITTEN = Q(reflect_pass__status__in=[Status.APPLIED, Status.ROLLED_BACK])
_EMPTY = ~Q(reflect_pass__digest="") & ~Exists(Candidate.objects.filter(reflect_pass=OuterRef("reflect_pass")))
_LEFT_SOME = (
    Q(reflect_pass__cut__gt=0)
    | Q(reflect_pass__notes__icontains=LEFT_OUT)
    | Exists(Candidate.objects.filter(reflect_pass=OuterRef("reflect_pass"), outcome=Outcome.DRIFTED))
)
SCHEDULER = Actor(user_id=None, name="scheduler", channel="job")


def wake_due() -> int:
    """Tell the worker about every schedule that is due. Plans nothing. Returns how many."""
    due = Schedule.objects.filter(next_at__lte=timezone.now()).order_by("next_at", "pk")
    ids = list(due.values_list("pk", flat=True)[:AT_ONCE])
    for schedule_id in ids:
        try:
            current_app.send_task(RUN, [str(schedule_id)])
        except Exception:
            log.warning("the broker did not take schedule %s; the next sweep tries again", schedule_id, exc_info=True)
    return len(ids)


@transaction.atomic
def run(*, schedule_id: UUID) -> ReflectPass | None:
    """Plan what this schedule asks for, if it is due and nobody else has its turn; None where there is nothing to do.

    However many slots were missed, there is one plan, and the next slot lies ahead. The plan goes to the inbox; it is
    applied only where the policy says that a schedule may. Raises what reflect raises, and NotAllowed where its maker
    has lost the right.
    """
    now = timezone.now()
    schedule = _due(schedule_id, now) if _has_turn(schedule_id) else None
    if schedule is None or schedule.next_at is None:
        return None
    slot, following = schedule.next_at, _after(schedule, now)
    record, first = ScheduledRun.objects.get_or_create(schedule=schedule, slot=slot, defaults={"at": now})
    made = None
    if first:
        made = _planned(schedule, now, _maker(schedule))
        ScheduledRun.objects.filter(pk=record.pk).update(reflect_pass=made)
    Schedule.objects.filter(pk=schedule.pk, next_at=slot).update(next_at=following, failures=0)
    return made


def _has_turn(schedule_id: UUID) -> bool:
    """Whether nobody runs this schedule at the moment. The turn ends with the transaction, a crash included."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", [f"schedule {schedule_id}"])
        return bool(cursor.fetchone()[0])


def _due(schedule_id: UUID, now: datetime) -> Schedule | None:
    return Schedule.objects.select_related("made_by").filter(pk=schedule_id, next_at__lte=now).first()


def _after(schedule: Schedule, now: datetime) -> datetime:
    """The slot after the one that is due. Raises Invalid where the zone is gone from this machine."""
    try:
        return rhythm_of(schedule).after(now)
    except (KeyError, OSError, ValueError):
        text = phrase("This machine does not know the time zone %(zone)s any more. Choose another.", zone=schedule.zone)
        raise Invalid.field("zone", text) from None


def _maker(schedule: Schedule) -> Actor:
    """Whoever made the schedule, with the rights they have now. Raises NotAllowed."""
    actor = person(schedule.made_by, channel="job")
    if schedule.space_id not in actor.spaces:
        who = schedule.made_by.username
        raise NotAllowed(phrase("%(who)s, in whose name it acts, has no access to this space any more.", who=who))
    return actor


def _planned(schedule: Schedule, now: datetime, actor: Actor) -> ReflectPass:
    given = _given(schedule, now, actor)
    made = compute(given=given, as_of=now, goes_on=_applies, reaches_back=True, actor=actor)
    return carry_on(made, actor=actor)


def _applies(policy: ReflectionPolicy) -> bool:
    return policy.on_schedule == OnSchedule.APPLY


def _given(schedule: Schedule, now: datetime, actor: Actor) -> dict[str, Any]:
    """The parameters of this run. Its window reaches back to the end of what is dealt with, so that nothing is lost."""
    space = actor.space(schedule.space_id)
    given = {**schedule.given, "dry_run": False, **({"team_id": str(space.team_id)} if space.team_id else {})}
    since = _dealt_with(schedule, now)
    if since is not None and since < parameters.read(given, actor=actor, as_of=now).since:
        given["since"] = since.astimezone(UTC).isoformat()
    return given


def _dealt_with(schedule: Schedule, now: datetime) -> datetime | None:
    """Until when no run of this schedule is owed anything any more; None for the first one."""
    runs = schedule.runs.filter(at__gte=_going_since(schedule), at__lt=now, reflect_pass__isnull=False).order_by("-at")
    if done := runs.filter(_WRITTEN | _EMPTY).exclude(_LEFT_SOME).first():
        return done.at
    first = runs.values_list("reflect_pass__filters__since", flat=True).last()
    return datetime.fromisoformat(first) if first else None


def _going_since(schedule: Schedule) -> datetime:
    """Since when it goes without a pause. Another rhythm is none: what is owed stays owed."""
    resumed = AuditRecord.objects.filter(object_id=schedule.pk, action="schedule.resume", space_id=schedule.space_id)
    last: datetime | None = resumed.aggregate(last=Max("at"))["last"]
    return last or schedule.made_at


@transaction.atomic
def stop(*, schedule_id: UUID, why: Refused) -> None:
    """Pause a schedule that cannot go on, and keep the reason for whoever looks at it."""
    schedule = (
        Schedule.objects.select_for_update(no_key=True, of=("self",))
        .filter(pk=schedule_id, next_at__isnull=False)
        .first()
    )
    if schedule is None:
        return
    schedule.next_at, schedule.paused_at, schedule.paused_why = None, timezone.now(), why.message[:500]
    schedule.version += 1
    schedule.save(update_fields=["next_at", "paused_at", "paused_why", "version"])
    where, text = schedule.space_id, schedule.paused_why
    detail = {"status": ["running", "paused"]}
    audit.record(SCHEDULER, "schedule.pause", "schedule", schedule.pk, space_id=where, reason=text, detail=detail)


def stumbled(*, schedule_id: UUID) -> None:
    """Count an unexpected error; after ATTEMPTS in a row the schedule pauses. Until then the sweep tries again."""
    Schedule.objects.filter(pk=schedule_id).update(failures=F("failures") + 1)
    if Schedule.objects.filter(pk=schedule_id, failures__gte=ATTEMPTS).exists():
        text = f"It met an unexpected error {ATTEMPTS} times in a row. Whoever runs this console finds it in the log."
        stop(schedule_id=schedule_id, why=Refused(text))
