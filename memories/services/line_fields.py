"""Single fields of a line that is imported: each in its type, or refused with a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from console.errors import Invalid, Problem
from console.saying import phrase
from memories.services import fields

PARTS_MOST = 1_000  # versions, and links, of one memory
WHOLE_MOST = 2_000_000_000


def wrong(name: str, text: str) -> Invalid:
    """A refusal about one field."""
    return Invalid(Problem(("body", name), text))


def text(row: Mapping[str, Any], name: str) -> str:
    """A text; empty where there is none. Raises Invalid."""
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise wrong(name, phrase("%(name)s is no text. Send a string.", name=name))
    return value or ""


def flag(row: Mapping[str, Any], name: str) -> bool:
    """true or false; false where there is none. Raises Invalid."""
    value = row.get(name)
    if value not in (None, True, False) or isinstance(value, int) and not isinstance(value, bool):
        raise wrong(name, phrase("%(name)s is neither true nor false. Send one of them.", name=name))
    return bool(value)


def among(row: Mapping[str, Any], name: str, known: list[Any], usual: Any) -> Any:
    """One of `known`; `usual` where there is none. Raises Invalid."""
    value = row.get(name)
    if value is None:
        return usual
    if isinstance(value, bool | float | dict | list) or value not in known:
        raise wrong(
            name,
            phrase("%(name)s is none of %(names)s.", name=name, names=", ".join(str(one) or "empty" for one in known)),
        )
    return value


def whole(row: Mapping[str, Any], name: str, usual: int, *, least: int = 0, most: int = WHOLE_MOST) -> int:
    """A whole number in its bounds. Raises Invalid."""
    value = row.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise wrong(
            name,
            phrase("%(name)s is no whole number from %(least)s to %(most)s.", name=name, least=least, most=f"{most:,}"),
        )
    return value


def moment(row: Mapping[str, Any], name: str) -> datetime | None:
    """A time, in UTC where it names no offset. Raises Invalid."""
    value = row.get(name)
    if value is None or value == "":
        return None
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) and len(value) <= 40 else None
        found = found if found is None or found.tzinfo else found.replace(tzinfo=UTC)
    except ValueError:
        found = None
    if found is None:
        raise wrong(name, phrase("%(name)s is not ISO 8601. Write it like 2026-11-30T10:00:00Z.", name=name))
    fields.check_by({name: fields.RULES["created_at"]}, {name: found})
    return found


def key(row: Mapping[str, Any], name: str) -> UUID | None:
    """A whole UUID. Raises Invalid."""
    value = row.get(name)
    if value is None:
        return None
    try:
        if isinstance(value, str) and len(value) == 36:
            return UUID(value)
    except ValueError:
        pass
    raise wrong(name, phrase("%(name)s is no whole UUID.", name=name))


def part(row: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """An object; an empty one where there is none. Raises Invalid."""
    value = row.get(name, {})
    value = {} if value is None else value
    if not isinstance(value, dict):
        raise wrong(name, phrase("%(name)s is no JSON object. Send the line as it was exported.", name=name))
    return value


def listed(row: Mapping[str, Any], name: str) -> list[Any]:
    """A list; an empty one where there is none. Raises Invalid."""
    value = row.get(name, [])
    value = [] if value is None else value
    if not isinstance(value, list) or len(value) > PARTS_MOST:
        raise wrong(name, phrase("%(name)s is no list of at most %(most)s.", name=name, most=f"{PARTS_MOST:,}"))
    return value
