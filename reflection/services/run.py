"""reflect as agents call it: a preview, or where the policy allows, plan, approval and application in one go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from memories.access import Actor
from reflection.models import ReflectPass
from reflection.services import demands
from reflection.services.apply import apply, claim
from reflection.services.decide import settle
from reflection.services.plan import compute, note
from reflection.states import Status


@transaction.atomic
def reflect(*, given: Mapping[str, Any], actor: Actor) -> ReflectPass:
    """Run one bounded pass.

    A dry run is only planned. A run that writes is applied at once where the policy of its space needs no approval
    (the pass then waits for a sign-off); else it waits, planned, and nothing is written. What takes long is left to the
    worker, which goes on in the same way.
    Raises what `plan` and `apply` raise.
    """
    return carry_on(compute(given=given, goes_on=lambda policy: True, actor=actor), actor=actor)


def carry_on(made: ReflectPass, *, actor: Actor) -> ReflectPass:
    """Note a plan just made, and apply it where it was asked to go on and no person has to approve it."""
    ready = made.status == Status.PLANNED and made.goes_on and not made.dry_run and any(made.counts.values())
    goes_on = ready and not awaits_approval(made) and not demands.only_proposes(made)
    if goes_on:  # records before the audit, as everybody else locks them
        claim(made, actor=actor)
    note(made, actor)
    if not goes_on:
        return made
    settle(made, digest=made.digest, exclude=(), comment="", by_policy=True, actor=actor)
    return apply(pass_id=made.pk, actor=actor)


def awaits_approval(reflect_pass: ReflectPass) -> bool:
    """Whether a person has to approve this plan before anything is written; one that would write nothing waits not."""
    writes = not reflect_pass.dry_run and any(reflect_pass.counts.values())
    return reflect_pass.status == Status.PLANNED and writes and demands.on(reflect_pass).person
