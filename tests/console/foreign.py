"""Small files as other programs write them, and zips of them."""

from __future__ import annotations

import io
import json
import zipfile

MEM0 = {
    "results": [
        {
            "id": "6ab7b2f4-5e2e-4e1b-8a3e-0c53c9e1d001",
            "memory": "Ann likes green tea",
            "user_id": "ann",
            "agent_id": "helper",
            "hash": "5d41402abc4b2a76b9719d911017c592",
            "metadata": {"category": "food"},
            "categories": ["preferences"],
            "created_at": "2024-07-01T10:00:00.123456-07:00",
            "updated_at": "2024-07-02T10:00:00-07:00",
        },
        {"id": "2", "memory": "Ann lives in Porto", "user_id": "ann", "created_at": None, "metadata": None},
        {"id": "3", "memory": "  "},
    ],
    "relations": [{"source": "ann", "relationship": "lives_in", "target": "porto"}],
}
GRAPH = [
    {"type": "entity", "name": "Ann", "entityType": "person", "observations": ["Speaks Portuguese", "Drinks tea"]},
    {"type": "entity", "name": "Acme", "entityType": "organization", "observations": []},
    {"type": "relation", "from": "Ann", "to": "Acme", "relationType": "works_at"},
    {"type": "relation", "from": "Ann", "to": "Nowhere", "relationType": "dreams_of"},
    {"type": "entity", "name": "", "entityType": "person", "observations": ["x"]},
]
TEA = """---
title: Green tea
type: note
tags: [drinks, hot]
permalink: drinks/green-tea
created: 2024-05-01T08:00:00
status: "draft: 2"
---

# Green tea
- [fact] Steep it for two minutes #time
- pairs_with [[Coffee]]
- needs [[A kettle that is not here]]
"""
COFFEE = "Strong, in the morning.\n\n- follows [[drinks/green-tea]]\n"
CHATGPT = "Drinks green tea.\nLives in Porto.\n\nHas two cats.\n"
DATED = """Here is everything:

```
[2024-05-01] - Drinks green tea, never black.
[unknown] - Lives in Porto.
[2024-06] - Has two cats,
  Miso and Nori.
```

That is the complete set.
"""
CLAUDE = "**Work**\n\nAnn builds kettles.\nShe likes it.\n\n## Home\n\n- Two cats\n- Green tea\n"
CLAUDE_EXPORT = [
    {
        "conversations_memory": "**Work**\n\nAnn builds kettles.\n\n**Home**\n\nTwo cats.",
        "project_memories": {"p-1": "- Uses htmx"},
        "account_uuid": "6f1d2c3b-4a5e-4f60-8a7b-9c0d1e2f3a4b",
    }
]


def as_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def as_lines(values: list[dict[str, object]]) -> bytes:
    return b"".join(as_json(value) + b"\n" for value in values)


def zipped(files: dict[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


NOTES = zipped(
    {"drinks/Tea.md": TEA, "Coffee.md": COFFEE, "tea.png": b"x", ".obsidian/a.md": "x", "__MACOSX/._Coffee.md": b"\0"}
)
FILES: dict[str, tuple[str, bytes]] = {
    "mem0": ("memories.json", as_json(MEM0)),
    "mcp-memory": ("memory.jsonl", as_lines(GRAPH)),
    "markdown": ("notes.zip", NOTES),
    "chatgpt": ("memories.txt", CHATGPT.encode()),
    "claude": ("memories.json", as_json(CLAUDE_EXPORT)),
}
