"""Where a memory stands by a person's or an agent's word: archived, expired, active again."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from console.errors import Invalid, NotAllowed
from console.saying import phrase
from memories.access import live
from memories.models import Memory, MemoryEmbedding

VERBS = {"active": "reactivate", "archived": "archive", "expired": "expire"}
MARKERS = {"archived": "archived_at", "expired": "expired_at"}


def standing(memory: Memory, *, at: datetime | None = None) -> str:
    """Where a memory stands at `at` (default: now). Past its expiry it is expired, whether or not a pass says so."""
    over = memory.expires_at is not None and memory.expires_at <= (at or timezone.now())
    return "expired" if over and memory.state.status == "active" else memory.state.status


def since(memory: Memory) -> datetime | None:
    """When a memory that is not active came to stand where it stands; nothing of one that is active."""
    state = memory.state
    moments = {"archived": state.archived_at, "expired": state.expired_at or memory.expires_at}
    return moments.get(standing(memory), state.deleted_at)


def in_status(rows: QuerySet[Memory], status: str) -> QuerySet[Memory]:
    """Those of a status, or with % all but the deleted; what the clock has expired counts as expired."""
    if status == "active":
        return live(rows)
    if status == "expired":
        overdue = Q(state__status="active", expires_at__lte=timezone.now())
        return rows.filter(overdue | Q(state__status="expired"))
    return rows.exclude(state__status="deleted") if status == "%" else rows.filter(state__status=status)


def check(status: Any) -> None:
    """Raises Invalid for what is no status that can be set by hand."""
    if status == "deleted":
        raise Invalid.field(
            "status", phrase("Deleting has a verb of its own. Use forget: it can be undone by restore.")
        )
    if not isinstance(status, str) or status not in VERBS:
        raise Invalid.field("status", phrase("This status is unknown. Choose among %(names)s.", names=", ".join(VERBS)))


def place(memory: Memory, status: str, now: datetime) -> None:
    """Let a locked memory stand at `status`, unsaved: each marker stands exactly when its status says so.

    Raises NotAllowed for expiry under a legal hold, Invalid where the memory would be over at once.
    """
    state = memory.state
    if status == "expired" and state.status != "expired" and memory.hold:
        raise NotAllowed(
            phrase("This record is under the legal hold “%(hold)s”. Lift the hold first.", hold=memory.hold),
            hold=memory.hold,
        )
    if status == "active" and memory.expires_at is not None and memory.expires_at <= now:
        raise Invalid.field(
            "status",
            phrase("The time at which it expires has passed. Send a later expires_at, or null, along with it."),
        )
    if state.status == status:
        return
    state.status = status
    if status == "active":
        state.reactivated_at = now
    for name, marker in MARKERS.items():
        setattr(state, marker, now if name == status else None)


def keep_index_in_step(memory: Memory) -> None:
    """The vector is searched where and while the memory itself is found."""
    active = memory.state.status == "active"
    MemoryEmbedding.objects.filter(memory=memory).update(active=active, space_id=memory.space_id)
