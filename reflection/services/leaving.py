"""What somebody who leaves a team leaves under way there: plans, approved passes, schedules."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from console.saying import phrase_many
from memories.services.leaving import also_leaves
from reflection import queries
from reflection.models import ReflectPass, Schedule
from reflection.states import Status


@also_leaves
def under_way(team_id: UUID, user_id: UUID) -> Sequence[str]:
    """A sentence about each kind of work that is not done yet."""
    passes = ReflectPass.objects.filter(space_id=team_id)
    theirs = passes.filter(queries.FILLED, planned_by_id=user_id).exclude(queries.LOOKED_AT_BY_AN_AGENT)
    planned = queries.standing(theirs, Status.PLANNED).count()
    approved = passes.filter(approved_by_id=user_id, status=Status.APPROVED).count()
    running = Schedule.objects.filter(space_id=team_id, made_by_id=user_id, next_at__isnull=False).count()
    said = [
        planned
        and phrase_many(
            "%(count)s planned pass waits for a decision, and goes on waiting for the others.",
            "%(count)s planned passes wait for a decision, and go on waiting for the others.",
            planned,
        ),
        approved
        and phrase_many(
            "%(count)s approved pass is not applied yet, and will not be: somebody else plans it anew.",
            "%(count)s approved passes are not applied yet, and will not be: somebody else plans them anew.",
            approved,
        ),
        running
        and phrase_many(
            "%(count)s schedule pauses at its next turn: somebody else makes another.",
            "%(count)s schedules pause at their next turn: somebody else makes others.",
            running,
        ),
    ]
    return [sentence for sentence in said if sentence]
