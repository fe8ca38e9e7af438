"""Who is calling."""

from __future__ import annotations

from typing import Any

from console.mcp import outputs, wording
from console.mcp.tool import Answer, Tool
from memories.access import Actor
from memories.api.render import boundary_json


def _identity(sent: dict[str, Any], actor: Actor) -> Answer:
    tenant, scopes = boundary_json(actor), sorted(actor.scopes)
    agent = actor.agent_id or "none"
    said = [f"Owner ID: {actor.user_id}", f"Agent ID: {agent}", f"Scopes: {', '.join(scopes)}"]
    said.append(f"Tenant: {wording.quoted(tenant)}")
    body = {"owner_id": actor.user_id, "agent_id": agent, "scopes": scopes, "tenant": tenant}
    return Answer("\n".join(said), body)


TOOLS = (
    Tool(
        name="get_mcp_identity",
        title="Who am I",
        about="For whom this token acts, with which scopes, inside which boundary. Use it when something is refused.",
        takes={},
        gives=outputs.record(
            {"owner_id": outputs.TEXT, "agent_id": outputs.TEXT, "scopes": outputs.TEXTS, "tenant": outputs.ANYTHING}
        ),
        run=_identity,
        needs="",
    ),
)
