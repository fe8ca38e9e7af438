"""The JSON door to what is known about one memory: its lineage, what the rules say about it, and what they will do."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, read_query
from console.errors import Invalid
from console.saying import phrase
from memories.api.finding import memory_of
from memories.api.render import ids
from memories.api.shapes import Text, Whole
from reflection import report
from reflection.planner.ahead import Ahead
from reflection.services import lineage
from reflection.services.ahead import look_ahead
from reflection.services.lineage import Node, Side
from reflection.services.why import MOST_HOURS, explain

DAYS = (0, 1, 7, 14, 28, 56, 91, 182, 365)  # from now, of which the importance is told


class LineageShape(serializers.Serializer):
    """GET lineage: how many of each side to pass over."""

    sources = Whole(least=0, most=1_000_000, default=0)
    derived = Whole(least=0, most=1_000_000, default=0)


class WhyShape(serializers.Serializer):
    """GET why."""

    hours = Text(required=False)


class Lineage(Door):
    """GET memories/{id}/lineage."""

    needs = "memory:read"
    query = LineageShape

    def get(self, request: Request, record_id: str) -> Response:
        """What a memory rests on and what was made of it, the nearest in pages, each with a few of what lies behind."""
        wanted, actor = read_query(LineageShape, request), actor_of(request)
        memory = memory_of(record_id, actor)
        sides = {
            "sources": lineage.sources(memory, start=wanted["sources"], actor=actor),
            "derived": lineage.derived(memory, start=wanted["derived"], actor=actor),
        }
        gone = {"sources_gone": lineage.gone(memory)}
        return Response({**ids(memory.pk), **gone, **{name: _side_json(side) for name, side in sides.items()}})


class Why(Door):
    """GET memories/{id}/why."""

    needs = "memory:read"
    query = WhyShape

    def get(self, request: Request, record_id: str) -> Response:
        """Each action's conditions: what was measured, what the policy asks for, whether it holds."""
        wanted = read_query(WhyShape, request)
        hours = _hours(wanted.get("hours", "24"))
        memory = memory_of(record_id, actor_of(request))
        found = explain(memory.pk, hours=hours, actor=actor_of(request))
        body: dict[str, Any] = {
            **ids(found.memory.pk),
            "policy": {"number": found.policy.number},
            "as_of": found.as_of,
            "time_window_hours": found.hours,
            "compared": found.compared,
            "boundary": found.boundary,
            "out_of_reach": found.why_not or None,
            "answers": [asdict(one) for one in found.answers],
        }
        return Response(body)


class Importance(Door):
    """GET memories/{id}/importance."""

    needs = "memory:read"

    def get(self, request: Request, record_id: str) -> Response:
        """How its importance fades if nobody uses or edits it, and when a pass would put it away."""
        memory = memory_of(record_id, actor_of(request))
        found = look_ahead(memory.pk, actor=actor_of(request))
        body: dict[str, Any] = {
            **ids(memory.pk),
            "policy": {"number": found.policy.number},
            "as_of": found.as_of,
            "stored": memory.state.importance,
            "out_of_reach": found.why_not or None,
            "ahead": _ahead_json(found.ahead) if found.ahead else None,
        }
        return Response(body)


def _ahead_json(ahead: Ahead) -> dict[str, Any]:
    """What lies before a memory: when it crosses limits, and its importance after some days."""
    leaving = ahead.leaving()
    values = [(days, ahead.value_at(ahead.as_of + timedelta(days=days))) for days in DAYS]
    return {
        "steady_because": ahead.steady or None,
        "written_from": ahead.written_from(),
        "below_from": ahead.below_from(),
        "leaves_known": ahead.whole,
        "leaves": leaving
        and {
            "at": leaving.at,
            "action": leaving.proposal.action,
            "rule": leaving.proposal.why["rule"],
            "text": leaving.proposal.why["text"],
        },
        "importance": [{"days": days, "importance": round(value, 6)} for days, value in values],
    }


def _hours(text: str) -> float:
    """A span in hours. Raises Invalid."""
    try:
        hours = float(text) if len(text) < 20 else -1.0
    except ValueError:
        hours = -1.0
    if not 0 < hours <= MOST_HOURS:
        said = phrase("hours is a number from 0 to %(most)s. Correct it.", most=f"{MOST_HOURS:,}")
        raise Invalid.field("hours", said, where="query")
    return hours


def _side_json(side: Side) -> dict[str, Any]:
    return {
        "total": side.total,
        "hidden": side.hidden,
        "records": [_node_json(node) for node in side.nodes],
        "next": side.last if side.last < side.total else None,
    }


def _node_json(node: Node) -> dict[str, Any]:
    maker = node.maker
    return {
        **ids(node.id),
        "relation": node.kind,
        "quote": node.quote,
        "begins": node.text,
        "path": node.path,
        "memory_type": node.memory_type,
        "derivation": node.derivation or None,
        "status": node.status,
        "trust": node.trust,
        "source": node.source,
        "pass_id": str(maker.pass_id) if maker else None,
        "candidate_id": str(maker.candidate_id) if maker else None,
        "url": report.candidate_address(maker.pass_id, maker.candidate_id) if maker else None,
        "behind": [_node_json(child) for child in node.children],
        "more": node.more,
    }
