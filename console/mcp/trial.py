"""What an agent with a key would be told, tried in the console: the bridge's own answers, asked of nobody else.

Nothing leaves this process, and it does not count as a use: that a token was used says that its agent has called.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings

from console import credentials
from console.errors import NotAllowed
from console.mcp.tools import TOOLS
from console.saying import phrase
from memories.access import Actor, bearer, may_use
from memories.models import ApiToken

PREFIX_LENGTH = 16  # characters; what lists show of a key is shorter


@dataclass(frozen=True, slots=True)
class Trial:
    """What came back: for whom the key acts, the tools it is shown, and what the bridge says of both."""

    token: ApiToken
    agent: Actor
    tools: tuple[str, ...]
    said: tuple[tuple[str, str], ...]  # the tool asked and its answer
    memories: int | None  # how many live ones it may see; None where it may not read


def attempt(key: str, *, actor: Actor) -> Trial:
    """Ask the bridge with `key`, one of the actor's own. Raises NotAllowed saying what is wrong and what to do."""
    token = credentials.token_of(_whole(key))
    if token.user_id != actor.own:
        raise NotAllowed(phrase("This token acts for another person. Only they can try it here."))
    about: dict[str, Any] = {"ip": actor.ip, "request_id": actor.request_id, "audit_id": actor.audit_id}
    agent = bearer(token, **about).through("mcp")
    shown = tuple(name for name, tool in TOOLS.items() if tool.shown_to(agent, settings.MCP_PROFILE))
    asked = ["get_mcp_identity", *(["memory_overview"] if may_use(agent, "memory:read") else [])]
    answers = {name: TOOLS[name].call({}, agent, settings.MCP_PROFILE) for name in asked}
    overview = answers.get("memory_overview")
    return Trial(
        token,
        agent,
        shown,
        tuple((name, answer.text) for name, answer in answers.items()),
        overview.body["memories"]["status_counts"].get("active", 0) if overview else None,
    )


def _whole(key: str) -> str:
    """The key without what is often copied along with it."""
    kind, _, rest = key.strip().partition(" ")
    found = rest.strip() if kind.lower() in ("bearer", "bearer:") else key.strip()
    if not found:
        raise NotAllowed(phrase("No token was sent. Paste the whole key; it begins with mc_."))
    if any(letter.isspace() for letter in found):
        raise NotAllowed(phrase("This token has white space in it. Paste it again, all in one piece."))
    if found.startswith("mc_") and len(found) < PREFIX_LENGTH:
        raise NotAllowed(phrase("This is only the beginning of a token, as lists show it. Paste the whole key."))
    return found
