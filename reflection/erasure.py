"""Saved plans quote records; when a record is erased, its words leave them too."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from memories.services.erase import also_check, also_scrub
from reflection.models import Basis, Candidate

GONE = "A record it stood on was deleted for good."


@also_scrub
def scrub(ids: Sequence[UUID]) -> None:
    """Take every text out of the candidates that change, cite or made one of these records."""
    touched = Candidate.objects.filter(Q(basis__memory_id__in=ids) | Q(target_id__in=ids) | Q(result_id__in=ids))
    keys = list(touched.values_list("pk", flat=True).distinct())
    for candidate in Candidate.objects.filter(pk__in=keys):
        candidate.before = _numbers(candidate.before)
        candidate.after = _numbers(candidate.after)
        candidate.why = {"rule": candidate.why.get("rule"), "text": GONE}
        candidate.undo = {}
        candidate.erased_at = candidate.erased_at or timezone.now()
        candidate.save(update_fields=["before", "after", "why", "undo", "erased_at"])
    Basis.objects.filter(candidate_id__in=keys).update(quote="")


def _numbers(values: dict[str, object]) -> dict[str, object]:
    """Only what holds no words of a record: status and importance."""
    return {name: values[name] for name in ("status", "importance") if name in values}


@also_check("saved plans")
def plans_quoting(record_id: UUID) -> int:
    """How many candidates still hold words of this record: none after an erasure."""
    touched = Candidate.objects.filter(
        Q(basis__memory_id=record_id) | Q(target_id=record_id) | Q(result_id=record_id), erased_at__isnull=True
    )
    return touched.distinct().count()
