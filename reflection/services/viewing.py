"""Which candidates of a pass a person has looked at: their own note, which decides nothing and needs no audit."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from console.errors import Invalid, NotAllowed
from console.saying import phrase
from memories.access import Actor
from reflection import queries
from reflection.models import ReflectPass, Viewed


@transaction.atomic
def mark_viewed(*, pass_id: UUID, candidates: Collection[UUID], viewed: bool = True, actor: Actor) -> int:
    """Note that a person has looked at these candidates of a visible pass, or take the note back; repeatable.

    Returns how many of the pass they have looked at. Raises NotFound, NotAllowed for a token, Invalid.
    """
    if not actor.is_person:
        raise NotAllowed(phrase("Only a person at the console looks at candidates."))
    reflect_pass = queries.find(pass_id, actor=actor)
    keys = set(candidates)
    known = set(reflect_pass.candidates.filter(pk__in=keys).values_list("pk", flat=True))
    if unknown := keys - known:
        raise Invalid.field(
            "candidates", phrase("%(id)s is no candidate of this pass. Send ids of its candidates.", id=min(unknown))
        )
    if viewed:
        at = timezone.now()
        notes = [Viewed(candidate_id=key, user_id=actor.own, at=at) for key in sorted(known)]
        Viewed.objects.bulk_create(notes, ignore_conflicts=True)
    else:
        Viewed.objects.filter(candidate_id__in=known, user_id=actor.own).delete()
    return len(viewed_positions(reflect_pass, actor=actor))


def viewed_positions(reflect_pass: ReflectPass, *, actor: Actor) -> frozenset[int]:
    """The positions of the candidates that the actor has looked at."""
    if actor.user_id is None:
        return frozenset()
    rows = Viewed.objects.filter(candidate__reflect_pass=reflect_pass, user_id=actor.own)
    return frozenset(rows.values_list("candidate__position", flat=True))
