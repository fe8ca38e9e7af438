"""How pages of reflection write ids, times from now, and the planner's sentences."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django import template
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import conditional_escape, escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from console.saying import Said, told
from console.words import word as console_word
from reflection.models import ReflectPass
from reflection.pages import words
from reflection.pages.moments import zoned
from reflection.pages.retold import retold
from reflection.pages.titles import title_of

register = template.Library()
OF_PASS = re.compile(r"\b[Pp]ass ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b")
NAMED = re.compile(r"\b(?:mem_)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b")
ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
NAMES: dict[str, Callable[..., str]] = {
    "word": words.of,
    "relation": console_word,
    "counted": words.counted,
    "stands": words.stands,
    "trust_word": words.trust,
    "title_word": words.title_of,
    "state_word": words.state_of,
}
UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))

for _name, _function in NAMES.items():
    register.filter(_name, _function)


@register.filter
def short_id(value: Any) -> str:
    """An id as people tell it apart from its neighbours: its last six characters."""
    return f"…{str(value)[-6:]}"


@register.filter
def plain(name: str) -> str:
    """A name of the code as words."""
    return name.replace("_", " ")


@register.filter
def words_of(names: list[str]) -> str:
    """Several words of the code in a row."""
    return ", ".join(words.of(name) for name in names)


@register.simple_tag
def by_whom(reflect_pass: ReflectPass) -> SafeString:
    """Who asked for a pass: a person, one of their schedules, or one of their tokens."""
    who = str(reflect_pass.planned_by)
    if reflect_pass.planned_token_id:
        prefix = reflect_pass.boundary.get("token")
        named = _id(prefix, f"{prefix}…") if prefix else format_html('<span class="mono">{}…</span>', "of")
        return _filled(_("by token %(token)s of %(who)s"), token=named, who=who)
    return _filled(_("by a schedule of %(who)s") if reflect_pass.planned_channel == "job" else _("by %(who)s"), who=who)


def _filled(form: str, **values: str) -> SafeString:
    escaped = {name: conditional_escape(value) for name, value in values.items()}
    return mark_safe(escape(form) % escaped)  # noqa: S308 - each part is escaped


@register.simple_tag
def pass_title(reflect_pass: ReflectPass, state: str, space: str) -> str:
    """The heading of a pass."""
    return title_of(reflect_pass, state, space)


@register.simple_tag
def memory_link(memory_id: UUID | str) -> SafeString:
    """A link to a memory that shows the end of its id, and a button that copies it."""
    address = reverse("memory", args=[UUID(str(memory_id))])
    return _id(str(memory_id), f"mem_…{str(memory_id)[-6:]}", address)


def pass_link(pass_id: str) -> SafeString:
    """A link to a pass that shows the end of its id, and a button that copies it."""
    return _id(pass_id, short_id(pass_id), reverse("pass", args=[UUID(pass_id)]))


def _id(whole: str, short: str, url: str = "") -> SafeString:
    made = render_to_string("parts/id.html", {"id": whole, "short": short, "url": url})
    return mark_safe(made.strip())  # noqa: S308 - the template escapes; in a sentence no space follows


@register.filter
def linked(text: str) -> SafeString:
    """A stored sentence as the reader's language has it, escaped, with every id of a memory or pass made a link."""
    known, passes = retold(text), set(OF_PASS.findall(text))
    parts = NAMED.split(zoned(text) if known is None else known)  # text, id, text, id, …
    parts[1::2] = [pass_link(part) if part in passes else memory_link(part) for part in parts[1::2]]
    out = format_html_join("", "{}", ((part,) for part in parts))
    return format_html('<span lang="en">{}</span>', out) if known is None else out


@register.filter
def said(text: str) -> SafeString:
    """A sentence of a service or of a stored plan, escaped: told where it can be, else marked as English."""
    known = told(text) if isinstance(text, Said) else retold(text)
    return format_html('<span lang="en">{}</span>', zoned(text)) if known is None else format_html("{}", known)


@register.filter
def number(value: Any) -> str | SafeString:
    """An input of a rule: floats short, times in words, ids as links."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
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
    return format_html('<span title="{}">{}</span>', _written(moment.astimezone(UTC)), _written(_here(moment)))


def _here(at: datetime) -> datetime:
    """In the reader's zone; as it is where that would be no date: old passes may look to the end of the calendar."""
    try:
        return timezone.localtime(at)
    except OverflowError:
        return at


def _written(at: datetime) -> str:
    return date_format(at, "DATETIME_FORMAT")


@register.simple_tag
def window(since: str, until: str) -> SafeString:
    """`29 Nov 19:00 to 30 Nov 19:00 KST` in the reader's zone, with the times in UTC behind it.

    Years are named where they differ or are not this one; the zone twice where summer time began or ended between.
    """
    moments = [datetime.fromisoformat(text) for text in (since, until)]
    start, end = (_here(at) for at in moments)
    year = start.year != end.year or end.year != timezone.localtime().year
    form = pgettext("format of a date", "j M Y H:i") if year else pgettext("format of a date", "j M H:i")
    first = date_format(start, f"{form} T" if start.tzname() != end.tzname() else form)
    exact = [_written(at.astimezone(UTC)) for at in moments]
    return format_html('<span title="{}">{}</span>', _span(*exact), _span(first, date_format(end, f"{form} T")))


def _span(first: str, last: str) -> str:
    return _("%(first)s to %(last)s") % {"first": first, "last": last}


@register.simple_tag
def moment(at: datetime, ahead: bool = False) -> SafeString:
    """A time told from now in its largest unit, `2 hours ago` or `in 22 hours`, with the exact one behind it."""
    seconds = abs((timezone.now() - at).total_seconds())
    name, size = next((unit for unit in UNITS if seconds >= unit[1]), UNITS[-1])
    count = round(seconds / size)
    if seconds < 5:
        text = _("in a moment") if ahead else _("just now")
    else:
        text = words.ahead(name, count) if ahead else words.ago(name, count)
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        _written(_here(at)),
        text,
    )
