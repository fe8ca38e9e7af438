"""Former versions and links of memories whose own line stands elsewhere: in the same file, or in an earlier one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from console.errors import Refused
from console.saying import phrase
from memories.access import Actor, visible_to
from memories.models import Memory, MemoryVersion
from memories.services import import_lines
from memories.services import line_fields as fields_of
from memories.services.import_beside import BATCH, Imported, here, note
from memories.services.import_lines import Line, Reference


@dataclass(slots=True)
class History:
    """What one line says of a memory whose own line stands elsewhere."""

    number: int
    memory: UUID
    versions: list[Any]
    links: list[Reference]


def read(number: int, row: Mapping[str, Any]) -> History:
    """The history of a line. Raises Invalid."""
    memory = fields_of.key(row, "id")
    if memory is None:
        raise fields_of.wrong("id", phrase("The line names no memory. Send it as it was exported."))
    links = [import_lines.reference(one) for one in fields_of.listed(row, "links")]
    return History(number, memory, fields_of.listed(row, "versions"), links)


def put_to_new(histories: Sequence[History], fresh: Sequence[Line], found: Imported, actor: Actor) -> list[History]:
    """Put what belongs to a new memory to it; return what belongs to memories that are here. Names what does not fit.

    Which memories are here, is noted in `found.ids`.
    """
    new = {line.given_id: line for line in fresh if line.given_id}
    rest = {one.memory for one in histories} - new.keys()
    found.ids |= here(rest - found.ids.keys(), actor)
    late = []
    for one in histories:
        line = new.get(one.memory)
        try:
            if line is not None:
                line.versions += [
                    import_lines.version_of(v, line.memory, line.state.version, actor) for v in one.versions
                ]
                import_lines.once(line.versions)
                line.links += one.links
                found.outcomes[one.number] = "new"
            elif one.memory in found.ids:
                late.append(one)
            else:
                found.wrong(
                    one.number, phrase("Its memory is not here. Import the memory's own line before, or with it.")
                )
        except Refused as why:
            found.refused(one.number, why)
    return late


def add(late: Sequence[History], found: Imported, *, dry_run: bool, actor: Actor) -> None:
    """Versions that memories here lack; the links of these lines are connected already."""
    lacking = _Lacking({found.ids[one.memory] for one in late if one.versions}, actor)
    fresh: list[MemoryVersion] = []
    for one in late:
        try:
            new = lacking.of(found.ids[one.memory], one.versions)
        except Refused as why:
            found.refused(one.number, why)
            continue
        fresh += new
        found.outcomes[one.number] = "new" if new else "known"
    if fresh and not dry_run:
        MemoryVersion.objects.bulk_create(fresh, batch_size=BATCH)
        note([version.memory_id for version in fresh], "versions", actor)


class _Lacking:
    """Which former versions memories of the actor lack; what was taken for new once is known from then on."""

    def __init__(self, memories: Collection[UUID], actor: Actor) -> None:
        rows = Memory.objects.select_related("state").only("updated_at", "state__version")
        mine = visible_to(actor, rows.filter(pk__in=memories, owner_id=actor.own))
        known = MemoryVersion.objects.filter(memory_id__in=memories).values_list("memory_id", "number")
        self._actor = actor
        self._mine = {memory.pk: memory for memory in mine}
        self._known = set(known)

    def of(self, key: UUID, given: Sequence[Any]) -> list[MemoryVersion]:
        """Those of these versions that the memory lacks; none where it is not the actor's. Raises Invalid."""
        memory, new = self._mine.get(key), dict[int, MemoryVersion]()
        if memory is None:
            return []
        for one in given:
            version = import_lines.version_of(one, memory, memory.state.version, self._actor)
            if (key, version.number) not in self._known:
                new.setdefault(version.number, version)
        self._known |= {(key, number) for number in new}
        return list(new.values())
