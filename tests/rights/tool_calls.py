"""One good call of every tool of the bridge, with records of Ann around it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.memories.mutations import note, revised, todo, trashed
from tests.reflection.mutations import planned
from tests.rights.records import something_of_everything
from tests.rights.tables import MCP, Row, rows

ROWS = rows(MCP)
MISSING = "01a22ca2-8482-7386-8256-67939b2aa67b"
UUIDS = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SENT: dict[str, Callable[[], dict[str, Any]]] = {
    "search_memory": lambda: {"query": "kettle"},
    "recall": lambda: {"query": "kettle"},
    "recall_context": lambda: {"query": "kettle"},
    "explain_memory": lambda: {"memory_id": str(note())},
    "list_memory_versions": lambda: {"memory_id": str(revised())},
    "remember": lambda: {"content": "Tea.", "path": "p"},
    "update_memory": lambda: {"memory_id": str(note()), "path": "shelf"},
    "forget": lambda: {"memory_id": str(note())},
    "redact_memory": lambda: {"memory_id": str(note())},
    "restore_memory": lambda: {"memory_id": str(trashed())},
    "todos action=add": lambda: {"content": "Buy tea."},
    "todos action=complete": lambda: {"todo_id": str(todo())},
    "todos action=reopen": lambda: {"todo_id": str(todo(done=True))},
    "ledger action=add": lambda: {"item": "tea", "amount": "3", "currency": "EUR"},
}


def asked(row: Row) -> dict[str, Any]:
    """What is sent, after Ann has got something of everything."""
    something_of_everything()
    planned()
    make = SENT.get(str(row)) or SENT.get(row.name) or dict
    return {**make(), **row.more}
