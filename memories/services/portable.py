"""What travels in an export: every model of ours is named here, with its fields or with why it stays.

`tests/memories/test_portable.py` holds this against the models, so that a new table or column is thought of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import models

from memories.models import (
    Decision,
    LedgerEntry,
    Memory,
    MemoryEmbedding,
    MemoryLink,
    MemoryState,
    MemoryUse,
    MemoryVersion,
    Snapshot,
    Todo,
)

FORMAT = "memory-console/1"
NEW_OWNER = "the record becomes that of whoever imports it"
WHOSE = "people are of this console; whoever imports it stands in their place"
OF_THE_LINE = "the line it stands in says it"
COUNTED = "the database fills it"


@dataclass(frozen=True, slots=True)
class Portable:
    """A model that travels: the names of its fields in a line, and why the other fields stay."""

    model: type[models.Model]
    fields: tuple[str, ...]
    stay: Mapping[str, str]


PLACE = ("bucket", "scope", "path", "team_id", "agent_id", "created_at", "updated_at")
ORIGIN = ("source", "source_id", "hold")
STANDING = ("status", "version", "expired_at", "archived_at", "deleted_at", "status_before_delete")
PLACED = {"owner": NEW_OWNER, "space_id": COUNTED, "deleted_by": WHOSE}
CONTENT = (
    *("content", "path", "bucket", "scope", "team_id", "memory_type", "semantic_key", "confidence", "metadata"),
    *("provenance", "session", "source", "source_id", "agent_id", "language", "trust", "derivation", "pass_id"),
    *("event_type", "occurred_at", "expires_at", "redacted_at", "pinned", "hold", "created_at", "updated_at"),
)
STATE = (
    *("status", "version", "importance", "base", "anchor", "last_used_at", "use_count", "reactivated_at"),
    *("expired_at", "archived_at", "deleted_at", "status_before_delete"),
)

OF_MEMORIES = {
    "memory": Portable(
        Memory,
        ("id", *CONTENT),
        {"owner": NEW_OWNER, "space_id": COUNTED, "token_id": "tokens are of this console"},
    ),
    "state": Portable(MemoryState, STATE, {"memory": OF_THE_LINE, "space_id": COUNTED, "deleted_by": WHOSE}),
    "versions": Portable(
        MemoryVersion,
        ("number", "content", "fields", "replaced_at", "reason"),
        {"id": "the number tells versions apart", "memory": OF_THE_LINE, "replaced_by": WHOSE},
    ),
    "links": Portable(
        MemoryLink,
        ("target", "kind", "position", "quote", "created_at"),
        {"id": "both ends and the kind tell links apart", "origin": OF_THE_LINE, "space_id": COUNTED},
    ),
    "embedding": Portable(
        MemoryEmbedding,
        ("model", "dimension", "vector"),
        {
            "memory": OF_THE_LINE,
            "space_id": COUNTED,
            "active": "it follows from where the memory stands",
            "created_at": "vectors are made anew by the model of the console that imports",
        },
    ),
}

BESIDE = {
    "use": Portable(
        MemoryUse,
        ("id", "memory_id", "action", "tracking_id", "context", "metadata", "at", "agent_id"),
        {"user": WHOSE},
    ),
    "todo": Portable(
        Todo,
        ("id", "content", "due_at", "completed_at", "note", *PLACE, *ORIGIN, *STANDING),
        {**PLACED, "completed_by": WHOSE},
    ),
    "ledger": Portable(
        LedgerEntry,
        (
            *("id", "transaction_type", "item", "amount", "currency", "category", "occurred_on", "note"),
            *(*PLACE, *ORIGIN, *STANDING),
        ),
        PLACED,
    ),
    "decision": Portable(
        Decision,
        ("id", "context", "options", "due_at", "resolution", "resolved_at", *PLACE, *ORIGIN, *STANDING),
        {**PLACED, "resolved_by": WHOSE},
    ),
    "snapshot": Portable(Snapshot, ("id", "label", "session", "state", *PLACE, *ORIGIN, *STANDING), PLACED),
}

ACCOUNT = "who may do what here; accounts are made by the operator of each console"
ASKING = "a request under way in this console, over within minutes"
RULES = "how a space is looked after here; no record, and settings are not overwritten by a file"
PASSES = (
    "proposals, decisions and undo over the versions of this console's records; what a pass wrote travels with its "
    "memory (derivation, pass_id, links and quotes)"
)
STAY: dict[str, str] = {
    "memories.User": ACCOUNT,
    "memories.Team": ACCOUNT,
    "memories.Membership": ACCOUNT,
    "memories.ApiToken": ACCOUNT,
    "memories.DeviceLogin": ASKING,
    "memories.ErasureRequest": ASKING,
    "memories.KeptAnswer": ASKING,
    "memories.RateCount": "numbers about the last hour",
    "memories.SpaceSettings": RULES,
    "memories.SavedView": "filters by people and spaces of this console; no record, and soon saved again",
    "memories.AuditRecord": "a chain cannot be continued in another console; it has a download of its own",
    "memories.AuditHead": "the end of a chain of this console",
    "memories.Erasure": "no record: what forbids one here. The erasure file carries it to a backup",
    "reflection.ReflectionPolicy": RULES,
    "reflection.Schedule": RULES,
    "reflection.ScheduledRun": RULES,
    "reflection.Subscription": RULES,
    "reflection.Notice": "what was sent from here",
    "reflection.ReflectPass": PASSES,
    "reflection.Candidate": PASSES,
    "reflection.Basis": PASSES,
    "reflection.Viewed": PASSES,
    "sessions.Session": ACCOUNT,
    "auth.Group": ACCOUNT,
    "auth.Permission": ACCOUNT,
    "contenttypes.ContentType": "the names of these models",
}


def told(record: Any, portable: Portable) -> dict[str, Any]:
    """The fields of a record that travel, times to the microsecond."""
    ids = {field.name: field.attname for field in portable.model._meta.concrete_fields}
    return {name: exact(getattr(record, ids.get(name, name))) for name in portable.fields}


def exact(value: Any) -> Any:
    """A time to the microsecond, which the encoder would cut; everything else as it is."""
    return value.isoformat() if hasattr(value, "isoformat") else value
