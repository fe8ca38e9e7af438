"""Questions with their options, and what was decided."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, etag, if_match, read, read_query
from memories.api import kinds, shapes
from memories.api.finding import undeleted
from memories.api.render import ids
from memories.models import Decision
from memories.services import decisions, fields


class New(kinds.Placed):
    """POST decisions."""

    context = shapes.Given()  # type: ignore[assignment]
    options = shapes.Given(required=False)


class Resolution(serializers.Serializer):
    """POST decisions/{id}/resolve."""

    resolution = shapes.Given()


class Listing(kinds.Narrowed):
    """GET decisions."""

    decision_status = shapes.Text(default="%")


class Decisions(Door):
    """GET and POST decisions."""

    needs = "memory:read"

    def get(self, request: Request) -> Response:
        """The decisions within the filters, newest first."""
        sent = read_query(Listing, request)
        given = kinds.filters_of(sent)
        given["decided"] = given.pop("decision_status")
        page, total = kinds.page_of(decisions.listed(decisions.Wanted(**given), actor=actor_of(request)), sent)
        return Response({"decisions": [decision_json(one) for one in page], "total": total})

    def post(self, request: Request) -> Response:
        """A decision to be made."""
        sent = kinds.written(read(New, body_of(request)))
        return _answer(decisions.ask(**sent, actor=actor_of(request)))


class OneDecision(Door):
    """GET decisions/{id}."""

    needs = "memory:read"

    def get(self, request: Request, record_id: str) -> Response:
        """The decision; its version is the ETag."""
        return _answer(undeleted(decisions.find(fields.record_id(record_id), actor=actor_of(request))))


class Resolve(Door):
    """POST decisions/{id}/resolve."""

    def post(self, request: Request, record_id: str) -> Response:
        """What was decided; it can be said once."""
        key = fields.record_id(record_id)
        said = read(Resolution, body_of(request))
        with if_match(request) as seen:
            return _answer(decisions.resolve(decision_id=key, **said, seen_version=seen, actor=actor_of(request)))


def decision_json(decision: Decision) -> dict[str, Any]:
    """A decision."""
    return {
        **ids(decision.pk),
        "context": decision.context,
        "options": decision.options,
        "resolution": decision.resolution or None,
        "resolved_at": decision.resolved_at,
        "decision_status": "open" if decision.resolved_at is None else "resolved",
        **kinds.standing_json(decision),
    }


def _answer(decision: Decision) -> Response:
    return Response(decision_json(decision), headers=etag(decision.version))
