"""Pieces of the schemas that structured answers keep to."""

from __future__ import annotations

from typing import Any

from console.mcp.parameters import Schema

TEXT: Schema = {"type": "string"}
MAYBE_TEXT: Schema = {"type": ["string", "null"]}
WHOLE: Schema = {"type": "integer"}
NUMBER: Schema = {"type": "number"}
MAYBE_NUMBER: Schema = {"type": ["number", "null"]}
FLAG: Schema = {"type": "boolean"}
ANYTHING: Schema = {"type": "object"}
TEXTS: Schema = {"type": "array", "items": TEXT}


def record(required: dict[str, Schema], **optional: Schema) -> Schema:
    """An object with at least these fields."""
    return {"type": "object", "properties": {**required, **optional}, "required": list(required)}


def many(of: Schema) -> Schema:
    """A list."""
    return {"type": "array", "items": of}


IDS: dict[str, Schema] = {"id": TEXT, "memory_id": TEXT}
MEMORY: dict[str, Schema] = {
    **IDS,
    "content": TEXT,
    "path": TEXT,
    "bucket": TEXT,
    "scope": MAYBE_TEXT,
    "team_id": MAYBE_TEXT,
    "owner_id": TEXT,
    "memory_type": TEXT,
    "status": TEXT,
    "version": WHOLE,
    "importance": NUMBER,
    "confidence": MAYBE_NUMBER,
    "metadata": ANYTHING,
    "provenance": ANYTHING,
    "source": TEXT,
    "trust": WHOLE,
    "pinned": FLAG,
    "hold": MAYBE_TEXT,
    "created_at": TEXT,
    "updated_at": TEXT,
    "expires_at": MAYBE_TEXT,
}
HIT = record(
    {
        **IDS,
        "content": TEXT,
        "path": TEXT,
        "bucket": TEXT,
        "scope": MAYBE_TEXT,
        "memory_type": TEXT,
        "similarity": NUMBER,
        "created_at": TEXT,
    },
    strong=FLAG,
    explanation=ANYTHING,
    agent_boundary=ANYTHING,
)
COVERAGE: Schema = {"type": "object"}
LINE: dict[str, Any] = {
    "id": TEXT,
    "action": TEXT,
    "result": TEXT,
    "target_id": MAYBE_TEXT,
    "actor": TEXT,
    "channel": TEXT,
    "reason": TEXT,
    "created_at": TEXT,
}
