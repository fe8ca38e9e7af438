"""Row security of every guarded table: a world with rows in each of them, of Ann and of Bob, asked for by raw SQL."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import psycopg
from django.utils import timezone
from psycopg import sql

from console import checks
from memories.models import Memory, MemoryEmbedding, MemoryLink, MemoryUse, SpaceSettings
from reflection.models import Notice, ReflectPass, Schedule, ScheduledRun, Viewed
from tests.console.test_row_security import bare, named
from tests.rights.inert_world import World

__all__ = ["bare"]

# The space of a row that does not name it itself.
OF_MEMORY = "(SELECT m.space_id FROM memories_memory m WHERE m.id = t.memory_id)"
OF_CANDIDATE = (
    "(SELECT p.space_id FROM reflection_reflectpass p JOIN reflection_candidate c ON c.reflect_pass_id = p.id "
    "WHERE c.id = t.candidate_id)"
)
SPACES = {
    "memories_memoryversion": OF_MEMORY,
    "memories_memoryuse": OF_MEMORY,
    "reflection_candidate": "(SELECT p.space_id FROM reflection_reflectpass p WHERE p.id = t.reflect_pass_id)",
    "reflection_basis": OF_CANDIDATE,
    "reflection_viewed": OF_CANDIDATE,
    "reflection_scheduledrun": "(SELECT s.space_id FROM reflection_schedule s WHERE s.id = t.schedule_id)",
}


def whole(name: str) -> World:
    """A world of this person with at least one row in every guarded table."""
    made = World(name, [f"{name} of the tables {number}" for number in range(8)], whole=True)
    space, now = made.who.pk, timezone.now()
    first = Memory.objects.get(pk=next(key for key in made.ids["memory"] if _own(key, space)))
    other = Memory.objects.filter(space_id=space).exclude(pk=first.pk).earliest("pk")
    vector = {"model": "tables", "dimension": 2, "vector": [1, 0]}
    MemoryEmbedding.objects.get_or_create(memory=first, defaults={"space_id": space, **vector})
    MemoryLink.objects.create(origin=first, target=other, kind="relates_to", created_at=now)
    MemoryUse.objects.create(memory=first, action="recalled", at=now, user=made.who)
    SpaceSettings.objects.update_or_create(space_id=space, defaults={"changed_at": now, "changed_by": made.who})
    planned = ReflectPass.objects.filter(space_id=space).earliest("planned_at")
    Viewed.objects.create(candidate=planned.candidates.earliest("position"), user=made.who, at=now)
    told = {"reflect_pass": planned, "space_id": space}
    Notice.objects.get_or_create(subscription_id=made.ids["subscription"][0], **told)
    ScheduledRun.objects.create(schedule=Schedule.objects.filter(space_id=space).earliest("pk"), slot=now, at=now)
    return made


def _own(key: UUID, space: UUID) -> bool:
    return Memory.objects.filter(pk=key, space_id=space).exists()


def rows(reader: psycopg.Connection, table: str, *spaces: UUID) -> set[str]:
    """Where the rows of a table lie that `reader` is shown; with `spaces` those of them that stand there."""
    space = sql.SQL(SPACES.get(table, "t.space_id"))  # type: ignore[arg-type]
    where = sql.SQL("WHERE {} = ANY (%s)").format(space) if spaces else sql.SQL("")
    asked = sql.SQL("SELECT t.ctid::text FROM {} t {}").format(sql.Identifier(table), where)
    return {row[0] for row in reader.execute(asked, [list(spaces)] if spaces else None)}


def shown(reader: psycopg.Connection, *spaces: UUID) -> dict[str, set[str]]:
    """What a context of these spaces is shown of each guarded table."""
    with reader.transaction():
        named(reader, *spaces)
        return {table: rows(reader, table) for table in sorted(checks.GUARDED)}


def standing(reader: psycopg.Connection, *spaces: UUID) -> dict[str, set[str]]:
    """What stands in these spaces, by who sees everything."""
    with reader.transaction():
        reader.execute("SELECT set_config('memory_console.spaces', '*', true)")
        return {table: rows(reader, table, *spaces) for table in sorted(checks.GUARDED)}


def nothing() -> dict[str, Any]:
    return dict.fromkeys(sorted(checks.GUARDED), set[str]())


def test_of_every_table_a_context_shows_the_rows_of_its_spaces_and_no_other(bare: psycopg.Connection) -> None:
    people = [whole("tableann"), whole("tablebob")]
    for one, other in (people, people[::-1]):
        mine, theirs = standing(bare, one.who.pk), standing(bare, other.who.pk)
        assert not [table for table in mine if not mine[table]], "fill these as well"
        assert shown(bare, one.who.pk) == mine
        assert not [table for table in mine if mine[table] & theirs[table]]
        ours = standing(bare, one.who.pk, one.team.pk)
        assert len(ours["memories_memory"]) > len(mine["memories_memory"])
        assert shown(bare, one.who.pk, one.team.pk) == ours
    assert {table: rows(bare, table) for table in checks.GUARDED} == nothing()
    assert shown(bare, UUID(int=7)) == nothing()
