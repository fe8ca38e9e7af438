"""What the policy in force will do to one memory if nobody touches it, and when. Nothing is written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet, TextField
from django.db.models.expressions import RawSQL
from django.utils import timezone

from memories.access import Actor
from memories.models import Memory, MemoryLink
from memories.models.memory import Derivation, LinkKind
from memories.services import records
from reflection.loading import rows_of
from reflection.models import ReflectionPolicy
from reflection.planner.ahead import Ahead
from reflection.services import policies
from reflection.services.why import boundary, outside, with_links

SOURCES = 200  # of a summary that are looked at
SAME = 50  # memories with the same words


@dataclass(frozen=True, slots=True)
class LookedAhead:
    """What lies before a memory under a policy; nothing, where no pass looks at it: then `why_not` says why."""

    memory: Memory
    policy: ReflectionPolicy
    as_of: datetime
    ahead: Ahead | None
    why_not: str = ""


def look_ahead(memory_id: UUID, *, as_of: datetime | None = None, actor: Actor) -> LookedAhead:
    """What becomes of the importance of a memory, and when a pass would put it away. Raises NotFound."""
    as_of = as_of or timezone.now()
    memory = records.find(memory_id, actor=actor, kinds=("memory",))
    assert isinstance(memory, Memory)
    policy = policies.current(actor.space(memory.space_id))
    if why_not := outside(memory):
        return LookedAhead(memory, policy, as_of, None, why_not)
    rows = with_links(rows_of(_concerned(memory, boundary(memory, actor)), meant=False))
    return LookedAhead(memory, policy, as_of, Ahead(rows, memory.pk, as_of, policy.rules))


def _concerned(memory: Memory, around: QuerySet[Memory]) -> QuerySet[Memory]:
    """Whatever the rules about age, use and importance compare it with: all else of its boundary they do not mind."""
    wanted = {memory.pk}
    if memory.derivation == Derivation.SUMMARY:
        wanted |= set(_links().filter(origin=memory).values_list("target_id", flat=True)[:SOURCES])
    said = RawSQL("memories_memory.folded", [], TextField())
    words = Memory.objects.filter(pk__in=wanted).annotate(said=said).values_list("said", flat=True)
    same = around.annotate(said=said).filter(said__in=list(words)).order_by("-created_at", "-pk")
    wanted |= set(same.values_list("pk", flat=True)[: SAME + len(wanted)])
    keepers = _links().filter(target_id__in=wanted, origin__derivation=Derivation.SUMMARY)
    wanted |= set(keepers.values_list("origin_id", flat=True)[:SOURCES])
    return around.filter(pk__in=wanted)


def _links() -> QuerySet[MemoryLink]:
    return MemoryLink.objects.filter(kind=LinkKind.DERIVED_FROM).order_by("position", "pk")
