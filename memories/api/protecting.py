"""Pins and legal holds."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, etag, if_match, read
from memories.api import shapes
from memories.api.render import ids
from memories.services import fields, records
from memories.services.protect import lift_hold, set_hold, set_pinned


class Pin(Door):
    """PUT and DELETE memories/{id}/pin."""

    def put(self, request: Request, record_id: str) -> Response:
        """No pass changes the memory any more."""
        return self._set(request, record_id, pinned=True)

    def delete(self, request: Request, record_id: str) -> Response:
        """Passes may change it again."""
        return self._set(request, record_id, pinned=False)

    def _set(self, request: Request, record_id: str, *, pinned: bool) -> Response:
        key, reason = fields.record_id(record_id), read(shapes.Reason, body_of(request), strict=True).get("reason", "")
        with if_match(request) as seen:
            memory = set_pinned(memory_id=key, pinned=pinned, reason=reason, seen_version=seen, actor=actor_of(request))
        return _answer(memory, pinned=memory.pinned)


class Hold(Door):
    """PUT and DELETE memories/{id}/hold, for records of every kind."""

    def put(self, request: Request, record_id: str) -> Response:
        """Under the legal hold `name`, nothing removes the record."""
        key, sent = fields.record_id(record_id), read(shapes.Hold, body_of(request), strict=True)
        more = {"reason": sent.get("reason", ""), "actor": actor_of(request)}
        with if_match(request) as seen:
            record = set_hold(record_id=key, name=sent["name"], seen_version=seen, **more)
        return _answer(record, hold=record.hold)

    def delete(self, request: Request, record_id: str) -> Response:
        """The end of its hold."""
        key, reason = fields.record_id(record_id), read(shapes.Reason, body_of(request), strict=True).get("reason", "")
        with if_match(request) as seen:
            record = lift_hold(record_id=key, reason=reason, seen_version=seen, actor=actor_of(request))
        return _answer(record, hold=None)


def _answer(record: records.Record, **now: object) -> Response:
    version = records.standing(record).version
    body = {"ok": True, **ids(record.pk), "kind": records.kind_of(record), "version": version, **now}
    return Response(body, headers=etag(version))
