"""What happened, in order."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, etag, read, read_query
from memories.api import kinds, shapes
from memories.api.render import ids
from memories.models import Memory
from memories.services import timeline


class New(kinds.Placed):
    """POST timeline/events."""

    content = shapes.Given()
    event_type = shapes.Given(required=False)
    occurred_at = shapes.Moment(required=False)
    session_id = shapes.Given(required=False)
    importance = shapes.Given(required=False)
    metadata = shapes.Given(required=False)
    source = shapes.Given(required=False)  # type: ignore[assignment]


class Listing(serializers.Serializer):
    """GET timeline. `since` is part of the range, `until` is not."""

    since = shapes.Moment(required=False)
    until = shapes.Moment(required=False)
    session_id = shapes.Text(required=False)
    event_type = shapes.Text(default="%")
    type = shapes.Text(required=False)
    bucket = shapes.Filter(default="%")
    scope = shapes.Filter(required=False)
    team_id = shapes.Team(required=False)
    limit = shapes.Whole(least=1, most=kinds.LIMIT_MOST, default=100)
    offset = shapes.Whole(least=0, most=1_000_000, default=0)


class Events(Door):
    """POST timeline/events."""

    def post(self, request: Request) -> Response:
        """Write one event down."""
        sent = kinds.written(read(New, body_of(request)))
        if "session_id" in sent:
            sent["session"] = sent.pop("session_id")
        event = timeline.record(event=timeline.NewEvent(**sent), actor=actor_of(request))
        body = {**ids(event.pk), "status": "created", "event": event_json(event)}
        return Response(body, headers=etag(event.state.version))


class Timeline(Door):
    """GET timeline."""

    needs = "memory:read"

    def get(self, request: Request) -> Response:
        """The events within the filters, the latest first."""
        sent = read_query(Listing, request)
        given = kinds.filters_of(sent)
        given["event_type"] = given.pop("type", None) or given["event_type"]
        given["session"] = given.pop("session_id", None)
        page, total = kinds.page_of(timeline.listed(timeline.Wanted(**given), actor=actor_of(request)), sent)
        return Response({"events": [event_json(event) for event in page], "total": total})


def event_json(event: Memory) -> dict[str, Any]:
    """An event."""
    return {
        **ids(event.pk),
        "content": event.content,
        "event_type": event.event_type,
        "occurred_at": event.occurred_at,
        "session_id": event.session,
        "importance": event.state.importance,
        "bucket": event.bucket,
        "scope": event.scope,
        "team_id": event.team_id,
        "path": event.path,
        "metadata": event.metadata,
        "agent_id": event.agent_id,
        "source": event.source,
        "version": event.state.version,
        "created_at": event.created_at,
    }
