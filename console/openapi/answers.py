"""What the API answers, as JSON Schema. An object lists every field that is always there."""

from __future__ import annotations

from typing import Any

from console.openapi.fields import DAY, FLAG, OBJECT, SHARE, TIME, UUID, Schema

TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
COUNTS: Schema = {"type": "object", "additionalProperties": COUNT}
MONEY: Schema = {"type": "string", "example": "19.90"}
NOTHING: Schema = {"type": "string", "example": "0.00"}


def maybe(schema: Schema) -> Schema:
    """The same, or null."""
    return {"allOf": [schema], "nullable": True} if "$ref" in schema else schema | {"nullable": True}


def like(example: str) -> Schema:
    """A text such as this one."""
    return TEXT | {"example": example}


def many(schema: Schema) -> Schema:
    """A list."""
    return {"type": "array", "items": schema}


def ref(name: str) -> Schema:
    """A schema by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def thing(sometimes: dict[str, Schema] | None = None, /, **fields: Schema) -> Schema:
    """An object with these fields, and `sometimes` with those."""
    found: Schema = {"type": "object", "properties": fields | (sometimes or {})}
    return found | ({"required": sorted(fields)} if fields else {})


def one_of(*names: str) -> Schema:
    """One of these words."""
    return {"type": "string", "enum": list(names)}


IDS = {"id": UUID, "memory_id": UUID}
PLACE = {"bucket": TEXT, "scope": maybe(TEXT), "team_id": maybe(UUID), "path": TEXT}
STANDING = {
    **PLACE,
    "owner_id": UUID,
    "status": one_of("active", "expired", "archived", "deleted"),
    "version": COUNT,
    "source": TEXT,
    "agent_id": TEXT,
    "created_at": TIME,
    "updated_at": TIME,
}
BOUNDARY = thing(
    owner_id=maybe(UUID),
    owner=TEXT,
    private=FLAG,
    team_ids=many(UUID),
    buckets=maybe(many(TEXT)),
    scope=maybe(TEXT),
    path_prefix=maybe(TEXT),
    agent_id=maybe(TEXT),
)
MEMORY = thing(
    **IDS,
    content=TEXT,
    **PLACE,
    owner_id=UUID,
    memory_type=TEXT,
    status=one_of("active", "expired", "archived", "deleted"),
    version=COUNT,
    importance=SHARE,
    confidence=maybe(SHARE),
    semantic_key=maybe(TEXT),
    metadata=OBJECT,
    provenance=OBJECT,
    source=TEXT,
    agent_id=TEXT,
    language=TEXT,
    trust=COUNT,
    pinned=FLAG,
    hold=maybe(TEXT),
    derivation=maybe(TEXT),
    pass_id=maybe(UUID),
    created_at=TIME,
    updated_at=TIME,
    expires_at=maybe(TIME),
    redacted_at=maybe(TIME),
)
HIT = thing(
    {"explanation": OBJECT, "strong": FLAG},
    **IDS,
    content=TEXT,
    path=TEXT,
    bucket=TEXT,
    scope=maybe(TEXT),
    memory_type=TEXT,
    similarity=NUMBER,
    created_at=TIME,
    agent_boundary=OBJECT,
)
NO_MATCH = thing(reason=TEXT, filters=OBJECT)
FOUND = thing(
    {"no_match": NO_MATCH}, results=many(ref("Hit")), coverage=OBJECT, filters=OBJECT, agent_boundary=ref("Boundary")
)
REMINDER = thing(
    **IDS,
    item_kind=one_of("reminder"),
    item_status=one_of("open", "completed"),
    content=TEXT,
    due_at=maybe(TIME),
    overdue=FLAG,
    completed_at=maybe(TIME),
    note=TEXT,
    **STANDING,
)
TRANSACTION = thing(
    **IDS,
    item_kind=one_of("ledger"),
    transaction_type=one_of("expense", "income", "refund", "transfer"),
    item=TEXT,
    amount=MONEY,
    currency=TEXT,
    category=TEXT,
    date=DAY,
    occurred_on=DAY,
    note=TEXT,
    **STANDING,
)
TOTALS = {
    "currency": maybe(TEXT),
    "total": MONEY,
    "expense": MONEY,
    "income": NOTHING,
    "refund": NOTHING,
    "transfer": NOTHING,
    "net": like("-19.90"),
    "count": COUNT,
    "counts": COUNTS | {"example": {"expense": 1}},
}
DECISION = thing(
    **IDS,
    item_kind=one_of("decision"),
    item_status=one_of("open", "resolved"),
    context=TEXT,
    options=many(TEXT),
    due_at=maybe(TIME),
    resolution=maybe(TEXT),
    resolved_at=maybe(TIME),
    decision_status=one_of("open", "resolved"),
    **STANDING,
)
SNAPSHOT = thing(**IDS, label=TEXT, session_id=maybe(TEXT), active_state=maybe(OBJECT), states=OBJECT, **STANDING)
EVENT = thing(
    **IDS,
    content=TEXT,
    event_type=TEXT,
    occurred_at=TIME,
    session_id=maybe(TEXT),
    importance=SHARE,
    **PLACE,
    metadata=OBJECT,
    agent_id=TEXT,
    source=TEXT,
    version=COUNT,
    created_at=TIME,
)
STATE = thing(
    **IDS,
    state_key=TEXT,
    content=TEXT,
    current_task=TEXT,
    next_action=TEXT,
    blocked_reason=TEXT,
    bucket=TEXT,
    scope=maybe(TEXT),
    expires_at=maybe(TIME),
    version=COUNT,
    status=like("active"),
    team_id=maybe(UUID),
    updated_at=TIME,
)
AUDIT_LINE = thing(
    {
        "action_type": TEXT,
        "undone": FLAG,
        "memory_id": maybe(UUID),
        "candidate_id": maybe(UUID),
        "url": maybe(TEXT),
    },
    id=UUID,
    action=TEXT,
    result=one_of("done", "refused"),
    target_id=maybe(UUID),
    target_type=TEXT,
    pass_id=maybe(UUID),
    actor_id=maybe(UUID),
    actor=TEXT,
    channel=TEXT,
    agent_id=TEXT,
    token_prefix=maybe(TEXT),
    token_name=maybe(TEXT),
    reason=TEXT,
    detail=OBJECT,
    space_id=UUID,
    seq=COUNT,
    request_id=TEXT,
    audit_id=maybe(UUID),
    created_at=TIME,
)
PROBLEM = thing(loc=many(TEXT), msg=TEXT, type=TEXT)
ERROR = thing(detail=thing(code=TEXT, message=TEXT))
INVALID = thing(detail=many(ref("Problem")))

COMPONENTS: dict[str, Schema] = {
    "Memory": MEMORY,
    "Hit": HIT,
    "Boundary": BOUNDARY,
    "Found": FOUND,
    "Reminder": REMINDER,
    "Transaction": TRANSACTION,
    "Totals": thing(**TOTALS),
    "Decision": DECISION,
    "Snapshot": SNAPSHOT,
    "Event": EVENT,
    "State": STATE,
    "AuditLine": AUDIT_LINE,
    "Problem": PROBLEM,
    "Error": ERROR,
    "Invalid": INVALID,
}


def listed(name: str, of: str, **more: Schema) -> Schema:
    """A page of records under `name`, with how many there are in all."""
    fields: dict[str, Any] = {name: many(ref(of)), "total": COUNT, **more}
    return thing(**fields)
