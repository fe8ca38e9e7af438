"""What is left to say of a record that was deleted for good."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of
from memories.services import fields
from memories.services.receipt import as_json, receipt


class OneErasure(Door):
    """GET erasures/{id}."""

    needs = "memory:read"

    def get(self, request: Request, record_id: str) -> Response:
        """The receipt, with every place looked into now."""
        return Response(as_json(receipt(fields.record_id(record_id), actor=actor_of(request))))
