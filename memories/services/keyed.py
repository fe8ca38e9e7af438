"""Writing by key: one writer at a time, and slots of working state, of which one is active in a place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.utils import timezone

from console.errors import Conflict
from console.saying import Quoted, phrase
from memories.access import live
from memories.models import LifecycleStatus, Memory
from memories.models.memory import MemoryType

SLOT = "state:"  # before the key of a slot
LOCKED_MOST = 500  # places that one import locks: the database holds locks for everybody in one table


def one_writer(space_id: UUID, bucket: str, scope: str | None, key: str | None) -> None:
    """Serialise writers of one key or text: a unique index cannot, for deleted records may share both."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"remember {space_id} {bucket} {scope} {key}"]
        )


def check_free(memory: Memory, *, status: str) -> None:
    """Before a locked slot stands at `status` in its place: Conflict where another active one has its key there.

    Of other memories with a key, several may stand side by side; the eldest is the one that is written to.
    """
    over = memory.expires_at is not None and memory.expires_at <= timezone.now()
    key, slot = memory.semantic_key or "", memory.memory_type == MemoryType.WORKING
    if not (slot and key.startswith(SLOT)) or status != LifecycleStatus.ACTIVE or over:
        return
    space_id = memory.team_id or memory.owner_id
    one_writer(space_id, memory.bucket, memory.scope, key)
    others = live(Memory.objects.filter(space_id=space_id, bucket=memory.bucket, scope=memory.scope))
    others = others.filter(owner_id=memory.owner_id, memory_type=MemoryType.WORKING, semantic_key=key)
    other = others.exclude(pk=memory.pk).values_list("pk", flat=True).first()
    if other is not None:
        raise Conflict(_held(key, other), other=str(other))


def _held(key: str, other: UUID) -> str:
    return phrase(
        "The state “%(state)s” is held by another memory here, %(other)s. Forget or archive that one first.",
        state=Quoted(key.removeprefix(SLOT)),
        other=other,
    )


class _Place(NamedTuple):
    """Where one active slot may stand."""

    space_id: UUID
    owner_id: UUID
    bucket: str
    scope: str | None
    key: str


@dataclass(frozen=True, slots=True)
class _Slot:
    """A slot that is about to change: where it is active now, and where it would be."""

    id: UUID
    was: _Place | None
    to: _Place | None

    @property
    def arrives(self) -> bool:
        return self.to is not None and self.to != self.was


class Arriving:
    """Whether new slots, unsaved yet, find their places free; of several that want the same one the first gets it."""

    def __init__(self, new: Iterable[Memory]) -> None:
        places = {place for one in new if (place := _arrives_at(one)) is not None}
        for place in sorted(places, key=str)[:LOCKED_MOST]:
            one_writer(place.space_id, place.bucket, place.scope, place.key)
        self._holders = _holders(places, {})

    def refusal(self, memory: Memory) -> str | None:
        """Why this one cannot be stored, whose id is known; None where its place is its own now, or it needs none."""
        place = _arrives_at(memory)
        if place is None or (other := self._holders.setdefault(place, memory.pk)) == memory.pk:
            return None
        return _held(place.key, other)


def _arrives_at(memory: Memory) -> _Place | None:
    return _active_at(memory, {}) if (memory.semantic_key or "").startswith(SLOT) else None


def taken(becoming: Mapping[UUID, Mapping[str, Any]]) -> dict[UUID, str]:
    """Those of these locked memories that would stand as a second active slot of a key, each with the reason.

    `becoming` holds what of each will be otherwise, as plain JSON values: `status`, `bucket`, `scope`, `memory_type`,
    `expires_at`. All of them change together, so that one may take the place which another of them leaves; of several
    that want the same place the eldest gets it.
    """
    slots = _slots(becoming)
    wanted = {one.to for one in slots if one.to is not None and one.arrives}
    for place in sorted(wanted, key=str):
        one_writer(place.space_id, place.bucket, place.scope, place.key)
    holders, refused = _holders(wanted, becoming), dict[UUID, str]()
    while more := _refused(slots, dict(holders), refused):
        refused |= more
    return refused


def _slots(becoming: Mapping[UUID, Mapping[str, Any]]) -> list[_Slot]:
    rows = Memory.objects.filter(pk__in=list(becoming), semantic_key__startswith=SLOT)
    rows = rows.select_related("state").order_by("created_at", "pk")
    return [_Slot(row.pk, _active_at(row, {}), _active_at(row, becoming[row.pk])) for row in rows]


def _active_at(memory: Memory, values: Mapping[str, Any]) -> _Place | None:
    """Where this slot is active once `values` hold; None where it would not be."""
    until = values.get("expires_at", memory.expires_at)
    until = datetime.fromisoformat(until) if isinstance(until, str) else until
    over = until is not None and until <= timezone.now()
    kind, status = values.get("memory_type", memory.memory_type), values.get("status", memory.state.status)
    if over or kind != MemoryType.WORKING or status != LifecycleStatus.ACTIVE:
        return None
    bucket, scope = values.get("bucket", memory.bucket), values.get("scope", memory.scope)
    return _Place(memory.team_id or memory.owner_id, memory.owner_id, bucket, scope, memory.semantic_key or "")


def _holders(places: set[_Place], changing: Mapping[UUID, Any]) -> dict[_Place, UUID]:
    """The active slots in these places that do not change."""
    if not places:
        return {}
    rows = live(Memory.objects.filter(space_id__in={place.space_id for place in places}))
    rows = rows.filter(memory_type=MemoryType.WORKING, semantic_key__in={place.key for place in places})
    fields = ("space_id", "owner_id", "bucket", "scope", "semantic_key", "pk")
    found = {_Place(*row[:5]): row[5] for row in rows.exclude(pk__in=list(changing)).values_list(*fields)}
    return {place: key for place, key in found.items() if place in places}


def _refused(slots: list[_Slot], held: dict[_Place, UUID], before: Mapping[UUID, str]) -> dict[UUID, str]:
    """Those that find their place held, now that the slots in `before` stay where they were."""
    for one in slots:
        place = one.was if one.id in before else None if one.arrives else one.to
        if place is not None:
            held.setdefault(place, one.id)
    return {
        one.id: phrase(
            "the state “%(state)s” is held by another memory, %(other)s",
            state=one.to.key.removeprefix(SLOT),
            other=other,
        )
        for one in slots
        if one.to is not None and one.arrives and one.id not in before
        if (other := held.setdefault(one.to, one.id)) != one.id
    }
