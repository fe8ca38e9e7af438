"""Taking records out of every place, whoever asked for it: a person, the purge of the trash, a restored backup.

The caller has checked the rights, waits its turn (`turns.erase_alone`) and has locked the rows with `lock`.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from memories import audit
from memories.access import Actor
from memories.embedding.waking import embed_soon
from memories.models import (
    Decision,
    Erasure,
    ErasureRequest,
    LedgerEntry,
    Memory,
    MemoryEmbedding,
    MemoryLink,
    MemoryUse,
    MemoryVersion,
    Snapshot,
    Todo,
)
from memories.models.memory import LinkKind
from memories.services import elsewhere, erasure_file, provenance, records
from memories.services.copies import scrub_snapshots
from memories.services.elsewhere import Rewritten

KEY_BYTES = 32
LINKS_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Reach:
    """What an erasure touches beyond the records it names."""

    falls: list[Memory]  # summaries and facts that go along
    stays: list[Memory]  # those that are written anew from what remains
    texts: Mapping[UUID, Rewritten]
    because_of: Mapping[UUID, UUID]  # derived record -> the record whose erasure reaches it


def reach(roots: Sequence[records.Record]) -> Reach:
    """Follow what was derived from `roots`, from derived to derived, until nothing new falls."""
    gone = {one.pk for one in roots}
    cause = {one.pk: one.pk for one in roots}
    falls: dict[UUID, Memory] = {}
    while True:
        found = _derived_from(gone, cause)
        stays = [one for one in found if one.pk not in gone]
        texts = elsewhere.rewritten(stays, gone)
        fallen = [one for one in stays if one.pk not in texts]
        if not fallen:
            because_of = {key: origin for key, origin in cause.items() if key != origin}
            return Reach(sorted(falls.values(), key=lambda one: one.pk), stays, texts, because_of)
        falls |= {one.pk: one for one in fallen}
        gone |= set(falls)


def _derived_from(gone: set[UUID], cause: dict[UUID, UUID]) -> list[Memory]:
    """What passes wrote from these memories, in id order. They quote them. Notes in `cause` which root is behind it."""
    links = MemoryLink.objects.filter(target_id__in=gone, kind=LinkKind.DERIVED_FROM).exclude(origin__derivation="")
    for origin, target in links.order_by("target_id").values_list("origin_id", "target_id"):
        cause.setdefault(origin, cause[target])
    wanted = set(links.values_list("origin_id", flat=True))
    return list(_with_state().filter(pk__in=wanted).order_by("pk"))


def _with_state() -> QuerySet[Memory]:
    """The condition makes the join an inner one: the nullable side of an outer join cannot be locked."""
    return Memory.objects.select_related("state").filter(state__version__gte=1)


def lock(roots: Sequence[records.Record]) -> None:
    """Lock these records, what is derived from them, and what that rests on, in the order of ids that passes keep."""
    ids = {one.pk for one in roots}
    found = reach(roots)
    derived = {one.pk for one in (*found.falls, *found.stays)}
    sources = MemoryLink.objects.filter(origin_id__in=derived, kind=LinkKind.DERIVED_FROM)
    ids |= derived | set(sources.values_list("target_id", flat=True))
    list(_with_state().filter(pk__in=ids).order_by("pk").select_for_update(of=("self", "state")))
    for kind, model in records.KINDS.items():
        if kind != "memory" and any(isinstance(one, model) for one in roots):
            rows: Any = model.objects.filter(pk__in=ids)
            list(rows.order_by("pk").select_for_update().values_list("pk"))


@dataclass(frozen=True, slots=True)
class Removed:
    """What is gone, those named first; what was written anew; and the audit line of each."""

    ids: tuple[UUID, ...]
    rewritten: tuple[UUID, ...]
    lines: Mapping[UUID, UUID]


@dataclass
class _Removal:
    roots: Sequence[records.Record]
    found: Reach
    reason: str
    actor: Actor
    erased_by: UUID
    roots_stay: bool = False  # only their words go: they are redacted
    at: datetime = field(default_factory=timezone.now)

    @property
    def gone(self) -> list[records.Record]:
        """The records that are deleted."""
        return [*([] if self.roots_stay else self.roots), *self.found.falls]

    def cause(self, one: records.Record) -> UUID | None:
        return self.found.because_of.get(one.pk)


def remove(roots: Sequence[records.Record], *, reason: str, actor: Actor, erased_by: UUID | None = None) -> Removed:
    """Erase locked records of one space with all that quotes them, note it in the ledger and audit it.

    `erased_by` is who decided on it, where that is not the actor.
    """
    return _carry_out(_Removal(roots, reach(roots), reason, actor, erased_by or actor.own))


def take_words(memory: Memory, *, reason: str, actor: Actor) -> Removed:
    """Take the words of a locked memory, which itself stays, out of every other place: they are to be redacted."""
    return _carry_out(_Removal([memory], reach([memory]), reason, actor, actor.own, roots_stay=True))


def _carry_out(work: _Removal) -> Removed:
    ids = [one.pk for one in work.gone]
    kept = [one.pk for one in (*(work.roots if work.roots_stay else ()), *work.found.stays)]
    snapshots = scrub_snapshots([*work.roots, *work.found.falls], at=work.at)
    lines = [_line(work, one, snapshots) for one in work.gone]
    elsewhere.scrub([*ids, *kept])
    ErasureRequest.objects.filter(record_id__in=ids).update(reason="")
    rewrites = [_write_anew(work, one) for one in work.found.stays]
    _note(work, lines)
    for model in {type(one) for one in work.gone}:
        model.objects.filter(pk__in=ids).delete()
    audit.record_all(work.actor, [*lines, *rewrites], space_id=work.roots[0].space_id)
    if rewrites:
        transaction.on_commit(embed_soon)
    anew = tuple(one.pk for one in work.found.stays)
    return Removed(tuple(ids), anew, {one.pk: line.id for one, line in zip(work.gone, lines, strict=True)})


def _line(work: _Removal, one: records.Record, snapshots: Mapping[UUID, Sequence[UUID]]) -> audit.Entry:
    """Who, when, why and the id; never a word of it."""
    kind, standing, cause = records.kind_of(one), records.standing(one), work.cause(one)
    detail: dict[str, Any] = {
        "status": [standing.status, "erased"],
        "version": standing.version,
        "commitment": commitment(one),
    }
    if cause is not None:
        detail["because_of"] = str(cause)
    anew = [str(key) for key in work.found.texts if work.found.because_of.get(key) == one.pk]
    if anew:
        detail["rewritten"] = anew
    if taken := snapshots.get(one.pk):
        detail["snapshots"] = [str(key) for key in taken]
    return audit.Entry(f"{kind}.erase", kind, one.pk, reason=work.reason, detail=detail)


def commitment(one: records.Record) -> str:
    """HMAC-SHA256 of what the record said, under a random key that nobody keeps.

    A plain hash of a short text can be found by trying texts. Without the key nothing can be tried, and two erasures of
    the same text cannot be told to be the same.
    """
    key = secrets.token_bytes(KEY_BYTES)
    return "hmac-sha256:" + hmac.new(key, "\0".join(words_of(one)).encode(), hashlib.sha256).hexdigest()


def words_of(one: records.Record) -> list[str]:
    """What a record says, field by field."""
    match one:
        case Memory():
            return [one.content]
        case Todo():
            return [one.content, one.note]
        case LedgerEntry():
            return [one.item, one.note, one.category]
        case Decision():
            return [one.context, json.dumps(one.options), one.resolution]
        case Snapshot():
            return [one.label, json.dumps(one.state)]


def _write_anew(work: _Removal, memory: Memory) -> audit.Entry:
    """Give a summary its new text. Its earlier versions quoted what is gone, so they go."""
    text, state = work.found.texts[memory.pk], memory.state
    lost = memory.links.filter(kind=LinkKind.DERIVED_FROM, target_id__in=[one.pk for one in work.gone]).count()
    MemoryVersion.objects.filter(memory=memory).delete()
    MemoryEmbedding.objects.filter(memory=memory).delete()
    MemoryUse.objects.filter(memory=memory).update(context="", metadata={})
    memory.content, memory.trust = text.content, text.trust
    before = provenance.sources_gone(memory)
    memory.provenance |= {"span": list(text.span), "method": "extractive", "sources_gone": before + lost}
    memory.updated_at = work.at
    memory.save(update_fields=["content", "trust", "provenance", "updated_at"])
    state.version += 1
    state.save(update_fields=["version"])
    links = list(memory.links.filter(kind=LinkKind.DERIVED_FROM).only("target_id"))
    for link in links:
        link.quote = text.quotes.get(link.target_id, "")
    MemoryLink.objects.bulk_update(links, ["quote"], batch_size=LINKS_AT_ONCE)
    detail = {
        "because_of": str(work.cause(memory)),
        "version": state.version,
        "sources": len(text.quotes),
        "sources_gone": lost,
    }
    return audit.Entry("memory.rewrite", "memory", memory.pk, reason="sources were deleted for good", detail=detail)


def _note(work: _Removal, lines: Sequence[audit.Entry]) -> None:
    """The erasure ledger keeps the ids, in the database and beside it: no import and no backup brings them back."""
    rows = [
        Erasure(
            record_id=one.pk,
            kind=records.kind_of(one),
            space_id=one.space_id,
            owner_id=one.owner_id,
            source=one.source,
            source_id=one.source_id,
            erased_at=work.at,
            erased_by_id=work.erased_by,
            audit_id=line.id,
            because_of=work.cause(one),
        )
        for one, line in zip(work.gone, lines, strict=True)
    ]
    Erasure.objects.bulk_create(rows, ignore_conflicts=True)  # a record of a restored backup is noted already
    if rows:
        transaction.on_commit(lambda: erasure_file.append(rows))
