"""How pages of reflection write ids, times from now, and the planner's sentences."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django import template
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()
NAMED = re.compile(r"\b(?:mem_)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b")
ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))


@register.filter
def short_id(value: Any) -> str:
    """An id as people tell it apart from its neighbours: its last six characters."""
    return f"…{str(value)[-6:]}"


@register.filter
def plain(name: str) -> str:
    """A name of the code as words."""
    return name.replace("_", " ")


@register.simple_tag
def memory_link(memory_id: UUID | str) -> SafeString:
    """A link to a memory that shows the end of its id."""
    address = reverse("memory", args=[UUID(str(memory_id))])
    return format_html('<a class="id" href="{}" title="mem_{}">mem_…{}</a>', address, memory_id, str(memory_id)[-6:])


@register.filter
def linked(text: str) -> SafeString:
    """`text`, escaped, with every id of a memory in it turned into a link."""
    parts = NAMED.split(text)  # text, id, text, id, …
    out = [memory_link(part) if place % 2 else part for place, part in enumerate(parts)]
    return format_html_join("", "{}", ((part,) for part in out))


@register.filter
def number(value: Any) -> str | SafeString:
    """An input of a rule: floats short, times in words, ids as links."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    text = str(value)
    if NAMED.fullmatch(text):
        return linked(text)
    if ISO.match(text):
        return local(datetime.fromisoformat(text))
    return text


@register.filter
def local(at: datetime | str) -> SafeString:
    """`29 Nov 2026, 19:00 KST` in the reader's zone, with the time in UTC behind it."""
    moment = datetime.fromisoformat(at) if isinstance(at, str) else at
    return format_html(
        '<span title="{}">{}</span>', _written(moment.astimezone(UTC)), _written(timezone.localtime(moment))
    )


def _written(at: datetime) -> str:
    return f"{at.day} {at:%b %Y, %H:%M %Z}"


@register.simple_tag
def window(since: str, until: str) -> SafeString:
    """`29 Nov 19:00 to 30 Nov 19:00 KST` in the reader's zone, with the times in UTC behind it.

    Years are named where they differ or are not this one; the zone twice where summer time began or ended between.
    """
    moments = [datetime.fromisoformat(text) for text in (since, until)]
    start, end = (timezone.localtime(at) for at in moments)
    year = " %Y" if start.year != end.year or end.year != timezone.localtime().year else ""
    zone = " %Z" if start.tzname() != end.tzname() else ""
    first = f"{start.day} {start.strftime(f'%b{year} %H:%M{zone}')}"
    last = f"{end.day} {end.strftime(f'%b{year} %H:%M %Z')}"
    exact = " to ".join(_written(at.astimezone(UTC)) for at in moments)
    return format_html('<span title="{}">{} to {}</span>', exact, first, last)


@register.simple_tag
def moment(at: datetime, ahead: bool = False) -> SafeString:
    """A time told from now in its largest unit, `2 hours ago` or `in 22 hours`, with the exact one behind it."""
    seconds = abs((timezone.now() - at).total_seconds())
    name, size = next((unit for unit in UNITS if seconds >= unit[1]), UNITS[-1])
    count = round(seconds / size)
    text = f"{count} {name}{'' if count == 1 else 's'}"
    told = f"in {text}" if ahead else f"{text} ago"
    exact = timezone.localtime(at)
    return format_html(
        '<time datetime="{}" title="{} {}">{}</time>',
        at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        exact.day,
        exact.strftime("%b %Y, %H:%M %Z"),
        told if seconds >= 5 else "in a moment" if ahead else "just now",
    )
