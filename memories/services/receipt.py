"""The receipt of a hard delete: who, when and why, what went along, and every place that was looked into."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone

from console.postgres import patience
from memories.access import Actor
from memories.models import AuditRecord, Erasure
from memories.search.places import mentions_of, places_of
from memories.services import elsewhere
from memories.services.erase import erasure_of


@dataclass(frozen=True, slots=True)
class Receipt:
    """What is known of an erased record. `places` says how much of it each place holds now: 0 everywhere."""

    gone: Erasure
    line: AuditRecord | None  # None: the database was restored from a backup that is older
    along: list[Erasure]
    rewritten: list[UUID]
    places: dict[str, int]
    checked_at: datetime

    @property
    def left(self) -> int:
        """How much is left; more than 0 is a fault."""
        return sum(self.places.values())

    @property
    def commitment(self) -> str:
        """The keyed commitment of its audit line."""
        return str(self.line.detail.get("commitment", "")) if self.line else ""


def receipt(record_id: UUID, *, actor: Actor) -> Receipt:
    """The receipt of an erased record inside the boundary, with all places looked into now. Raises NotFound."""
    gone = erasure_of(record_id, actor=actor)
    first = gone.because_of or gone.record_id
    along = Erasure.objects.filter(because_of=first, space_id=gone.space_id).exclude(pk=gone.pk).order_by("record_id")
    line = AuditRecord.objects.filter(pk=gone.audit_id, space_id=gone.space_id).first()
    rewritten = [UUID(key) for key in line.detail.get("rewritten", [])] if line else []
    return Receipt(gone, line, list(along), rewritten, look_for(record_id), timezone.now())


def look_for(record_id: UUID) -> dict[str, int]:
    """How much each place holds of a record, by its id. It takes as long as the erasure did."""
    patience.take_time()
    return {**places_of(record_id), **mentions_of(record_id), **elsewhere.places_quoting(record_id)}


def as_json(one: Receipt) -> dict[str, Any]:
    """The receipt as it is downloaded and as the API gives it."""
    gone, line = one.gone, one.line
    return {
        "id": gone.record_id,
        "kind": gone.kind,
        "space_id": gone.space_id,
        "owner_id": gone.owner_id,
        "source": gone.source,
        "source_id": gone.source_id,
        "erased_at": gone.erased_at,
        "erased_by_id": gone.erased_by_id,
        "erased_by": line.actor_name if line else None,
        "channel": line.channel if line else None,
        "reason": line.reason if line else None,
        "because_of": gone.because_of,
        "erased_along": [other.record_id for other in one.along],
        "rewritten": one.rewritten,
        "commitment": one.commitment or None,
        "audit_record_id": gone.audit_id,
        "checked_at": one.checked_at,
        "places": [{"place": place, "found": found} for place, found in one.places.items()],
        "absent": one.left == 0,
        "note": (
            "Rows are gone at once, deleted pages of the data files when the tables are rewritten and the log moves "
            "on; backups keep the record until they expire. Not looked through, because no words get there: sessions "
            "and the worker's queue (ids only), and the server's statistics (no samples of what records say)."
        ),
    }
