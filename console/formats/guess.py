"""Which format a file seems to be in, for whoever does not know what their program wrote."""

from __future__ import annotations

from typing import Any

from console.formats.archive import is_archive, names_in
from console.formats.strict import Unreadable, text_of, value_of

HEAD_LINES = 5


def guessed(name: str, data: bytes) -> str | None:
    """The name of the format, or None where nothing speaks for one. Raises Invalid for a strange archive."""
    if is_archive(data):
        return _of_names(names_in(data))
    try:
        text = text_of(data).lstrip()
    except Unreadable:
        return None
    if text[:1] in ("{", "[") and (found := _of_json(text)):
        return found
    if name.lower().endswith((".md", ".markdown")) and text.startswith("---\n"):
        return "markdown"
    return None


def _of_names(names: list[str]) -> str | None:
    lower = [name.lower() for name in names]
    if any(name.endswith("memories.json") for name in lower):
        return "claude"
    endings = {"markdown": (".md", ".markdown"), "memory-console": (".jsonl", ".ndjson")}
    return next((form for form, ends in endings.items() if any(name.endswith(ends) for name in lower)), None)


def _of_json(text: str) -> str | None:
    """By the names that the first values use."""
    values: list[Any] = []
    for part in (text, *text.split("\n")[:HEAD_LINES]):
        try:
            value = value_of(part)
        except Unreadable:
            continue
        values += value[:HEAD_LINES] if isinstance(value, list) else [value]
    named = [value for value in values if isinstance(value, dict)]
    return next((found for value in named if (found := _of_object(value))), None)


def _of_object(value: dict[str, Any]) -> str | None:
    if str(value.get("format", "")).startswith("memory-console/"):
        return "memory-console"
    if value.keys() & {"conversations_memory", "project_memories"}:
        return "claude"
    if value.get("type") in ("entity", "relation") or {"entities", "relations"} <= value.keys():
        return "mcp-memory"
    inner = value.get("results")
    if "memory" in value or isinstance(inner, list) and any(isinstance(one, dict) and "memory" in one for one in inner):
        return "mem0"
    return "chatgpt" if isinstance(value.get("memories"), list) else None
