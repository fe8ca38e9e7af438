"""What an actor may touch, and every question about rights.

Every read starts at `visible_to(actor)`. No boundary means no rows. Questions come in pairs: `may_x` for templates,
`check_may_x` for services; the refusal's text is shown to the person as it is.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Protocol, TypeVar
from uuid import UUID

from django.db import models
from django.db.models import Q, QuerySet
from django.utils import timezone

from console.errors import NotAllowed, SignInAgain
from console.saying import phrase
from memories.actors import (
    ANYONE,
    CHANNELS,
    NOBODY,
    OPERATOR,
    Actor,
    Bounds,
    Space,
    bearer,
    person,
    spaces_of,
    with_implied,
)
from memories.models import LedgerEntry, Memory
from memories.models.people import Role

__all__ = [
    "ANYONE",
    "CHANNELS",
    "NOBODY",
    "OPERATOR",
    "Actor",
    "Bounds",
    "Placed",
    "Record",
    "Space",
    "bearer",
    "check_ledger",
    "check_may_approve",
    "check_may_erase",
    "check_may_restore",
    "check_may_revise",
    "check_may_use",
    "check_may_write",
    "check_signed_in_lately",
    "in_spaces",
    "live",
    "may_approve",
    "may_erase",
    "may_use",
    "may_write",
    "person",
    "spaces_of",
    "visible_to",
    "with_implied",
]


class Placed(Protocol):
    """Anything that stands in a space: records, passes, policies."""

    space_id: UUID


Record = TypeVar("Record", bound=models.Model)


def visible_to(actor: Actor, queryset: QuerySet[Record]) -> QuerySet[Record]:
    """The rows of `queryset` (a model with `space_id`, bucket, scope, path and agent) inside the actor's boundary.

    Deleted rows are included: a trash needs them. Use `live` for what search, lists and counts show.
    """
    if not actor.spaces:
        return queryset.none()
    found = queryset.filter(space_id__in=list(actor.spaces)).filter(actor.bounds.condition())
    return found.filter(agent_id=actor.bounds.agent_id) if actor.bounds.agent_id else found


def in_spaces(actor: Actor, queryset: QuerySet[Record]) -> QuerySet[Record]:
    """Rows that stand in a space but have no bucket of their own: passes, policies, audit.

    What a bounded token may see of them, whoever asks has to say: they tell of records that its bounds hide.
    """
    if not actor.spaces:
        return queryset.none()
    return queryset.filter(space_id__in=list(actor.spaces))


def live(queryset: QuerySet[Memory], *, at: datetime | None = None) -> QuerySet[Memory]:
    """Only memories that are active and not past their expiry at `at` (default: now)."""
    at = at or timezone.now()
    return queryset.filter(state__status="active").filter(Q(expires_at__isnull=True) | Q(expires_at__gt=at))


# Rights. A space's role: member writes, reviewer also approves, admin also erases.


def may_use(actor: Actor, scope: str) -> bool:
    """Whether the credential carries `scope`."""
    return scope in actor.scopes


def check_may_use(actor: Actor, scope: str) -> None:
    """Raises NotAllowed naming the scope that is missing."""
    if actor.user_id is None:
        raise NotAllowed(phrase("Sign in first."))
    if not may_use(actor, scope):
        raise NotAllowed(phrase("This token lacks the scope %(scope)s. Use one that has it.", scope=scope), scope=scope)


def check_ledger(actor: Actor, record: Any, scope: str) -> None:
    """Money has scopes of its own, whichever door leads to it. Raises NotAllowed for an entry without `scope`."""
    if isinstance(record, LedgerEntry):
        check_may_use(actor, scope)


def may_write(actor: Actor, record: Placed) -> bool:
    """Whether the actor may change this record."""
    if isinstance(record, LedgerEntry) and not may_use(actor, "ledger:write"):
        return False
    return may_use(actor, "memory:write") and record.space_id in actor.spaces


def check_may_write(actor: Actor, record: Placed) -> None:
    """Raises NotAllowed or NotFound."""
    check_may_use(actor, "memory:write")
    check_ledger(actor, record, "ledger:write")
    actor.space(record.space_id)


def check_may_revise(actor: Actor, record: Placed) -> None:
    """Raises NotAllowed or NotFound. The answer tells the whole record, so it takes the right to read it too."""
    check_may_use(actor, "memory:read")
    check_may_write(actor, record)


def check_may_restore(actor: Actor, record: Placed) -> None:
    """Raises NotAllowed or NotFound."""
    check_may_use(actor, "memory:restore")
    check_ledger(actor, record, "ledger:write")
    actor.space(record.space_id)


def may_erase(actor: Actor, record: Any) -> bool:
    """Whether the actor may delete this record for good: its owner, or an admin of its team; never under hold."""
    space = actor.spaces.get(record.space_id)
    if space is None or not may_use(actor, "memory:delete") or record.hold:
        return False
    if isinstance(record, LedgerEntry) and not may_use(actor, "ledger:write"):
        return False
    return record.owner_id == actor.user_id or space.role == Role.ADMIN


def check_may_erase(actor: Actor, record: Any) -> None:
    """Raises NotAllowed that names the hold, the scope or the role that is missing."""
    check_may_use(actor, "memory:delete")
    check_ledger(actor, record, "ledger:write")
    space = actor.space(record.space_id)
    if record.hold:
        raise NotAllowed(
            phrase("This record is under the legal hold “%(hold)s”. Lift the hold first.", hold=record.hold),
            hold=record.hold,
        )
    if record.owner_id != actor.user_id and space.role != Role.ADMIN:
        raise NotAllowed(
            phrase("Only its owner or an admin of %(space)s may delete this record for good.", space=space.name)
        )


def check_signed_in_lately(actor: Actor, *, within_seconds: int) -> None:
    """Raises SignInAgain unless a person gave their password in the last `within_seconds`."""
    if not actor.is_person:
        raise NotAllowed(phrase("Only a person at the console may do this."))
    if actor.signed_in_at is None or (timezone.now() - actor.signed_in_at).total_seconds() > within_seconds:
        raise SignInAgain(phrase("Enter your password again: your last sign-in is more than five minutes ago."))


def may_approve(actor: Actor, reflect_pass: Any, *, four_eyes: bool) -> bool:
    """Whether the actor may approve or reject this pass."""
    space = actor.spaces.get(reflect_pass.space_id)
    if space is None or not actor.is_person or space.role == Role.MEMBER:
        return False
    return not (four_eyes and reflect_pass.planned_by_id == actor.user_id)


def check_may_approve(actor: Actor, reflect_pass: Any, *, four_eyes: bool) -> None:
    """Raises NotAllowed that says who may."""
    space = actor.space(reflect_pass.space_id)
    if not actor.is_person:
        raise NotAllowed(phrase("A pass is approved by a person in the console; a token may only propose it."))
    if space.role == Role.MEMBER:
        raise NotAllowed(
            phrase(
                "Only a reviewer or an admin of %(space)s may decide on this pass. Ask one of them.", space=space.name
            )
        )
    if four_eyes and reflect_pass.planned_by_id == actor.user_id:
        raise NotAllowed(phrase("This team wants a second pair of eyes: someone else has to approve what you planned."))
