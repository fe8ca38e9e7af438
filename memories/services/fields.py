"""The rules that a memory's fields obey, each with a sentence that says what to do."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from console.errors import BadId, Invalid, Problem
from console.saying import phrase
from console.text import unstorable
from memories.models.memory import CONTENT_LIMIT, MemoryType

METADATA_LIMIT = 16_000  # characters of JSON
METADATA_LEVELS = 19  # with the body around it, twenty
FORMER_LIMIT = 2 * METADATA_LIMIT + 4_000  # what a version keeps beside its content: metadata, provenance, names
OFFSET_LIMIT = timedelta(hours=16)  # what PostgreSQL reads
TIMES = (datetime(1, 1, 3, tzinfo=UTC), datetime(9999, 12, 29, tzinfo=UTC))  # still a date in every time zone
Rule = Callable[[Any], str | None]  # what is wrong about a value
SILENT = {"Zs", "Zl", "Zp", "Cc", "Cf", "Mn", "Mc", "Me"}  # white space, control characters, accents without a letter


def record_id(text: Any) -> UUID:
    """The id in `text`. Raises BadId for anything that is no whole UUID."""
    if isinstance(text, UUID):
        return text
    try:
        if not isinstance(text, str) or len(text) != 36:
            raise ValueError
        return UUID(text)
    except ValueError:
        raise BadId(
            phrase("This is no record id. An id is a whole UUID of 36 characters, as lists and search show it.")
        ) from None


def said(text: str) -> bool:
    """Whether there is anything to read in `text`: what is left of it when case and accents are folded away."""
    return any(unicodedata.category(letter) not in SILENT for letter in unicodedata.normalize("NFKC", text))


def _content(value: Any) -> str | None:
    if not isinstance(value, str):
        return phrase("The content is not text. Send a string.")
    if unstorable(value):
        return phrase("The content holds a NUL or half a surrogate pair, which cannot be stored. Remove it.")
    if not said(value):
        return phrase("The content is empty. Say what is to be remembered.")
    if len(value) > CONTENT_LIMIT:
        return phrase(
            "The content has %(length)s characters; at most %(most)s are kept. Split it.",
            length=f"{len(value):,}",
            most=f"{CONTENT_LIMIT:,}",
        )
    return None


def _short(limit: int, *, blank: bool, name: str) -> Rule:
    def rule(value: Any) -> str | None:
        if not isinstance(value, str):
            return phrase("The %(name)s is not text. Send a string.", name=name)
        if unstorable(value) or any(ord(letter) < 32 for letter in value):
            return phrase("The %(name)s holds a control character. Remove it.", name=name)
        if not blank and not said(value):
            return phrase("The %(name)s is empty. Name one, or leave it out.", name=name)
        if len(value) > limit:
            return phrase("The %(name)s is longer than %(limit)s characters. Shorten it.", name=name, limit=limit)
        return None

    return rule


def _path(value: Any) -> str | None:
    found = _short(500, blank=True, name=phrase("path"))(value)
    if found:
        return found
    if ".." in value.split("/"):
        return phrase("The path has a part “..”. Write the place it means.")
    return None


def _share(name: str) -> Rule:
    def rule(value: Any) -> str | None:
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            return phrase("The %(name)s is no number. Send one from 0 to 1.", name=name)
        if not 0 <= value <= 1:
            return phrase("The %(name)s is not from 0 to 1. Send a number in between.", name=name)
        return None

    return rule


def _deeper(value: Any, levels: int) -> bool:
    """Whether objects and lists stand in one another more than so many times."""
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_deeper(one, levels - 1) for one in inner)


def _object(name: str, most: int = METADATA_LIMIT, levels: int = METADATA_LEVELS) -> Rule:
    def rule(value: Any) -> str | None:
        if not isinstance(value, dict):
            return phrase("The %(name)s is no JSON object. Send one, such as {}.", name=name)
        if _deeper(value, levels):
            return phrase("The %(name)s is nested deeper than %(most)s levels. Flatten it.", name=name, most=levels)
        if len(json.dumps(value, ensure_ascii=False)) > most:
            return phrase(
                "The %(name)s is longer than %(most)s characters of JSON. Keep less in it.",
                name=name,
                most=f"{most:,}",
            )
        return None

    return rule


def _type(value: Any) -> str | None:
    if value not in MemoryType.values:
        return phrase(
            "The type %(given)s is unknown. Choose among %(names)s.",
            given=repr(value),
            names=", ".join(MemoryType.values),
        )
    return None


def _time(value: Any) -> str | None:
    if not isinstance(value, datetime):
        return phrase("The time is not ISO 8601. Write it like 2026-11-30T10:00:00Z.")
    if abs(value.utcoffset() or timedelta()) >= OFFSET_LIMIT:
        return phrase("The time lies more than 16 hours off UTC, which is no time zone. Write it in UTC.")
    if not TIMES[0] <= (value if value.tzinfo else value.replace(tzinfo=UTC)) <= TIMES[1]:
        return phrase(
            "The time lies at an end of the calendar and would be no date elsewhere. For never, leave it out."
        )
    return None


RULES: dict[str, tuple[Rule, bool]] = {
    # name: (rule, whether None is allowed)
    "content": (_content, False),
    "path": (_path, False),
    "bucket": (_short(100, blank=False, name=phrase("bucket")), False),
    "scope": (_short(200, blank=False, name=phrase("scope")), True),
    "memory_type": (_type, False),
    "semantic_key": (_short(200, blank=False, name=phrase("semantic key")), True),
    "importance": (_share(phrase("importance")), False),
    "confidence": (_share(phrase("confidence")), True),
    "metadata": (_object(phrase("metadata")), False),
    "provenance": (_object(phrase("provenance")), False),
    "fields": (_object(phrase("version"), FORMER_LIMIT, METADATA_LEVELS + 1), False),
    "expires_at": (_time, True),
    "created_at": (_time, True),
    "last_used_at": (_time, True),
    "source": (_short(100, blank=True, name=phrase("source")), False),
    "source_id": (_short(200, blank=False, name=phrase("source id")), True),
    "session": (_short(200, blank=False, name=phrase("session")), True),
    "agent_id": (_short(200, blank=True, name=phrase("agent id")), False),
    "language": (_short(10, blank=True, name=phrase("language")), False),
    "hold": (_short(100, blank=False, name=phrase("name of the hold")), False),
    "name": (_short(100, blank=False, name=phrase("name")), False),
    "reason": (_short(500, blank=True, name=phrase("reason")), False),
}


def check(values: Mapping[str, Any]) -> None:
    """Check every field in `values` by its rule. Raises Invalid naming all that fail."""
    check_by(RULES, values)


def check_by(rules: Mapping[str, tuple[Rule, bool]], values: Mapping[str, Any]) -> None:
    """The same by other rules. One that is about a field of a use begins with `use_`, which is no part of its name."""
    problems = []
    for name, value in values.items():
        rule, optional = rules[name]
        if value is None and optional:
            continue
        if fault := rule(value):
            problems.append(Problem(("body", name.removeprefix("use_")), fault))
    if problems:
        raise Invalid(*problems)
