"""The trash empties itself where a space has chosen so: how long records wait in it, and deleting those that are due.

Off unless somebody turned it on. It deletes in the name of whoever chose the time, by the same code as a person's
deletion, and stops as soon as that person may not delete there any more.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from console.errors import Invalid, NotAllowed
from console.saying import phrase
from memories import audit
from memories.access import Actor, Space, check_signed_in_lately, person
from memories.models import LifecycleStatus, SpaceSettings
from memories.models.people import Role
from memories.services import records, removal, turns
from memories.services.erase import check_may_reach

log = logging.getLogger(__name__)
BATCH = 1_000  # records in one transaction
DAYS_LEAST, DAYS_MOST = 1, 3_650
SHOWN = 50


@dataclass(frozen=True, slots=True)
class Due:
    """What the trash of a space would lose now: how many, the first of them, and how many stay because of a hold."""

    count: int
    first: list[records.Record]
    held: int


@dataclass(frozen=True, slots=True)
class Purged:
    """What one run deleted from a space, the records it named first, and what it had to leave."""

    ids: tuple[UUID, ...]
    left: tuple[UUID, ...] = ()
    why_not: str = ""


def retention_of(space_id: UUID, *, actor: Actor) -> SpaceSettings | None:
    """What a space inside the boundary has chosen; None where nobody ever chose. Raises NotFound."""
    space = actor.space(space_id)
    return SpaceSettings.objects.select_related("changed_by").filter(pk=space.id).first()


def retentions(actor: Actor) -> dict[UUID, int]:
    """The days of each of the actor's spaces whose trash empties itself."""
    rows = SpaceSettings.objects.filter(pk__in=list(actor.spaces), trash_days__isnull=False)
    return {key: days for key, days in rows.values_list("pk", "trash_days") if days is not None}


def goes_at(record: records.Record, days: int | None) -> datetime | None:
    """When a record in the trash is deleted for good; None where it stays."""
    at = records.standing(record).deleted_at
    return at + timedelta(days=days) if days is not None and at is not None and not record.hold else None


def due(space_id: UUID, days: int, *, actor: Actor, at: datetime | None = None) -> Due:
    """What would go now if the trash of this space kept records for `days`. Raises NotFound."""
    actor.space(space_id)
    before = (at or timezone.now()) - timedelta(days=days)
    count = held = 0
    first: list[records.Record] = []
    for kind in records.KINDS:
        rows = _waiting(kind, space_id, before)
        count += rows.filter(hold="").count()
        held += rows.exclude(hold="").count()
        first += rows.filter(hold="")[: max(0, SHOWN - len(first))]
    return Due(count, first, held)


def _waiting(kind: str, space_id: UUID, before: datetime) -> QuerySet[Any]:
    """The records of one kind that were moved to the trash before a moment, the longest there first."""
    at = "state__" if kind == "memory" else ""
    rows: QuerySet[Any] = records.KINDS[kind]._default_manager.filter(space_id=space_id)
    rows = rows.filter(**{f"{at}status": LifecycleStatus.DELETED, f"{at}deleted_at__lte": before})
    if kind == "memory":
        rows = rows.select_related("state")
    return rows.order_by(f"{at}deleted_at", "pk")


@transaction.atomic
def set_retention(*, space_id: UUID, days: int | None, typed: str = "", actor: Actor) -> SpaceSettings:
    """Let the trash of a space empty itself after `days`, or (None) keep everything.

    `typed` is how many records go at once, 0 excepted: nobody deletes what they have not counted. Raises NotFound,
    NotAllowed, SignInAgain, Invalid.
    """
    space = actor.space(space_id)
    check_signed_in_lately(actor, within_seconds=settings.RECENT_SIGN_IN_SECONDS)
    check_may_purge(actor, space)
    if days is not None:
        _check_counted(space_id, days, typed, actor)
    was = SpaceSettings.objects.select_for_update(no_key=True).filter(pk=space_id).first()
    now_is, _ = SpaceSettings.objects.update_or_create(
        space_id=space_id, defaults={"trash_days": days, "changed_at": timezone.now(), "changed_by_id": actor.own}
    )
    detail = {"trash_days": [was.trash_days if was else None, days]}
    audit.record(actor, "space.trash_retention", "space", space_id, space_id=space_id, detail=detail)
    return now_is


def _check_counted(space_id: UUID, days: int, typed: str, actor: Actor) -> None:
    if not DAYS_LEAST <= days <= DAYS_MOST:
        raise Invalid.field(
            "days",
            phrase(
                "Choose from %(least)s to %(most)s days, or keep everything.", least=DAYS_LEAST, most=f"{DAYS_MOST:,}"
            ),
        )
    count = due(space_id, days, actor=actor).count
    if count and typed.strip().replace(",", "") != str(count):
        raise Invalid.field(
            "typed",
            phrase(
                "This would delete %(count)s records for good at once. Type %(number)s to say that you mean it.",
                count=f"{count:,}",
                number=count,
            ),
        )


def may_purge(actor: Actor, space: Space) -> bool:
    """Whether the actor may let this trash empty itself: it is their own, or they are an admin of the team."""
    return space.role == Role.ADMIN and "memory:delete" in actor.scopes


def check_may_purge(actor: Actor, space: Space) -> None:
    """Raises NotAllowed that says who may."""
    if not may_purge(actor, space):
        raise NotAllowed(phrase("Only an admin of %(space)s may let its trash empty itself.", space=space.name))


def purge_due(*, dry_run: bool = False) -> dict[UUID, Purged]:
    """Delete what is due in every space that chose so, at most BATCH records in one transaction. Repeat at will.

    A space in which that fails holds up none of the others.
    """
    chosen = SpaceSettings.objects.filter(trash_days__isnull=False).order_by("pk").values_list("pk", flat=True)
    return {space_id: preview(space_id) if dry_run else _purged(space_id) for space_id in list(chosen)}


def _purged(space_id: UUID) -> Purged:
    try:
        return purge(space_id)
    except Exception:
        log.exception("The trash of %s could not be emptied.", space_id)
        return Purged((), why_not="it failed; the log says how")


def preview(space_id: UUID) -> Purged:
    """What `purge` would name, without deleting anything."""
    chosen, actor, why_not = _chosen(space_id, lock=False)
    if chosen is None or chosen.trash_days is None or actor is None:
        return Purged((), why_not=why_not)
    before = timezone.now() - timedelta(days=chosen.trash_days)
    rows = [_waiting(kind, space_id, before).filter(hold="").values_list("pk", flat=True) for kind in records.KINDS]
    return Purged(tuple(key for some in rows for key in some))


def purge(space_id: UUID) -> Purged:
    """Delete what is due in one space, batch by batch, each in a transaction of its own."""
    ids: list[UUID] = []
    left: list[UUID] = []
    while True:
        batch = _purge_batch(space_id, passing_over=left)
        ids += batch.ids
        left += batch.left
        if batch.why_not or not (batch.ids or batch.left):
            return Purged(tuple(ids), tuple(left), batch.why_not)


@transaction.atomic
def _purge_batch(space_id: UUID, *, passing_over: Collection[UUID]) -> Purged:
    chosen, actor, why_not = _chosen(space_id, lock=True)
    if chosen is None or chosen.trash_days is None or actor is None:
        return Purged((), why_not=why_not)
    turns.erase_alone(space_id)
    before = timezone.now() - timedelta(days=chosen.trash_days)
    found = _first(space_id, before, passing_over)
    if not found:
        return Purged(())
    removal.lock(found)
    still = {one.pk: one for one in _first(space_id, before, passing_over)}
    found = [still[one.pk] for one in found if one.pk in still]
    gone, left = _remove_all(found, f"kept in the trash for {chosen.trash_days} days", actor)
    if gone:
        detail = {
            "ids": [str(key) for key in gone],
            "count": len(gone),
            "trash_days": chosen.trash_days,
            "on_behalf_of": actor.name,
        }
        audit.record(actor, "trash.purge", "space", space_id, space_id=space_id, detail=detail)
    return Purged(tuple(gone), tuple(left))


def _chosen(space_id: UUID, *, lock: bool) -> tuple[SpaceSettings | None, Actor | None, str]:
    """The setting, whoever it deletes for, and why it may not."""
    rows = SpaceSettings.objects.select_related("changed_by").filter(pk=space_id, trash_days__isnull=False)
    chosen = (rows.select_for_update(no_key=True, of=("self",)) if lock else rows).first()
    if chosen is None:
        return None, None, "off"
    actor = person(chosen.changed_by, channel="job")
    space = actor.spaces.get(space_id)
    if not chosen.changed_by.is_active or space is None or not may_purge(actor, space):
        return chosen, None, f"{chosen.changed_by.username}, who chose the time, may not delete here any more"
    return chosen, actor, ""


def _first(space_id: UUID, before: datetime, passing_over: Collection[UUID]) -> list[records.Record]:
    found: list[records.Record] = []
    for kind in records.KINDS:
        rows = _waiting(kind, space_id, before).filter(hold="").exclude(pk__in=list(passing_over))
        found += rows[: BATCH - len(found)]
    return found


def _remove_all(found: Sequence[records.Record], reason: str, actor: Actor) -> tuple[list[UUID], list[UUID]]:
    """Delete all at once; where that may not be (a summary under hold quotes one of them), each that may.

    Returns the ids of what is gone, derived records included, and of what stays.
    """
    if not found:
        return [], []
    try:
        check_may_reach(found, actor)
    except NotAllowed:
        return _remove_each(found, reason, actor)
    return list(removal.remove(found, reason=reason, actor=actor).ids), []


def _remove_each(found: Iterable[records.Record], reason: str, actor: Actor) -> tuple[list[UUID], list[UUID]]:
    gone: list[UUID] = []
    left: list[UUID] = []
    for one in found:
        if one.pk in gone:
            continue  # it went along with another
        try:
            check_may_reach([one], actor)
        except NotAllowed:
            left.append(one.pk)
            continue
        gone += removal.remove([one], reason=reason, actor=actor).ids
    return gone, left
