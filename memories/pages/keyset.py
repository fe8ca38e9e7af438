"""Pages of a long list by the place of their first and last row: page 200 costs what page 2 costs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from console.errors import Invalid
from console.saying import phrase
from memories.services.newest import newest

COUNT_CAP = 10_000
SIZE = 50
SIZE_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Place:
    """A row's place in a list that is sorted by time, then id, newest first."""

    at: datetime
    id: UUID

    def __str__(self) -> str:
        at = self.at.astimezone(UTC).isoformat(timespec="microseconds")  # also of a year of three digits
        return f"{at.removesuffix('+00:00')}Z_{self.id}"

    def later(self, field: str) -> Q:
        """Rows that stand after this place."""
        return Q(**{f"{field}__lte": self.at}) & (Q(**{f"{field}__lt": self.at}) | Q(pk__lt=self.id))

    def earlier(self, field: str) -> Q:
        """Rows that stand before this place."""
        return Q(**{f"{field}__gte": self.at}) & (Q(**{f"{field}__gt": self.at}) | Q(pk__gt=self.id))


def place_in(text: str, name: str) -> Place:
    """The place that a link carries. Raises Invalid."""
    at, _, key = text.partition("_")
    try:
        when = datetime.fromisoformat(at)
        if when.tzinfo is None:
            raise ValueError
        return Place(when.astimezone(UTC), UUID(key))
    except (ValueError, OverflowError):
        said = phrase("This is no place in the list. Start at its first page.")
        raise Invalid.field(name, said, where="query") from None


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of a list, how many there are in all (`counted`: exact up to the cap), and the way to the others."""

    rows: list[Any]
    prev_url: str
    next_url: str
    range_text: str
    counted: int
    total_text: str


@dataclass(frozen=True, slots=True)
class Source:
    """A queryset and the field it is sorted by; `at` reads that field off a row. `spaces` are those of its rows, where
    an index has each of them in order.
    """

    rows: QuerySet[Any]
    field: str
    at: Callable[[Any], datetime]
    spaces: Collection[UUID] = ()


def page(sources: Sequence[Source], query: QueryDict, path: str, *, size: int = SIZE) -> Page:
    """The page that `query` (`after` or `before`) asks for, out of one or more sources merged newest first.

    Raises Invalid for a place that cannot be read.
    """
    after = place_in(query.get("after", ""), "after") if query.get("after") else None
    before = place_in(query.get("before", ""), "before") if query.get("before") and not after else None
    found = _nearest(sources, after, before, size + 1)
    more = len(found) > size
    shown = found[-size:] if before and more else found[:size]
    if before and not shown:
        return page(sources, _without(query), path, size=size)
    first, last = (shown[0][0], shown[-1][0]) if shown else (None, None)
    ahead, total = _count(sources, first, "earlier") if first else 0, _count(sources, None, "")
    has_next = bool(shown) and (more if not before else True)
    return Page(
        rows=[row for _, row in shown],
        prev_url=_link(query, path, "before", first) if ahead and first else "",
        next_url=_link(query, path, "after", last) if has_next and last else "",
        range_text=_range(ahead, len(shown), total),
        counted=total,
        total_text=_told(total),
    )


def part(sources: Sequence[Source], after: Place | None, size: int) -> tuple[list[Any], Place | None]:
    """The `size` rows after a place, and the place of the last of them where there are more."""
    found = _nearest(sources, after, None, size + 1)
    return [row for _, row in found[:size]], found[size - 1][0] if len(found) > size else None


def at_most(sources: Sequence[Source], most: int) -> bool:
    """Whether there are no more rows than this."""
    return sum(source.rows.order_by()[: most + 1].values("pk").count() for source in sources) <= most


def _nearest(
    sources: Sequence[Source], after: Place | None, before: Place | None, size: int
) -> list[tuple[Place, Any]]:
    """The `size` rows next to a place (or the first ones), newest first; with `before` the ones nearest above it."""
    found = []
    for source in sources:
        rows = source.rows
        if after:
            rows = rows.filter(after.later(source.field))
        elif before:
            rows = rows.filter(before.earlier(source.field))
        next_ones = newest(rows, source.field, spaces=source.spaces, limit=size, oldest=bool(before and not after))
        found += [(Place(source.at(row), row.pk), row) for row in next_ones]
    found.sort(key=lambda item: (item[0].at, item[0].id), reverse=not before)
    nearest = found[:size]
    return nearest[::-1] if before else nearest


def _count(sources: Sequence[Source], place: Place | None, side: str) -> int:
    """How many rows there are (before `place`), counted up to just over the cap."""
    total = 0
    for source in sources:
        rows = source.rows.filter(getattr(place, side)(source.field)) if place else source.rows
        total += rows.order_by()[: COUNT_CAP + 1].values("pk").count()
    return total


def _range(ahead: int, shown: int, total: int) -> str:
    if not shown:
        return ""
    of = _told(total)
    if ahead > COUNT_CAP:
        said = _("%(shown)s after the first %(cap)s, of %(total)s")
        return said % {"shown": shown, "cap": grouped(COUNT_CAP), "total": of}
    return between(ahead + 1, ahead + shown, of)


def _told(total: int) -> str:
    return f"{grouped(COUNT_CAP)}+" if total > COUNT_CAP else grouped(total)


def grouped(number: int) -> str:
    """A number with its thousands parted as the reader is used to."""
    return number_format(number, force_grouping=True)


def between(first: int, last: int, total: str) -> str:
    """Which rows of how many are shown."""
    return _("%(first)s–%(last)s of %(total)s") % {"first": grouped(first), "last": grouped(last), "total": total}


def _without(query: QueryDict) -> QueryDict:
    rest = query.copy()
    for name in ("after", "before", "selected"):
        rest.pop(name, None)
    return rest


def _link(query: QueryDict, path: str, name: str, place: Place) -> str:
    rest = _without(query)
    rest[name] = str(place)
    return f"{path}?{rest.urlencode()}"
