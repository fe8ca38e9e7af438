"""How the changes of a revert are written, and taken back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from memories.access import Actor
from memories.models import Memory
from memories.services import former, keyed
from reflection.models import Candidate
from reflection.services.reliance import relying_on
from reflection.states import Reversal

KINDS = {kind.value for kind in Reversal}


def taken(candidates: Sequence[Candidate]) -> list[tuple[Candidate, str]]:
    """Those that cannot be written by now, with the reason: see `refused`."""
    reasons = refused({one.target_id: (one.after, one.why) for one in candidates if one.target_id is not None})
    return [(one, reasons[one.target_id]) for one in candidates if one.target_id in reasons]


def refused(changes: Mapping[UUID, tuple[Mapping[str, Any], Mapping[str, Any]]]) -> dict[UUID, str]:
    """Which of these changes (what it becomes, and why) have to wait, with the reason.

    Another slot of working state has the key by now; or a pass archived records because this one has said their words
    since the token wrote them.
    """
    found = {}
    telling = {key for key, (after, _) in changes.items() if {"content", "status"} & after.keys()}
    for need in relying_on(telling):
        if need.at >= datetime.fromisoformat(changes[need.keeper][1]["last"]):
            found[need.keeper] = need.reason()
    return found | keyed.taken({key: dict(after) for key, (after, _) in changes.items()})


def write(candidates: Sequence[Candidate], memories: Mapping[UUID, Memory], *, at: datetime, actor: Actor) -> None:
    """Give the locked memories of these candidates back what they were, or move them to the trash."""
    pairs = [(one, memories[one.target_id]) for one in candidates if one.target_id is not None]
    undo = former.put_back([former.Former(memory, one.after) for one, memory in pairs], at=at, actor=actor)
    for one, memory in pairs:
        one.result_id, one.undo = memory.pk, undo[memory.pk]


def take_back(candidates: Sequence[Candidate], memories: Mapping[UUID, Memory]) -> None:
    """Let the locked memories be again what they were before `write`."""
    former.take_back([(memories[one.result_id], one.undo) for one in candidates if one.result_id is not None])
