"""Counts of memories."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, read_query
from memories.access import Actor
from memories.api import shapes
from memories.api.writing import below, filters_of, status_of
from memories.models import LifecycleStatus, Memory
from memories.search.wanted import narrowed
from memories.services import statistics
from memories.services.status import in_status

TOP_MOST = 200


class Counted(serializers.Serializer):
    """GET memories/stats. The filters of the list, a span of time, and what to group by."""

    path_prefix = shapes.Filter(required=False)
    path = shapes.Filter(default="%")
    bucket = shapes.Filter(default="%")
    scope = shapes.Filter(required=False)
    team_id = shapes.Team(required=False)
    memory_type = shapes.Text(default="%")
    status = shapes.Text(default="%")
    source = shapes.Filter(default="%")  # type: ignore[assignment]
    since = shapes.Moment(required=False)
    until = shapes.Moment(required=False)
    group_by = shapes.Text(default="")
    top_n = shapes.Whole(least=1, most=TOP_MOST, default=20)


class Stats(Door):
    """GET memories/stats."""

    needs = "memory:read"
    query = Counted

    def get(self, request: Request) -> Response:
        """How many memories there are within the filters, and in groups. What is in the trash does not count."""
        return Response(stats_json(read_query(Counted, request), actor_of(request)))


def stats_json(wanted: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """The statistics that `wanted`, a `Counted`, asks for. Raises Invalid, NotAllowed."""
    rows = in_status(_within(wanted, actor), status_of(wanted["status"]))
    found = statistics.count(rows, group_by=wanted["group_by"], top_n=wanted["top_n"], actor=actor)
    return {
        "total_count": found.total,
        "filtered_count": found.filtered,
        "scanned_count": found.filtered,
        "latest_at": found.latest_at,
        "oldest_at": found.oldest_at,
        "type_counts": found.by_type,
        "status_counts": found.by_status,
        "bucket_counts": found.by_bucket,
        "groups": [
            {
                "group_by": {group.by: group.value},
                "by": group.by,
                "value": group.value,
                "count": group.count,
                "latest_at": group.latest_at,
                "oldest_at": group.oldest_at,
            }
            for group in found.groups
        ],
    }


def forgotten(wanted: dict[str, Any], actor: Actor) -> int:
    """How many memories within the same filters are in the trash. Raises Invalid, NotAllowed."""
    return _within(wanted, actor).filter(state__status=LifecycleStatus.DELETED).count()


def _within(wanted: dict[str, Any], actor: Actor) -> QuerySet[Memory]:
    rows = narrowed(statistics.visible(actor), filters_of(wanted, actor)).filter(below(wanted.get("path_prefix", "%")))
    return rows if wanted["source"] in ("%", "") else rows.filter(source=wanted["source"])
