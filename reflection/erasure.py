"""Saved plans quote records; when a record is erased, its words leave them too, and summaries are told anew."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db.models import BooleanField, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.utils import timezone

from memories.models import Memory
from memories.services.elsewhere import also_check, also_rewrite, also_scrub
from reflection.models import Basis, Candidate, ReflectPass
from reflection.services.resummarize import resummarize

NAMED = "jsonb_path_query_array(skipped || near_misses, '$[*].memory_ids[*]') ?| %s::text[]"
QUOTES = "“"  # in an outcome: it repeats the key of a slot
GONE = "A record it stood on was deleted for good, redacted, or moved to another space."

also_rewrite(resummarize)


@also_scrub
def scrub(ids: Sequence[UUID]) -> None:
    """Take every text out of the candidates that change, cite or made one of these records, and out of their passes.

    Passes are locked before their candidates, as approval and application do.
    """
    touched = _touching(Candidate.objects.all(), ids)
    keys = list(touched.values_list("pk", flat=True).distinct())
    passes = set(touched.values_list("reflect_pass_id", flat=True)) | _naming(ids)
    for one in ReflectPass.objects.filter(pk__in=passes).order_by("pk").select_for_update(no_key=True, of=("self",)):
        one.skipped, one.near_misses = _told(one.skipped, ids), _told(one.near_misses, ids)
        one.save(update_fields=["skipped", "near_misses"])
    for candidate in Candidate.objects.filter(pk__in=keys).order_by("pk").select_for_update(no_key=True, of=("self",)):
        candidate.before = _numbers(candidate.before)
        candidate.after = _numbers(candidate.after)
        candidate.why = {"rule": candidate.why.get("rule"), "text": GONE}
        candidate.outcome_text = GONE if QUOTES in candidate.outcome_text else candidate.outcome_text
        candidate.undo = {}
        candidate.erased_at = candidate.erased_at or timezone.now()
        candidate.save(update_fields=["before", "after", "why", "outcome_text", "undo", "erased_at"])
    Basis.objects.filter(candidate_id__in=keys).update(quote="")


def _touching(rows: QuerySet[Candidate], ids: Sequence[UUID]) -> QuerySet[Candidate]:
    return rows.filter(Q(basis__memory_id__in=ids) | Q(target_id__in=ids) | Q(result_id__in=ids))


def _naming(ids: Sequence[UUID]) -> set[UUID]:
    """The passes that name one of these records among what they left out."""
    spaces = Memory.objects.filter(pk__in=ids).values("space_id")
    named = RawSQL(NAMED, [[str(key) for key in ids]], output_field=BooleanField())  # noqa: S611 - a constant
    return set(ReflectPass.objects.filter(space_id__in=spaces).filter(named).values_list("pk", flat=True))


def _told(items: list[dict[str, Any]], ids: Collection[UUID]) -> list[dict[str, Any]]:
    """What a pass left out, without the sentence where it is about a record that is gone."""
    gone = {str(key) for key in ids}
    return [item | {"text": GONE} if gone & set(item.get("memory_ids", ())) else item for item in items]


def _numbers(values: dict[str, object]) -> dict[str, object]:
    """Only what holds no words of a record: status and importance."""
    return {name: values[name] for name in ("status", "importance") if name in values}


@also_check("saved plans")
def plans_quoting(record_id: UUID) -> int:
    """How many candidates still hold words of this record: none after an erasure."""
    holding = Candidate.objects.filter(Q(erased_at__isnull=True) | Q(outcome_text__contains=QUOTES))
    return _touching(holding, [record_id]).distinct().count()
