"""One question asked through either door, the page or the API, and many rows at once."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import connection
from django.http import HttpResponse

from memories.models import User
from tests.memories.api_client import Api
from tests.memories.page_client import signed_in

DOORS = ("page", "api")
NAMES = {"memory_type": "type", "team_id": "team"}  # what a filter of the API is called on the page

MANY = """
WITH made AS (
  INSERT INTO memories_memory (id, owner_id, bucket, path, created_at, updated_at, memory_type, content, metadata,
    provenance, source, agent_id, language, trust, derivation, event_type, pinned, hold)
  SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(%(first)s + i), 12, '0'))::uuid,
    %(owner)s, %(bucket)s, 'many', %(newest)s - i * interval '1 minute', %(newest)s, 'semantic',
    replace(%(content)s, '{}', i::text), '{}', '{}', '', '', 'en', 1, '', '', false, ''
  FROM generate_series(0, %(count)s - 1) AS i RETURNING id, created_at)
INSERT INTO memories_memorystate (memory_id, importance, base, anchor, use_count, status, version, status_before_delete)
SELECT id, 0.5, 0.5, created_at, 0, 'active', 1, '' FROM made
"""


def many(owner: User, count: int, content: str, *, newest: datetime, bucket: str = "work", first: int = 0) -> None:
    """Memories with a number for each {} in `content`, the newest numbered 0. `first` parts ids of several calls."""
    values = {"owner": owner.pk, "count": count, "content": content, "newest": newest, "bucket": bucket}
    with connection.cursor() as cursor:
        cursor.execute(MANY, {**values, "first": first})


def listed(door: str, who: User, **filters: Any) -> list[str]:
    """The texts of the first page of the list of memories."""
    if door == "api":
        return [one["content"] for one in Api(who).get("memories", **filters).json()["memories"]]
    context = signed_in(who).get("/memories", _on_page(filters)).context
    return [row.line for row in context["page"].rows]


def found(door: str, who: User, query: str, **filters: Any) -> list[str]:
    """The texts that a strict search shows."""
    if door == "api":
        return [one["content"] for one in Api(who).get("memories/search", query=query, **filters).json()["results"]]
    context = signed_in(who).get("/search", {"query": query, **_on_page(filters)}).context
    return [hit.memory.content for hit in context["found"].hits]


def written(door: str, who: User, content: str, **fields: Any) -> HttpResponse:
    """The answer to a new memory: 200 from the API or 302 from the page where it was taken, else 422."""
    sent = {"content": content, "path": "", "bucket": "work", **fields}
    if door == "api":
        return Api(who).post("remember", sent)
    plain = {"type": "auto", "space": str(who.pk), "importance": "0.5"}
    return signed_in(who).post("/memories/new", plain | _on_page(sent))


def taken(answer: HttpResponse) -> bool:
    """Whether a new memory was stored."""
    return answer.status_code in (200, 302) and "form" not in (answer.context or {})


def _on_page(filters: dict[str, Any]) -> dict[str, Any]:
    return {NAMES.get(name, name): value for name, value in filters.items()}
