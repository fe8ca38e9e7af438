"""Deciding on a plan: approve it with exclusions, reject it, sign off what policy let through."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from datetime import timedelta
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from celery import current_app
from django.db import transaction
from django.utils import timezone

from console.errors import Conflict, Invalid, Stale
from console.saying import phrase, phrase_many
from memories import audit
from memories.access import Actor, check_may_approve
from reflection import queries
from reflection.digest import approved_digest, is_whole
from reflection.models import Candidate, ReflectPass
from reflection.services import demands, drift, policies
from reflection.services.state_words import STATES
from reflection.states import Outcome, Status, may_follow

log = logging.getLogger(__name__)
PLAN, APPLY = "reflection.tasks.plan_pass", "reflection.tasks.apply_pass"  # by name: tasks call services
COMMENT_LIMIT = 1_000
EXPIRED_AT_ONCE = 1_000  # plans
SWEEP = Actor(user_id=None, name="sweep", channel="job")


def move(reflect_pass: ReflectPass, to: Status, **fields: Any) -> None:
    """Compare and set: the pass becomes `to` if it still is what we saw. Raises Conflict naming the winner."""
    was = Status(reflect_pass.status)
    if not may_follow(was, to):
        raise Conflict(_cannot(was, to), status=was.value)
    won = ReflectPass.objects.filter(pk=reflect_pass.pk, status=was).update(status=to, **fields)
    if not won:
        now = ReflectPass.objects.values_list("status", flat=True).get(pk=reflect_pass.pk)
        text = phrase("Somebody else was first: this pass is %(state)s now.", state=STATES[Status(now)])
        raise Conflict(text, status=now)
    reflect_pass.status = to
    for name, value in fields.items():
        setattr(reflect_pass, name, value)


def _cannot(was: Status, to: Status) -> str:
    if was == to:
        return phrase("This pass is %(state)s already.", state=STATES[was])
    return phrase("This pass is %(state)s; it cannot become %(next)s.", state=STATES[was], next=STATES[to])


@transaction.atomic
def approve(
    *,
    pass_id: UUID,
    digest: str,
    exclude: Collection[UUID] = (),
    comment: str = "",
    actor: Actor,
) -> ReflectPass:
    """Approve exactly the plan of `digest` without the candidates in `exclude`; the worker then applies it.

    Raises NotFound, NotAllowed, Conflict, Stale (another digest), Invalid.
    """
    policies.hold(queries.find(pass_id, actor=actor).space_id)
    reflect_pass = queries.find(pass_id, actor=actor, lock=True)
    check_may_approve(actor, reflect_pass, four_eyes=demands.on(reflect_pass).four_eyes)
    check_comment(comment)
    _check_open(reflect_pass)
    _check_still(reflect_pass, exclude, actor)
    left = settle(reflect_pass, digest=digest, exclude=exclude, comment=comment, by_policy=False, actor=actor)
    transaction.on_commit(lambda: wake(reflect_pass.pk))
    log.info("pass %s approved with %d candidates", reflect_pass.pk, left)
    return reflect_pass


def settle(
    reflect_pass: ReflectPass,
    *,
    digest: str,
    exclude: Collection[UUID],
    comment: str,
    by_policy: bool,
    actor: Actor,
) -> int:
    """Record an approval, by a person or by policy. Returns how many candidates are left to apply."""
    candidates = queries.candidates_of(reflect_pass)
    if digest != reflect_pass.digest or not is_whole(reflect_pass, candidates, queries.basis_of(candidates)):
        raise Stale(phrase("This is not the plan you saw: its digest differs. Open the pass again and review it."))
    left, now = _left(candidates, set(exclude)), timezone.now()
    Candidate.objects.filter(reflect_pass=reflect_pass, pk__in=list(exclude)).update(outcome=Outcome.EXCLUDED)
    move(
        reflect_pass,
        Status.APPROVED,
        approved_at=now,
        approved_by_id=actor.own,
        approved_by_policy=by_policy,
        approved_digest=approved_digest(digest, exclude),
        comment=comment,
        queued_at=now,
    )
    line(
        actor,
        "pass.approve",
        reflect_pass,
        reason=comment[:500],
        detail={
            "status": ["planned", "approved"],
            "digest": reflect_pass.approved_digest,
            "included": left,
            "excluded": [str(key) for key in sorted(exclude)],
            "by_policy": by_policy,
        },
    )
    return left


def _left(candidates: Iterable[Candidate], exclude: set[UUID]) -> int:
    """How many are left to apply. Raises Invalid where one is unknown, or none is left."""
    known = {candidate.pk: candidate for candidate in candidates}
    if unknown := exclude - known.keys():
        text = phrase("%(id)s is no candidate of this pass. Send ids of its candidates.", id=min(unknown))
        raise Invalid.field("exclude", text)
    left = sum(key not in exclude and one.erased_at is None for key, one in known.items())
    if left == 0:
        text = phrase("Nothing is left to apply. Include at least one candidate, or reject the pass.")
        raise Invalid.field("exclude", text)
    return left


@transaction.atomic
def reject(*, pass_id: UUID, comment: str = "", seen: Status = Status.PLANNED, actor: Actor) -> ReflectPass:
    """End a plan without writing anything; `seen` says that it was approved where that is meant to be withdrawn.

    Raises NotFound, NotAllowed, Conflict where the pass is not as it was seen, Invalid.
    """
    reflect_pass = queries.find(pass_id, actor=actor, lock=True)
    check_may_approve(actor, reflect_pass, four_eyes=False)
    check_comment(comment)
    was = reflect_pass.status
    if was != seen and was == Status.APPROVED:
        text = phrase("Somebody else was first: this pass is approved now. Look at it again.")
        raise Conflict(text, status=was)
    move(reflect_pass, Status.REJECTED, rejected_at=timezone.now(), rejected_by_id=actor.own, comment=comment)
    line(actor, "pass.reject", reflect_pass, reason=comment[:500], detail={"status": [was, "rejected"]})
    return reflect_pass


@transaction.atomic
def sign_off(*, pass_id: UUID, comment: str = "", actor: Actor) -> ReflectPass:
    """Keep what a pass wrote that policy let through without a person. Raises NotFound, NotAllowed, Conflict."""
    reflect_pass = queries.find(pass_id, actor=actor, lock=True)
    check_may_approve(actor, reflect_pass, four_eyes=False)
    check_comment(comment)
    if reflect_pass.status != Status.APPLIED or not reflect_pass.approved_by_policy:
        raise Conflict(phrase("Only a pass that was applied without a person waits for a sign-off."))
    if reflect_pass.signed_off_at is not None:
        raise Conflict(phrase("This pass is signed off already."))
    reflect_pass.signed_off_at, reflect_pass.signed_off_by_id = timezone.now(), actor.own
    reflect_pass.save(update_fields=["signed_off_at", "signed_off_by"])
    line(actor, "pass.sign_off", reflect_pass, reason=comment[:500], detail={"signed_off": [False, True]})
    return reflect_pass


def _check_open(reflect_pass: ReflectPass) -> None:
    if reflect_pass.status == Status.PLANNED and reflect_pass.expires_at <= timezone.now():
        raise Conflict(phrase("This plan has expired. Plan again with the same filters."), status="expired")


def _check_still(reflect_pass: ReflectPass, exclude: Collection[UUID], actor: Actor) -> None:
    """A pass that is refused as a whole on drift is not approved only to fail. Raises Conflict."""
    if not demands.on(reflect_pass).refuses:
        return
    drifted = drift.since(reflect_pass, actor=actor).keys() - set(exclude)
    if drifted:
        raise Conflict(
            phrase_many(
                "Records changed since this was planned, and this pass is refused then. Leave out what rests on them "
                "(%(count)s candidate), or plan again.",
                "Records changed since this was planned, and this pass is refused then. Leave out what rests on them "
                "(%(count)s candidates), or plan again.",
                len(drifted),
            ),
            drifted=[str(key) for key in sorted(drifted)],
        )


def check_comment(comment: str) -> None:
    """Raises Invalid for a comment that is too long."""
    if len(comment) > COMMENT_LIMIT:
        limit = f"{COMMENT_LIMIT:,}"
        raise Invalid.field(
            "comment", phrase("The comment is longer than %(most)s characters. Shorten it.", most=limit)
        )


def line(actor: Actor, action: str, reflect_pass: ReflectPass, **more: Any) -> UUID:
    """One audit line about a pass, in the chain of its space."""
    return audit.record(
        actor, action, "pass", reflect_pass.pk, space_id=reflect_pass.space_id, pass_id=reflect_pass.pk, **more
    )


def wake(pass_id: UUID) -> None:
    """Tell the worker about an approved pass."""
    _send(APPLY, pass_id)


def wake_planner(pass_id: UUID) -> None:
    """Tell the worker about a plan to make."""
    _send(PLAN, pass_id)


def _send(task: str, pass_id: UUID) -> None:
    """Where the broker is down, the sweep finds the pass later."""
    try:
        current_app.send_task(task, [str(pass_id)])
    except Exception:
        log.warning("the broker did not take pass %s; the sweep will find it", pass_id, exc_info=True)


@transaction.atomic
def expire_plans() -> int:
    """Plans nobody decided on in time end as expired, with an audit line each. Returns how many.

    One that somebody decides on at this moment is passed over, and so is what does not fit into EXPIRED_AT_ONCE: the
    next round finds it.
    """
    due = ReflectPass.objects.filter(status=Status.PLANNED, expires_at__lte=timezone.now())
    locked = due.select_for_update(no_key=True, skip_locked=True).order_by("space_id", "expires_at", "pk")
    found = list(locked.values_list("space_id", "pk")[:EXPIRED_AT_ONCE])
    ReflectPass.objects.filter(pk__in=[key for _, key in found]).update(status=Status.EXPIRED)
    detail = {"status": [Status.PLANNED.value, Status.EXPIRED.value]}
    for space_id, plans in groupby(found, itemgetter(0)):  # chain by chain, in the order in which all take them
        lines = [audit.Entry("pass.expire", "pass", key, detail=detail, pass_id=key) for _, key in plans]
        audit.record_all(SWEEP, lines, space_id=space_id)
    return len(found)


def requeue_due(older_than_seconds: float) -> int:
    """Wake the worker again for passes it has not planned or applied. Decides nothing. Returns how many."""
    limit = timezone.now() - timedelta(seconds=older_than_seconds)
    open_ = [Status.PLANNING, Status.APPROVED, Status.APPLYING]
    due = ReflectPass.objects.filter(status__in=open_, queued_at__lte=limit)
    found = dict(due.order_by("queued_at").values_list("pk", "status")[:100])
    ReflectPass.objects.filter(pk__in=list(found)).update(queued_at=timezone.now())
    for pass_id, status in found.items():
        (wake_planner if status == Status.PLANNING else wake)(pass_id)
    return len(found)
