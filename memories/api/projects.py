"""What an agent should know of a project when it begins to work on it."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, read
from memories.api import shapes
from memories.api.render import boundary_json, ids, memory_json
from memories.search.pack import TOKENS_MOST
from memories.search.wanted import LIMIT_MOST
from memories.services import projects


class Wanted(serializers.Serializer):
    """POST projects/{id}/context."""

    team_id = shapes.Team(required=False)
    max_items = shapes.Whole(least=1, most=LIMIT_MOST, default=20)
    max_tokens = shapes.Whole(least=1, most=TOKENS_MOST, default=4_000)
    durable_query = shapes.Text(default="")


class ProjectContext(Door):
    """POST projects/{id}/context. It writes nothing."""

    changes = False

    def post(self, request: Request, project_id: str) -> Response:
        """The facts that fit `durable_query` and the newest memories of a project, never more than asked."""
        actor, sent = actor_of(request), read(Wanted, body_of(request))
        limits = {name: sent[name] for name in ("max_items", "max_tokens")}
        team_id = sent.get("team_id")
        asked = {"project_id": project_id, "query": sent["durable_query"], "team_id": team_id}
        known = projects.context(**asked, **limits, actor=actor)
        facts = [
            {**ids(one.pk), "content": one.content, "path": one.path, "bucket": one.bucket, "similarity": hit.score}
            for hit in known.facts
            for one in (hit.memory,)
        ]
        scope = {
            "project_id": project_id,
            "owner_id": actor.own,
            "organization_id": None,
            "workspace_id": None,
            "team_id": team_id,
            "scope_key": projects.scope_of(project_id),
        }
        body = {
            "project_scope": scope,
            "recent_memories": [memory_json(one) for one in known.recent],
            "durable_context": {"items": facts},
            "budget": {"used_items": len(facts) + len(known.recent), "used_tokens": known.tokens, **limits},
            "agent_boundary": boundary_json(actor),
        }
        return Response(body)
