"""Operations on TODOs, money, events, decisions, working state, the audit, tokens and the console itself."""

from __future__ import annotations

from console.openapi.answers import (
    COUNT,
    FLAG,
    IDS,
    OBJECT,
    TEXT,
    TIME,
    TOTALS,
    UUID,
    like,
    listed,
    many,
    maybe,
    one_of,
    ref,
    thing,
)
from console.openapi.told import Told
from memories.api import decisions, devices, kinds, ledger, reminders, shapes, snapshots, state, timeline

SPENT = {"item": "Train ticket", "amount": "19.90", "currency": "EUR", "category": "travel"}
RESTARTED = thing(
    **{name: maybe(UUID) for name in ("id", "memory_id", "snapshot_id")},
    status=one_of("restored", "not_found"),
    restored=FLAG,
    restored_at=maybe(TIME),
    snapshot=maybe(ref("Snapshot")),
    restored_ids=many(UUID),
    kept_ids=many(UUID),
    event_id=maybe(UUID),
)
VALID = thing(
    status=like("valid"),
    scopes=many(TEXT),
    setup_state=TEXT,
    name=TEXT,
    expires_at=TIME,
    agent_boundary=ref("Boundary"),
)
PROVEN = thing(
    whole=FLAG,
    chains=many(
        thing(
            space_id=UUID, name=like("Atlas"), lines=COUNT, broken=maybe(thing(seq=COUNT, id=maybe(UUID), fault=TEXT))
        )
    ),
)
CODES = thing(
    device_code=TEXT,
    user_code=TEXT,
    verification_uri=TEXT,
    verification_uri_complete=TEXT,
    expires_in=COUNT,
    interval=COUNT,
    scopes=many(TEXT),
)
GRANTED = thing(
    access_token=TEXT,
    token_type=TEXT,
    scopes=many(TEXT),
    expires_at=TIME,
    user=thing(id=UUID, username=TEXT, display_name=TEXT),
)
MONTH = thing(month=TEXT, **TOTALS, currencies=many(ref("Totals")))

OPERATIONS = {
    "GET reminders": Told("List TODOs", listed("reminders", "Reminder"), "memory:read", query=reminders.Listing),
    "POST reminders": Told(
        "Add a TODO",
        ref("Reminder"),
        "memory:write",
        body=reminders.New,
        example={"content": "Renew the certificate.", "due_at": "2026-12-01T09:00:00Z"},
    ),
    "GET reminders/{record_id}": Told("Look at a TODO", ref("Reminder"), "memory:read"),
    "PATCH reminders/{record_id}": Told(
        "Change a TODO",
        ref("Reminder"),
        "memory:read memory:write",
        body=reminders.Change,
        example={"due_at": None},
        versioned=True,
    ),
    "POST reminders/{record_id}/complete": Told(
        "Complete a TODO",
        ref("Reminder"),
        "memory:read memory:write",
        body=reminders.Note,
        example={"note": "renewed"},
        versioned=True,
    ),
    "POST reminders/{record_id}/reopen": Told(
        "Reopen a TODO", ref("Reminder"), "memory:read memory:write", versioned=True
    ),
    "GET me/ledger/transactions": Told(
        "List entries of the ledger", listed("transactions", "Transaction"), "ledger:read", query=ledger.Listing
    ),
    "POST me/ledger/transactions": Told(
        "Add an entry to the ledger", ref("Transaction"), "ledger:write", body=ledger.New, example=SPENT
    ),
    "GET me/ledger/transactions/{record_id}": Told("Look at an entry", ref("Transaction"), "ledger:read"),
    "PATCH me/ledger/transactions/{record_id}": Told(
        "Change an entry",
        ref("Transaction"),
        "ledger:read ledger:write",
        body=ledger.Change,
        example={"category": "work"},
        versioned=True,
    ),
    "GET me/ledger/monthly-summary": Told("Sum up a month", MONTH, "ledger:read", query=ledger.Month),
    "POST update_state": Told(
        "Say what is being done now",
        ref("State"),
        "memory:write",
        body=state.Update,
        example={"current_task": "Write the changelog.", "next_action": "Tag the release.", "ttl_seconds": 3600},
    ),
    "GET timeline": Told("List events", listed("events", "Event"), "memory:read", query=timeline.Listing),
    "POST timeline/events": Told(
        "Record an event",
        thing(**IDS, status=like("created"), event=ref("Event")),
        "memory:write",
        body=timeline.New,
        example={"content": "Version 1.2 went live.", "event_type": "deployment"},
    ),
    "GET restart/snapshot": Told(
        "List snapshots", listed("snapshots", "Snapshot"), "memory:read", query=kinds.Narrowed
    ),
    "POST restart/snapshot": Told(
        "Take a snapshot of the working state",
        ref("Snapshot"),
        "memory:read memory:write",
        body=snapshots.Take,
        example={"label": "before the release"},
    ),
    "POST restart/restore": Told(
        "Start again from a snapshot",
        RESTARTED,
        "memory:read memory:write",
        body=snapshots.Again,
        example={"snapshot_id": "01a22ca2-8482-7386-8256-67939b2aa67b"},
        refusals=(404,),
    ),
    "GET decisions": Told("List decisions", listed("decisions", "Decision"), "memory:read", query=decisions.Listing),
    "POST decisions": Told(
        "Ask for a decision",
        ref("Decision"),
        "memory:write",
        body=decisions.New,
        example={"context": "Which database?", "options": ["PostgreSQL", "another"]},
    ),
    "GET decisions/{record_id}": Told("Look at a decision", ref("Decision"), "memory:read"),
    "POST decisions/{record_id}/resolve": Told(
        "Say what was decided",
        ref("Decision"),
        "memory:read memory:write",
        body=decisions.Resolution,
        example={"resolution": "PostgreSQL."},
        versioned=True,
    ),
    "GET audit/events": Told("Read the audit", thing(events=many(ref("AuditLine"))), "audit", query=shapes.Events),
    "GET audit/verify": Told("Prove the audit", PROVEN, "audit"),
    "GET auth/token/validate": Told("Ask what a token may do", VALID),
    "POST auth/token/revoke-self": Told(
        "Revoke the token that calls",
        thing(ok=FLAG, status=like("revoked"), revoked_at=TIME),
        body={"type": "object"},
        example={},
        refusals=(404,),
    ),
    "POST auth/device/start": Told(
        "Ask for a token by a code",
        CODES,
        body=devices.Start,
        example={"client_id": "hermes", "scopes": ["memory:read", "memory:write"]},
        changes=False,
        open_=True,
    ),
    "POST auth/device/token": Told(
        "Look whether a person has approved the code",
        GRANTED,
        body=devices.Look,
        example={"device_code": "…", "grant_type": "urn:ietf:params:oauth:grant-type:device_code"},
        changes=False,
        open_=True,
    ),
    "GET onboarding/status": Told("Ask whether agents can connect", thing(ready=FLAG), open_=True),
    "GET /health": Told("Ask whether the process is up", thing(status=like("ok")), open_=True),
    "GET /ready": Told(
        "Ask whether it can do its work", thing({"database": {}, "reason": TEXT}, ready=FLAG), open_=True
    ),
    "GET /.well-known/agent-discovery.json": Told(
        "Discover the API and the MCP endpoint",
        thing(service=TEXT, protocol=TEXT, schema_version=TEXT, urls=OBJECT, auth=OBJECT, security=OBJECT),
        open_=True,
    ),
    "GET /.well-known/memory-os.json": Told(
        "Discover service and version", thing(service=TEXT, version=like("1.0.0"), urls=OBJECT), open_=True
    ),
    "GET openapi.json": Told("Read this document", OBJECT | {"example": {"openapi": "3.0.3"}}, open_=True),
}
