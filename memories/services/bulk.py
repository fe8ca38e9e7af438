"""Many records at once: those that a person has looked at and picked, by their ids, never what a query finds.

Each record succeeds or is refused on its own, with its reason. The number of records is typed in as a proof that they
were looked at. Rows are locked before any audit chain, and chains in the order of their ids.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from uuid6 import uuid7

from console.errors import Conflict, Invalid, NotFound, Problem, Refused, Stale
from console.saying import phrase
from memories import audit
from memories.access import Actor, check_may_erase, check_may_use, check_signed_in_lately, visible_to
from memories.models import LifecycleStatus, Memory, MemoryEmbedding, MemoryState
from memories.services import erase, fields, rates, records, removal, turns
from memories.services.forget import bring_back, hide, line, moved_fields

SOFT_MOST, HARD_MOST = 500, 100
WORD = "delete"  # typed before a hard delete
ALONG = phrase("It went along with a record that it quoted.")


@dataclass(frozen=True, slots=True)
class Picked:
    """A record as it was looked at."""

    id: UUID
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one picked record; `message` says why it was refused. `version` is the one it has now."""

    id: UUID
    kind: str
    done: bool
    message: str = ""
    version: int = 0


@dataclass(frozen=True, slots=True)
class Batch:
    """What became of all of them, in the order they were picked. `id` names the act in the audit, `along` what was
    deleted beside them because it quoted one of them.
    """

    id: UUID
    outcomes: list[Outcome]
    along: tuple[UUID, ...] = ()

    @property
    def done(self) -> list[Outcome]:
        return [one for one in self.outcomes if one.done]

    @property
    def refused(self) -> list[Outcome]:
        return [one for one in self.outcomes if not one.done]


@transaction.atomic
def forget_many(*, picked: Sequence[Picked], typed_count: int, reason: str = "", actor: Actor) -> Batch:
    """Move the picked records, at most 500, to the trash. Raises Invalid, NotAllowed; what one record refuses stays
    with that record.
    """
    check_may_use(actor, "memory:write")
    _check(picked, typed_count, reason, SOFT_MOST)
    now = timezone.now()
    return _each(picked, "forget", lambda record: hide(record, now, actor), reason, actor)


@transaction.atomic
def restore_many(*, picked: Sequence[Picked], typed_count: int, reason: str = "", actor: Actor) -> Batch:
    """Bring the picked records, at most 500, back to where they stood. Raises like `forget_many`."""
    check_may_use(actor, "memory:restore")
    _check(picked, typed_count, reason, SOFT_MOST)
    return _each(picked, "restore", lambda record: _brought_back(record, actor), reason, actor)


def _brought_back(record: records.Record, actor: Actor) -> str:
    """What has a key is stored at once: the next one that wants the place of a slot has to find it there."""
    was = bring_back(record, actor)
    if isinstance(record, Memory) and record.semantic_key is not None:
        record.state.save(update_fields=moved_fields(MemoryState))
    return was


@transaction.atomic
def erase_many(*, picked: Sequence[Picked], typed_count: int, typed_word: str, reason: str, actor: Actor) -> Batch:
    """Delete the picked records, at most 100 and all of them in the trash, for good. There is no way back.

    What quotes them goes along or is written anew, as with a single erasure; of the limit it takes one.
    Raises Invalid, NotAllowed, SignInAgain, TooMany.
    """
    check_signed_in_lately(actor, within_seconds=settings.RECENT_SIGN_IN_SECONDS)
    check_may_use(actor, "memory:delete")
    _check(picked, typed_count, reason, HARD_MOST, word=typed_word)
    rates.count_erasure(actor)
    seen = _rows(picked, actor, lock=False)
    for space_id in sorted({record.space_id for record in seen.values()}):
        turns.erase_alone(space_id)
    removal.lock(list(seen.values()))
    batch = uuid7()
    outcomes, good = _judged(picked, lambda record: _check_erasable(record, seen, actor), actor)
    spaces, fallen = _by_space(good), set[UUID]()
    for space_id in sorted(spaces):
        gone = spaces[space_id]
        fallen |= set(removal.remove(gone, reason=reason, actor=actor).ids) - {one.pk for one in gone}
        audit.record_all(actor, [_batch_line(batch, "erase", gone, reason)], space_id=space_id)
    outcomes = [replace(one, done=True, message=ALONG) if one.id in fallen else one for one in outcomes]
    return Batch(batch, outcomes, tuple(sorted(fallen - {one.id for one in outcomes})))


def _check_erasable(record: records.Record, seen: dict[UUID, records.Record], actor: Actor) -> str:
    check_may_erase(actor, record)
    if record.pk not in seen or seen[record.pk].space_id != record.space_id:
        raise Stale(phrase("This record was moved to another space just now. Look at it again."))
    if records.standing(record).status != LifecycleStatus.DELETED:
        raise Conflict(phrase("This record is not in the trash; it is deleted for good from there."))
    erase.check_may_reach([record], actor)
    return "erased"


def _check(picked: Sequence[Picked], typed_count: int, reason: str, most: int, *, word: str | None = None) -> None:
    fields.check({"reason": reason})
    count, problems = len({one.id for one in picked}), []
    if not count:
        problems.append(("records", phrase("Nothing is selected. Tick the records first.")))
    if count > most:
        problems.append(
            (
                "records",
                phrase(
                    "%(count)s records are selected; at most %(most)s go at once. Select fewer.",
                    count=f"{count:,}",
                    most=most,
                ),
            )
        )
    if typed_count != count:
        problems.append(
            (
                "count",
                phrase(
                    "This is not the number of records selected, which is %(count)s. Type that number.",
                    count=f"{count:,}",
                ),
            )
        )
    if word is not None and word.strip().lower() != WORD:
        problems.append(("word", phrase("This is not the word. Type %(word)s.", word=WORD)))
    if word is not None and not reason.strip():
        problems.append(("reason", phrase("The reason is empty. It stays in the audit when the records are gone.")))
    if problems:
        raise Invalid(*(Problem(("body", name), text) for name, text in problems))


def _rows(picked: Sequence[Picked], actor: Actor, *, lock: bool) -> dict[UUID, records.Record]:
    """The visible records among the picked ones, kind by kind in the order of their ids."""
    ids = [one.id for one in picked]
    found: dict[UUID, records.Record] = {}
    for model in records.KINDS.values():
        rows: Any = visible_to(actor, model.objects.filter(pk__in=ids)).order_by("pk")
        if model is Memory:
            rows = rows.select_related("state").filter(state__version__gte=1)  # an inner join, which can be locked
        if lock:
            rows = rows.select_for_update(no_key=True, of=("self", "state") if model is Memory else ("self",))
        found |= {record.pk: record for record in rows}
    return found


def _judged(
    picked: Sequence[Picked], act: Callable[[records.Record], str], actor: Actor
) -> tuple[list[Outcome], list[tuple[records.Record, str]]]:
    """Lock all, then let `act` take or refuse each. Returns every outcome, and those taken with what `act` said."""
    found, good = _rows(picked, actor, lock=True), []
    outcomes: dict[UUID, Outcome] = {}
    for one in picked:
        record = found.get(one.id)
        kind = records.kind_of(record) if record else ""
        if one.id in outcomes:
            continue
        try:
            if record is None:
                raise NotFound(records.ABSENT)
            now = records.standing(record).version
            if one.version is not None and one.version != now:
                raise Stale(phrase("It was changed since you saw it. Look at it again."), seen=one.version, now=now)
            good.append((record, act(record)))
            outcomes[one.id] = Outcome(one.id, kind, True, version=records.standing(record).version)
        except Refused as refusal:
            outcomes[one.id] = Outcome(one.id, kind, False, refusal.message)
    return list(outcomes.values()), good


def _each(
    picked: Sequence[Picked], verb: str, act: Callable[[records.Record], str], reason: str, actor: Actor
) -> Batch:
    """Change the standing of each record that `act` takes; write them kind by kind, and audit each and the batch."""
    batch = uuid7()
    outcomes, good = _judged(picked, act, actor)
    _save([record for record, _ in good])
    was, spaces = {record.pk: stood for record, stood in good}, _by_space(good)
    for space_id in sorted(spaces):
        moved = spaces[space_id]
        lines = [line(record, verb, was[record.pk], reason, batch=str(batch)) for record in moved]
        audit.record_all(actor, [*lines, _batch_line(batch, verb, moved, reason)], space_id=space_id)
    return Batch(batch, outcomes)


def _save(moved: Sequence[records.Record]) -> None:
    standings: dict[type[Any], list[Any]] = defaultdict(list)
    active: dict[bool, list[UUID]] = {True: [], False: []}
    for record in moved:
        state = records.standing(record)
        standings[type(state)].append(state)
        if isinstance(record, Memory):
            active[state.status == LifecycleStatus.ACTIVE].append(record.pk)
    for model, states in standings.items():
        model.objects.bulk_update(states, moved_fields(model), batch_size=SOFT_MOST)
    for is_active, ids in active.items():
        MemoryEmbedding.objects.filter(memory_id__in=ids).update(active=is_active)


def _by_space(good: Sequence[tuple[records.Record, str]]) -> dict[UUID, list[records.Record]]:
    spaces: dict[UUID, list[records.Record]] = defaultdict(list)
    for record, _ in good:
        spaces[record.space_id].append(record)
    return spaces


def _batch_line(batch: UUID, verb: str, moved: Sequence[records.Record], reason: str) -> audit.Entry:
    """One line for the whole act in each space, with the ids of that space."""
    detail = {"count": len(moved), "ids": [str(record.pk) for record in moved]}
    return audit.Entry(f"records.{verb}_many", "batch", batch, reason=reason, detail=detail)
