"""Which passes archived records because another one keeps their words."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memories.models import MemoryState
from reflection.models import Basis, ReflectPass
from reflection.planner.wording import moment
from reflection.states import Action, Outcome

STANDS = (Outcome.APPLIED, Outcome.KEPT)


@dataclass(frozen=True, slots=True)
class Reliance:
    """A pass archived `archived` because `keeper` keeps its words, and there it still is."""

    keeper: UUID
    archived: UUID
    by: ReflectPass
    at: datetime

    def reason(self) -> str:
        """Why the keeper is left as it is."""
        return f"{named(self.by)} archived memories and left their words to this one; undo that pass first"


def relying_on(keepers: Collection[UUID]) -> list[Reliance]:
    """All that is archived for the sake of these records, the latest last."""
    lines = Basis.objects.filter(memory_id__in=keepers, changes=False, candidate__action=Action.ARCHIVE)
    lines = lines.filter(candidate__outcome__in=STANDS).select_related("candidate__reflect_pass")
    found = [
        Reliance(line.memory_id, line.candidate.target_id, line.candidate.reflect_pass, at)
        for line in lines
        if line.candidate.target_id and (at := line.candidate.reflect_pass.applied_at)
    ]
    away = MemoryState.objects.filter(memory_id__in={one.archived for one in found}, status="archived")
    still = set(away.values_list("memory_id", flat=True))
    return sorted((one for one in found if one.archived in still), key=lambda one: (one.at, one.by.pk))


def named(later: ReflectPass) -> str:
    """A pass inside a sentence."""
    assert later.applied_at
    return f"pass {later.pk} of {moment(later.applied_at)}"
