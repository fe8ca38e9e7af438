"""What is known of a project: its durable facts, and what happened last, within a budget."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from console.errors import Invalid
from console.saying import phrase
from memories.access import Actor, check_may_use, live, visible_to
from memories.models import Memory
from memories.models.memory import MemoryType
from memories.search.hits import Hit
from memories.search.pack import recall_context, tokens_of
from memories.search.wanted import Search, check, narrowed, visible_text

SCOPE = "tenant:project:"
ID_LIMIT = 150  # characters
LOOKED_AT = 200  # newest memories among which those that fit are chosen


@dataclass(frozen=True, slots=True)
class Known:
    """Facts first, each with its strength; then the newest memories that are not among them."""

    facts: list[Hit]
    recent: list[Memory]
    tokens: int


def scope_of(project_id: str) -> str:
    """The scope under which the memories of a project stand. Raises Invalid."""
    if not visible_text(project_id) or len(project_id) > ID_LIMIT:
        raise Invalid.field(
            "project_id", phrase("The id of a project has 1 to %(most)s characters.", most=ID_LIMIT), where="path"
        )
    return SCOPE + project_id


def context(
    *, project_id: str, query: str, team_id: UUID | None, max_items: int, max_tokens: int, actor: Actor
) -> Known:
    """Up to `max_items` memories of a project within `max_tokens`, at most half of them facts that fit `query`.

    Raises Invalid, NotAllowed.
    """
    check_may_use(actor, "memory:read")
    wanted = Search(query or "*", scope=scope_of(project_id), team_id=team_id, memory_type=MemoryType.SEMANTIC)
    pack = recall_context(actor, wanted, max_items=-(-max_items // 2), max_tokens=max(1, max_tokens // 2))
    place = Search("*", scope=wanted.scope, team_id=team_id)
    check(place, actor)
    rows = narrowed(live(visible_to(actor, Memory.objects.select_related("state"))), place)
    rows = rows.exclude(pk__in=[hit.memory.pk for hit in pack.items]).order_by("-created_at", "-pk")
    tokens, recent = pack.tokens, list[Memory]()
    for memory in rows[:LOOKED_AT]:
        more = tokens_of(memory.content)
        if len(recent) + len(pack.items) < max_items and tokens + more <= max_tokens:
            recent.append(memory)
            tokens += more
    return Known(pack.items, recent, tokens)
