"""What each scope of a token allows, in one line for whoever gives it."""

from __future__ import annotations

from collections.abc import Collection

from django.utils.translation import gettext_lazy as _

MEANING = {
    "memory:read": _("Read memories, TODOs and passes"),
    "memory:write": _("Write and change memories, and move them to the trash"),
    "memory:delete": _("Ask for permanent deletion; a person confirms each"),
    "memory:restore": _("Restore memories from the trash"),
    "ledger:read": _("Read the ledger"),
    "ledger:write": _("Write and change entries of the ledger"),
    "audit": _("Read the audit"),
    "admin": _("Change policies, pins and holds"),
}


def meanings(scopes: Collection[str]) -> list[tuple[str, str]]:
    """Each of these scopes with its line, in the order in which forms show them."""
    return [(name, str(text)) for name, text in MEANING.items() if name in scopes]
