"""Questions with their options, and what was decided."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
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
    due_at = shapes.Moment(required=False)


class Resolution(serializers.Serializer):
    """POST decisions/{id}/resolve."""

    resolution = shapes.Given()


class Stands(shapes.Text):
    """Whether it is decided."""

    default_error_messages = {"stands": _("There is no such status. Choose among {known}.")}

    def to_internal_value(self, data: Any) -> str:
        """The status."""
        if data not in decisions.STATUSES:
            self.fail("stands", known=", ".join(decisions.STATUSES))
        return str(data)


class Listing(kinds.Narrowed):
    """GET decisions. `item_status` is another name of decision_status."""

    decision_status = Stands(default="%")
    item_status = Stands(required=False)
    due_before = shapes.Moment(required=False)


class Decisions(Door):
    """GET and POST decisions."""

    needs = "memory:read"

    def get(self, request: Request) -> Response:
        """The decisions within the filters, newest first."""
        sent = read_query(Listing, request)
        given = kinds.filters_of(sent)
        stands = given.pop("decision_status")
        given["decided"] = given.pop("item_status", stands)
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
    stands = "open" if decision.resolved_at is None else "resolved"
    return {
        **ids(decision.pk),
        "item_kind": "decision",
        "item_status": stands,
        "context": decision.context,
        "options": decision.options,
        "due_at": decision.due_at,
        "resolution": decision.resolution or None,
        "resolved_at": decision.resolved_at,
        "decision_status": stands,
        **kinds.standing_json(decision),
    }


def _answer(decision: Decision) -> Response:
    return Response(decision_json(decision), headers=etag(decision.version))
