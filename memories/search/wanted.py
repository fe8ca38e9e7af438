"""What is asked of a search, checked, and as a condition on rows. Filters only narrow what is visible."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL

from console.errors import Invalid, NotAllowed, Problem
from console.saying import phrase
from memories.access import Actor
from memories.models import Memory
from memories.models.memory import MemoryType

QUERY_LIMIT = 1_000  # characters
LIMIT_MOST = 50
PATTERN_LIMIT = 200  # characters
WILDCARDS_MOST = 20
ANY = "%"
UUID_TEXT = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
ORDERS = (None, "newest", "oldest")
CREATED, UPDATED, SPLIT = AXES = ("created_at", "updated_at", "split_filter_created_order_updated")


@dataclass(frozen=True, slots=True)
class Search:
    """A question and its filters. `bucket` and `path` are ILIKE patterns (`%` any text, `_` any character).

    `since` is included, `until` is not; both are aware. `threshold` (0..1) can only raise the cut of a strict search.
    `time_order` sorts the hits that were chosen: newest, oldest or, by default, best first. `temporal_axis_mode` says
    which time is meant: that of creation, of the last change, or creation for the span and the change for the order.
    """

    query: str
    limit: int = 5
    bucket: str = ANY
    scope: str | None = None
    team_id: UUID | None = None
    memory_type: str = ANY
    path: str = ANY
    since: datetime | None = None
    until: datetime | None = None
    prefer_working: bool = False
    explain: bool = False
    threshold: float | None = None
    time_order: str | None = None
    temporal_axis_mode: str = CREATED

    @property
    def filtered_by(self) -> str:
        """The time that `since` and `until` are about."""
        return UPDATED if self.temporal_axis_mode == UPDATED else CREATED

    @property
    def ordered_by(self) -> str:
        """The time that `time_order` is about."""
        return CREATED if self.temporal_axis_mode == CREATED else UPDATED

    @property
    def lists(self) -> bool:
        """Whether everything is wanted, newest first."""
        return self.query.strip() == "*"


NARROWING = ("bucket", "scope", "team_id", "memory_type", "path", "since", "until")
PLAIN = {field.name: field.default for field in fields(Search)}


def in_force(wanted: Search) -> list[dict[str, str]]:
    """The filters that narrow, each as name and value."""
    named = ((name, getattr(wanted, name)) for name in NARROWING)
    return [
        {"name": name, "value": value.isoformat() if isinstance(value, datetime) else str(value)}
        for name, value in named
        if value not in (PLAIN[name], "", None)
    ]


def check(wanted: Search, actor: Actor) -> None:
    """Raises Invalid naming each wrong field, NotAllowed for a team outside the boundary."""
    problems = [Problem(("query", name), text) for name, text in _problems(wanted)]
    if problems:
        raise Invalid(*problems)
    if wanted.team_id is not None and wanted.team_id not in {space.team_id for space in actor.spaces.values()}:
        raise NotAllowed(phrase("You are not in this team, or your token is not bound to it. Leave team_id out."))


Fault = tuple[str, str]  # the name of a field, and what is wrong about it


def _problems(wanted: Search) -> Iterator[Fault]:
    for name in ("query", "bucket", "scope", "memory_type", "path"):
        value = getattr(wanted, name)
        if value is not None and not _storable(value):
            yield name, phrase("%(name)s holds a NUL or half a surrogate pair. Send plain Unicode text.", name=name)
    yield from _problems_of_size(wanted)
    yield from _problems_of_choices(wanted)
    yield from _problems_of_patterns(wanted)
    yield from _problems_of_times(wanted)


def _problems_of_size(wanted: Search) -> Iterator[Fault]:
    length, limit = len(wanted.query), wanted.limit
    if not visible_text(wanted.query):
        yield "query", phrase("The query is empty. Write what to look for, or * for everything, newest first.")
    if length > QUERY_LIMIT:
        said = phrase("The query has %(length)s characters. Use at most %(most)s.", length=length, most=QUERY_LIMIT)
        yield "query", said
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= LIMIT_MOST:
        said = phrase("limit is %(limit)s. Give a whole number from 1 to %(most)s.", limit=limit, most=LIMIT_MOST)
        yield "limit", said
    if wanted.threshold is not None and not 0 <= wanted.threshold <= 1:
        yield "threshold", phrase("threshold must be a number from 0 to 1.")


def _problems_of_choices(wanted: Search) -> Iterator[Fault]:
    if wanted.memory_type not in (ANY, *MemoryType.values):
        names = ", ".join(MemoryType.values)
        said = phrase("There is no such memory type. Use one of %(names)s, or %% for any.", names=names)
        yield "memory_type", said
    if wanted.time_order not in ORDERS:
        yield "time_order", phrase("time_order must be newest or oldest, or be left out.")
    if wanted.temporal_axis_mode not in AXES:
        said = phrase("There is no such axis. Use one of %(names)s.", names=", ".join(AXES))
        yield "temporal_axis_mode", said


def _problems_of_patterns(wanted: Search) -> Iterator[Fault]:
    for name in ("bucket", "path"):
        pattern = getattr(wanted, name)
        if len(pattern) > PATTERN_LIMIT:
            yield name, _too_long(name, pattern)
        if pattern.count("%") + pattern.count("_") > WILDCARDS_MOST:
            said = phrase(
                "%(name)s has more than %(most)s wildcards (%% and _). Use fewer.", name=name, most=WILDCARDS_MOST
            )
            yield name, said
    if wanted.scope is not None and len(wanted.scope) > PATTERN_LIMIT:
        yield "scope", _too_long("scope", wanted.scope)


def _too_long(name: str, value: str) -> str:
    return phrase(
        "%(name)s has %(length)s characters. Use at most %(most)s.",
        name=name,
        length=len(value),
        most=PATTERN_LIMIT,
    )


def _problems_of_times(wanted: Search) -> Iterator[Fault]:
    named = {name: moment for name in ("since", "until") if (moment := getattr(wanted, name)) is not None}
    bare = [name for name, moment in named.items() if moment.tzinfo is None]
    for name in bare:
        yield name, phrase("%(name)s has no offset. Add one, e.g. 2026-03-01T00:00:00Z.", name=name)
    if not bare and wanted.since and wanted.until and wanted.until <= wanted.since:
        yield "until", phrase("until must be later than since.")


def _storable(text: str) -> bool:
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def visible_text(text: str) -> str:
    """`text` without white space and characters that show nothing."""
    return "".join(letter for letter in text if letter.isprintable() and not letter.isspace())


def narrowed(rows: QuerySet[Memory], wanted: Search) -> QuerySet[Memory]:
    """`rows` within the filters of `wanted`; the same object where there are none."""
    time = wanted.filtered_by
    exact: dict[str, Any] = {f"{time}__gte": wanted.since, f"{time}__lt": wanted.until}
    exact |= {"scope": wanted.scope or None, "team_id": wanted.team_id}
    exact["memory_type"] = None if wanted.memory_type == ANY else wanted.memory_type
    exact = {name: value for name, value in exact.items() if value is not None}
    rows = rows.filter(**exact) if exact else rows
    for name in ("bucket", "path"):
        pattern = getattr(wanted, name)
        if pattern not in (ANY, ""):
            rows = rows.filter(like(name, pattern.replace("\\", "\\\\")))
    return rows


def like(column: str, pattern: str) -> RawSQL:
    """A condition: `column` of the memory matches the LIKE pattern, in which a backslash takes a wildcard's meaning."""
    return RawSQL(f'"memories_memory"."{column}" ILIKE %s', [pattern], BooleanField())  # noqa: S611 - fixed names


def literal(text: str) -> str:
    """`text` as a part of a LIKE pattern that matches it alone."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
