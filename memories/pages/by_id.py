"""Which page an id leads to: that of a record, a receipt, a token, a pass or a line of the audit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse

from console.errors import NotFound
from memories import audit
from memories.access import Actor
from memories.models import AuditRecord
from memories.pages.addresses import address_of
from memories.search.search import UUID_TEXT
from memories.services import erase, records, tokens

ID = re.compile(
    r"(?:(?:mem|todo|led|dec|snap|pass|aud|audit|memory|ledger|decision|snapshot|token)_)?"
    rf"(?P<id>{UUID_TEXT.pattern})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Found:
    """What an id is of, as audit lines call it, and the page about it."""

    kind: str
    key: UUID
    url: str


def id_in(text: str) -> UUID | None:
    """The id that `text` is, with or without the name of its kind before it."""
    given = ID.fullmatch(text.strip())
    return UUID(given["id"]) if given else None


def found(key: UUID, *, actor: Actor) -> Found | None:
    """The page about what has this id; None where there is nothing that the actor may see."""
    for look in (_record, _receipt, _token, _in_the_audit):
        try:
            if one := look(key, actor):
                return one
        except NotFound:
            continue
    return None


def _record(key: UUID, actor: Actor) -> Found:
    kind = records.kind_of(records.find(key, actor=actor))
    return Found(kind, key, address_of(key, kind))


def _receipt(key: UUID, actor: Actor) -> Found:
    erased = erase.erasure_of(key, actor=actor).record_id
    return Found("erased", erased, reverse("erased", args=[erased]))


def _token(key: UUID, actor: Actor) -> Found:
    token = tokens.seen(key, actor=actor).pk
    return Found("token", token, address_of(token, "token"))


def _in_the_audit(key: UUID, actor: Actor) -> Found | None:
    """A pass, which the audit names, or a line of the audit itself."""
    lines = audit.shown_to(actor, AuditRecord.objects.all())
    if lines.filter(object_type="pass", object_id=key).exists():
        return Found("pass", key, address_of(key, "pass"))
    if lines.filter(pk=key).exists():
        return Found("audit", key, f"{reverse('audit')}?line={key}")
    return None
