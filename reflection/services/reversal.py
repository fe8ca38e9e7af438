"""How the changes of a revert are written, and taken back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from memories.access import Actor
from memories.models import Memory
from memories.services import former, keyed
from reflection.models import Candidate
from reflection.states import Reversal

KINDS = {kind.value for kind in Reversal}


def taken(candidates: Sequence[Candidate]) -> list[tuple[Candidate, str]]:
    """Those that would give a slot of working state back whose key another holds by now, with the reason."""
    reasons = keyed.taken({one.target_id: one.after for one in candidates if one.target_id is not None})
    return [(one, reasons[one.target_id]) for one in candidates if one.target_id in reasons]


def write(candidates: Sequence[Candidate], memories: Mapping[UUID, Memory], *, at: datetime, actor: Actor) -> None:
    """Give the locked memories of these candidates back what they were, or move them to the trash."""
    pairs = [(one, memories[one.target_id]) for one in candidates if one.target_id is not None]
    undo = former.put_back([former.Former(memory, one.after) for one, memory in pairs], at=at, actor=actor)
    for one, memory in pairs:
        one.result_id, one.undo = memory.pk, undo[memory.pk]


def take_back(candidates: Sequence[Candidate], memories: Mapping[UUID, Memory]) -> None:
    """Let the locked memories be again what they were before `write`."""
    former.take_back([(memories[one.result_id], one.undo) for one in candidates if one.result_id is not None])
