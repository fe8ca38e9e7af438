"""How many memories there are, by what: counts without reading any text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, CharField, Count, F, Max, Min, QuerySet, TextField, Value, When
from django.db.models.expressions import RawSQL
from django.db.models.functions import TruncDate
from django.utils import timezone

from console.errors import Invalid
from console.saying import phrase
from memories.access import Actor, check_may_use, visible_to
from memories.models import Memory

KEY_LIMIT = 100  # characters of a metadata key
GROUPINGS_MOST = 5
COLUMNS = {"path": F("path"), "type": F("memory_type"), "source": F("source"), "bucket": F("bucket")}
METADATA = "metadata:"
KNOWN = ("path", "type", "status", "source", "bucket", "day", f"{METADATA}<key>")


@dataclass(frozen=True, slots=True)
class Group:
    """The memories that have one value in common; None stands for those that have none."""

    by: str
    value: str | None
    count: int
    oldest_at: datetime
    latest_at: datetime


@dataclass(frozen=True, slots=True)
class Statistics:
    """What `count` found. `total` is all that is visible and not in the trash, `filtered` what the filters left."""

    total: int
    filtered: int
    oldest_at: datetime | None
    latest_at: datetime | None
    by_type: dict[str, int]
    by_status: dict[str, int]
    by_bucket: dict[str, int]
    groups: list[Group]


def visible(actor: Actor) -> QuerySet[Memory]:
    """What statistics are about: every visible memory. Raises NotAllowed."""
    check_may_use(actor, "memory:read")
    return visible_to(actor, Memory.objects.all())


def count(rows: QuerySet[Memory], *, group_by: str = "", top_n: int = 20, actor: Actor) -> Statistics:
    """Count `rows`, which are a part of `visible`. `group_by` names groupings, separated by commas; of each there are
    the `top_n` largest groups. Raises Invalid, NotAllowed.
    """
    groupings = _groupings(group_by)
    rows = rows.order_by().annotate(stands=_standing())
    ends = rows.aggregate(count=Count("pk"), oldest=Min("created_at"), latest=Max("created_at"))
    return Statistics(
        total=visible(actor).exclude(state__status="deleted").count(),
        filtered=ends["count"],
        oldest_at=ends["oldest"],
        latest_at=ends["latest"],
        by_type=_tally(rows, "memory_type"),
        by_status=_tally(rows, "stands"),
        by_bucket=_tally(rows, "bucket"),
        groups=[group for name in groupings for group in _groups(rows, name, top_n)],
    )


def _standing() -> Case:
    """The status; what the clock has expired counts as expired."""
    overdue = When(state__status="active", expires_at__lte=timezone.now(), then=Value("expired"))
    return Case(overdue, default=F("state__status"), output_field=CharField())


def _groupings(text: str) -> list[str]:
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        key = name.removeprefix(METADATA)
        if name not in KNOWN[:-1] and not (name.startswith(METADATA) and 0 < len(key) <= KEY_LIMIT):
            raise Invalid.field(
                "group_by", phrase("Group by %(names)s. This is none of them.", names=", ".join(KNOWN)), where="query"
            )
    if len(names) > GROUPINGS_MOST:
        raise Invalid.field(
            "group_by", phrase("Group by at most %(most)s at a time.", most=GROUPINGS_MOST), where="query"
        )
    return names


def _tally(rows: QuerySet[Memory], name: str) -> dict[str, int]:
    found = rows.values(name).annotate(count=Count("pk")).order_by("-count", name)[:200]
    return {row[name]: row["count"] for row in found}


def _groups(rows: QuerySet[Memory], name: str, top_n: int) -> Iterator[Group]:
    found = rows.annotate(shared=_shared(name)).values("shared")
    found = found.annotate(count=Count("pk"), oldest=Min("created_at"), latest=Max("created_at"))
    for row in found.order_by("-count", "shared")[:top_n]:
        value = row["shared"]
        yield Group(name, None if value is None else str(value), row["count"], row["oldest"], row["latest"])


def _shared(name: str) -> Any:
    if name == "status":
        return F("stands")
    if name == "day":
        return TruncDate("created_at", tzinfo=timezone.get_fixed_timezone(0))
    if name.startswith(METADATA):
        key = name.removeprefix(METADATA)
        return RawSQL('"memories_memory"."metadata" ->> %s', [key], TextField())
    return COLUMNS[name]
