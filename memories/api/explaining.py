"""Why a memory exists: where it came from, what it refers to, and why the caller may see it."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, etag, read_query
from console.errors import NotFound
from memories.access import Actor, visible_to
from memories.api import shapes
from memories.api.render import boundary_json, ids, memory_json
from memories.models import Memory, MemoryEmbedding, MemoryLink
from memories.services import fields, records

LINKS = 200  # in each direction


class ExplainShape(serializers.Serializer):
    """GET memories/{id}/explain."""

    include_embedding = shapes.Flag(default=False)


class Explain(Door):
    """GET memories/{id}/explain."""

    needs = "memory:read"

    def get(self, request: Request, record_id: str) -> Response:
        """The memory with its origin, its links to what the caller may see too, and on request its vector."""
        wanted, actor = read_query(ExplainShape, request), actor_of(request)
        memory = records.find(fields.record_id(record_id), actor=actor, kinds=("memory",))
        if not isinstance(memory, Memory) or memory.state.status == "deleted":
            raise NotFound(records.ABSENT)
        body = memory_json(memory) | _origin(memory, actor)
        if wanted["include_embedding"]:
            body["embedding"] = _embedding(memory)
        boundary = {"agent_boundary": boundary_json(actor)}
        return Response({"memory": body} | boundary, headers=etag(memory.state.version))


def _origin(memory: Memory, actor: Actor) -> dict[str, Any]:
    space = actor.space(memory.space_id)
    seen = visible_to(actor, Memory.objects.exclude(state__status="deleted")).values("pk")
    return {
        "owner": memory.owner.username,
        "session": memory.session,
        "source_id": memory.source_id,
        "visible_because": "private" if space.team_id is None else f"team {space.name}",
        "use_count": memory.state.use_count,
        "last_used_at": memory.state.last_used_at,
        "links": _links(memory.links.filter(target__in=seen), "target_id"),
        "linked_from": _links(memory.linked_from.filter(origin__in=seen), "origin_id"),
    }


def _links(rows: QuerySet[MemoryLink], end: str) -> list[dict[str, Any]]:
    """Links by kind and position, each with the id of the memory at its other `end`."""
    return [
        {**ids(getattr(link, end)), "kind": link.kind, "quote": link.quote, "created_at": link.created_at}
        for link in rows.order_by("kind", "position", "pk")[:LINKS]
    ]


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
