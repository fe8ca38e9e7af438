"""Records on which every action of a pass finds something, and the whole database as comparable text."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection
from django.utils import timezone

from memories.access import Actor
from memories.models import Memory, Team, User
from reflection import queries
from reflection.models import Candidate, ReflectionPolicy, ReflectPass
from reflection.services import decide, policies
from reflection.services.plan import plan
from reflection.tasks import apply_pass
from tests.memories import factories

# What a pass may leave changed after it was undone: counters, and the rows about passes and their audit.
TABLES = (
    "memories_memory",
    "memories_memorystate",
    "memories_memoryversion",
    "memories_memorylink",
    "memories_memoryembedding",
    "memories_todo",
    "memories_ledgerentry",
    "memories_erasure",
)


def fill(owner: User, *, team: Team | None = None, now: datetime | None = None) -> dict[str, Memory]:
    """Records of `owner` with something to do for each of the five actions."""
    now = now or timezone.now()

    def made(content: str, hours: float, **fields: Any) -> Memory:
        at = now - timedelta(hours=hours)
        fields = {"memory_type": "episodic", "created_at": at, "anchor": at, "importance": 0.5, "base": 0.5} | fields
        return factories.memory(owner, content, team=team, bucket="work", **fields)

    found = {
        f"turn{n}": made(text, 3 - n / 10, path="projects/atlas/incident", session="incident")
        for n, text in enumerate(
            (
                "The label queue stopped draining at 09:12 and 1,840 parcels wait for a label.",
                "Bea found that the new print worker reads the old queue name.",
                "The queue name was corrected and the worker restarted at 09:40.",
                "All parcels had their labels at 10:30 and the carrier was told.",
            )
        )
    }
    for n in range(3):
        path, session = f"projects/atlas/day{n}", f"standup{n}"
        found[f"said{n}"] = made("Deploys happen on Thursdays.", 4 + 2 * n, path=path, session=session)
    found["due"] = made("The guest code is 4417.", 50, expires_at=now - timedelta(hours=1))
    found["old"] = made("The printer on floor two was moved.", 24 * 40)
    found["spent"] = made("A lunch order for nine people.", 24 * 400, importance=0.2, base=0.2)
    found["idle"] = made("Now comparing two invoices.", 24 * 20, memory_type="working")
    found["pinned"] = made("The founding date is 4 May.", 24 * 400, pinned=True)
    return found


def policy(space_id: UUID, *, actor: Actor, **changes: Any) -> ReflectionPolicy:
    """The next version of a space's policy, written straight into the table."""
    now_is = policies.in_force(actor.space(space_id))
    fields = ("values", "approval", "four_eyes", "on_drift", "on_erasure", "on_schedule", "plan_hours")
    same = {name: getattr(now_is, name) for name in fields}
    return ReflectionPolicy.objects.create(
        space_id=space_id, number=now_is.number + 1, created_at=timezone.now(), **(same | changes)
    )


def plan_all(actor: Actor, **given: Any) -> ReflectPass:
    """A plan over everything, of all five actions unless `given` says otherwise."""
    return plan(given=given, actor=actor)


def approve(reflect_pass: ReflectPass, actor: Actor, *, exclude: tuple[UUID, ...] = ()) -> ReflectPass:
    """Approve as a person would, without a worker to be woken."""
    return decide.approve(pass_id=reflect_pass.pk, digest=reflect_pass.digest, exclude=exclude, actor=actor)


def applied(reflect_pass: ReflectPass, actor: Actor, *, exclude: tuple[UUID, ...] = ()) -> ReflectPass:
    """Approve, and do what the worker does."""
    approve(reflect_pass, actor, exclude=exclude)
    apply_pass(str(reflect_pass.pk))
    reflect_pass.refresh_from_db()
    return reflect_pass


def candidates(reflect_pass: ReflectPass) -> list[Candidate]:
    return queries.candidates_of(reflect_pass)


def snapshot(*tables: str, without: tuple[str, ...] = ("version",)) -> dict[str, str]:
    """Every row of the tables as JSON text in a fixed order, without the named columns."""
    found = {}
    with connection.cursor() as cursor:
        for table in tables or TABLES:
            cursor.execute(
                f"SELECT coalesce(jsonb_agg(row ORDER BY row::text), '[]')::text "
                f"FROM (SELECT to_jsonb(t) - %s::text[] AS row FROM {table} t) AS rows",
                [list(without)],
            )
            found[table] = cursor.fetchone()[0]
    return found


def world() -> dict[str, str]:
    """Every row of every table there is, whole."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') "
            "AND has_table_privilege(oid, 'SELECT') ORDER BY relname"
        )
        names = [name for (name,) in cursor.fetchall()]
    return snapshot(*names, without=())


def beside_a_plan(before: dict[str, str], *, lines: int = 1) -> set[str]:
    """The tables in which something else was written, since the world was `before`, than one plan.

    That is its pass with candidates and basis, its audit `lines`, and at most the first version of the policy of its
    space.
    """
    found = changed(before, world())
    for table in ("reflection_candidate", "reflection_basis", "memories_audithead"):
        found.pop(table, None)
    assert len(found.pop("reflection_reflectpass")) == 1
    assert [line["action"] for line in found.pop("memories_auditrecord")] == ["pass.plan"] * lines
    assert [one["number"] for one in found.pop("reflection_reflectionpolicy", [])] in ([], [1])
    return set(found)


def changed(before: dict[str, str], after: dict[str, str]) -> dict[str, list[Any]]:
    """The rows by which two snapshots differ, of each table; empty where they are the same."""
    found = {}
    for table in before:
        if before[table] != after[table]:
            then, now = ({json.dumps(row): row for row in json.loads(one[table])} for one in (before, after))
            found[table] = [row for text, row in (then | now).items() if (text in then) != (text in now)]
    return found
