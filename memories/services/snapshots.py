"""Snapshots of working state, to start again from after a restart."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypedDict, Unpack
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from console.errors import Invalid, NotFound
from console.saying import phrase
from memories import audit
from memories.access import Actor, check_may_use
from memories.models import LifecycleStatus, Memory, Snapshot
from memories.services import editing, kinds, records, state, timeline, turns

SLOTS_MOST = 50
RESTART = "restart"
SHORTEST, LONGEST = timedelta(seconds=1), timedelta(days=365 * 7_000)  # that a slot lives on


class Meant(TypedDict, total=False):
    """Which state is meant: of one place, of one key, of one session."""

    state_key: str | None
    session: str | None
    bucket: str | None
    scope: str | None
    team_id: UUID | None


def _place(meant: Meant, actor: Actor, **said: str) -> kinds.Place:
    """The place that is meant, once key, session and what is `said` are checked. Raises Invalid, NotAllowed."""
    named = {"session": meant.get("session"), "state_key": meant.get("state_key")}
    kinds.check({**said, **{name: value for name, value in named.items() if value is not None}})
    bucket, scope = meant.get("bucket"), meant.get("scope")
    return kinds.place(actor, team_id=meant.get("team_id"), bucket=bucket, scope=scope)


@transaction.atomic
def take(*, label: str = "", actor: Actor, **meant: Unpack[Meant]) -> Snapshot:
    """Copy the actor's active slots of one place (or the one of `state_key`). Raises Invalid, NotAllowed."""
    check_may_use(actor, "memory:write")
    where, state_key = _place(meant, actor, label=label), meant.get("state_key")
    space_id = where.team_id or actor.own
    turns.hold_off_erasures(space_id)
    rows = state.slots(actor, space_id=space_id, bucket=where.bucket, scope=where.scope)
    if state_key is not None:
        rows = rows.filter(semantic_key=state.PREFIX + state_key)
    newest = rows.order_by("-updated_at", "-pk")[:SLOTS_MOST]
    found = {state.key_of(slot): _copy(slot) for slot in reversed(newest)}
    values = {"label": label, "session": meant.get("session"), "state": found}
    snapshot = editing.make(Snapshot, where, values, actor=actor)
    detail = {"status": [None, "active"], "slots": len(found)}
    audit.record(actor, "snapshot.create", "snapshot", snapshot.pk, space_id=snapshot.space_id, detail=detail)
    return snapshot


def _copy(slot: Memory) -> dict[str, Any]:
    """What a slot holds, and when it changed: the database keeps no order of keys."""
    return {**state.fields_of(slot), "updated_at": slot.updated_at.isoformat()}


@dataclass(frozen=True, slots=True)
class Wanted(kinds.Filter):
    """Filters of snapshots; `query` is not used."""

    session: str | None = None


def listed(wanted: kinds.Filter, *, actor: Actor) -> QuerySet[Snapshot]:
    """The snapshots wanted, newest first. Raises Invalid, NotAllowed."""
    check_may_use(actor, "memory:read")
    rows = kinds.listed(actor, Snapshot.objects.filter(status=LifecycleStatus.ACTIVE), wanted)
    if isinstance(wanted, Wanted) and wanted.session is not None:
        rows = rows.filter(session=wanted.session)
    return rows.order_by("-created_at", "-pk")


def latest(*, actor: Actor, **meant: Unpack[Meant]) -> Snapshot | None:
    """The actor's own newest snapshot of one place (with the slot of `state_key`, of `session`); None without one.

    Raises Invalid, NotAllowed.
    """
    check_may_use(actor, "memory:read")
    where, state_key = _place(meant, actor), meant.get("state_key")
    rows = listed(Wanted(space_id=where.team_id or actor.own, session=meant.get("session")), actor=actor)
    rows = rows.filter(owner_id=actor.own, bucket=where.bucket, scope=where.scope)
    return (rows if state_key is None else rows.filter(state__has_key=state_key)).first()


def find(snapshot_id: UUID, *, actor: Actor) -> Snapshot:
    """The visible snapshot of this id, not in the trash. Raises NotFound."""
    found = records.find(snapshot_id, actor=actor, kinds=("snapshot",))
    if not isinstance(found, Snapshot) or found.status == LifecycleStatus.DELETED:
        raise NotFound(records.ABSENT)
    return found


@dataclass(frozen=True, slots=True)
class Restarted:
    """The snapshot, the slots written from it, those beside them that it does not know, which stay as they are, and
    the event that says so, if one was wanted.
    """

    snapshot: Snapshot
    slots: list[Memory]
    beside: list[Memory]
    event: Memory | None


@transaction.atomic
def restart(
    *,
    snapshot_id: UUID,
    state_key: str | None = None,
    session: str | None = None,
    restore_state: bool = True,
    record_restore_event: bool = True,
    actor: Actor,
) -> Restarted:
    """Start again from a snapshot: its slots, or that of `state_key`, become the actor's active ones in their places.

    They and the event belong to `session`, or else to that of the snapshot. A slot that was to expire lives as long as
    it had left when the snapshot was taken. Raises NotFound, NotAllowed, Invalid.
    """
    kinds.check({"session": session})
    check_may_use(actor, "memory:read")
    if restore_state or record_restore_event:
        check_may_use(actor, "memory:write")
    turns.hold_off_erasures(find(snapshot_id, actor=actor).space_id)
    snapshot = find(snapshot_id, actor=actor)  # as it is now that no erasure can empty it
    wanted = _slots(snapshot, state_key)
    session = session or snapshot.session
    slots = [_written(snapshot, slot, session, actor) for slot in wanted] if restore_state else []
    event = _noted(snapshot, session, actor) if record_restore_event else None
    if slots or event:
        detail = {"slots": len(slots), "version": snapshot.version}
        audit.record(actor, "snapshot.restart", "snapshot", snapshot.pk, space_id=snapshot.space_id, detail=detail)
    return Restarted(snapshot, slots, _beside(snapshot, slots, actor), event)


def _slots(snapshot: Snapshot, state_key: str | None) -> list[dict[str, Any]]:
    if state_key is None:
        return list(snapshot.state.values())
    if state_key not in snapshot.state:
        raise Invalid.field(
            "state_key", phrase("This snapshot holds no such state. Leave state_key out, or name another.")
        )
    return [snapshot.state[state_key]]


def _beside(snapshot: Snapshot, slots: list[Memory], actor: Actor) -> list[Memory]:
    """The active slots in the place of a snapshot that were not written from it."""
    place = {"space_id": snapshot.space_id, "bucket": snapshot.bucket, "scope": snapshot.scope}
    rows = state.slots(actor, **place).exclude(pk__in=[slot.pk for slot in slots])
    return list(rows.order_by("-updated_at", "-pk")[:SLOTS_MOST])


def _written(snapshot: Snapshot, slot: dict[str, Any], session: str | None, actor: Actor) -> Memory:
    over = None
    if slot.get("expires_at"):
        left = datetime.fromisoformat(slot["expires_at"]) - snapshot.created_at
        over = timezone.now() + max(SHORTEST, min(left, LONGEST))
    return state.write(slot=slot, team_id=snapshot.team_id, session=session, over=over, actor=actor)


def _noted(snapshot: Snapshot, session: str | None, actor: Actor) -> Memory:
    """The event names no label: when the snapshot is deleted, its words are to be nowhere else."""
    event = timeline.NewEvent(
        content=f"Started again from the snapshot of {snapshot.created_at:%Y-%m-%d %H:%M} UTC.",
        event_type=RESTART,
        session=session,
        bucket=snapshot.bucket,
        scope=snapshot.scope,
        team_id=snapshot.team_id,
        metadata={"snapshot_id": str(snapshot.pk)},
    )
    return timeline.record(event=event, actor=actor)
