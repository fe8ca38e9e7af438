"""What the policy in force says about one memory: each action's conditions, measured. Nothing is written."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone
from pgvector.django import CosineDistance

from console import saying
from console.saying import phrase
from memories.access import Actor, live, visible_to
from memories.models import Memory, MemoryEmbedding, MemoryLink
from memories.models.memory import Derivation, LinkKind
from memories.services import records
from memories.services.status import standing
from reflection.loading import comparable, rows_of
from reflection.models import ReflectionPolicy
from reflection.planner.probe import answers
from reflection.planner.question import Answer, Gate, Question
from reflection.planner.rows import Row, Window
from reflection.planner.voices import elsewhere
from reflection.policy import Policy
from reflection.services import policies
from reflection.states import Action

MOST = 1_000  # memories compared with; of a larger boundary the nearest
OF_PATH = 300
MOST_HOURS = 24 * 365 * 10  # that a pass may look back
UNREAD = Gate(
    "read by the model", "not asked here; it may still leave the fact out", "all evidence says the same", None
)


@dataclass(frozen=True, slots=True)
class Explained:
    """The answers for one memory, the policy they follow, and how much was looked at."""

    memory: Memory
    policy: ReflectionPolicy
    as_of: datetime
    hours: float
    answers: list[Answer]
    compared: int
    boundary: int
    why_not: str = ""  # why no pass looks at it at all


def explain(memory_id: UUID, *, hours: float = 24.0, as_of: datetime | None = None, actor: Actor) -> Explained:
    """What each action would do with this memory now, or in a pass that looks back `hours`. Raises NotFound.

    A model over the network is not asked: where one is set, a fact that the rules would propose says so.
    """
    as_of = as_of or timezone.now()
    memory = records.find(memory_id, actor=actor, kinds=("memory",))
    assert isinstance(memory, Memory)
    policy = policies.current(actor.space(memory.space_id))
    around = boundary(memory, actor)
    total = around.count()
    if why_not := outside(memory):
        return Explained(memory, policy, as_of, hours, [], 0, total, why_not)
    rows, rules = comparable(with_links(rows_of(_chosen(memory, around, total))), policy.rules)
    window = Window(as_of - timedelta(hours=hours), as_of)
    told = [_unread(one) for one in answers(Question(rows, memory.pk, as_of, rules, window))]
    told = [_with_others(one, memory, around, rules, actor) for one in told]
    return Explained(memory, policy, as_of, hours, told, len(rows), total)


def _unread(answer: Answer) -> Answer:
    """With the condition that only a pass looks at: whether the model leaves the fact out."""
    if answer.action != Action.PROMOTE or not answer.would or not settings.SUMMARIZER_URL:
        return answer
    *others, evidence = answer.reasons
    return replace(answer, reasons=(*others, replace(evidence, gates=(*evidence.gates, UNREAD))))


def _with_others(answer: Answer, memory: Memory, around: QuerySet[Memory], rules: Policy, actor: Actor) -> Answer:
    """With how many the reader finds elsewhere in the same words, where too few say so here."""
    *others, evidence = answer.reasons
    few = [gate for gate in evidence.gates if gate.name == "repeated" and gate.holds is False]
    if answer.action != Action.PROMOTE or not few:
        return answer
    same = {"content": memory.content}
    count = live(visible_to(actor, Memory.objects.filter(**same))).count() - live(around.filter(**same)).count()
    if count < 1:
        return answer
    gates = tuple(_and(gate, elsewhere(count), rules) if gate in few else gate for gate in evidence.gates)
    return replace(answer, reasons=(*others, replace(evidence, gates=gates)))


def _and(gate: Gate, more: str, rules: Policy) -> Gate:
    """With one sentence more; how near the nearest comes says nothing beside equal words."""
    whole = gate.measured.endswith(".")
    said = gate.measured if whole else f"Said 1 time; the rule asks for {rules.promote_min_rows}."
    return replace(gate, measured=f"{said} {more}")


def outside(memory: Memory) -> str:
    """Why no pass looks at it at all, or nothing."""
    if memory.redacted_at is not None:
        return phrase("Its words were taken out, and a pass looks at none without words.")
    if memory.state.status != "active":
        where = phrase("in the trash") if memory.state.status == "deleted" else saying.phrase(standing(memory))
        return phrase("It is %(where)s, and a pass looks only at active memories.", where=where)
    return ""


def boundary(memory: Memory, actor: Actor) -> QuerySet[Memory]:
    """The active memories that a pass may hold together with this one."""
    rows = visible_to(actor, Memory.objects.all()).filter(state__status="active", redacted_at__isnull=True)
    return rows.filter(space_id=memory.space_id, owner_id=memory.owner_id, bucket=memory.bucket, scope=memory.scope)


def _chosen(memory: Memory, around: QuerySet[Memory], total: int) -> QuerySet[Memory]:
    """All of a small boundary; of a large one what lies beside it in time, in meaning, in words and in links."""
    if total <= MOST:
        return around
    wanted = {memory.pk}
    for newer in (True, False):
        beside = around.filter(path=memory.path)
        beside = (
            beside.filter(created_at__gte=memory.created_at)
            if newer
            else beside.filter(created_at__lt=memory.created_at)
        )
        order = ("created_at", "pk") if newer else ("-created_at", "-pk")
        wanted |= set(beside.order_by(*order).values_list("pk", flat=True)[: OF_PATH // 2])
    linked = MemoryLink.objects.filter(Q(origin=memory) | Q(target=memory)).values_list("origin_id", "target_id")
    wanted |= {key for pair in linked[:OF_PATH] for key in pair}
    wanted |= set(around.filter(content=memory.content).values_list("pk", flat=True)[:OF_PATH])
    vector = MemoryEmbedding.objects.filter(memory=memory).first()
    if vector is not None:
        near = MemoryEmbedding.objects.filter(memory__in=around, model=vector.model)
        near = near.order_by(CosineDistance("vector", vector.vector))
        wanted |= set(near.values_list("memory_id", flat=True)[:OF_PATH])
    return around.filter(pk__in=wanted)


def with_links(rows: list[Row]) -> list[Row]:
    """The rows with what they cite, and the active summary by which each is cited."""
    ids = {row.id for row in rows}
    links = MemoryLink.objects.filter(Q(origin_id__in=ids) | Q(target_id__in=ids), kind=LinkKind.DERIVED_FROM)
    cites: dict[UUID, list[UUID]] = defaultdict(list)
    cited_by: dict[UUID, UUID] = {}
    fields = ("origin_id", "target_id", "origin__derivation", "origin__state__status")
    for origin, target, derivation, status in links.order_by("origin_id", "position").values_list(*fields):
        cites[origin].append(target)
        if derivation == Derivation.SUMMARY and status == "active":
            cited_by[target] = origin
    return [replace(row, cites=tuple(cites[row.id]), cited_by=cited_by.get(row.id)) for row in rows]
