"""Why a memory exists: where it came from, what it refers to, and why the caller may see it."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, etag, read_query
from memories.access import Actor, visible_to
from memories.api import shapes
from memories.api.finding import memory_of
from memories.api.render import boundary_json, ids, memory_json
from memories.models import Memory, MemoryEmbedding, MemoryLink

LINKS = 200  # in each direction


class ExplainShape(serializers.Serializer):
    """GET memories/{id}/explain."""

    include_embedding = shapes.Flag(default=False)
    offset = shapes.Whole(least=0, most=1_000_000, default=0)  # of the links, in each direction


class Explain(Door):
    """GET memories/{id}/explain."""

    needs = "memory:read"

    def get(self, request: Request, record_id: str) -> Response:
        """The memory with its origin, its links to what the caller may see too, and on request its vector."""
        wanted, actor = read_query(ExplainShape, request), actor_of(request)
        memory = memory_of(record_id, actor)
        body = explained_json(memory, actor, wanted["offset"])
        if wanted["include_embedding"]:
            body["embedding"] = _embedding(memory)
        boundary = {"agent_boundary": boundary_json(actor)}
        return Response({"memory": body} | boundary, headers=etag(memory.state.version))


def explained_json(memory: Memory, actor: Actor, start: int = 0) -> dict[str, Any]:
    """The memory with where it came from and its links, from the place `start` on in each direction."""
    return memory_json(memory) | _origin(memory, actor, start)


def _origin(memory: Memory, actor: Actor, start: int) -> dict[str, Any]:
    space = actor.space(memory.space_id)
    return {
        "owner": memory.owner.username,
        "session": memory.session,
        "source_id": memory.source_id,
        "visible_because": "private" if space.team_id is None else f"team {space.name}",
        "use_count": memory.state.use_count,
        "last_used_at": memory.state.last_used_at,
        **_links("links", memory.links.all(), "target_id", actor, start),
        **_links("linked_from", memory.linked_from.all(), "origin_id", actor, start),
    }


def _links(name: str, links: QuerySet[MemoryLink], end: str, actor: Actor, start: int) -> dict[str, Any]:
    """Links to what is visible, each with the id of the memory at its other `end`, and how many there are in all."""
    places = list(links.order_by("kind", "position", "pk").values_list("pk", end))
    others = visible_to(actor, Memory.objects.filter(pk__in=[other for _, other in places]))
    seen = set(others.exclude(state__status="deleted").values_list("pk", flat=True))
    shown = [key for key, other in places if other in seen]
    rows = links.filter(pk__in=shown[start : start + LINKS]).order_by("kind", "position", "pk")
    told = [
        {**ids(getattr(link, end)), "kind": link.kind, "quote": link.quote, "created_at": link.created_at}
        for link in rows
    ]
    return {name: told, f"{name}_total": len(shown)}


def _embedding(memory: Memory) -> dict[str, Any] | None:
    """The vector and what made it; None where there is none yet."""
    found = MemoryEmbedding.objects.filter(memory=memory).first()
    if found is None:
        return None
    return {
        "model": found.model,
        "dimension": found.dimension,
        "created_at": found.created_at,
        "vector": list(found.vector),
    }
