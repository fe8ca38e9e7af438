"""Marks of use."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, etag, read
from memories.api import shapes
from memories.api.render import ids
from memories.services import fields, usage


class Use(serializers.Serializer):
    """POST memories/{id}/usage."""

    action = shapes.Given(required=False)
    context = shapes.Given(required=False)  # type: ignore[assignment]
    usage_tracking_id = shapes.Given(required=False)
    metadata = shapes.Given(required=False)


class Usage(Door):
    """POST memories/{id}/usage."""

    def post(self, request: Request, record_id: str) -> Response:
        """Count one use. Fields that are not known are refused here, unlike elsewhere."""
        key = fields.record_id(record_id)
        sent = read(Use, body_of(request), strict=True)
        if "usage_tracking_id" in sent:
            sent["tracking_id"] = sent.pop("usage_tracking_id")
        found = usage.mark(memory_id=key, **sent, actor=actor_of(request))
        state = found.memory.state
        body = {
            "ok": True,
            **ids(found.memory.pk),
            "counted": found.counted,
            "use_count": state.use_count,
            "last_used_at": state.last_used_at,
            "importance": state.importance,
            "version": state.version,
        }
        return Response(body, headers=etag(state.version))
