"""Taking the words out of a record that itself stays: content replaced in place, everywhere, with no way back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import JSONField
from django.db.models.expressions import RawSQL
from django.utils import timezone

from console.errors import Conflict, Invalid, Problem
from console.saying import phrase
from memories import audit
from memories.access import Actor, check_may_erase, check_may_use, check_signed_in_lately
from memories.embedding.waking import embed_soon
from memories.models import Memory, MemoryEmbedding, MemoryLink, MemoryUse, MemoryVersion
from memories.services import erase, fields, rates, state

REPLACEMENT = "[REDACTED]"
KEPT_OF_PROVENANCE = ("channel", "agent_instance")  # what the server itself wrote


@dataclass(frozen=True, slots=True)
class Redacted:
    """The record after it, the id of its audit line, and the records erased along because they quoted it."""

    memory: Memory
    audit_id: UUID
    erased: tuple[UUID, ...]


@transaction.atomic
def redact(
    *,
    memory_id: UUID,
    replacement_content: str = REPLACEMENT,
    reason: str = "",
    clear_metadata: bool = False,
    seen_version: int | None = None,
    actor: Actor,
) -> Redacted:
    """Replace what a memory says, in itself and in its versions, and erase what quotes it. There is no way back.

    The record keeps its id, place, links, status and metadata, except for the fields of working state, which say
    what the content says; `clear_metadata` empties the metadata and what the writer said of its origin, too. Who may
    delete it for good may redact it. Raises Invalid, NotFound, NotAllowed (also for a summary that goes along and may
    not), SignInAgain, Conflict, Stale, TooMany.
    """
    check_may_use(actor, "memory:write")
    if actor.is_person:
        check_signed_in_lately(actor, within_seconds=settings.RECENT_SIGN_IN_SECONDS)
    _check_input(replacement_content, reason)
    rates.count_redaction(actor)
    memory = _locked(memory_id, seen_version, actor)
    check_may_erase(actor, memory)
    if memory.state.status == "deleted":
        raise Conflict(phrase("This memory is in the trash. Restore it before you redact it, or delete it for good."))
    erased = erase.erase_derived(memory, reason, actor)
    versions = _replace_versions(memory, replacement_content, clear_metadata)
    _replace(memory, replacement_content, clear_metadata)
    transaction.on_commit(embed_soon)
    detail = {
        "version": memory.state.version,
        "versions_emptied": versions,
        "metadata_cleared": clear_metadata,
        "erased": [str(key) for key in erased],
    }
    line = audit.record(
        actor, "memory.redact", "memory", memory.pk, space_id=memory.space_id, reason=reason, detail=detail
    )
    return Redacted(memory, line, erased)


def _check_input(replacement: str, reason: str) -> None:
    problems: list[Problem] = []
    for name, rule, value in (("replacement_content", "content", replacement), ("reason", "reason", reason)):
        try:
            fields.check({rule: value})
        except Invalid as refusal:
            problems += [Problem(("body", name), problem.msg, problem.type) for problem in refusal.problems]
    if problems:
        raise Invalid(*problems)


def _locked(memory_id: UUID, seen_version: int | None, actor: Actor) -> Memory:
    record = erase.locked(memory_id, seen_version, actor)
    if not isinstance(record, Memory):
        raise Invalid.field("memory_id", phrase("Only memories can be redacted. Edit or forget this record."))
    return record


def _replace(memory: Memory, replacement: str, clear_metadata: bool) -> None:
    """Put the replacement into the memory itself, and take its words out of what stands beside it."""
    MemoryLink.objects.filter(target=memory).update(quote="")
    MemoryUse.objects.filter(memory=memory).update(context="", metadata={})
    MemoryEmbedding.objects.filter(memory=memory).delete()
    memory.content = replacement
    if state.holds(memory):
        memory.metadata = {name: value for name, value in memory.metadata.items() if name not in state.FIELDS}
    if clear_metadata:
        memory.metadata = {}
        memory.provenance = {k: memory.provenance[k] for k in KEPT_OF_PROVENANCE if k in memory.provenance}
    memory.redacted_at = memory.updated_at = timezone.now()
    memory.save(update_fields=["content", "metadata", "provenance", "redacted_at", "updated_at"])
    memory.state.version += 1
    memory.state.save(update_fields=["version"])


_EMPTIED = "jsonb_set(fields, '{metadata}', '{}')"
_WITHOUT = """CASE WHEN fields ? 'metadata'
    THEN jsonb_set(fields, '{metadata}', (fields -> 'metadata') - %s::text[]) ELSE fields END"""


def _replace_versions(memory: Memory, replacement: str, clear_metadata: bool) -> int:
    """Put the replacement into every earlier version, however many there are. Returns how many."""
    changes: dict[str, Any] = {"content": replacement}
    if clear_metadata:
        changes["fields"] = RawSQL(_EMPTIED, [], JSONField())  # noqa: S611 - a constant
    elif state.holds(memory):
        changes["fields"] = RawSQL(_WITHOUT, [list(state.FIELDS)], JSONField())  # noqa: S611 - constants
    return MemoryVersion.objects.filter(memory=memory).update(**changes)
