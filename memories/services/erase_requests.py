"""A hard delete that somebody asks a person for: single use, ten minutes, bound to person, record and version."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from console.errors import Conflict, NotAllowed, NotFound, Stale
from console.saying import phrase
from memories import audit
from memories.access import Actor, check_may_erase, check_may_use
from memories.models import ErasureRequest
from memories.services import fields, rates, records

REQUEST_LIFETIME = timedelta(minutes=10)


@transaction.atomic
def request_erasure(
    *, record_id: UUID, reason: str = "", seen_version: int | None = None, actor: Actor
) -> ErasureRequest:
    """Ask a person to confirm a hard delete: single use, ten minutes, bound to person, record and version."""
    check_may_use(actor, "memory:write")
    fields.check({"reason": reason})
    rates.count_erasure(actor)
    record = records.lock(record_id, actor=actor, seen_version=seen_version)
    check_may_erase(actor, record)
    now = timezone.now()
    request = ErasureRequest.objects.create(
        record_id=record.pk,
        kind=records.kind_of(record),
        version=records.standing(record).version,
        user_id=actor.own,
        token_id=actor.token_id,
        reason=reason,
        created_at=now,
        expires_at=now + REQUEST_LIFETIME,
    )
    kind = records.kind_of(record)
    audit.record(actor, f"{kind}.erase_requested", kind, record.pk, space_id=record.space_id, reason=reason)
    return request


def find_request(request_id: UUID, *, actor: Actor, lock: bool = False) -> ErasureRequest:
    """The person's own request, used and old ones too. Raises NotFound."""
    rows = ErasureRequest.objects.filter(user_id=actor.own)
    request = (rows.select_for_update(no_key=True) if lock else rows).filter(pk=request_id).first()
    if request is None:
        raise NotFound(phrase("There is no such request, or it is not yours."))
    return request


def open_request(request_id: UUID, *, actor: Actor, lock: bool = False) -> ErasureRequest:
    """The person's own request, still open. Raises NotFound or Conflict."""
    request = find_request(request_id, actor=actor, lock=lock)
    if request.used_at is not None or request.expires_at <= timezone.now():
        raise Conflict(phrase("This request was used or is older than ten minutes. Ask for the deletion again."))
    return request


def use(request_id: UUID, record_id: UUID, version: int, actor: Actor) -> None:
    """Use up an open request for exactly this record and version. Raises NotFound, Conflict, NotAllowed, Stale."""
    request = open_request(request_id, actor=actor, lock=True)
    if request.record_id != record_id:
        raise NotAllowed(phrase("This request names another record."))
    if request.version != version:
        raise Stale(
            phrase("The record was changed since its deletion was asked for. Ask again."),
            seen=request.version,
            now=version,
        )
    request.used_at = timezone.now()
    request.save(update_fields=["used_at"])
