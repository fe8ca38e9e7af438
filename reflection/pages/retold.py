"""Sentences that are stored in English, told in the reader's language: what they were made of is recognised again."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from django.utils import translation
from django.utils.formats import number_format
from django.utils.translation import get_language

from console.saying import Said, told
from reflection.pages import probed, stored
from reflection.pages.moments import MONTHS, TIMES, localized, zoned
from reflection.pages.stored import Form

WHOLE = (
    *stored.PLANNED,
    *stored.TAKEN_BACK,
    *stored.NOTES,
    *stored.OUTCOMES,
    *stored.FAILURES,
    *probed.ANSWERS,
    *probed.CONDITIONS,
    *probed.MEASURED,
)
PARTS = (*probed.PARTS, *stored.REASONS)  # what stands inside a sentence
NAMES = {"who", "hold", "name", "zone", "host", "pass", "names"}  # values that are never told
ID = r"(?:mem_)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NUMBER = r"[\d.,e+-]*\d"
_DAY_TEXT = rf"\d{{1,2}} (?:{'|'.join(MONTHS)}) \d{{4}}"
_CLOCK = r"\d\d:\d\d"
VALUES = {
    **dict.fromkeys(("count", "value", "limit", "asked", "asked_sessions", "asked_hours", "life", "now"), _NUMBER),
    **dict.fromkeys(("number", "total", "listed", "most", "needed", "trust", "likeness", "stored"), _NUMBER),
    **dict.fromkeys(("difference", "version", "without", "compared", "status"), _NUMBER),
    **dict.fromkeys(("memory", "pass"), ID),
    **dict.fromkeys(("type", "action", "side"), r"\w+"),
    **dict.fromkeys(("time", "age"), rf"{_NUMBER} days?"),
    "times": rf"{_NUMBER} times?",
    "sessions": rf"{_NUMBER} (?:independent )?sessions?",
    "hours": rf"{_NUMBER} (?:different )?hours?",
    "end": "…[0-9a-f]{6}",
    "day": _DAY_TEXT,
    "moment": rf"{_DAY_TEXT} {_CLOCK} UTC",
    "span": rf"{_DAY_TEXT} {_CLOCK} to (?:{_DAY_TEXT} )?{_CLOCK} UTC",
}
_VALUE = re.compile(r"%\((\w+)\)s")
_WORD = re.compile(r"[^\W\d_]{2,}")
_FIGURE = re.compile(r"\d+\.\d+|\d{1,3}(?:,\d{3})+(?:\.\d+)?")  # written otherwise in other languages
_END = re.compile(r"(?<=[.!?]) (?=\S)")

Known = tuple[re.Pattern[str], Form]


def speaks_english() -> bool:
    """Whether what is stored needs no telling."""
    return (get_language() or "en").startswith("en")


def retold(text: str) -> str | None:
    """`text` in the reader's language and zone; None where nobody can tell it but in English."""
    if not text:
        return text
    if speaks_english():
        return zoned(text)
    if isinstance(text, Said):
        return told(text)
    whole = _told(text, _known(WHOLE)) or _told(text, _known(PARTS))
    if whole is not None:
        return whole
    if not _WORD.search(re.sub(ID, "", text)):
        return text  # figures and ids are the same everywhere
    if (known := translation.gettext(text)) != text:
        return known
    if not _WORD.search(TIMES.sub("", text)):
        return localized(text)
    parts = _END.split(text)
    return _joined(parts) if len(parts) > 1 else None


def _joined(parts: list[str]) -> str | None:
    """Sentence by sentence, where each is known."""
    found = [retold(part) for part in parts]
    return None if None in found else " ".join(filter(None, found))


@lru_cache(maxsize=4)
def _known(forms: tuple[Form, ...]) -> tuple[Known, ...]:
    return tuple((_pattern(text), form) for form in forms for text in ((form,) if isinstance(form, str) else form))


def _pattern(text: str) -> re.Pattern[str]:
    parts = _VALUE.split(text)  # text, name, text, name, …
    made = [f"(?P<{part}>{VALUES.get(part, '.+?')})" if n % 2 else re.escape(part) for n, part in enumerate(parts)]
    return re.compile("".join(made), re.DOTALL)


def _told(text: str, known: tuple[Known, ...]) -> str | None:
    for pattern, form in known:
        if match := pattern.fullmatch(text):
            values = {name: value if name in NAMES else _part(value) for name, value in match.groupdict().items()}
            return _said(form, match.groupdict().get("count", ""), values)
    return None


def _said(form: Form, count: str, values: dict[str, Any]) -> str:
    if isinstance(form, str):
        said = translation.gettext(form)
    else:
        number = float(count.replace(",", ""))
        said = translation.ngettext(*form, int(number) if number.is_integer() else 2)
    return said % values if values else said


def _part(value: str) -> str:
    """A value inside a sentence: a figure, a number of things, a span, a day, a reason; anything else as it is."""
    if _FIGURE.fullmatch(value):
        return number_format(value.replace(",", ""), force_grouping="," in value)
    return _told(value, _known(PARTS)) or localized(value)
