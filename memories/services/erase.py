"""Deleting a record for good: with what was derived from it, out of every place, leaving only its audit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from console.errors import Conflict, Invalid, NotAllowed, NotFound, Problem, Stale
from memories import audit
from memories.access import Actor, check_may_erase, check_may_use, check_signed_in_lately
from memories.models import Erasure, ErasureRequest, LifecycleStatus, Memory, MemoryLink, MemoryVersion
from memories.models.memory import LinkKind
from memories.services import fields, records

REQUEST_LIFETIME = timedelta(minutes=10)
Scrub = Callable[[Sequence[UUID]], None]
Count = Callable[[UUID], int]
_SCRUBBERS: list[Scrub] = []
_CHECKS: dict[str, Count] = {}


def also_scrub(each: Scrub) -> Scrub:
    """Register another place that quotes records (saved plans); it is emptied in the same transaction."""
    _SCRUBBERS.append(each)
    return each


def scrub(ids: Sequence[UUID]) -> None:
    """Take every word of these records out of the registered places."""
    for each in _SCRUBBERS:
        each(ids)


def also_check(place: str) -> Callable[[Count], Count]:
    """Register how many words of a record another place still holds: none after an erasure."""

    def register(count: Count) -> Count:
        _CHECKS[place] = count
        return count

    return register


def places_quoting(record_id: UUID) -> dict[str, int]:
    """What every registered place still holds of a record."""
    return {place: count(record_id) for place, count in _CHECKS.items()}


@dataclass(frozen=True, slots=True)
class Consequences:
    """What a hard delete takes along, for the person to read before."""

    record: records.Record
    kind: str
    version: int
    versions: int
    links: int
    derived: list[Memory]  # summaries and facts that cite it


@dataclass(frozen=True, slots=True)
class Erased:
    """What is gone: the ids, the record first, and the id of its audit line."""

    ids: tuple[UUID, ...]
    kind: str
    audit_id: UUID


def consequences(record_id: UUID, *, actor: Actor) -> Consequences:
    """What erasing this record would remove. Raises NotFound or NotAllowed."""
    record = records.find(record_id, actor=actor)
    check_may_erase(actor, record)
    versions = links = 0
    derived: list[Memory] = []
    if isinstance(record, Memory):
        versions = MemoryVersion.objects.filter(memory=record).count()
        links = MemoryLink.objects.filter(Q(origin=record) | Q(target=record)).count()
        derived = _derived(record, lock=False)
    kind = records.kind_of(record)
    return Consequences(record, kind, records.standing(record).version, versions, links, derived)


def _derived(memory: Memory, *, lock: bool) -> list[Memory]:
    """What passes wrote from this memory. They quote it, so they go with it."""
    rows = Memory.objects.filter(
        links__target=memory, links__kind=LinkKind.DERIVED_FROM, space_id=memory.space_id
    ).exclude(derivation="")
    ids = sorted(set(rows.values_list("pk", flat=True)))
    found = Memory.objects.filter(pk__in=ids, state__version__gte=1).select_related("state").order_by("pk")
    return list(found.select_for_update(of=("self", "state")) if lock else found)


@transaction.atomic
def erase(
    *, record_id: UUID, typed: str, reason: str, seen_version: int, request_id: UUID | None = None, actor: Actor
) -> Erased:
    """Erase one record for good and audit it. There is no way back.

    `typed` is the last six characters of its id. The record stands in the trash, or a token asked for this
    (`request_id`). Raises NotFound, NotAllowed, SignInAgain, Invalid, Conflict, Stale.
    """
    check_signed_in_lately(actor, within_seconds=settings.RECENT_SIGN_IN_SECONDS)
    record = records.lock(record_id, actor=actor, seen_version=seen_version)
    check_may_erase(actor, record)
    _check_confirmed(record_id, typed, reason)
    state = records.standing(record)
    if request_id is not None:
        _use_request(request_id, record_id, state.version, actor)
    elif state.status != LifecycleStatus.DELETED:
        raise Conflict("Move the record to the trash first; it is deleted for good from there.")
    return _remove(record, reason, actor)


def _check_confirmed(record_id: UUID, typed: str, reason: str) -> None:
    problems = []
    if typed.strip().lower() != str(record_id)[-6:]:
        problems.append(
            Problem(("body", "typed"), "These are not the last 6 characters of the id. Copy them from above.")
        )
    if not reason.strip():
        problems.append(
            Problem(("body", "reason"), "The reason is empty. It stays in the audit when the record is gone.")
        )
    if problems:
        raise Invalid(*problems)
    fields.check({"reason": reason})


def _remove(record: records.Record, reason: str, actor: Actor) -> Erased:
    kind = records.kind_of(record)
    derived = _erasable_derived(record, actor) if isinstance(record, Memory) else []
    lines = _take(record, [record, *derived], reason, actor)
    return Erased((record.pk, *(one.pk for one in derived)), kind, lines[0].id)


def erase_derived(memory: Memory, reason: str, actor: Actor) -> tuple[UUID, ...]:
    """Erase what was written from a locked memory that itself stays, because its text goes. Raises NotAllowed."""
    derived = _erasable_derived(memory, actor)
    _take(memory, derived, reason, actor)
    return tuple(one.pk for one in derived)


def _erasable_derived(memory: Memory, actor: Actor) -> list[Memory]:
    derived = _derived(memory, lock=True)
    for one in derived:
        check_may_erase(actor, one)
    return derived


def _take(because: records.Record, gone: Sequence[records.Record], reason: str, actor: Actor) -> list[audit.Entry]:
    """Delete the records with what saved plans say of them and of `because`, note and audit them."""
    kind = records.kind_of(because)
    lines = [
        audit.Entry(
            f"{kind}.erase",
            kind,
            one.pk,
            reason=reason,
            detail={
                "status": [records.standing(one).status, "erased"],
                "version": records.standing(one).version,
                **({} if one is because else {"because_of": str(because.pk)}),
            },
        )
        for one in gone
    ]
    scrub([because.pk, *(one.pk for one in gone)])
    _note(because, gone, lines, actor)
    for each in reversed(gone):
        type(each).objects.filter(pk=each.pk).delete()
    audit.record_all(actor, lines, space_id=because.space_id)
    return lines


def _note(because: records.Record, gone: Sequence[records.Record], lines: Sequence[audit.Entry], actor: Actor) -> None:
    """The erasure ledger keeps the ids, so that neither import nor backup brings them back."""
    now = timezone.now()
    Erasure.objects.bulk_create(
        Erasure(
            record_id=one.pk,
            kind=records.kind_of(one),
            space_id=one.space_id,
            owner_id=one.owner_id,
            source=one.source,
            source_id=one.source_id,
            erased_at=now,
            erased_by_id=actor.own,
            audit_id=line.id,
            because_of=None if one is because else because.pk,
        )
        for one, line in zip(gone, lines, strict=True)
    )


@transaction.atomic
def request_erasure(
    *, record_id: UUID, reason: str = "", seen_version: int | None = None, actor: Actor
) -> ErasureRequest:
    """Ask a person to confirm a hard delete: single use, ten minutes, bound to person, record and version."""
    check_may_use(actor, "memory:write")
    fields.check({"reason": reason})
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


def open_request(request_id: UUID, *, actor: Actor, lock: bool = False) -> ErasureRequest:
    """The person's own request, still open. Raises NotFound or Conflict."""
    rows = ErasureRequest.objects.filter(user_id=actor.own)
    request = (rows.select_for_update() if lock else rows).filter(pk=request_id).first()
    if request is None:
        raise NotFound("There is no such request, or it is not yours.")
    if request.used_at is not None or request.expires_at <= timezone.now():
        raise Conflict("This request was used or is older than ten minutes. Ask for the deletion again.")
    return request


def _use_request(request_id: UUID, record_id: UUID, version: int, actor: Actor) -> None:
    request = open_request(request_id, actor=actor, lock=True)
    if request.record_id != record_id:
        raise NotAllowed("This request names another record.")
    if request.version != version:
        raise Stale(
            "The record was changed since its deletion was asked for. Ask again.", seen=request.version, now=version
        )
    request.used_at = timezone.now()
    request.save(update_fields=["used_at"])


def erasure_of(record_id: UUID, *, actor: Actor) -> Erasure:
    """The ledger's line of an erased record inside the boundary. Raises NotFound."""
    if actor.spaces:
        found = Erasure.objects.filter(space_id__in=list(actor.spaces), record_id=record_id).first()
        if found is not None:
            return found
    raise NotFound("No record of this id was deleted for good here.")
