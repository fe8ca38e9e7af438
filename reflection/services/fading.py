"""Importance at any moment, by the policy of the space, whether or not a pass has stored it since."""

from __future__ import annotations

from datetime import datetime

from memories.models import Memory
from memories.services.fading import fades_by
from reflection.models import ReflectionPolicy
from reflection.planner.decay import faded
from reflection.policy import Policy


@fades_by
def importance_at(memory: Memory, at: datetime) -> float:
    """What a pass at `at` would store. Where nobody has chosen a policy yet, the defaults hold."""
    space_id = memory.team_id or memory.owner_id
    newest = ReflectionPolicy.objects.filter(space_id=space_id).order_by("-number").values_list("values", flat=True)
    state = memory.state
    return faded(state.base, state.anchor, memory.memory_type, at, Policy.from_json(newest.first() or {}))
