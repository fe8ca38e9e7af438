"""How the planner writes times and spans in its reasons: plain English, always UTC. Pure."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def day(at: datetime) -> str:
    """`8 May 2023`, the same whatever the process's locale."""
    at = at.astimezone(UTC)
    return f"{at.day} {_MONTHS[at.month - 1]} {at.year}"


def moment(at: datetime) -> str:
    """`8 May 2023 13:56 UTC`."""
    return f"{day(at)} {at.astimezone(UTC):%H:%M} UTC"


def span(first: datetime, last: datetime) -> str:
    """`8 May 2023 13:56 to 14:10 UTC`; the day is named twice only where it differs."""
    same_day = first.astimezone(UTC).date() == last.astimezone(UTC).date()
    start = moment(first).removesuffix(" UTC")
    return f"{start} to {last.astimezone(UTC):%H:%M} UTC" if same_day else f"{start} to {moment(last)}"


def elapsed(since: datetime, until: datetime) -> str:
    """`79 days`, whole from 2 days on; `1.5 days` below."""
    days = max(0.0, (until - since).total_seconds() / 86_400)
    return many(int(days), "day") if days >= 2 else f"{round(days, 1):g} day{'' if round(days, 1) == 1 else 's'}"


def name(memory_id: UUID) -> str:
    """The id as people see it, `mem_…`."""
    return f"mem_{memory_id}"


def many(count: int, noun: str, plural: str = "") -> str:
    """`1 day`, `12 days`; `plural` where adding an s is wrong."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
