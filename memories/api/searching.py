"""Strict search: only what answers, or an explicit “no strong match”."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, read_query
from console.errors import Invalid, Problem
from memories.api import shapes
from memories.api.render import boundary_json, ids
from memories.search.search import Found, Hit, Search, search
from memories.search.wanted import LIMIT_MOST

ORDERS = {"asc": "oldest", "desc": "newest"}


class SearchShape(serializers.Serializer):
    """GET memories/search."""

    query = shapes.Text(default="")
    limit = shapes.Whole(least=1, most=LIMIT_MOST, default=5)
    bucket = shapes.Text(default="%")
    scope = shapes.Text(required=False)
    team_id = shapes.Team(required=False)
    memory_type = shapes.Text(default="%")
    path = shapes.Text(default="%")
    since = shapes.Moment(required=False)
    until = shapes.Moment(required=False)
    prefer_working = shapes.Flag(default=False)
    explain = shapes.Flag(default=False)
    threshold = shapes.Share(required=False)
    time_order = shapes.Text(required=False)
    query_mode = shapes.Text(default="topic")


class SearchMemories(Door):
    """GET memories/search."""

    needs = "memory:read"

    def get(self, request: Request) -> Response:
        """Ranked hits; where nothing is strong enough, none, and the filters in force."""
        wanted = wanted_of(request)
        actor = actor_of(request)
        return Response(
            found_json(search(actor, wanted), explain=wanted.explain) | {"agent_boundary": boundary_json(actor)}
        )


def wanted_of(request: Request) -> Search:
    """The search that the query asks for. Raises Invalid, and NotAllowed for what cannot be a team."""
    sent = read_query(SearchShape, request)
    mode = sent.pop("query_mode")
    if mode not in ("topic", "activity_log"):
        raise Invalid.field("query_mode", "This mode is unknown. Send topic or activity_log.", where="query")
    if mode == "activity_log":
        _check_log(sent, request)
        sent["query"] = sent["query"] or "*"
        sent.setdefault("time_order", "newest")
    order = sent.get("time_order")
    return Search(**sent | {"time_order": ORDERS.get(order, order) if order else None})


def _check_log(sent: dict[str, Any], request: Request) -> None:
    """An activity log is of a span that leaves no doubt: both ends, with offsets."""
    problems = []
    for name in ("since", "until"):
        text = request.query_params.get(name, "").strip()
        if sent.get(name) is None:
            problems.append(Problem(("query", name), f"An activity log needs {name}. Send a time with its offset."))
        elif not (text[-1:] in "Zz" or text[-6:-5] in ("+", "-")):
            problems.append(Problem(("query", name), f"{name} has no offset. Add one, e.g. 2026-03-01T00:00:00Z."))
    if problems:
        raise Invalid(*problems)


def found_json(found: Found, *, explain: bool) -> dict[str, Any]:
    """The answer: `results`, and `no_match` where there are none."""
    body: dict[str, Any] = {
        "results": [_hit_json(hit, explain=explain) for hit in found.hits],
        "coverage": found.coverage,
        "filters": found.filters,
    }
    if found.no_match is not None:
        filters = {one["name"]: one["value"] for one in found.no_match.filters}
        body["no_match"] = {"reason": found.no_match.reason, "filters": filters}
    return body


def _hit_json(hit: Hit, *, explain: bool) -> dict[str, Any]:
    memory = hit.memory
    body: dict[str, Any] = {
        **ids(memory.pk),
        "content": memory.content,
        "path": memory.path,
        "bucket": memory.bucket,
        "scope": memory.scope,
        "memory_type": memory.memory_type,
        "similarity": hit.score,
        "created_at": memory.created_at,
        "agent_boundary": {
            "owner_id": memory.owner_id,
            "team_id": memory.team_id,
            "bucket": memory.bucket,
            "scope": memory.scope,
            "agent_id": memory.agent_id or None,
        },
    }
    if explain:
        body["explanation"] = {
            "words": hit.words,
            "meaning": hit.meaning,
            "matched": list(hit.matched),
            "marks": [list(span) for span in hit.marks],
            "visible_because": hit.why_visible,
        }
    return body
