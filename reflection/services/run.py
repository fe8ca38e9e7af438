"""reflect as agents call it: a preview, or where the policy allows, plan, approval and application in one go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from memories.access import Actor
from reflection.models import Approval, ReflectPass
from reflection.services.apply import apply, claim
from reflection.services.decide import settle
from reflection.services.plan import compute, note
from reflection.states import PassKind, Status


@transaction.atomic
def reflect(*, given: Mapping[str, Any], actor: Actor) -> ReflectPass:
    """Run one bounded pass.

    A dry run is only planned. A run that writes is applied at once where the policy of its space needs no approval
    (the pass then waits for a sign-off); else it waits, planned, and nothing is written.
    Raises what `plan` and `apply` raise.
    """
    reflect_pass = compute(given=given, actor=actor)
    goes_on = not reflect_pass.dry_run and not awaits_approval(reflect_pass) and any(reflect_pass.counts.values())
    if goes_on:  # records before the audit, as everybody else locks them
        claim(reflect_pass, actor=actor)
    note(reflect_pass, actor)
    if not goes_on:
        return reflect_pass
    settle(reflect_pass, digest=reflect_pass.digest, exclude=(), comment="", by_policy=True, actor=actor)
    return apply(pass_id=reflect_pass.pk, actor=actor)


def awaits_approval(reflect_pass: ReflectPass) -> bool:
    """Whether a person has to approve this plan before anything is written."""
    policy = reflect_pass.policy
    asks = policy.approval == Approval.REQUIRED or policy.four_eyes or reflect_pass.kind == PassKind.REVERT
    return reflect_pass.status == Status.PLANNED and not reflect_pass.dry_run and asks
