"""Decisions: a question with its options, and what was decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from console.errors import Conflict, Invalid
from console.saying import phrase
from memories import audit
from memories.access import Actor, check_may_revise, check_may_use
from memories.models import Decision, LifecycleStatus
from memories.services import editing, kinds, records

STATUSES = ("open", "resolved", kinds.ANY)


@transaction.atomic
def ask(
    *,
    context: str,
    options: Sequence[str] = (),
    due_at: datetime | None = None,
    team_id: UUID | None = None,
    bucket: str | None = None,
    scope: str | None = None,
    path: str = "",
    actor: Actor,
) -> Decision:
    """A decision to be made. Raises Invalid, NotAllowed."""
    check_may_use(actor, "memory:write")
    options = list(options) if isinstance(options, tuple) else options
    kinds.check({"context": context, "options": options, "due_at": due_at})
    where = kinds.place(actor, team_id=team_id, bucket=bucket, scope=scope, path=path)
    values = {"context": context, "options": options, "due_at": due_at}
    decision = editing.make(Decision, where, values, actor=actor)
    detail = {"status": [None, "open"], "options": len(options)}
    audit.record(actor, "decision.create", "decision", decision.pk, space_id=decision.space_id, detail=detail)
    return decision


@transaction.atomic
def resolve(*, decision_id: UUID, resolution: str, seen_version: int | None = None, actor: Actor) -> Decision:
    """Say what was decided, once and for all. Raises Invalid, NotFound, NotAllowed, Conflict, Stale."""
    kinds.check({"resolution": resolution})
    decision = records.lock(decision_id, actor=actor, seen_version=seen_version, kinds=("decision",))
    assert isinstance(decision, Decision)
    check_may_revise(actor, decision)
    kinds.check_not_deleted(decision, "decision")
    if decision.resolved_at is not None:
        raise Conflict(phrase("This is decided already. Write a new decision where it no longer holds."))
    decision.resolution, decision.resolved_at, decision.resolved_by_id = resolution, timezone.now(), actor.user_id
    editing.save(decision, actor, ("resolution", "resolved_at", "resolved_by"))
    detail = {"status": ["open", "resolved"], "version": decision.version}
    audit.record(actor, "decision.resolve", "decision", decision.pk, space_id=decision.space_id, detail=detail)
    return decision


def find(decision_id: UUID, *, actor: Actor) -> Decision:
    """The visible decision of this id; deleted ones too. Raises NotFound."""
    found = records.find(decision_id, actor=actor, kinds=("decision",))
    assert isinstance(found, Decision)
    return found


@dataclass(frozen=True, slots=True)
class Wanted(kinds.Filter):
    """Filters of decisions. `decided` is one of STATUSES."""

    decided: str = kinds.ANY
    due_before: datetime | None = None


def listed(wanted: Wanted, *, actor: Actor) -> QuerySet[Decision]:
    """The decisions wanted, newest first. Raises Invalid, NotAllowed."""
    check_may_use(actor, "memory:read")
    if wanted.decided not in STATUSES:
        raise Invalid.field(
            "decision_status", phrase("Send one of %(names)s.", names=", ".join(STATUSES)), where="query"
        )
    if wanted.due_before is not None and (fault := kinds.RULES["due_at"][0](wanted.due_before)):
        raise Invalid.field("due_before", fault, where="query")
    rows = kinds.listed(actor, Decision.objects.filter(status=LifecycleStatus.ACTIVE), wanted)
    if wanted.decided != kinds.ANY:
        rows = rows.filter(resolved_at__isnull=wanted.decided == "open")
    if wanted.due_before is not None:
        rows = rows.filter(due_at__lt=wanted.due_before)
    return kinds.holding(rows, wanted.query).order_by("-created_at", "-pk")
