"""Where a memory comes from, and what was made of it: links between memories, followed a few steps, in few queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Count, F, QuerySet, Window
from django.db.models.functions import Left, Length, RowNumber

from memories.access import Actor, visible_to
from memories.models import Memory, MemoryLink
from reflection import queries
from reflection.models import Candidate, ReflectPass
from reflection.states import Outcome

PAGE = 50  # of the nearest
BRANCH = 5  # of what lies behind each of them
DEPTH = 3
GLIMPSE = 160  # characters


@dataclass(frozen=True, slots=True)
class Maker:
    """The candidate of a pass that wrote a record."""

    pass_id: UUID
    candidate_id: UUID


@dataclass(slots=True)
class Node:
    """One memory of a lineage: how it begins, the words that tie it to its neighbour, and what lies behind it."""

    id: UUID
    path: str
    text: str
    language: str
    memory_type: str
    derivation: str
    status: str
    trust: int
    source: str
    kind: str  # derived_from, supersedes, relates_to
    quote: str = ""
    maker: Maker | None = None
    gone: int = 0  # of its sources, deleted for good
    children: list[Node] = field(default_factory=list)
    more: int = 0  # children that are not shown here


@dataclass(frozen=True, slots=True)
class Tie:
    """One memory refers to another."""

    origin: UUID
    target: UUID
    kind: str


@dataclass(frozen=True, slots=True)
class Side:
    """One direction of a lineage: a page of the nearest, and how many there are."""

    nodes: Sequence[Node]
    total: int
    start: int
    hidden: int  # in spaces that the actor does not see

    @property
    def last(self) -> int:
        """How many of the nearest there are up to the last one shown."""
        return self.start + len(self.nodes)


def sources(memory: Memory, *, start: int = 0, actor: Actor) -> Side:
    """What a memory rests on, in its order, each with what that rests on."""
    return _side(memory, "origin", "target", start, actor)


def derived(memory: Memory, *, start: int = 0, actor: Actor) -> Side:
    """What was made of a memory, oldest first, each with what was made of that."""
    return _side(memory, "target", "origin", start, actor)


def gone(memory: Memory) -> int:
    """How many of the sources that a pass wrote this from were deleted for good since."""
    return _gone(memory.derivation, memory.provenance.get("sources_gone"))


def ties(ids: Collection[UUID]) -> list[Tie]:
    """How these memories, which the actor sees, refer to each other, in a fixed order."""
    rows = MemoryLink.objects.filter(origin_id__in=ids, target_id__in=ids).order_by("position", "pk")
    return [Tie(*row) for row in rows.values_list("origin_id", "target_id", "kind")]


def sources_behind(ids: Collection[UUID], known: Collection[UUID], *, actor: Actor) -> int:
    """How many memories `ids` rest on, beside those of `known`."""
    return _count_behind(ids, known, "origin", "target", actor)


def derived_behind(ids: Collection[UUID], known: Collection[UUID], *, actor: Actor) -> int:
    """How many memories were made of `ids`, beside those of `known`."""
    return _count_behind(ids, known, "target", "origin", actor)


def _count_behind(ids: Collection[UUID], known: Collection[UUID], near: str, far: str, actor: Actor) -> int:
    rows = _visible(MemoryLink.objects.filter(**{f"{near}_id__in": ids}), far, actor)
    return rows.exclude(**{f"{far}_id__in": known}).order_by().values(f"{far}_id").distinct().count()


def _gone(derivation: str, count: Any) -> int:
    """What a pass has noted; anybody may have written the like into the provenance of a memory of their own."""
    return count if derivation and type(count) is int and count > 0 else 0


def maker_of(memory: Memory, *, actor: Actor) -> Maker | None:
    """The candidate that wrote this memory, where a pass did and the actor may see it."""
    return _makers([memory.pk], actor).get(memory.pk)


def _side(memory: Memory, near: str, far: str, start: int, actor: Actor) -> Side:
    rows = _visible(MemoryLink.objects.filter(**{f"{near}_id": memory.pk}), far, actor)
    total = rows.count()
    hidden = MemoryLink.objects.filter(**{f"{near}_id": memory.pk}).count() - total
    page = rows.order_by("position", "pk")[start : start + PAGE]
    level = [(memory.pk, node) for node in _nodes(page, far)]
    nodes, known = [node for _, node in level], {memory.pk}
    for _ in range(DEPTH - 1):
        known |= {node.id for _, node in level}
        level = _behind([node for _, node in level], near, far, known, actor)
    _name_makers(nodes, actor)
    return Side(nodes, total, start, hidden)


def _visible(rows: QuerySet[MemoryLink], far: str, actor: Actor) -> QuerySet[MemoryLink]:
    return rows.filter(**{f"{far}__in": visible_to(actor, Memory.objects.all())})


FIELDS = ("id", "path", "language", "memory_type", "derivation", "trust", "source", "state__status")


def _nodes(rows: QuerySet[MemoryLink], far: str) -> list[Node]:
    return [_node(values, far) for values in _told(rows, far)]


def _told(rows: QuerySet[MemoryLink], far: str) -> Iterable[dict[str, Any]]:
    brief = rows.annotate(text=Left(f"{far}__content", GLIMPSE), chars=Length(f"{far}__content"))
    brief = brief.annotate(gone=F(f"{far}__provenance__sources_gone"))
    told = ("origin_id", "target_id", "kind", "quote", "text", "chars", "gone")
    return brief.values(*told, *(f"{far}__{name}" for name in FIELDS))


def _node(values: dict[str, Any], far: str) -> Node:
    return Node(
        id=values[f"{far}__id"],
        path=values[f"{far}__path"],
        text=values["text"] + ("…" if values["chars"] > GLIMPSE else ""),
        language=values[f"{far}__language"],
        memory_type=values[f"{far}__memory_type"],
        derivation=values[f"{far}__derivation"],
        status=values[f"{far}__state__status"],
        trust=values[f"{far}__trust"],
        source=values[f"{far}__source"],
        kind=values["kind"],
        quote=values["quote"],
        gone=_gone(values[f"{far}__derivation"], values["gone"]),
    )


def _behind(nodes: Sequence[Node], near: str, far: str, known: set[UUID], actor: Actor) -> list[tuple[UUID, Node]]:
    """The first few behind each of `nodes`, hung below it; what is in the lineage already is not followed again."""
    parents: dict[UUID, list[Node]] = defaultdict(list)
    for node in nodes:
        parents[node.id].append(node)
    rows = _visible(MemoryLink.objects.filter(**{f"{near}_id__in": list(parents)}), far, actor)
    counts = dict(rows.order_by().values_list(f"{near}_id").annotate(n=Count("pk")))
    first = rows.exclude(**{f"{far}_id__in": known}).annotate(
        place=Window(RowNumber(), partition_by=[F(f"{near}_id")], order_by=[F("position").asc(), F("pk").asc()])
    )
    found = []
    kept = MemoryLink.objects.filter(pk__in=[link.pk for link in first.filter(place__lte=BRANCH)])
    for values in _told(kept.order_by("position", "pk"), far):
        parent = parents[values[f"{near}_id"]][0]
        node = _node(values, far)
        parent.children.append(node)
        found.append((parent.id, node))
    for key, count in counts.items():
        parents[key][0].more = count - len(parents[key][0].children)
    return found


def _name_makers(nodes: Sequence[Node], actor: Actor) -> None:
    everybody: list[Node] = []
    level = list(nodes)
    while level:
        everybody += level
        level = [child for node in level for child in node.children]
    makers = _makers([node.id for node in everybody if node.derivation], actor)
    for node in everybody:
        node.maker = makers.get(node.id)


def _makers(ids: Sequence[UUID], actor: Actor) -> dict[UUID, Maker]:
    visible: QuerySet[ReflectPass] = queries.passes_of(actor)
    rows = Candidate.objects.filter(result_id__in=ids, target_id__isnull=True, reflect_pass__in=visible)
    rows = rows.filter(outcome__in=[Outcome.APPLIED, Outcome.KEPT])
    return {row.result_id: Maker(row.reflect_pass_id, row.pk) for row in rows if row.result_id is not None}
