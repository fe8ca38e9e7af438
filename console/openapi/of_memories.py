"""Operations on memories: remember, find, look at, change, forget."""

from __future__ import annotations

from console.openapi.answers import (
    COUNT,
    COUNTS,
    FLAG,
    IDS,
    OBJECT,
    TEXT,
    TIME,
    UUID,
    like,
    listed,
    many,
    maybe,
    ref,
    thing,
)
from console.openapi.told import Told
from memories.api import explaining, projects, searching, shapes, skill, stats, tables, transfer, usage

FACT = {
    "content": "The build machine is called otter.",
    "path": "projects/console",
    "memory_type": "semantic",
    "semantic_key": "build-machine",
    "importance": 0.7,
}
STORED = thing(**IDS, status=like("created"), version=COUNT)
MOVED = thing(
    {
        "kind": TEXT,
        "version": COUNT,
        "audit_record_id": UUID,
        "mode": TEXT,
        "forgotten": FLAG,
        "restored": FLAG,
        "erased_along": many(UUID),
        "request_id": UUID,
        "url": TEXT,
        "expires_at": TIME,
    },
    ok=FLAG,
    **IDS,
    status=like("deleted"),
)
PINNED = thing({"pinned": FLAG, "hold": maybe(TEXT)}, ok=FLAG, **IDS, kind=TEXT, version=COUNT)
USED = thing(
    ok=FLAG,
    **IDS,
    counted=FLAG,
    use_count=COUNT,
    last_used_at=maybe(TIME),
    importance={"type": "number"},
    version=COUNT,
)
VERSION = thing(
    {"importance": {"type": "number"}},
    version=COUNT,
    content=TEXT,
    replaced_at=TIME,
    replaced_by=maybe(TEXT),
    reason=TEXT,
)
PACK = thing(
    items=many(thing(**IDS, path=TEXT, bucket=TEXT, scope=maybe(TEXT))),
    context_text=TEXT,
    budget=thing(tokens=COUNT, items=COUNT, max_tokens=COUNT, max_items=COUNT),
    coverage=OBJECT,
    filters=OBJECT,
    agent_boundary=ref("Boundary"),
    scope=maybe(TEXT),
)
PROJECT = thing(
    project_scope=thing(
        project_id=TEXT,
        owner_id=UUID,
        organization_id=maybe(TEXT),
        workspace_id=maybe(TEXT),
        team_id=maybe(UUID),
        scope_key=TEXT,
    ),
    recent_memories=many(ref("Memory")),
    durable_context=thing(
        items=many(thing(**IDS, content=TEXT, path=TEXT, bucket=TEXT, similarity={"type": "number"}))
    ),
    budget=thing(used_items=COUNT, used_tokens=COUNT, max_items=COUNT, max_tokens=COUNT),
    agent_boundary=ref("Boundary"),
)
STATISTICS = thing(
    total_count=COUNT,
    filtered_count=COUNT,
    scanned_count=COUNT,
    latest_at=maybe(TIME),
    oldest_at=maybe(TIME),
    type_counts=COUNTS,
    status_counts=COUNTS,
    bucket_counts=COUNTS,
    groups=many(thing(group_by=OBJECT, by=TEXT, value=maybe(TEXT), count=COUNT, latest_at=TIME, oldest_at=TIME)),
)
RECEIPT = thing(
    {name: {} for name in ("owner_id", "source", "source_id", "erased_by_id", "erased_by", "channel", "reason")},
    id=UUID,
    kind=TEXT,
    space_id=UUID,
    erased_at=TIME,
    places=many(thing(place=TEXT, found=COUNT)),
    absent=FLAG,
    checked_at=TIME,
)
ASKED = {202: "A person has to confirm at `url`; nothing is deleted yet."}
SKILL = thing(ok=FLAG, operation=TEXT, result=maybe(OBJECT), request_id=TEXT)

OPERATIONS = {
    "POST remember": Told("Remember something", STORED, "memory:write", body=shapes.Remember, example=FACT),
    "GET memories": Told("List memories", listed("memories", "Memory"), "memory:read", query=shapes.Listing),
    "GET memories/search": Told("Search strictly", ref("Found"), "memory:read", query=searching.SearchShape),
    "GET memories/stats": Told("Count memories", STATISTICS, "memory:read", query=stats.Counted),
    "POST memories/export": Told(
        "Export memories",
        thing(jsonl=TEXT, count=COUNT, next_cursor=maybe(COUNT)),
        "memory:read",
        body=transfer.Out,
        example={"limit": 500},
        changes=False,
    ),
    "POST memories/import": Told(
        "Import memories",
        thing(
            imported=COUNT,
            known=COUNT,
            links_left=COUNT,
            errors=many(thing(line=COUNT, message=TEXT)),
            error_count=COUNT,
            next_cursor=maybe(COUNT),
            dry_run=FLAG,
        ),
        "memory:write",
        body=transfer.In,
        example={"jsonl": '{"content": "The build machine is called otter.", "path": "projects"}', "dry_run": True},
    ),
    "POST export": Told(
        "Export everything",
        thing(jsonl=TEXT, count=COUNT, next_cursor=maybe(TEXT), left_out=many(TEXT)),
        "memory:read",
        body=transfer.OutAll,
        example={"limit": 500},
        changes=False,
    ),
    "GET export/csv": Told(
        "Export a table",
        TEXT,
        "memory:read",
        query=tables.Table,
        media="text/csv",
    ),
    "POST import": Told(
        "Import what other programs keep",
        thing(
            format=TEXT,
            dry_run=FLAG,
            imported=COUNT,
            known=COUNT,
            error_count=COUNT,
            links_left=COUNT,
            made=COUNTS,
            passed_over=many(TEXT),
            rows=many(thing(row=TEXT, outcome=like("new"), message=like(""))),
        ),
        "memory:write",
        body=transfer.InAny,
        example={"format": "chatgpt", "text": "- Drinks tea.\n- Lives in Porto.", "dry_run": True},
    ),
    "GET recall": Told("Recall tolerantly", ref("Found"), "memory:read", query=searching.RecallShape),
    "POST recall/context": Told(
        "Recall a pack for a prompt",
        PACK,
        "memory:read",
        body=searching.ContextShape,
        example={"query": "What is the build machine called?", "max_items": 5, "max_tokens": 800},
        changes=False,
    ),
    "POST projects/{project_id}/context": Told(
        "Recall what is known of a project",
        PROJECT,
        "memory:read",
        body=projects.Wanted,
        example={"max_items": 10, "durable_query": "decisions"},
        changes=False,
    ),
    "GET memories/{record_id}": Told("Look at a memory", ref("Memory"), "memory:read"),
    "PATCH memories/{record_id}": Told(
        "Change a memory",
        ref("Memory"),
        "memory:read memory:write",
        body=shapes.Revise,
        example={"content": "The build machine is called heron.", "reason": "renamed"},
        versioned=True,
    ),
    "GET memories/{record_id}/explain": Told(
        "Explain a memory",
        thing(memory=OBJECT, agent_boundary=ref("Boundary")),
        "memory:read",
        query=explaining.ExplainShape,
    ),
    "GET memories/{record_id}/versions": Told(
        "List versions of a memory",
        thing(**IDS, version=COUNT, versions=many(VERSION), total=COUNT),
        "memory:read",
        query=shapes.Past,
    ),
    "POST memories/{record_id}/versions/{number}/revert": Told(
        "Go back to a version",
        ref("Memory"),
        "memory:read memory:write",
        body=shapes.Reason,
        example={"reason": "the change was wrong"},
        versioned=True,
    ),
    "PUT memories/{record_id}/pin": Told(
        "Pin a memory", PINNED, "memory:write", body=shapes.Reason, example={"reason": "a landmark"}, versioned=True
    ),
    "DELETE memories/{record_id}/pin": Told("Unpin a memory", PINNED, "memory:write", versioned=True),
    "PUT memories/{record_id}/hold": Told(
        "Put a record under a legal hold",
        PINNED,
        "admin",
        body=shapes.Hold,
        example={"name": "Case 12", "reason": "asked by counsel"},
        versioned=True,
    ),
    "DELETE memories/{record_id}/hold": Told("Lift a legal hold", PINNED, "admin", versioned=True),
    "POST memories/{record_id}/forget": Told(
        "Forget a record",
        MOVED,
        "memory:write",
        body=shapes.Forget,
        example={"mode": "soft", "reason": "out of date"},
        answers=ASKED,
        versioned=True,
    ),
    "POST forget": Told(
        "Forget the record that an id or a description means",
        MOVED,
        "memory:write",
        body=shapes.ForgetTarget,
        example={"target": "The build machine is called otter.", "reason": "out of date"},
        answers=ASKED,
        versioned=True,
    ),
    "POST memories/{record_id}/restore": Told(
        "Restore a record from the trash",
        MOVED,
        "memory:restore",
        body=shapes.Reason,
        example={"reason": "still needed"},
        versioned=True,
    ),
    "POST memories/{record_id}/usage": Told(
        "Note that a memory was of use",
        USED,
        "memory:write",
        body=usage.Use,
        example={"action": "used", "usage_tracking_id": "call-1"},
    ),
    "GET erasures/{record_id}": Told("Read the receipt of a deletion", RECEIPT, "memory:read"),
    "POST skill/operations": Told(
        "Carry out one operation of a skill",
        SKILL,
        "that of the operation",
        body=skill.Wanted,
        partly_open=True,
        answers={202: "A person has to confirm; nothing is done yet."},
        example={"operation": "recall", "arguments": {"query": "build machine", "limit": "3"}},
    ),
}
