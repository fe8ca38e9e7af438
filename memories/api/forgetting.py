"""Forgetting records and bringing them back; by the id of a memory, a TODO or a ledger entry."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, etag, if_match, read
from console.errors import Invalid
from memories.access import Actor
from memories.api import shapes
from memories.api.render import ids
from memories.services import fields, records
from memories.services.erase import request_erasure
from memories.services.forget import Moved, forget, restore

MODES = {"": "soft", "soft": "soft", "soft_delete": "soft", "hard": "hard", "hard_delete": "hard"}


class Forget(Door):
    """POST memories/{id}/forget."""

    def post(self, request: Request, record_id: str) -> Response:
        """Soft: into the trash. Hard: asks a person to confirm, and deletes nothing yet."""
        key = fields.record_id(record_id)
        mode, reason = mode_of(body_of(request))
        with if_match(request) as seen:
            if mode == "hard":
                return _ask(key, reason, seen, actor_of(request))
            moved = forget(record_id=key, reason=reason, seen_version=seen, actor=actor_of(request))
        return _answer(moved, mode="soft_delete", forgotten=True)


class Restore(Door):
    """POST memories/{id}/restore."""

    def post(self, request: Request, record_id: str) -> Response:
        """Back from the trash to where it stood."""
        key = fields.record_id(record_id)
        reason = read(shapes.Reason, body_of(request)).get("reason", "")
        with if_match(request) as seen:
            moved = restore(record_id=key, reason=reason, seen_version=seen, actor=actor_of(request))
        return _answer(moved, restored=True)


def mode_of(given: dict[str, Any]) -> tuple[str, str]:
    """`soft` or `hard` and the reason. Hard is never inferred. Raises Invalid."""
    sent = read(shapes.Forget, given)
    if "replacement_content" in sent:
        raise Invalid.field(
            "replacement_content", "Forgetting replaces nothing. To replace the content, use redact_memory."
        )
    mode = sent.get("mode", "")
    if mode == "redact":
        raise Invalid.field("mode", "Redaction has a verb of its own. Use redact_memory.")
    if mode not in MODES:
        raise Invalid.field("mode", "This mode is unknown. Send soft or hard.")
    return MODES[mode], sent.get("reason", "")


def _ask(key: UUID, reason: str, seen: int | None, actor: Actor) -> Response:
    """202 with the address where the person confirms."""
    asked = request_erasure(record_id=key, reason=reason, seen_version=seen, actor=actor)
    body = {
        "ok": True,
        **ids(key),
        "mode": "hard_delete",
        "status": "awaiting_confirmation",
        "forgotten": False,
        "url": f"{settings.CONSOLE_URL}/erasure-requests/{asked.pk}",
        "expires_at": asked.expires_at,
    }
    return Response(body, status=202)


def _answer(moved: Moved, **more: Any) -> Response:
    version = records.standing(moved.record).version
    body = {
        "ok": True,
        **ids(moved.record.pk),
        "kind": records.kind_of(moved.record),
        "status": moved.status,
        "version": version,
        "audit_record_id": moved.audit_id,
        **more,
    }
    return Response(body, headers=etag(version))
