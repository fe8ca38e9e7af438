"""Forgetting records and bringing them back; by the id of a memory, a TODO or a ledger entry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from rest_framework.request import Request
from rest_framework.response import Response

from console.door import Door, actor_of, body_of, etag, if_match, read
from console.errors import Invalid
from console.saying import phrase
from memories.access import Actor
from memories.api import shapes
from memories.api.render import ids
from memories.services import fields, records
from memories.services.erase import request_erasure
from memories.services.forget import Moved, forget, restore
from memories.services.redact import REPLACEMENT, redact
from memories.services.target import resolve

AWAITS_PERSON = "awaiting_confirmation"
MODES = {"": "soft", "soft": "soft", "soft_delete": "soft", "hard": "hard", "hard_delete": "hard", "redact": "redact"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """How a record is to be forgotten: `soft`, `hard` or `redact`."""

    mode: str
    reason: str
    replacement: str


class ForgetOne(Door):
    """POST memories/{id}/forget."""

    def post(self, request: Request, record_id: str) -> Response:
        """Soft: into the trash. Redact: content replaced. Hard: asks a person to confirm, and deletes nothing yet."""
        key = fields.record_id(record_id)
        return _carried_out(key, wanted_of(read(shapes.Forget, body_of(request))), request)


class Forget(Door):
    """POST forget."""

    def post(self, request: Request) -> Response:
        """The same for the record of `memory_id`, or else for the only one that `target` means."""
        sent = read(shapes.ForgetTarget, body_of(request))
        wanted = wanted_of(sent)
        return _carried_out(named(sent, actor_of(request)), wanted, request)


class Restore(Door):
    """POST memories/{id}/restore."""

    def post(self, request: Request, record_id: str) -> Response:
        """Back from the trash to where it stood."""
        key = fields.record_id(record_id)
        reason = read(shapes.Reason, body_of(request)).get("reason", "")
        with if_match(request) as seen:
            moved = restore(record_id=key, reason=reason, seen_version=seen, actor=actor_of(request))
        return _answer(moved_json(moved, restored=True))


def wanted_of(sent: dict[str, Any]) -> Wanted:
    """How to forget. Hard is never inferred. Raises Invalid."""
    mode = sent.get("mode", "")
    if mode not in MODES:
        raise Invalid.field("mode", phrase("This mode is unknown. Send soft, hard or redact."))
    if "replacement_content" in sent and mode != "redact":
        raise Invalid.field(
            "replacement_content",
            phrase("Forgetting replaces nothing. To replace the content, use redact_memory, or send the mode redact."),
        )
    return Wanted(MODES[mode], sent.get("reason", ""), sent.get("replacement_content", REPLACEMENT))


def named(sent: dict[str, Any], actor: Actor) -> UUID:
    """The record of `memory_id`, or else the only one that `target` means. Raises Invalid, NotFound, Conflict."""
    if "memory_id" not in sent and "target" not in sent:
        raise Invalid.field("memory_id", phrase("No record is named. Send memory_id, or target."))
    key = sent.get("memory_id")
    return fields.record_id(key) if key is not None else resolve(sent["target"], actor=actor)


def carry_out(key: UUID, wanted: Wanted, seen: int | None, actor: Actor) -> dict[str, Any]:
    """Forget one record as `wanted`; what happened. Hard asks a person to confirm, and deletes nothing yet."""
    if wanted.mode == "hard":
        return _ask(key, wanted.reason, seen, actor)
    if wanted.mode == "redact":
        return _redact(key, wanted, seen, actor)
    moved = forget(record_id=key, reason=wanted.reason, seen_version=seen, actor=actor)
    return moved_json(moved, mode="soft_delete", forgotten=True)


def _carried_out(key: UUID, wanted: Wanted, request: Request) -> Response:
    with if_match(request) as seen:
        return _answer(carry_out(key, wanted, seen, actor_of(request)))


def _redact(key: UUID, wanted: Wanted, seen: int | None, actor: Actor) -> dict[str, Any]:
    done = redact(
        memory_id=key, replacement_content=wanted.replacement, reason=wanted.reason, seen_version=seen, actor=actor
    )
    return {
        "ok": True,
        **ids(key),
        "kind": "memory",
        "mode": "redact",
        "status": "redacted",
        "forgotten": True,
        "version": done.memory.state.version,
        "audit_record_id": done.audit_id,
        "erased_along": [str(one) for one in done.erased],
    }


def _ask(key: UUID, reason: str, seen: int | None, actor: Actor) -> dict[str, Any]:
    """The address where the person confirms. Until then nothing is done, so it is not ok."""
    asked = request_erasure(record_id=key, reason=reason, seen_version=seen, actor=actor)
    return {
        "ok": False,
        **ids(key),
        "mode": "hard_delete",
        "status": AWAITS_PERSON,
        "forgotten": False,
        "request_id": str(asked.pk),
        "url": f"{settings.CONSOLE_URL}/erasure-requests/{asked.pk}",
        "expires_at": asked.expires_at,
    }


def moved_json(moved: Moved, **more: Any) -> dict[str, Any]:
    """A record after it went to the trash or came back."""
    return {
        "ok": True,
        **ids(moved.record.pk),
        "kind": records.kind_of(moved.record),
        "status": moved.status,
        "version": records.standing(moved.record).version,
        "audit_record_id": moved.audit_id,
        **more,
    }


def _answer(body: dict[str, Any]) -> Response:
    """202 where a person has to confirm."""
    if body["status"] == AWAITS_PERSON:
        return Response(body, status=202)
    return Response(body, headers=etag(body["version"]))
