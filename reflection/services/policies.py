"""The policy in force for a space."""

from __future__ import annotations

from django.utils import timezone

from memories.access import Space
from reflection.models import Approval, ReflectionPolicy
from reflection.policy import Policy


def in_force(space: Space) -> ReflectionPolicy:
    """The newest version of the space's policy; the defaults are stored as version 1 when they are first used.

    Teams need an approval; one's own records do not.
    """
    newest = ReflectionPolicy.objects.filter(space_id=space.id).order_by("-number").first()
    if newest is not None:
        return newest
    approval = Approval.REQUIRED if space.team_id else Approval.NOT_REQUIRED
    ReflectionPolicy.objects.bulk_create(
        [
            ReflectionPolicy(
                space_id=space.id,
                number=1,
                values=Policy().as_json(),
                approval=approval,
                created_at=timezone.now(),
            )
        ],
        ignore_conflicts=True,
    )
    return ReflectionPolicy.objects.get(space_id=space.id, number=1)
