"""What each scope of a token allows, in one line for whoever gives it."""

from __future__ import annotations

from collections.abc import Collection

MEANING = {
    "memory:read": "Read memories, TODOs and passes",
    "memory:write": "Write and change memories, and move them to the trash",
    "memory:delete": "Ask for permanent deletion; a person confirms each",
    "memory:restore": "Restore memories from the trash",
    "ledger:read": "Read the ledger",
    "ledger:write": "Write and change entries of the ledger",
    "audit": "Read the audit",
    "admin": "Change policies, pins and holds",
}


def meanings(scopes: Collection[str]) -> list[tuple[str, str]]:
    """Each of these scopes with its line, in the order in which forms show them."""
    return [(name, text) for name, text in MEANING.items() if name in scopes]
