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
from reflection.services import demands, policies
from reflection.services.apply import apply, claim
from reflection.services.decide import settle
from reflection.services.run import reflect
from reflection.states import Status

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


def preview(*, given: dict[str, Any], actor: Actor) -> ReflectPass:
    """Plan a run and write nothing. Raises Invalid, NotAllowed."""
    return reflect(given={**given, "dry_run": True}, actor=actor)


@transaction.atomic
def confirm(*, pass_id: UUID, candidate_id: UUID, expected_run_version: int, actor: Actor) -> ReflectPass:
    """Apply one candidate of a preview and leave the others. Where the policy wants a person, nothing is written.

    Raises NotFound, NotAllowed, Stale where the run is at another version, Conflict, Invalid.
    """
    check_may_use(actor, "memory:read")
    check_may_use(actor, "memory:write")
    found = queries.find(pass_id, actor=actor)
    hold_off_erasures(found.space_id)
    policies.hold(found.space_id)
    claim(found, actor=actor)
    found = queries.find(pass_id, actor=actor, lock=True)
    now = run_version(found)
    if now != expected_run_version:
        raise Stale(
            phrase("This run has moved on since you saw it. Look at it again."),
            seen=expected_run_version,
            now=now,
            status=found.status,
        )
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
