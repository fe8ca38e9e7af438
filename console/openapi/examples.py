"""An example of each answer, made from its schema: a field shows its own example, or the usual value of its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.openapi.fields import BY_NAME, Schema

HERE = "http://127.0.0.1:8321"
SHA = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
COUNTS = {"summarized": 1, "promoted": 0, "expired": 2, "decayed": 0, "archived": 0}
NOTED = {"action": "archive", "gate": "protected", "text": "It is pinned.", "memory_ids": []}
USUAL: dict[str, Any] = {
    "access_token": "mc_…",
    "action": "memory.create",
    "actions": "expire",
    "actor": "ann",
    "after": {"status": "expired"},
    "agent_boundary": {"boundary": "private", "bucket": "work", "scope": None, "team_id": None},
    "agent_id": "helper",
    "answers": {"action": "promote", "would": False, "gates": []},
    "applied": 500,
    "asked": {"rhythm": "daily", "at": "03:00", "zone": "Europe/Lisbon", "actions_csv": "expire"},
    "auth": {"token_in_discovery": False},
    "before": {"status": "active"},
    "blocked_reason": "",
    "boundary": {"private": True, "team_ids": []},
    "bucket_counts": {"work": 1},
    "buckets": "work",
    "by": "bucket",
    "changed": {"name": "decay_step", "from": 0.01, "to": 0.5},
    "channel": "api",
    "comment": "looked through",
    "compared": True,
    "context_text": "The build machine is called otter.",
    "counts": COUNTS,
    "coverage": {"meaning": "ready"},
    "currency": "EUR",
    "cut": 0,
    "detail": {"fields": ["content"]},
    "device_code": "…",
    "differences": {"name": "decayed", "now": 4, "proposed": 2},
    "digest": SHA,
    "display_name": "Ann",
    "error_count": 0,
    "filters": {"bucket": "%", "path_filter": "projects/%"},
    "format": "chatgpt",
    "group_by": {"bucket": "work"},
    "imported": 2,
    "jsonl": '{"kind": "memory", "content": "The build machine is called otter."}\n',
    "kind": "memory",
    "known": 0,
    "language": "en",
    "left_out": "ledger",
    "links_left": 0,
    "made": {"memory": 2},
    "made_by": "ann",
    "memory": {"id": BY_NAME["memory_id"]["example"], "content": BY_NAME["content"]["example"], "links": []},
    "message": "The line is empty.",
    "month": "2026-11",
    "name": "helper on my laptop",
    "near_misses": {"action": "promote", "gate": "repeated", "text": "2 of 3 rows.", "memory_ids": []},
    "notes": "since has no offset and is read as UTC.",
    "on_drift": "skip",
    "operation": "recall",
    "options": "PostgreSQL",
    "outcome": "pending",
    "outcome_text": "",
    "owner": "ann",
    "passed_over": "notes/picture.png",
    "place": "memories",
    "planned_by": "ann",
    "policy": {"number": 1},
    "project_id": "42",
    "proposed": {"counts": COUNTS},
    "protocol": "memory-os",
    "provenance": {"session_id": "session-7"},
    "quote": "The build machine is called otter.",
    "reason": "out of date",
    "request_id": "4f1c7c1e",
    "requested": 500,
    "result": {"results": []},
    "row": "1",
    "schema_version": "1",
    "scope_key": "tenant:project:42",
    "scopes": "memory:read",
    "security": {"no_remote_code_execution": True, "token_in_discovery": False},
    "service": "memory-console",
    "settings": {"decay_step": 0.01},
    "setup_state": "ready",
    "skipped": NOTED,
    "states": {},
    "status_counts": {"active": 1},
    "target_type": "memory",
    "token_type": "bearer",
    "type_counts": {"semantic": 1},
    "undo_comment": "",
    "url": f"{HERE}/passes/{BY_NAME['memory_id']['example']}",
    "urls": {"api_base": HERE, "mcp": f"{HERE}/mcp"},
    "user_code": "BCDF-GHJK",
    "username": "ann",
    "value": "work",
    "values": {"decay_step": 0.01},
    "verification_uri": f"{HERE}/device-login",
    "verification_uri_complete": f"{HERE}/device-login?code=BCDF-GHJK",
    "why": {"rule": "expires_at", "text": "It expired on 30 Nov 2026, 10:00 UTC."},
    "words": "every day at 03:00",
}
CODES = {
    400: "invalid_memory_id",
    401: "not_authenticated",
    403: "permission_denied",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    411: "length_required",
    412: "precondition_failed",
    413: "too_large",
    414: "uri_too_long",
    415: "unsupported_media_type",
    429: "too_many_requests",
    503: "unavailable",
}


def of_answer(schema: Schema, named: Mapping[str, Schema], name: str = "") -> Any:
    """An example of what fits `schema`; `named` are the schemas it may refer to, `name` is that of the field."""
    if schema.get("nullable"):
        return USUAL.get(name) if schema.get("type") == "string" else None
    if "example" in schema:
        return schema["example"]
    if "enum" in schema:
        return schema["enum"][0]
    if refers := schema.get("$ref"):
        return of_answer(named[refers.rpartition("/")[2]], named, name)
    if "properties" in schema:
        return {field: of_answer(schema["properties"][field], named, field) for field in schema.get("required", ())}
    if schema.get("type") == "array":
        return [of_answer(schema["items"], named, name)]
    return _plain(schema, name)


def _plain(schema: Schema, name: str) -> Any:
    """A single value. Raises KeyError for a text whose name says nothing: give it an example in its table."""
    if name in USUAL:
        return USUAL[name]
    kind = schema.get("type")
    if kind in ("integer", "number", "boolean"):
        return {"integer": 1, "number": 0.5, "boolean": True}[kind]
    return BY_NAME[name]["example"]


def of_refusal(status: int, meaning: str) -> dict[str, Any]:
    """An example of the body of a refusal."""
    if status == 422:
        wrong = {"loc": ["body", "limit"], "msg": "limit is not a whole number from 1 to 500.", "type": "value_error"}
        return {"detail": [wrong]}
    return {"detail": {"code": CODES[status], "message": meaning}}
