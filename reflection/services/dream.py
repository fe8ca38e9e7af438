"""A run that is looked at item by item: a preview, and one of its candidates applied by itself."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction

from console.errors import Conflict, Invalid, Stale
from console.saying import phrase
from memories.access import Actor, check_may_use
from memories.services.turns import hold_off_erasures
from reflection import queries
from reflection.models import ReflectPass
from reflection.report import state_of
from reflection.services import demands, policies
from reflection.services.apply import apply, claim
from reflection.services.decide import settle
from reflection.services.run import reflect
from reflection.states import Status

DAYS_MOST = 365
TOLD: dict[str, str] = {
    Status.PLANNING: "running",
    Status.FAILED: "failed",
    Status.REJECTED: "cancelled",
    Status.EXPIRED: "cancelled",
}
# The run of a client moves on with the status of the pass behind it.
ORDER = (
    (Status.PLANNING,),
    (Status.PLANNED,),
    (Status.APPROVED, Status.APPLYING),
    (Status.APPLIED, Status.REJECTED, Status.EXPIRED, Status.FAILED),
    (Status.ROLLED_BACK,),
)


def run_version(reflect_pass: ReflectPass) -> int:
    """A number that rises whenever something happens to the run."""
    return next(number for number, names in enumerate(ORDER) if reflect_pass.status in names)


def asks_a_person(reflect_pass: ReflectPass) -> bool:
    """Whether the policy of the run wants a person before anything is written, dry run or not."""
    return demands.on(reflect_pass).person


def status_told(reflect_pass: ReflectPass) -> str:
    """What a client that waits for the preview reads: whether there is one, or none will come."""
    return TOLD.get(state_of(reflect_pass), "succeeded")


def preview(*, given: dict[str, Any], actor: Actor) -> ReflectPass:
    """Plan a run and write nothing. `window_days` is another name of time_window_hours. Raises Invalid, NotAllowed."""
    return reflect(given={**_in_hours(given), "dry_run": True}, actor=actor)


def _in_hours(given: dict[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in given.items() if name != "window_days"}
    days = given.get("window_days")
    if days is None:
        return rest
    digits = str(days) if isinstance(days, int | str) and not isinstance(days, bool) else ""
    if not (digits.isascii() and digits.isdigit() and len(digits) < 4 and 1 <= int(digits) <= DAYS_MOST):
        raise Invalid.field("window_days", phrase("Send whole days from 1 to %(most)s.", most=DAYS_MOST))
    if rest.get("time_window_hours") is not None:
        raise Invalid.field("window_days", phrase("Send either window_days or time_window_hours."))
    return rest | {"time_window_hours": int(digits) * 24}


@transaction.atomic
def confirm(
    *,
    pass_id: UUID,
    candidate_id: UUID,
    expected_run_version: int,
    expected_settings_version: int | None = None,
    actor: Actor,
) -> ReflectPass:
    """Apply one candidate of a preview and leave the others. Where the policy wants a person, nothing is written.

    Raises NotFound, NotAllowed, Stale where the run or the policy is at another version, Conflict, Invalid.
    """
    check_may_use(actor, "memory:read")
    check_may_use(actor, "memory:write")
    found = queries.find(pass_id, actor=actor)
    hold_off_erasures(found.space_id)
    policies.hold(found.space_id)
    found = queries.find(pass_id, actor=actor, lock=True)
    claim(found, actor=actor)
    now = run_version(found)
    if now != expected_run_version:
        raise Stale(
            phrase("This run has moved on since you saw it. Look at it again."),
            seen=expected_run_version,
            now=now,
            status=found.status,
        )
    if expected_settings_version is not None:
        _check_settings(found.space_id, expected_settings_version, actor)
    if not queries.standing(ReflectPass.objects.filter(pk=found.pk), Status.PLANNED).exists():
        text = phrase("This run is over: it was decided on, or it has expired. Start another.")
        raise Conflict(text, status=found.status)
    ids = {one.pk for one in queries.candidates_of(found)}
    if candidate_id not in ids:
        raise Invalid.field("item_id", phrase("This is no item of the run. Send the id of one of its items."))
    if asks_a_person(found):
        return found
    settle(found, digest=found.digest, exclude=ids - {candidate_id}, comment="", by_policy=True, actor=actor)
    return apply(pass_id=found.pk, actor=actor)


def _check_settings(space_id: UUID, seen: int, actor: Actor) -> None:
    """Raises Stale where the policy in force is not the one that was seen."""
    now = policies.current(actor.space(space_id)).number
    if now != seen:
        raise Stale(
            phrase("The settings have changed since you saw this run. Look at them, and start another run."),
            seen=seen,
            now=now,
        )
