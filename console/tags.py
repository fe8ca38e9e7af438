"""Template tags that every template has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from difflib import SequenceMatcher
from typing import Any
from uuid import UUID

from django import template
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.html import avoid_wrapping, escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.timesince import TIME_STRINGS
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from console import saying
from console.actions import ADDED, CHANNELS, KINDS, PLACE_NAMES, PLACES, words_of
from console.text import HIDDEN
from console.words import RULES, TITLES, word
from memories import access
from memories.pages import addresses
from memories.services.story import only_added

register = template.Library()
register.filter("word", word)

EXCERPT = 400  # characters
DIFF_TOKENS = 2_000  # above, difflib takes longer than a page may
DAY = 86_400
UNITS = (  # of the calendar on average, in seconds; the largest first
    *(("year", DAY * 365.25), ("month", DAY * 365.25 / 12), ("week", DAY * 7)),
    *(("day", DAY), ("hour", 3_600), ("minute", 60)),
)
SHORT = {"memory": "mem", "todo": "todo", "ledger": "led", "decision": "dec", "snapshot": "snap", "audit": "aud"}

_WORDS = re.compile(
    r"\s+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\w\s]"
)


@register.filter
def shown(text: Any) -> SafeString:
    """`text` escaped, with what would be invisible or turn the direction made visible; a sentence of ours is told."""
    return mark_safe(HIDDEN.sub(_named, escape(saying.told(text).replace("\r\n", "\n"))))  # noqa: S308 - escaped just here


def _named(match: re.Match[str]) -> str:
    code = f"U+{ord(match[0]):04X}"
    title = escape(_("invisible character %(code)s") % {"code": code})
    return f'<span class="control" title="{title}">{code}</span>'


@register.filter
def told(text: Any) -> str:
    """A sentence of a service in the language of the reader."""
    return saying.told(text)


@register.filter
def title_of(kind: str) -> str:
    """What a memory of this type or derivation is called above its page."""
    return str(TITLES.get(kind, kind))


@register.filter
def short_id(record_id: UUID | str, kind: str = "memory") -> str:
    """An id as lists show it: the kind and the last six characters, which are random in a UUIDv7."""
    return f"{SHORT.get(kind, kind)}_…{str(record_id)[-6:]}"


@register.inclusion_tag("parts/id.html")
def record_id(record_id: UUID | str, kind: str = "memory", url: str = "") -> dict[str, Any]:
    """The short form of an id, with the whole id in its title and a button that copies it."""
    return {"id": str(record_id), "short": short_id(record_id, kind), "url": url}


@register.inclusion_tag("parts/id.html")
def key_of(prefix: str) -> dict[str, Any]:
    """The beginning of a token's key, by which it is told apart, with a button that copies it."""
    return {"id": prefix, "short": f"{prefix}…"}


@register.simple_tag
def moment(at: datetime | None, *, both: bool = False) -> str:
    """A time as parts/time.html shows it, to be named with `as` and told inside a sentence."""
    return _within(render_to_string("parts/time.html", {"at": at, "both": both}))


@register.simple_tag
def whole_id(record_id: UUID | str, url: str = "") -> str:
    """An id as parts/id.html shows it, to be named with `as` and told inside a sentence."""
    return _within(render_to_string("parts/id.html", {"id": record_id, "url": url}))


def _within(made: str) -> SafeString:
    """What a template made, without the line end behind it: inside a sentence it would be a space before the comma."""
    return mark_safe(made.strip())  # noqa: S308 - the template escapes


@register.simple_tag
def address_of(object_id: UUID | str, kind: str, action: str = "") -> str:
    """The page that is about it, or nothing."""
    return addresses.address_of(object_id, kind, action)


@register.simple_tag
def line_address(line: Any, actor: Any) -> str:
    """The page that a line of the audit is about. Of other spaces only people are looked after, by administrators."""
    if line.space_id in actor.spaces:
        return addresses.address_of(line.object_id, line.object_type, line.action)
    return reverse("person", args=[line.object_id]) if line.object_type == "user" else ""


@register.filter
def kind_name(kind: str) -> str:
    """What people call a kind of record."""
    return str(KINDS.get(kind, kind))


@register.filter
def action_words(line: Any) -> str:
    """What a line of the audit tells of, in plain words."""
    return str(ADDED) if only_added(line) else words_of(line.action)


@register.filter
def reason_words(line: Any) -> SafeString:
    """The reason in a line of the audit: a rule by its name, a refusal told or marked as English, else as written."""
    if line.action.startswith("reflect.") and line.reason in RULES:
        return shown(str(RULES[line.reason]))
    if line.result != "refused" or (get_language() or "en").startswith("en"):
        return shown(line.reason)
    known = saying.told(saying.stored(line.reason))
    return shown(known) if known != line.reason else format_html('<span lang="en">{}</span>', shown(line.reason))


@register.filter
def with_implied(scopes: Iterable[str]) -> list[str]:
    """The scopes of a token and those that come along with them."""
    return sorted(access.with_implied(scopes))


@register.filter
def channel_name(channel: str) -> str:
    """Through which door something was done."""
    return str(CHANNELS.get(channel, channel))


@register.filter
def place_words(place: str) -> str:
    """What a place of a receipt is, in plain words."""
    return str(PLACES.get(place, ""))


@register.filter
def place_name(place: str) -> str:
    """What a place of a receipt is called."""
    return str(PLACE_NAMES.get(place, place))


@register.filter
def place_names(places: Iterable[str]) -> str:
    """All places of a receipt, one after the other."""
    return ", ".join(map(place_name, places))


@register.filter
def score(value: float | None) -> str:
    """A share from 0 to 1 with two decimals."""
    return "–" if value is None else number_format(f"{value:.2f}", 2)


@register.filter
def grouped(number: int) -> str:
    """A whole number, its thousands parted as the reader is used to."""
    return number_format(number, force_grouping=True)


@register.filter
def percent(value: float | None) -> str:
    """A share from 0 to 1 as a whole percentage."""
    return "–" if value is None else f"{value:.0%}"


@register.filter
def space_name(space_id: UUID, actor: Any) -> str:
    """What the actor calls a space."""
    space = actor.spaces.get(space_id)
    return saying.told(space.name) if space else "–"


@register.filter
def space_names(actor: Any) -> SafeString:
    """The names of all spaces of an actor, one after the other."""
    return mark_safe(", ".join(shown(space.name) for space in actor.spaces.values()))  # noqa: S308 - each is escaped


@register.filter
def marked(text: str, spans: Iterable[tuple[int, int]]) -> SafeString:
    """`text` escaped, with each span (start, end) in `<mark>`. Spans stand in order and apart."""
    parts, at = [], 0
    for start, end in spans:
        parts += [shown(text[at:start]), "<mark>", shown(text[start:end]), "</mark>"]
        at = end
    return mark_safe("".join((*parts, shown(text[at:]))))  # noqa: S308 - each part is escaped


@register.filter
def excerpt(text: str, spans: Sequence[tuple[int, int]]) -> SafeString:
    """The part of `text` around its first span, marked; the beginning where there is none."""
    first = max(0, spans[0][0] - EXCERPT // 4) if spans and len(text) > EXCERPT else 0
    last = min(len(text), first + EXCERPT)
    inside = [
        (max(start, first) - first, min(end, last) - first) for start, end in spans if start < last and end > first
    ]
    body = marked(text[first:last], inside)
    return mark_safe(f"{'… ' if first else ''}{body}{' …' if last < len(text) else ''}")  # noqa: S308 - escaped above


@register.filter
def ago(at: datetime) -> str:
    """How long since `at`, or until it: the nearest whole number of its largest unit."""
    seconds = (timezone.now() - at).total_seconds()
    if abs(seconds) < 60:
        return _("just now")
    form = _("in %(time)s") if seconds < 0 else _("%(time)s ago")
    return form % {"time": _long(abs(seconds))}


def _long(seconds: float) -> str:
    """`3 weeks`; what rounds to a whole larger unit is told in that: no 24 hours, no 7 days, no 12 months."""
    place = next(n for n, (_name, size) in enumerate(UNITS) if seconds >= size)
    if place and round(seconds / UNITS[place][1]) * UNITS[place][1] >= UNITS[place - 1][1]:
        place -= 1
    name, size = UNITS[place]
    return avoid_wrapping(TIME_STRINGS[name] % {"num": round(seconds / size)})


@register.simple_tag
def word_diff(old: str, new: str) -> SafeString:
    """`old` becoming `new`, word by word in `<del>` and `<ins>`; line by line where there are too many words."""
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    if max(len(before), len(after)) > DIFF_TOKENS:
        before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    if max(len(before), len(after)) > DIFF_TOKENS:
        before, after = [old], [new]
    return mark_safe("".join(_diff(before, after)))  # noqa: S308 - each part is escaped


def _diff(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    matcher = SequenceMatcher(None, before, after, autojunk=len(before) + len(after) > DIFF_TOKENS // 2)
    for kind, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        if kind == "equal":
            yield shown("".join(before[a_from:a_to]))
            continue
        if a_from < a_to:
            yield _changed("del", _("removed: "), before[a_from:a_to])
        if b_from < b_to:
            yield _changed("ins", _("added: "), after[b_from:b_to])


def _changed(tag: str, said: str, tokens: Sequence[str]) -> str:
    return f'<{tag}><span class="hidden">{escape(said)}</span>{shown("".join(tokens))}</{tag}>'


@register.filter
def undo_of(tags: str) -> dict[str, str]:
    """The record and version that an “Undo” in a message brings back."""
    record, _, version = tags.partition(" ")
    return {"id": record, "version": version}
