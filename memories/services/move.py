"""From one space to another: who may see a memory changes, what it says does not."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db.models import Q

from console.errors import Conflict, NotAllowed
from console.saying import phrase
from memories.access import Actor
from memories.models import Memory, MemoryLink
from memories.models.memory import LinkKind
from memories.services import erase
from memories.services.copies import scrub_snapshots

OUTSIDE = phrase("You are not a member of this team, or this token is not bound to it.")


def move(memory: Memory, team_id: UUID | None, *, at: datetime, actor: Actor) -> list[UUID] | None:
    """Give a locked memory to a team, or (None) back to its owner alone, unsaved. None where it is there already.

    Its versions go along. Saved plans and snapshots of the space it leaves lose its words: who is left there may not
    read it any more, and an erasure elsewhere would not find them. Returns the snapshots that lost some. Raises
    NotAllowed for a space that the actor may not write to, or a record under hold, and Conflict where a summary or
    fact ties it to its space.
    """
    if memory.team_id == team_id:
        return None
    target = actor.spaces.get(team_id or memory.owner_id)
    if target is None or target.team_id != team_id:
        raise NotAllowed(OUTSIDE if team_id else phrase("Only its owner may take it into their own space."))
    if memory.hold:
        raise NotAllowed(
            phrase("This record is under the legal hold “%(hold)s”. Lift the hold first.", hold=memory.hold),
            hold=memory.hold,
        )
    tied = MemoryLink.objects.filter(Q(origin=memory) | Q(target=memory), kind=LinkKind.DERIVED_FROM).count()
    if tied:
        raise Conflict(
            phrase(
                "A summary or fact and the records it quotes stay in one space. Undo the pass that wrote it, or delete "
                "the summary for good, before you move this record."
            ),
            links=tied,
        )
    erase.scrub([memory.pk])
    copies = scrub_snapshots([memory], at=at)[memory.pk]
    memory.team_id = team_id
    memory.space_id = target.id
    return copies
