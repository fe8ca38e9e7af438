"""What a field of a request may hold, as JSON Schema: from its type, or for values that a service judges, its name."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.fields import empty

from console.door import QUERY_TEXT_LIMIT
from console.formats import FORMATS
from memories.api import decisions as decisions_api
from memories.api import devices, ledger, searching, shapes, skill, tables
from memories.models.memory import CONTENT_LIMIT, MemoryType
from memories.search.wanted import AXES
from memories.services import decisions, todos
from memories.services import ledger as money
from memories.services.export_everything import KINDS
from reflection import api as passes
from reflection import api_setup

Schema = dict[str, Any]


def text(most: int, example: str = "", **more: Any) -> Schema:
    """A text of at most `most` characters."""
    return {"type": "string", "maxLength": most, **({"example": example} if example else {}), **more}


SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1, "example": 0.5}
OBJECT: Schema = {"type": "object", "additionalProperties": True}
UUID: Schema = {"type": "string", "format": "uuid", "example": "01a22ca2-8482-7386-8256-67939b2aa67b"}
TIME: Schema = {"type": "string", "format": "date-time", "example": "2026-11-30T10:00:00Z"}
DAY: Schema = {"type": "string", "format": "date", "example": "2026-11-30"}
FLAG: Schema = {"type": "boolean"}

BY_NAME: dict[str, Schema] = {
    "content": text(CONTENT_LIMIT, "The build machine is called otter."),
    "path": text(500, "projects/console/decisions"),
    "bucket": text(100, "work"),
    "scope": text(200, "tenant:project:42"),
    "memory_type": {"type": "string", "enum": [*MemoryType.values, "auto"], "example": "semantic"},
    "semantic_key": text(200, "build-machine"),
    "importance": SHARE,
    "confidence": SHARE,
    "source": text(100, "hermes"),
    "metadata": {**OBJECT, "example": {"speaker": "Ann"}},
    "provenance": OBJECT,
    "status": {"type": "string", "enum": ["active", "archived", "expired"]},
    "replacement_content": text(CONTENT_LIMIT, "[REDACTED]"),
    "memory_id": UUID,
    "snapshot_id": UUID,
    "source_session_id": text(200, "session-7"),
    "target_session_id": text(200, "session-8"),
    "item_id": UUID,
    "candidate_id": UUID,
    "name": text(100, "Case 12"),
    "note": text(4_000, "Done with the new part."),
    "context": text(16_000, "Which database?"),
    "options": {"type": "array", "items": text(1_000), "example": ["PostgreSQL", "another"]},
    "resolution": text(16_000, "PostgreSQL."),
    "item": text(500, "Train ticket"),
    "amount": {"oneOf": [text(30), {"type": "number"}], "example": "19.90"},
    "min_amount": {"oneOf": [text(30), {"type": "number"}], "example": "5"},
    "max_amount": {"oneOf": [text(30), {"type": "number"}], "example": "100"},
    "currency": text(3, "EUR"),
    "category": text(100, "travel"),
    "transaction_type": {"type": "string", "enum": ["expense", "income", "refund", "transfer"]},
    "type": {"type": "string", "enum": ["expense", "income", "refund", "transfer"]},
    "event_type": text(50, "deployment"),
    "session_id": text(200, "session-7"),
    "state_key": text(150, "active_task"),
    "current_task": text(4_000, "Write the changelog."),
    "next_action": text(4_000, "Tag the release."),
    "blocked_reason": text(4_000),
    "label": text(200, "before the release"),
    "action": text(50, "used"),
    "usage_tracking_id": text(200, "call-1"),
    "client_id": text(100, "hermes"),
    "device_code": text(200),
    "jsonl": {"type": "string"},
    "text": {"type": "string", "example": "- Drinks tea."},
    "archive": {"type": "string", "description": "A zip in base64."},
    "format": {"type": "string", "enum": list(FORMATS)},
    "of": {"type": "string", "enum": list(tables.TABLES), "example": "memories"},
    "kinds": {"type": "array", "items": {"type": "string", "enum": list(KINDS)}},
}
TEXTS: dict[str, str] = {
    "query": "What to look for; * lists everything, newest first.",
    "limit": "How many at most.",
    "offset": "How many to pass over.",
    "cursor": "next_cursor of the page before.",
    "since": "From this moment on.",
    "until": "Up to this moment, which is not included.",
    "time_order": "asc or oldest, desc or newest first; left out, the best first.",
    "temporal_axis_mode": "Which time is meant: created_at, updated_at, or split_filter_created_order_updated.",
    "query_mode": "topic, or activity_log, which needs since and until with offsets.",
    "scope": "Exactly this scope.",
    "team_id": "The team whose space is meant. A foreign one is refused with 403.",
    "path": "A place; in filters a pattern in which % stands for any text.",
    "bucket": "A drawer; in filters a pattern in which % stands for any text.",
    "status": "Where it stands.",
    "reason": "Why; it stays in the audit.",
    "explain": "Whether each hit says why it was found.",
    "threshold": "A higher cut than that of the search itself, 0 to 1.",
    "group_by": "path, type, status, source, bucket, day or metadata:<key>; several with commas between them.",
    "top_n": "How many groups of each at most.",
    "space": "The id of a team, or of the person for their own space.",
}
CHOSEN: dict[str, list[str]] = {  # texts of which only these are known
    "item_status": list(todos.STATUSES),
    "transaction_type": [*money.TYPES, "%"],
    "query_mode": ["topic", "activity_log"],
    "time_order": [*searching.ORDERS, *searching.ORDERS.values()],
    "temporal_axis_mode": list(AXES),
    "operation": sorted(skill.OPERATIONS),
}
OWN_TEXT = ("jsonl", "text", "archive", "format")


def schema_of(name: str, field: serializers.Field) -> Schema:
    """What a field may hold. A null counts as left out."""
    found = dict(_typed(name, field))
    if (field.default is not empty) and field.default is not None and not callable(field.default):
        found["default"] = sorted(field.default) if isinstance(field.default, frozenset) else field.default
    if name in TEXTS and "description" not in found:
        found["description"] = TEXTS[name]
    return found


def _typed(name: str, field: serializers.Field) -> Schema:
    match field:
        case shapes.Flag():
            return FLAG
        case shapes.Whole():
            return {"type": "integer", "minimum": field.least, "maximum": field.most}
        case searching.Strength() | shapes.Share():
            return SHARE
        case decisions_api.Stands():
            return {"type": "string", "enum": list(decisions.STATUSES)}
        case tables.Status():
            return {"type": "string", "enum": list(tables.STATUSES)}
        case shapes.Moment():
            return TIME
        case ledger.Day():
            return DAY
        case shapes.Team():
            return UUID
        case passes.Ids():
            return {"type": "array", "items": UUID}
        case devices.Scopes():
            return {"type": "array", "items": {"type": "string", "example": "memory:read"}}
        case api_setup.Values() | skill.Arguments():
            return OBJECT
        case shapes.Text() if name in CHOSEN:
            return {"type": "string", "enum": CHOSEN[name]}
        case shapes.Text() if name not in OWN_TEXT:
            return text(QUERY_TEXT_LIMIT)
    return BY_NAME[name]


def body_schema(shape: type[serializers.Serializer]) -> Schema:
    """The object that a body of this shape is."""
    fields = shape().fields
    required = [name for name, field in fields.items() if field.required]
    found: Schema = {
        "type": "object",
        "properties": {
            name: _optional(_sent(schema_of(name, field), field), name not in required)
            for name, field in fields.items()
        },
    }
    return found | ({"required": required} if required else {})


def _sent(schema: Schema, field: Any) -> Schema:
    """What a body may hold for this field: an empty text names no team."""
    if not isinstance(field, shapes.Team):
        return schema
    about = {name: schema[name] for name in ("description", "example") if name in schema}
    return about | {"oneOf": [{"type": "string", "format": "uuid"}, {"type": "string", "enum": [""]}]}


def _optional(schema: Schema, optional: bool) -> Schema:
    return schema | {"nullable": True} if optional else schema


def query_parameters(shape: type[serializers.Serializer]) -> list[Schema]:
    """The parameters that a query of this shape has. An empty value counts as left out."""
    found = []
    for name, field in shape().fields.items():
        schema = schema_of(name, field)
        about = {"description": schema.pop("description")} if "description" in schema else {}
        about |= {"required": field.required, "allowEmptyValue": not field.required}
        found.append({"in": "query", "name": name, **about, "schema": schema})
    return found
