"""From the rows of a JSON Lines file to new memories, by field mappings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_datetime

from console.errors import Refused
from memories.services.remember import NewMemory

HOLE = re.compile(r"\{(\w+)\}")

NATIVE = {
    "content": "{content}",
    "path": "{path}",
    "bucket": "{bucket}",
    "scope": "{scope}",
    "memory_type": "{memory_type}",
    "semantic_key": "{semantic_key}",
    "importance": "{importance}",
    "confidence": "{confidence}",
    "created_at": "{created_at}",
    "here_since": "{here_since}",
    "expires_at": "{expires_at}",
    "source": "{source}",
    "source_id": "{id}",
    "session": "{session}",
    "agent_id": "{agent_id}",
    "language": "{language}",
    "metadata": "{metadata}",
    "provenance": "{provenance}",
}
LOCOMO = {
    "content": "{content}",
    "path": "conversations/{conversation}/session-{session}",
    "bucket": "=personal",
    "memory_type": "=episodic",
    "created_at": "{created_at}",
    "here_since": "{created_at}",  # as if it had been here all the time
    "source": "=locomo",
    "source_id": "{id}",
    "session": "{conversation}/{session}",
    "language": "=en",
    "metadata.speaker": "{speaker}",
    "metadata.image_caption": "{image_caption}",
}
PRESETS = {"native": NATIVE, "locomo": LOCOMO}
NUMBERS = {"importance", "confidence"}
TIMES = {"created_at", "here_since", "expires_at"}
OBJECTS = {"metadata", "provenance"}


def mapping(options: list[str], first: Mapping[str, Any]) -> dict[str, str]:
    """The mapping that `--map` asks for: a preset's name, or field=template pairs over the native one.

    Without any, a file with `conversation` and `session` is read as LoCoMo. Raises Refused with advice.
    """
    if not options:
        return LOCOMO if {"conversation", "session", "content"} <= first.keys() else NATIVE
    chosen: dict[str, str] = dict(NATIVE)
    for option in options:
        name, equals, template = option.partition("=")
        if not equals:
            if name not in PRESETS:
                raise Refused(f"--map {name} is unknown. Use {', '.join(PRESETS)} or field=template.")
            chosen = dict(PRESETS[name])
        elif name.split(".")[0] not in NATIVE:
            raise Refused(f"--map {name}: there is no such field. Fields are {', '.join(NATIVE)}.")
        else:
            chosen[name] = template
    return chosen


def filled(template: str, row: Mapping[str, Any]) -> Any:
    """`template` with {name} replaced by the row's values.

    A template that is one hole gives the value as it is; one with a hole the row lacks gives None; after `=` it stands
    for itself.
    """
    if template.startswith("="):
        return template[1:]
    whole = HOLE.fullmatch(template)
    if whole:
        return row.get(whole[1])
    if any(row.get(name) is None for name in HOLE.findall(template)):
        return None
    return HOLE.sub(lambda hole: str(row[hole[1]]), template)


def memory_of(row: Mapping[str, Any], fields: Mapping[str, str], *, team_id: Any) -> NewMemory:
    """The new memory that a row describes. Raises ValueError with what is wrong."""
    values: dict[str, Any] = {"metadata": {}, "team_id": team_id}
    for field, template in fields.items():
        value = filled(template, row)
        if value is None:
            continue
        name, _, key = field.partition(".")
        if key:
            values[name][key] = value
        else:
            values[name] = _typed(name, value)
    if "content" not in values:
        raise ValueError("it has no content")
    return NewMemory(**values)


def _typed(name: str, value: Any) -> Any:
    if name in NUMBERS:
        return value
    if name in TIMES:
        return _time(name, value)
    if name in OBJECTS:
        if not isinstance(value, dict):
            raise ValueError(f"{name} is no JSON object")
        return dict(value)
    if isinstance(value, bool | list | dict):
        raise ValueError(f"{name} is no text")
    return str(value)


def _time(name: str, value: Any) -> datetime:
    try:
        moment = parse_datetime(value) if isinstance(value, str) else None
    except ValueError:
        moment = None
    if moment is None:
        raise ValueError(f"{name} is not ISO 8601")
    return moment if moment.tzinfo else timezone.make_aware(moment, timezone.get_fixed_timezone(0))
