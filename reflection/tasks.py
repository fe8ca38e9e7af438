"""The worker's door: wake-up calls with ids only. What is due stands in our tables."""

from __future__ import annotations

import logging
from uuid import UUID

from celery import shared_task
from django.db.utils import OperationalError

from console.errors import Invalid, NotAllowed, NotFound, Refused
from console.postgres.context import within
from memories.access import Actor, person
from reflection.models import ReflectPass
from reflection.services import notices, planning, scheduling
from reflection.services.apply import apply
from reflection.services.decide import expire_plans, requeue_due
from reflection.services.failing import fail, give_up

log = logging.getLogger(__name__)
STUCK_AFTER_SECONDS = 30.0


@shared_task(acks_late=True, ignore_result=True)
def apply_pass(pass_id: str) -> None:
    """Apply an approved pass for whoever approved it. Harmless when repeated."""
    reflect_pass = ReflectPass.objects.select_related("approved_by").filter(pk=UUID(pass_id)).first()
    if reflect_pass is None or reflect_pass.approved_by is None:
        return
    actor = _approver(reflect_pass)
    try:
        with within(actor.spaces, actor.user_id):
            apply(pass_id=reflect_pass.pk, actor=actor)
    except Refused as why:
        log.warning("pass %s cannot be applied: %s", pass_id, why.message)
        fail(pass_id=reflect_pass.pk, why=why, actor=actor)
    except OperationalError:
        raise  # the database was away or chose another in a deadlock; the sweep tries again
    except Exception:
        log.exception("pass %s met an unexpected error", pass_id)
        give_up(pass_id=reflect_pass.pk, actor=actor)
        raise


def _approver(reflect_pass: ReflectPass) -> Actor:
    assert reflect_pass.approved_by is not None
    return person(reflect_pass.approved_by, channel="job")


@shared_task(acks_late=True, ignore_result=True)
def plan_pass(pass_id: str) -> None:
    """Make the plan of a pass that is left to the worker. Harmless when repeated."""
    key = UUID(pass_id)
    try:
        planning.carry_out(pass_id=key, inside=lambda actor: within(actor.spaces, actor.user_id))
    except Refused as why:
        log.warning("pass %s cannot be planned: %s", pass_id, why.message)
        planning.fail(pass_id=key, why=why)
    except OperationalError:
        raise  # the database was away; the sweep tries again
    except Exception:
        log.exception("pass %s met an unexpected error; the sweep tries again", pass_id)
        raise


@shared_task(acks_late=True, ignore_result=True)
def run_schedule(schedule_id: str) -> None:
    """Plan what a schedule asks for, if it is due. Harmless when repeated."""
    key = UUID(schedule_id)
    try:
        scheduling.run(schedule_id=key)
    except (NotAllowed, NotFound, Invalid) as why:
        log.warning("schedule %s pauses: %s", schedule_id, why.message)
        scheduling.stop(schedule_id=key, why=why)
    except OperationalError:
        raise  # the database was away or chose another in a deadlock; the sweep tries again
    except Exception:
        log.exception("schedule %s met an unexpected error", schedule_id)
        scheduling.stumbled(schedule_id=key)
        raise


@shared_task(acks_late=True, ignore_result=True)
def sweep() -> None:
    """Expire old plans, wake the worker for schedules that are due and passes that got stuck. Decides nothing."""
    expire_plans()
    requeue_due(STUCK_AFTER_SECONDS)
    scheduling.wake_due()


@shared_task(acks_late=True, ignore_result=True)
def tell_task() -> None:
    """Tell those who asked for it of the passes that wait."""
    notices.make_due()
    notices.send_due()
