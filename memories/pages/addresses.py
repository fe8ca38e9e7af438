"""Which page is about a record, a pass, or whatever else an audit line names."""

from __future__ import annotations

from uuid import UUID

from django.urls import reverse

PAGES = {
    "memory": "memory",
    "todo": "todo",
    "ledger": "ledger-entry",
    "decision": "decision",
    "snapshot": "snapshot",
    "pass": "pass",
    "token": "token",
    "team": "team",
}


def address_of(object_id: UUID | str, kind: str, action: str = "") -> str:
    """The page of a record or pass, its receipt where the action erased it; empty where there is none."""
    if action.endswith(".erase"):
        return reverse("erased", args=[object_id])
    return reverse(PAGES[kind], args=[object_id]) if kind in PAGES else ""
