"""Taking a whole pass back: every record that still stands as the pass left it; the rest is named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from console.errors import NotAllowed
from console.saying import phrase
from memories import audit
from memories.access import Actor, check_may_approve
from memories.embedding.waking import embed_soon
from memories.models import Memory
from memories.services import continuing, keyed, lifecycle
from memories.services.turns import hold_off_erasures
from reflection import queries
from reflection.models import Candidate, ReflectPass
from reflection.services import reversal, standing, storing
from reflection.services.decide import check_comment, line, move
from reflection.states import Action, Outcome, Status


@transaction.atomic
def roll_back(*, pass_id: UUID, comment: str = "", actor: Actor) -> ReflectPass:
    """Restore statuses, importances and links, and remove the records the pass made.

    A record that somebody wrote to since is kept as it is and named, and so is one that alone keeps the words of what a
    later pass archived, and a slot of working state whose key another holds by now. Raises
    NotFound, NotAllowed, Conflict, Invalid.
    """
    hold_off_erasures(queries.find(pass_id, actor=actor).space_id)
    reflect_pass = queries.find(pass_id, actor=actor, lock=True)
    check_may_undo(actor, reflect_pass)
    check_comment(comment)
    move(
        reflect_pass,
        Status.ROLLED_BACK,
        rolled_back_at=timezone.now(),
        rolled_back_by_id=actor.own,
        undo_comment=comment,
    )
    applied = [one for one in queries.candidates_of(reflect_pass) if one.outcome == Outcome.APPLIED]
    restored, kept = give_back(reflect_pass, applied, actor)
    line(
        actor,
        "pass.roll_back",
        reflect_pass,
        reason=comment[:500],
        detail={
            "status": ["applied", "rolled_back"],
            "restored": len(restored),
            "kept": [str(one.pk) for one in kept],
        },
    )
    return reflect_pass


def give_back(
    reflect_pass: ReflectPass, applied: Sequence[Candidate], actor: Actor
) -> tuple[list[Candidate], list[Candidate]]:
    """Take these applied candidates of a locked pass back where they still stand, each with its audit line.

    Returns those that were taken back, and those that were kept: see `standing`, or another slot has its key.
    """
    rewritten = {one.result_id for one in applied if one.result_id and one.undo}
    memories = lifecycle.lock_many([one.result_id for one in applied if one.result_id], whole=rewritten, actor=actor)
    reasons = standing.kept(reflect_pass, applied, memories)
    taken = keyed.taken({_id(one): _becoming(one) for one in applied if one.pk not in reasons})
    reasons |= {one.pk: f"kept: {taken[_id(one)]}" for one in applied if one.pk not in reasons and _id(one) in taken}
    free = [one for one in applied if one.pk not in reasons]
    kept = [one for one in applied if one.pk in reasons]
    for one in kept:
        one.outcome = Outcome.KEPT
        one.outcome_text = reasons[one.pk]
    _write_back(free, memories)
    for one in free:
        one.outcome = Outcome.ROLLED_BACK
        one.outcome_text = ""
    storing.write_outcomes([*free, *kept])
    audit.record_all(actor, [_entry(one, reflect_pass) for one in free], space_id=reflect_pass.space_id)
    transaction.on_commit(embed_soon)
    return free, kept


def check_may_undo(actor: Actor, reflect_pass: ReflectPass) -> None:
    """Undo asks for the same right as approval; four eyes do not matter for taking something back."""
    if not actor.is_person:
        raise NotAllowed(phrase("A pass is taken back by a person in the console."))
    check_may_approve(actor, reflect_pass, four_eyes=False)


def _becoming(candidate: Candidate) -> dict[str, Any]:
    """What of where the record stands an undo changes; nothing for one that is only weighed, or removed."""
    if candidate.action in reversal.KINDS:
        return {**candidate.undo["values"], "status": candidate.undo["state"]["status"]}
    return {"status": "active"} if candidate.action in (Action.EXPIRE, Action.ARCHIVE) else {}


def _write_back(free: Sequence[Candidate], memories: dict[UUID, Memory]) -> None:
    lifecycle.set_importance({_id(one): one.before["importance"] for one in free if one.action == Action.DECAY})
    reactivated = [_id(one) for one in free if one.action in (Action.EXPIRE, Action.ARCHIVE)]
    lifecycle.set_status(reactivated, "active", at=timezone.now())
    reversal.take_back([one for one in free if one.action in reversal.KINDS], memories)
    went_on = [one for one in free if one.undo and one.action not in reversal.KINDS]
    continuing.shrink([(memories[_id(one)], one.undo) for one in went_on])
    made = [one for one in free if one.target_id is None]
    lifecycle.remove_derived([_id(one) for one in made])


def _id(candidate: Candidate) -> UUID:
    assert candidate.result_id is not None
    return candidate.result_id


def _entry(candidate: Candidate, reflect_pass: ReflectPass) -> audit.Entry:
    detail: dict[str, Any] = {"candidate": str(candidate.pk)}
    for name in ("status", "importance"):
        if name in candidate.before:
            detail[name] = [candidate.after[name], candidate.before[name]]
    if candidate.target_id is None:
        detail["status"] = ["active", None]
    return audit.Entry(
        f"reflect.undo_{candidate.action}", "memory", candidate.result_id, detail=detail, pass_id=reflect_pass.pk
    )
