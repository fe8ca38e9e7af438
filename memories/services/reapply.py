"""After an older backup was restored: what had been deleted for good since then is deleted again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from memories.access import Actor
from memories.models import Erasure
from memories.services import erasure_file, records, removal, turns

NOBODY_IN_PARTICULAR = Actor(user_id=None, name="reapply_erasures", channel="cli", auth_method="command")
REASON = "deleted for good before; a restored backup had brought it back"


@dataclass(frozen=True, slots=True)
class Reapplied:
    """What was erased again, what stays because of a legal hold, and how many lines each ledger had lacked."""

    erased: tuple[UUID, ...]
    held: tuple[UUID, ...]
    noted: int
    written: int


def reapply() -> Reapplied:
    """Replay the erasure ledger: the file beside the database and the table in it, each into the other.

    Records that are there again are erased again, each in a transaction of its own, with what quotes them; held ones
    are left and named. Repeat at will.
    """
    in_file = {row.record_id: row for row in erasure_file.read()}
    in_table = {row.record_id: row for row in Erasure.objects.all()}
    known = in_file | in_table
    erased: list[UUID] = []
    held: list[UUID] = []
    for record in _back(known):
        if record.hold:
            held.append(record.pk)
        else:
            erased += _erase_again(record, known)
    lacking = [row for key, row in in_file.items() if key not in in_table]
    with transaction.atomic():
        Erasure.objects.bulk_create(lacking, ignore_conflicts=True, batch_size=1_000)
    unwritten = [row for key, row in in_table.items() if key not in in_file]
    if unwritten:
        erasure_file.append(unwritten)
    return Reapplied(tuple(erased), tuple(held), len(lacking), len(unwritten))


def _back(known: dict[UUID, Erasure]) -> Iterator[records.Record]:
    """The records that stand in the tables although they were erased."""
    for model in records.KINDS.values():
        yield from model._default_manager.filter(pk__in=list(known)).order_by("pk")


@transaction.atomic
def _erase_again(record: records.Record, known: dict[UUID, Erasure]) -> tuple[UUID, ...]:
    turns.erase_alone(record.space_id)
    removal.lock([record])
    found = type(record)._default_manager.filter(pk=record.pk).first()
    if found is None:
        return ()  # it went along with another
    by = known[record.pk].erased_by_id
    return removal.remove([found], reason=REASON, actor=NOBODY_IN_PARTICULAR, erased_by=by).ids
