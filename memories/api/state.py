"""What an agent is doing now."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, etag, read
from memories.api import kinds, shapes
from memories.api.render import ids
from memories.models import Memory
from memories.services import state


class Slot(serializers.Serializer):
    """Which slot is meant."""

    state_key = shapes.Given(required=False)
    bucket = shapes.Given(required=False)
    scope = shapes.Given(required=False)
    team_id = shapes.Team(required=False)


class Update(Slot):
    """POST update_state."""

    content = shapes.Given(required=False)
    current_task = shapes.Given(required=False)
    next_action = shapes.Given(required=False)
    blocked_reason = shapes.Given(required=False)
    session_id = shapes.Given(required=False)
    ttl_seconds = shapes.Whole(least=0, most=state.TTL_MOST, required=False)


class UpdateState(Door):
    """POST update_state."""

    def post(self, request: Request) -> Response:
        """What the slot holds from now on."""
        sent = kinds.written(read(Update, body_of(request)))
        if "session_id" in sent:
            sent["session"] = sent.pop("session_id")
        slot = state.update(**sent, actor=actor_of(request))
        return Response(state_json(slot), headers=etag(slot.state.version))


def state_json(slot: Memory) -> dict[str, Any]:
    """A slot."""
    return {
        **ids(slot.pk),
        **state.fields_of(slot),
        "expires_at": slot.expires_at,
        "status": slot.state.status,
        "team_id": slot.team_id,
        "updated_at": slot.updated_at,
    }
