"""What becomes of what somebody has in a team when they leave it: told before they do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from memories.access import Actor, visible_to
from memories.models import Membership, Memory, SavedView
from memories.services import charge, teams, tokens

Work = Callable[[UUID, UUID], Sequence[str]]
UNDER_WAY: list[Work] = []


def also_leaves(each: Work) -> Work:
    """Register what else somebody has under way in a team, as sentences about each: passes and schedules."""
    UNDER_WAY.append(each)
    return each


@dataclass(frozen=True, slots=True)
class Leaving:
    """A member, and what they have in the team."""

    membership: Membership
    memories: int
    views: int
    tokens: int  # that are bound to the team, and work
    work: list[str]


def consequences(membership_id: UUID, *, actor: Actor) -> Leaving:
    """What a member has in the team, for its admins and for themselves. Raises NotFound, NotAllowed."""
    found = teams.member(membership_id, actor=actor)
    if found.user_id != actor.user_id:
        charge.check_may_lead(actor, found.team_id)
    mine = {"team_id": found.team_id, "owner_id": found.user_id}
    written = visible_to(actor, Memory.objects.filter(**mine)).exclude(state__status="deleted")
    bound = tokens.shown_to(actor, state=tokens.VALID).filter(team_id=found.team_id, user_id=found.user_id)
    work = [sentence for each in UNDER_WAY for sentence in each(found.team_id, found.user_id)]
    return Leaving(found, written.count(), SavedView.objects.filter(**mine).count(), bound.count(), work)
