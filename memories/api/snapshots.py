"""Starting again where an agent left off."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, read, read_query
from memories.access import Actor, check_may_use
from memories.api import kinds, shapes
from memories.api.render import ids
from memories.api.state import Slot
from memories.models import Snapshot
from memories.services import fields, snapshots, state


class Take(Slot):
    """POST restart/snapshot."""

    label = shapes.Given(required=False)  # type: ignore[assignment]
    session_id = shapes.Given(required=False)


class Again(Slot):
    """POST restart/restore: of `snapshot_id`, or of the latest snapshot in this place."""

    snapshot_id = shapes.Given(required=False)
    source_session_id = shapes.Given(required=False)
    target_session_id = shapes.Given(required=False)
    restore_state = shapes.Flag(default=True)
    record_restore_event = shapes.Flag(default=True)


PLACE = ("bucket", "scope", "team_id", "state_key")


class TakeSnapshot(Door):
    """GET and POST restart/snapshot."""

    needs = "memory:read"

    def get(self, request: Request) -> Response:
        """The snapshots, newest first."""
        sent = read_query(kinds.Narrowed, request)
        page, total = kinds.page_of(
            snapshots.listed(snapshots.kinds.Filter(**kinds.filters_of(sent)), actor=actor_of(request)), sent
        )
        return Response({"snapshots": [snapshot_json(one) for one in page], "total": total})

    def post(self, request: Request) -> Response:
        """Copy the active state. The answer tells it, so the token needs to be one that reads."""
        check_may_use(actor_of(request), "memory:read")
        sent = kinds.written(read(Take, body_of(request)))
        if "session_id" in sent:
            sent["session"] = sent.pop("session_id")
        return Response(snapshot_json(snapshots.take(**sent, actor=actor_of(request))))


class Restart(Door):
    """POST restart/restore."""

    def post(self, request: Request) -> Response:
        """Bring the state of a snapshot back, unless it is only to be read.

        Without `snapshot_id` it is the caller's latest one of this bucket, scope and team, of `source_session_id` and
        with the slot of `state_key`, where they are named. Where there is none, nothing is restored.
        """
        sent, actor = kinds.written(read(Again, body_of(request))), actor_of(request)
        key = _named(sent, actor)
        if key is None:
            return Response(NOTHING)
        found = snapshots.restart(
            snapshot_id=key,
            state_key=sent.get("state_key"),
            session=sent.get("target_session_id"),
            restore_state=sent["restore_state"],
            record_restore_event=sent["record_restore_event"],
            actor=actor,
        )
        return Response(restarted_json(found, restored=sent["restore_state"]))


def _named(sent: dict[str, Any], actor: Actor) -> UUID | None:
    """The snapshot that is meant. Raises BadId, Invalid, NotAllowed."""
    if sent.get("snapshot_id"):
        return fields.record_id(sent["snapshot_id"])
    place = {name: sent[name] for name in PLACE if name in sent}
    latest = snapshots.latest(**place, session=sent.get("source_session_id"), actor=actor)
    return latest.pk if latest else None


def restarted_json(found: snapshots.Restarted, *, restored: bool) -> dict[str, Any]:
    """What a restart brought back."""
    return {
        **ids(found.snapshot.pk),
        "status": "restored",
        "restored": restored,
        "restored_at": timezone.now() if restored else None,
        "snapshot_id": str(found.snapshot.pk),
        "snapshot": snapshot_json(found.snapshot),
        "restored_ids": [str(slot.pk) for slot in found.slots],
        "kept_ids": [str(slot.pk) for slot in found.beside],
        "event_id": str(found.event.pk) if found.event else None,
    }


NOTHING: dict[str, Any] = {
    **dict.fromkeys(("id", "memory_id", "restored_at", "snapshot_id", "snapshot", "event_id")),
    "status": "not_found",
    "restored": False,
    "restored_ids": [],
    "kept_ids": [],
}


def snapshot_json(snapshot: Snapshot) -> dict[str, Any]:
    """A snapshot. `active_state` is the slot of the usual key, or else the one that changed last."""
    slots = snapshot.state
    newest = max(slots.values(), key=lambda slot: slot.get("updated_at") or "", default=None)
    return {
        **ids(snapshot.pk),
        "label": snapshot.label,
        "session_id": snapshot.session,
        "active_state": slots.get(state.USUAL_KEY, newest),
        "states": slots,
        **kinds.standing_json(snapshot),
    }
