"""How a memory came to be: who wrote it, brought it in and changed its words, from the audit that the reader sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from memories import audit
from memories.access import Actor, in_spaces
from memories.models import AuditRecord, Memory
from memories.services import hands

FIRST, LAST = 3, 7  # lines: how it began, and what was done to it lately
BEGAN = ("memory.create", "memory.import", "reflect.summarize", "reflect.promote")
CHANGED = ("memory.revert", "memory.redact", "memory.rewrite", "reflect.revert", "reflect.undo_revert")
IMPORTED, BROUGHT_IN = "memory.import", "characters"
ADDED = Q(action=IMPORTED) & ~Q(detail__has_key=BROUGHT_IN)  # links, uses or versions of one that was here
WORDS = Q(action__in=[*BEGAN, *CHANGED]) & ~ADDED | Q(action="memory.update", detail__content_changed=True)


@dataclass(frozen=True, slots=True)
class Story:
    """The lines in their order. `imported`: what the record says of its writer is what a file said."""

    lines: list[Any]
    left_out: int
    imported: bool
    changed: bool

    @property
    def plain(self) -> bool:
        """Whether it was written here and never changed, so that the record itself tells all of it."""
        return not self.imported and not self.changed


def only_added(line: AuditRecord) -> bool:
    """Whether a line tells of links, uses or versions that an import added to a memory that was here."""
    return line.action == IMPORTED and BROUGHT_IN not in line.detail


def story(memory: Memory, *, actor: Actor) -> Story:
    """The story of a memory that the actor sees, without what only moved or weighed it."""
    about = AuditRecord.objects.filter(WORDS, object_id=memory.pk, result=audit.DONE)
    rows = in_spaces(actor, about).defer("prev_hash", "hash")
    ordered = rows.order_by("at", "seq")
    first = list(ordered[:FIRST])
    last = list(rows.exclude(pk__in=[line.pk for line in first]).order_by("-at", "-seq")[: LAST + 1])
    left_out = rows.count() - FIRST - LAST if len(last) > LAST else 0
    lines = hands.attach([*first, *reversed(last[:LAST])], actor=actor)
    actions = {line.action for line in lines}
    return Story(lines, left_out, IMPORTED in actions, not actions <= {*BEGAN})
