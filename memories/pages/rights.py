"""What each scope of a token allows, in one line for whoever gives it."""

from __future__ import annotations

from collections.abc import Collection

from django.utils.translation import gettext_lazy as _

from memories.access import with_implied

MEANING = {
    "memory:read": _("Read memories, TODOs and passes"),
    "memory:write": _(
        "Write and change memories, and move them to the trash; with reading, also run passes, which are applied at "
        "once where the policy asks for no approval"
    ),
    "memory:delete": _("Ask for permanent deletion, which a person confirms, and take words out of memories for good"),
    "memory:restore": _("Restore memories from the trash; this comes along with writing"),
    "ledger:read": _("Read the ledger"),
    "ledger:write": _("Write and change entries of the ledger"),
    "audit": _("Read the audit"),
    "admin": _("Change policies, pins and holds"),
}


def allowed(scopes: Collection[str]) -> list[tuple[str, str]]:
    """What a token with these scopes may, what comes along with them too."""
    return meanings(with_implied(scopes))


def meanings(scopes: Collection[str]) -> list[tuple[str, str]]:
    """Each of these scopes with its line, in the order in which forms show them."""
    return [(name, str(text)) for name, text in MEANING.items() if name in scopes]
