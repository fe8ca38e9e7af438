"""What the policy in force will do to one memory if nobody touches it, and when. Nothing is written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Min, QuerySet, TextField
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
SAME = 200  # newer memories with the same words


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
    concerned, whole = _concerned(memory, boundary(memory, actor))
    rows = with_links(rows_of(concerned, meant=False))
    return LookedAhead(memory, policy, as_of, Ahead(rows, memory.pk, as_of, policy.rules, whole))


def _concerned(memory: Memory, around: QuerySet[Memory]) -> tuple[QuerySet[Memory], bool]:
    """Whatever the rules about age, use and importance compare it with, and whether that is all of it.

    All else of its boundary they do not mind. Of equal words only a newer one counts, so a record that is no summary
    needs none of the older ones.
    """
    wanted, whole = {memory.pk}, True

    def take(ids: QuerySet[Any, UUID], most: int) -> None:
        nonlocal wanted, whole
        found = list(ids[: most + 1])
        wanted, whole = wanted.union(found[:most]), whole and len(found) <= most

    if memory.derivation == Derivation.SUMMARY:
        take(_links().filter(origin=memory).values_list("target_id", flat=True), SOURCES)
    said = RawSQL("memories_memory.folded", [], TextField())
    told = Memory.objects.filter(pk__in=wanted).annotate(said=said)
    since = told.aggregate(since=Min("created_at"))["since"]
    same = around.annotate(said=said).filter(said__in=list(told.values_list("said", flat=True)), created_at__gte=since)
    take(same.order_by("-created_at", "-pk").values_list("pk", flat=True), SAME + len(wanted))
    keepers = _links().filter(target_id__in=wanted, origin__derivation=Derivation.SUMMARY)
    take(keepers.order_by("origin_id").values_list("origin_id", flat=True).distinct(), SOURCES)
    return around.filter(pk__in=wanted), whole


def _links() -> QuerySet[MemoryLink]:
    return MemoryLink.objects.filter(kind=LinkKind.DERIVED_FROM).order_by("position", "pk")
