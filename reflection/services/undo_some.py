"""Taking single candidates of an applied pass back, while the rest of it stays."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from console.errors import Conflict, Invalid
from console.saying import phrase
from memories.access import Actor
from memories.services.turns import hold_off_erasures
from reflection import queries
from reflection.models import Candidate, ReflectPass
from reflection.services.decide import check_comment, line, move
from reflection.services.undo import check_may_undo, give_back
from reflection.states import Outcome, Status


@transaction.atomic
def take_back(*, pass_id: UUID, candidates: Collection[UUID], comment: str = "", actor: Actor) -> ReflectPass:
    """Undo these candidates of an applied pass: each record that still stands as the pass left it is restored.

    What cannot be taken back is kept as it is and named; it may be tried again, also after the rest was undone. The
    pass stays applied while any of its changes stands; with the last one it is undone as a whole. Raises NotFound,
    NotAllowed, Conflict, Invalid.
    """
    hold_off_erasures(queries.find(pass_id, actor=actor).space_id)
    reflect_pass = queries.find(pass_id, actor=actor, lock=True)
    check_may_undo(actor, reflect_pass)
    check_comment(comment)
    if reflect_pass.status not in (Status.APPLIED, Status.ROLLED_BACK):
        raise Conflict(phrase("Only changes of an applied pass are undone."), status=reflect_pass.status)
    chosen = _chosen(reflect_pass, candidates)
    restored, kept = give_back(reflect_pass, chosen, actor)
    line(
        actor,
        "pass.undo_some",
        reflect_pass,
        reason=comment[:500],
        detail={"restored": [str(one.pk) for one in restored], "kept": [str(one.pk) for one in kept]},
    )
    left = reflect_pass.candidates.filter(outcome__in=[Outcome.APPLIED, Outcome.KEPT])
    if reflect_pass.status == Status.APPLIED and not left.exists():
        _end(reflect_pass, comment, actor)
    return reflect_pass


def _chosen(reflect_pass: ReflectPass, keys: Collection[UUID]) -> Sequence[Candidate]:
    """The candidates with these ids, in order. Raises Invalid, Conflict for one that is not applied (any more)."""
    if not keys:
        raise Invalid.field("candidates", phrase("No change is chosen. Tick those that are to be undone."))
    found = {one.pk: one for one in queries.candidates_of(reflect_pass) if one.pk in set(keys)}
    if unknown := set(keys) - found.keys():
        raise Invalid.field(
            "candidates", phrase("%(id)s is no candidate of this pass. Send ids of its candidates.", id=min(unknown))
        )
    if settled := [one for one in found.values() if one.outcome not in (Outcome.APPLIED, Outcome.KEPT)]:
        first = settled[0]
        raise Conflict(
            phrase(
                "Candidate %(number)s is %(state)s, not applied. Open the pass again.",
                number=first.position + 1,
                state=first.outcome.replace("_", " "),
            ),
            candidate=str(first.pk),
        )
    return list(found.values())


def _end(reflect_pass: ReflectPass, comment: str, actor: Actor) -> None:
    """Nothing of the pass is left."""
    move(
        reflect_pass,
        Status.ROLLED_BACK,
        rolled_back_at=timezone.now(),
        rolled_back_by_id=actor.own,
        undo_comment=comment,
    )
    line(
        actor,
        "pass.roll_back",
        reflect_pass,
        reason=comment[:500],
        detail={"status": ["applied", "rolled_back"], "restored": 0, "kept": []},
    )
