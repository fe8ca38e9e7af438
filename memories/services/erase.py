"""Deleting a record for good: with what was derived from it, out of every place, leaving only its audit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.expressions import RawSQL

from console.errors import Conflict, Invalid, NotAllowed, NotFound, Problem, Stale
from console.saying import phrase
from memories.access import Actor, Bounds, check_may_erase, check_signed_in_lately, live, visible_to
from memories.models import Erasure, ErasureRequest, LifecycleStatus, Memory, MemoryLink, MemoryVersion
from memories.services import erase_requests, fields, rates, records, removal, turns
from memories.services.elsewhere import also_check, also_scrub, places_quoting, scrub
from memories.services.erase_requests import open_request, request_erasure

__all__ = [
    "Consequences",
    "Erased",
    "also_check",
    "also_scrub",
    "consequences",
    "erase",
    "erase_derived",
    "erasure_of",
    "locked",
    "open_request",
    "places_quoting",
    "request_erasure",
    "scrub",
    "why_kept",
]


@dataclass(frozen=True, slots=True)
class Consequences:
    """What a hard delete takes along, for the person to read before."""

    record: records.Record
    kind: str
    version: int
    versions: int
    links: int
    derived: list[Memory]  # summaries and facts that go along
    rewritten: list[Memory]  # those that are written anew from what remains
    same: int = 0  # other memories that the person sees and that say the same; they stay


@dataclass(frozen=True, slots=True)
class Erased:
    """What is gone: the ids, the record first, and the id of its audit line; and what was written anew."""

    ids: tuple[UUID, ...]
    kind: str
    audit_id: UUID
    rewritten: tuple[UUID, ...] = ()


def consequences(record_id: UUID, *, actor: Actor) -> Consequences:
    """What erasing this record would remove. Raises NotFound or NotAllowed."""
    record = records.find(record_id, actor=actor)
    check_may_erase(actor, record)
    versions = links = same = 0
    if isinstance(record, Memory):
        versions = MemoryVersion.objects.filter(memory=record).count()
        links = MemoryLink.objects.filter(Q(origin=record) | Q(target=record)).count()
        same = _same(record, actor).count()
    found = removal.reach([record])
    kind = records.kind_of(record)
    version = records.standing(record).version
    return Consequences(record, kind, version, versions, links, found.falls, found.stays, same)


def why_kept(record: records.Record, *, actor: Actor) -> str:
    """Why the actor may not delete this record for good, in a sentence; empty where they may."""
    try:
        check_may_erase(actor, record)
    except NotAllowed as refusal:
        return refusal.told
    return ""


def _same(memory: Memory, actor: Actor) -> QuerySet[Memory]:
    rows = live(visible_to(actor, Memory.objects.exclude(pk=memory.pk)))
    return rows.annotate(same=RawSQL("folded = mc_fold(%s)", [memory.content])).filter(same=True)


@transaction.atomic
def erase(
    *, record_id: UUID, typed: str, reason: str, seen_version: int, request_id: UUID | None = None, actor: Actor
) -> Erased:
    """Erase one record for good and audit it. There is no way back.

    `typed` is the last six characters of its id. The record stands in the trash, or a token asked for this
    (`request_id`). Raises NotFound, NotAllowed, SignInAgain, Invalid, Conflict, Stale, TooMany.
    """
    check_signed_in_lately(actor, within_seconds=settings.RECENT_SIGN_IN_SECONDS)
    rates.count_erasure(actor)
    record = locked(record_id, seen_version, actor)
    check_may_erase(actor, record)
    _check_confirmed(record_id, typed, reason)
    state = records.standing(record)
    if request_id is not None:
        erase_requests.use(request_id, record_id, state.version, actor)
    elif state.status != LifecycleStatus.DELETED:
        raise Conflict(phrase("Move the record to the trash first; it is deleted for good from there."))
    check_may_reach([record], actor)
    kind = records.kind_of(record)
    removed = removal.remove([record], reason=reason, actor=actor)
    return Erased(removed.ids, kind, removed.lines[record.pk], removed.rewritten)


def erase_derived(memory: Memory, reason: str, actor: Actor) -> tuple[UUID, ...]:
    """Erase or tell anew what was written from a memory that itself stays, because its text goes.

    The memory comes from `locked`. Returns the ids of what was erased. Raises NotAllowed.
    """
    check_may_reach([memory], actor)
    return removal.take_words(memory, reason=reason, actor=actor).ids


def locked(record_id: UUID, seen_version: int | None, actor: Actor) -> records.Record:
    """The record at the version seen, and whatever quotes it, once nobody in its space is quoting records any more.

    Raises NotFound, Stale.
    """
    seen = records.find(record_id, actor=actor)
    turns.erase_alone(seen.space_id)
    removal.lock([seen])
    record = records.lock(record_id, actor=actor, seen_version=seen_version)
    if record.space_id != seen.space_id:
        raise Stale(phrase("This record was moved to another space just now. Look at it again."))
    return record


def check_may_reach(roots: Sequence[records.Record], actor: Actor) -> None:
    """Raises NotAllowed where a summary or fact that has to go along, or to be written anew, is not theirs to erase."""
    found = removal.reach(roots)
    for one in (*found.falls, *found.stays):
        check_may_erase(actor, one)


def _check_confirmed(record_id: UUID, typed: str, reason: str) -> None:
    problems = []
    if typed.strip().lower() != str(record_id)[-6:]:
        problems.append(
            Problem(("body", "typed"), phrase("These are not the last 6 characters of the id. Copy them from above."))
        )
    if not reason.strip():
        problems.append(
            Problem(("body", "reason"), phrase("The reason is empty. It stays in the audit when the record is gone."))
        )
    if problems:
        raise Invalid(*problems)
    fields.check({"reason": reason})


def erasure_of(record_id: UUID, *, actor: Actor) -> Erasure:
    """The ledger's line of an erased record inside the boundary. Raises NotFound.

    A token that is bound inside its space sees only what it asked to be erased: the ledger knows no bucket or path.
    """
    rows = Erasure.objects.filter(space_id__in=list(actor.spaces), record_id=record_id)
    if actor.bounds != Bounds():
        asked = ErasureRequest.objects.filter(record_id=record_id, token_id=actor.token_id)
        rows = rows.filter(record_id__in=asked.values("record_id"))
    found = rows.first()
    if found is None:
        raise NotFound(phrase("No record of this id was deleted for good here."))
    return found
