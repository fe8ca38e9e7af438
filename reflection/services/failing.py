"""How an application ends that cannot be carried out: at once where it is refused, else after several attempts."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models import F

from console.errors import Refused
from console.saying import phrase
from memories import audit
from memories.access import Actor
from reflection.models import ReflectPass
from reflection.services.decide import line, move
from reflection.states import Status

ATTEMPTS = 5


@transaction.atomic
def fail(*, pass_id: UUID, why: Refused, actor: Actor) -> None:
    """End a pass that cannot be applied, with the reason. Nothing of it was written."""
    reflect_pass = ReflectPass.objects.select_for_update(no_key=True).get(pk=pass_id)
    if reflect_pass.status != Status.APPROVED:
        return
    move(reflect_pass, Status.APPLYING)
    move(reflect_pass, Status.FAILED, failure=why.message[:500])
    line(
        actor,
        "pass.fail",
        reflect_pass,
        result=audit.REFUSED,
        reason=why.message[:500],
        detail={"status": ["approved", "failed"]},
    )


@transaction.atomic
def give_up(*, pass_id: UUID, actor: Actor) -> None:
    """Count an application that ended in an unexpected error; after ATTEMPTS of them the pass fails."""
    ReflectPass.objects.filter(pk=pass_id).update(attempts=F("attempts") + 1)
    if ReflectPass.objects.get(pk=pass_id).attempts >= ATTEMPTS:
        fail(
            pass_id=pass_id,
            why=Refused(phrase("It could not be applied; the worker's log says why. Plan again.")),
            actor=actor,
        )
