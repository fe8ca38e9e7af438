"""Schedules: none unless a person makes one. What one asks for is read here; `scheduling` runs what is due."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import datetime, time
from functools import lru_cache
from typing import Any
from uuid import UUID
from zoneinfo import available_timezones

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from console.errors import Conflict, Invalid, NotAllowed, NotFound, Problem, Stale
from console.saying import phrase
from memories import audit
from memories.access import Actor, Bounds, check_may_use, in_spaces
from memories.models.people import Role
from reflection import filters as parameters
from reflection.models import Schedule, ScheduledRun
from reflection.numbers import Rule
from reflection.services.good_values import good_number
from reflection.slots import Kind, Rhythm

MOST_PER_SPACE = 50
PARAMETERS = ("actions", "time_window_hours", "path_filter", "owner_filter", "bucket", "scope", "limit", "on_drift")
TIMES = ("rhythm", "at", "weekday", "every_hours", "zone")
NAMES = (*TIMES, *PARAMETERS)
EVERY = Rule("every_hours", "", "Hours between two passes", "hours", 1, 720, "", whole=True)
WEEKDAY = Rule("weekday", "", "Day of the week", "Monday is 0", 0, 6, "", whole=True)
_CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])", re.ASCII)


def schedules_of(actor: Actor) -> QuerySet[Schedule]:
    """The schedules of the actor's spaces. A token with bounds sees none: they may name paths outside of these."""
    rows = in_spaces(actor, Schedule.objects.filter(deleted_at__isnull=True).select_related("made_by", "paused_by"))
    return rows if actor.bounds == Bounds() else rows.none()


def find(schedule_id: UUID, *, actor: Actor, lock: bool = False) -> Schedule:
    """The visible schedule of this id. Raises NotFound."""
    rows = schedules_of(actor)
    found = (rows.select_for_update(no_key=True, of=("self",)) if lock else rows).filter(pk=schedule_id).first()
    if found is None:
        raise NotFound(phrase("There is no such schedule, or it is not yours to see."))
    return found


def last_runs(rows: Collection[Schedule]) -> dict[UUID, ScheduledRun]:
    """The newest run of each schedule that has had one."""
    runs = ScheduledRun.objects.filter(schedule__in=rows, reflect_pass__isnull=False).select_related("reflect_pass")
    return {run.schedule_id: run for run in runs.order_by("schedule_id", "-slot").distinct("schedule_id")}


def rhythm_of(schedule: Schedule) -> Rhythm:
    """When it is due."""
    return Rhythm(
        Kind(schedule.rhythm),
        schedule.on_since,
        schedule.zone,
        schedule.at,
        schedule.weekday,
        schedule.every_hours,
    )


def as_given(schedule: Schedule) -> dict[str, Any]:
    """What was asked for, as it would be given again."""
    found = {name: getattr(schedule, name) for name in TIMES} | {"at": f"{schedule.at:%H:%M}" if schedule.at else None}
    return {name: value for name, value in (found | schedule.given).items() if value is not None}


@transaction.atomic
def add(*, space_id: UUID, given: Mapping[str, Any], actor: Actor) -> Schedule:
    """Have passes planned again and again, in the actor's name. Raises NotFound, NotAllowed, Invalid, Conflict."""
    _check_person(actor)
    actor.space(space_id)
    if Schedule.objects.filter(space_id=space_id, deleted_at__isnull=True).count() >= MOST_PER_SPACE:
        text = phrase("This space has %(most)s schedules already. Delete one that is not needed.", most=MOST_PER_SPACE)
        raise Conflict(text)
    now = timezone.now()
    made = Schedule(space_id=space_id, made_by_id=actor.own, made_at=now)
    _fill(made, given, now, actor)
    made.save(force_insert=True)
    _line(actor, "schedule.create", made, detail={"asked": as_given(made), "status": [None, "running"]})
    return made


@transaction.atomic
def change(*, schedule_id: UUID, given: Mapping[str, Any], seen_version: int, actor: Actor) -> Schedule:
    """Ask for something else from now on; a paused schedule stays paused. Only its maker may: it acts in their name.

    Raises NotFound, NotAllowed, Invalid, Stale.
    """
    schedule = _locked(schedule_id, seen_version, actor, maker=True)
    was, paused = as_given(schedule), schedule.next_at is None
    _fill(schedule, given, timezone.now(), actor)
    now_is = as_given(schedule)
    if was == now_is:
        return find(schedule_id, actor=actor)
    if paused:
        schedule.next_at = None
    _save(schedule)
    names = sorted({name for name in NAMES if was.get(name) != now_is.get(name)})
    _line(actor, "schedule.update", schedule, detail={name: [was.get(name), now_is.get(name)] for name in names})
    return schedule


@transaction.atomic
def pause(*, schedule_id: UUID, seen_version: int, actor: Actor) -> Schedule:
    """Nothing is planned until somebody goes on. Its maker or an admin may. Raises NotFound, NotAllowed, Conflict."""
    schedule = _locked(schedule_id, seen_version, actor)
    if schedule.next_at is None:
        raise Conflict(phrase("This schedule is paused already."))
    schedule.next_at, schedule.paused_at, schedule.paused_by_id = None, timezone.now(), actor.own
    _save(schedule)
    _line(actor, "schedule.pause", schedule, detail={"status": ["running", "paused"]})
    return schedule


@transaction.atomic
def resume(*, schedule_id: UUID, seen_version: int, actor: Actor) -> Schedule:
    """Go on with the next slot; what was missed is not made up for. Only its maker may. Raises as `change`."""
    schedule = _locked(schedule_id, seen_version, actor, maker=True)
    if schedule.next_at is not None:
        raise Conflict(phrase("This schedule is on already."))
    now = timezone.now()
    _fill(schedule, as_given(schedule), now, actor)
    schedule.on_since = now
    schedule.next_at = rhythm_of(schedule).after(now)
    schedule.paused_at, schedule.paused_by, schedule.paused_why = None, None, ""
    _save(schedule)
    _line(actor, "schedule.resume", schedule, detail={"status": ["paused", "running"]})
    return schedule


@transaction.atomic
def delete(*, schedule_id: UUID, seen_version: int, actor: Actor) -> None:
    """End it. The passes it planned stay. Its maker or an admin may. Raises NotFound, NotAllowed, Stale."""
    schedule = _locked(schedule_id, seen_version, actor)
    was = "paused" if schedule.paused_at else "running"
    schedule.next_at, schedule.deleted_at, schedule.deleted_by_id = None, timezone.now(), actor.own
    _save(schedule)
    _line(actor, "schedule.delete", schedule, detail={"status": [was, "deleted"]})


def may_change(actor: Actor, schedule: Schedule) -> bool:
    """Whether the actor may change this schedule or let it go on."""
    return actor.is_person and schedule.made_by_id == actor.user_id


def may_end(actor: Actor, schedule: Schedule) -> bool:
    """Whether the actor may pause or delete this schedule."""
    space = actor.spaces.get(schedule.space_id)
    return may_change(actor, schedule) or (actor.is_person and space is not None and space.role == Role.ADMIN)


def _check_person(actor: Actor) -> None:
    check_may_use(actor, "memory:write")
    if not actor.is_person:
        raise NotAllowed(phrase("A schedule acts in the name of a person. Make and change it in the console."))


def _locked(schedule_id: UUID, seen_version: int, actor: Actor, *, maker: bool = False) -> Schedule:
    """The schedule at the version that was seen, locked, if the actor may do this."""
    schedule = find(schedule_id, actor=actor, lock=True)
    _check_person(actor)
    who = schedule.made_by.username
    if maker and not may_change(actor, schedule):
        text = phrase("This schedule acts in the name of %(who)s: only %(who)s may change it or let it go on.", who=who)
        raise NotAllowed(text)
    if not may_end(actor, schedule):
        raise NotAllowed(phrase("Only %(who)s, who made this schedule, or an admin of its team may do this.", who=who))
    if schedule.version != seen_version:
        raise Stale(
            phrase(
                "You saw version %(seen)s of this schedule; it is at version %(now)s now. Look at it again.",
                seen=seen_version,
                now=schedule.version,
            ),
            seen=seen_version,
            now=schedule.version,
        )
    return schedule


def _save(schedule: Schedule) -> None:
    schedule.version += 1
    schedule.failures = 0
    schedule.save(force_update=True)


def _line(actor: Actor, action: str, schedule: Schedule, **more: Any) -> UUID:
    return audit.record(actor, action, "schedule", schedule.pk, space_id=schedule.space_id, **more)


def _fill(schedule: Schedule, given: Mapping[str, Any], now: datetime, actor: Actor) -> None:
    """Set what is asked for and when it is due. Another rhythm begins now. Raises Invalid naming every problem."""
    times, problems = _times(given)
    problems += [
        Problem(
            ("body", str(name)[:50]),
            phrase("%(field)s is nothing a schedule knows. Leave it out.", field=str(name)[:50]),
        )
        for name in sorted(set(given) - set(NAMES), key=str)
    ]
    try:
        schedule.given = _parameters(schedule.space_id, given, now, actor)
    except Invalid as why:
        problems += why.problems
    if problems:
        raise Invalid(*problems)
    if schedule._state.adding or any(getattr(schedule, name) != value for name, value in times.items()):
        schedule.on_since = now.replace(second=0, microsecond=0)
        for name, value in times.items():
            setattr(schedule, name, value)
    schedule.next_at = rhythm_of(schedule).after(now)


def _parameters(space_id: UUID, given: Mapping[str, Any], now: datetime, actor: Actor) -> dict[str, Any]:
    """The parameters of reflect in `given`, once reflect itself has found nothing wrong with them."""
    space = actor.space(space_id)
    asked = {name: given[name] for name in PARAMETERS if given.get(name) not in (None, "")}
    if asked.get("owner_filter") == actor.name:
        asked["owner_filter"] = str(actor.own)  # a name may be given to somebody else one day
    team = {"team_id": str(space.team_id)} if space.team_id else {}
    found = parameters.read({"actions": given.get("actions", []), **asked, **team}, actor=actor, as_of=now)
    return asked | {"actions": [action.value for action in found.actions]}


def _times(given: Mapping[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
    """Rhythm, hour, day and zone, each None where the rhythm has no use for it, and what is wrong with them."""
    problems: list[Problem] = []
    kind = str(given.get("rhythm", ""))
    if kind not in list(Kind):
        text = phrase("How often: choose %(choices)s.", choices=", ".join(Kind))
        problems.append(Problem(("body", "rhythm"), text))
    clock = _CLOCK.fullmatch(str(given.get("at", "")).strip())
    if kind in (Kind.DAILY, Kind.WEEKLY) and clock is None:
        problems.append(Problem(("body", "at"), phrase("At which time: write it like 03:00.")))
    zone = str(given.get("zone", "")).strip() or "UTC"
    if zone not in _zones():
        text = phrase("%(zone)s is no time zone. Name one such as Europe/Lisbon.", zone=zone[:50])
        problems.append(Problem(("body", "zone"), text))
    found: dict[str, Any] = {"rhythm": kind, "at": None, "weekday": None, "every_hours": None, "zone": zone}
    if kind != Kind.HOURS and clock:
        found["at"] = time(int(clock[1]), int(clock[2]))
    for rule, needed in ((WEEKDAY, Kind.WEEKLY), (EVERY, Kind.HOURS)):
        if kind == needed:
            try:
                found[rule.name] = rule.read(given.get(rule.name))
            except ValueError:
                problems.append(Problem(("body", rule.name), good_number(rule)))
    return found, problems


@lru_cache(maxsize=1)
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())
