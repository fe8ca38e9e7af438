"""How many memories there are, of which type, where they stand, when they were written, how important they are.

One statement reads the narrow columns of the visible memories once and tells how often each combination occurs; what
a page shows of it are sums, so that they fit each other. No text is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db.models import (
    Case,
    Count,
    DateTimeField,
    Exists,
    F,
    FloatField,
    Func,
    IntegerField,
    OuterRef,
    TextField,
    Value,
    When,
)

from memories.access import Actor, in_spaces, live, visible_to
from memories.models import AuditRecord, Decision, LedgerEntry, Memory, MemoryLink, Snapshot, Todo
from memories.models.memory import Derivation, LinkKind, MemoryType

KEPT = ("active", "archived", "expired")
STATUSES = (*KEPT, "deleted")
TENTHS = [n / 10 for n in range(1, 10)]  # where the tenths of importance meet; a border belongs to the upper one
OVERDUE = "overdue"  # active by its state, expired by the clock


@dataclass(frozen=True, slots=True)
class Tally:
    """How many memories have these traits in common. `period` is 0 before the first moment asked for."""

    memory_type: str
    stands: str
    period: int
    tenth: int
    count: int


@dataclass(frozen=True, slots=True)
class Tallies:
    """All combinations that occur, summed up as they are asked for."""

    found: Sequence[Tally]

    def by_type(self) -> dict[str, Counter[str]]:
        """For every type how many stand where; overdue ones count as expired."""
        counts: dict[str, Counter[str]] = {kind: Counter() for kind in MemoryType.values}
        for one in self.found:
            counts[one.memory_type]["expired" if one.stands == OVERDUE else one.stands] += one.count
        return counts

    @property
    def overdue(self) -> int:
        """Active ones whose time is over: no pass has put them away yet."""
        return sum(one.count for one in self.found if one.stands == OVERDUE)

    def written(self, memory_type: str, periods: int) -> list[int]:
        """How many of a type were written in each period and are not in the trash; older ones count in the first."""
        counts = [0] * periods
        for one in self.found:
            if one.memory_type == memory_type and one.stands != "deleted":
                counts[max(0, one.period - 1)] += one.count
        return counts

    def importance(self) -> list[int]:
        """How many live memories lie in each tenth."""
        counts = [0] * (len(TENTHS) + 1)
        for one in self.found:
            if one.stands == "active":
                counts[one.tenth] += one.count
        return counts


class Place(Func):
    """How many of ascending borders a value has reached."""

    function = "width_bucket"
    output_field = IntegerField()


def among(field: str, moments: Sequence[datetime]) -> Place:
    """In which of the periods that begin at `moments` a time lies, from 1; 0 before the first."""
    return Place(F(field), Value(list(moments), output_field=ArrayField(DateTimeField())))


def tallies(moments: Sequence[datetime], *, at: datetime, actor: Actor) -> Tallies:
    """What occurs among the visible memories, deleted ones too, with the periods that begin at `moments`."""
    overdue = When(state__status="active", expires_at__lte=at, then=Value(OVERDUE))
    borders = Value(TENTHS, output_field=ArrayField(FloatField()))
    rows = visible_to(actor, Memory.objects.filter(state__status__in=STATUSES)).annotate(
        stands=Case(overdue, default=F("state__status"), output_field=TextField()),
        period=among("created_at", moments),
        tenth=Place(F("state__importance"), borders),
    )
    traits = ("memory_type", "stands", "period", "tenth")
    counted = rows.order_by().values_list(*traits).annotate(count=Count("pk"))
    return Tallies([Tally(*row) for row in counted])


def oldest(*, actor: Actor) -> datetime | None:
    """When the first of the visible memories was written that are not in the trash; asks the index of each space."""
    kept = visible_to(actor, Memory.objects.filter(state__status__in=KEPT))
    firsts = [kept.filter(space_id=key).order_by("created_at").values("created_at")[:1] for key in actor.spaces]
    if not firsts:
        return None
    found = firsts[0].union(*firsts[1:], all=True) if len(firsts) > 1 else firsts[0]
    return min((row["created_at"] for row in found), default=None)


def untold(*, since: datetime, at: datetime, actor: Actor) -> int:
    """How many live episodic memories since then no live summary tells, summaries and facts themselves left out."""
    cited = MemoryLink.objects.filter(
        target=OuterRef("pk"),
        kind=LinkKind.DERIVED_FROM,
        origin__derivation=Derivation.SUMMARY,
        origin__state__status="active",
    ).exclude(origin__expires_at__lte=at)
    rows = live(visible_to(actor, Memory.objects.filter(created_at__gte=since)), at=at)
    return rows.filter(~Exists(cited), memory_type=MemoryType.EPISODIC, derivation=Derivation.NONE).count()


def live_by_space(*, at: datetime, actor: Actor) -> Counter[UUID]:
    """How many live memories each space holds that are visible."""
    rows = live(visible_to(actor, Memory.objects.all()), at=at)
    return Counter(dict(rows.order_by().values_list("space_id").annotate(count=Count("pk"))))


def last_acts(*, actor: Actor) -> dict[UUID, datetime]:
    """When something was last done or refused in each space; asks the index of each."""
    lines = in_spaces(actor, AuditRecord.objects.all())
    lasts = [lines.filter(space_id=key).order_by("-at", "-pk").values("space_id", "at")[:1] for key in actor.spaces]
    if not lasts:
        return {}
    found = lasts[0].union(*lasts[1:], all=True) if len(lasts) > 1 else lasts[0]
    return {row["space_id"]: row["at"] for row in found}


def trashed(*, actor: Actor) -> int:
    """How many visible records of the other kinds are in the trash."""
    return sum(_trashed(actor))


def _trashed(actor: Actor) -> Iterator[int]:
    for model in (Todo, LedgerEntry, Decision, Snapshot):
        yield visible_to(actor, model.objects.filter(status="deleted")).count()
