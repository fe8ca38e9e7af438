"""Row security, tried by raw SQL as the runtime role: no context no rows, and a context ends with its transaction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest
from celery import shared_task
from django.apps import apps
from django.db import ProgrammingError, connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql

from console import checks
from console.http import announce
from console.postgres.context import everywhere, name_spaces, within
from memories.access import ANYONE
from memories.models import Memory, MemoryState
from memories.services.remember import NewMemory, remember
from tests.memories.api_client import Api
from tests.memories.factories import actor, ann, bob, memory, team
from tests.memories.page_client import signed_in
from tests.reflection.life import plan_all

# People and what belongs to them; the rights of a caller are read from these before there is a context. Kept answers
# are read only with the key of whoever asked, and an erasure has to reach all of them. Counts hold a number.
OPEN = {"User", "Team", "Membership", "ApiToken", "DeviceLogin", "ErasureRequest", "KeptAnswer", "RateCount"}
NOT_OURS = {"auth", "contenttypes", "sessions"}


@pytest.fixture
def bare(transactional_db: None) -> Iterator[psycopg.Connection]:
    """A connection of the runtime role as production makes it: without a context."""
    with _open() as made:
        yield made


def _open() -> psycopg.Connection:
    given = connections["default"].get_connection_params()
    known = {name: given[name] for name in ("host", "port", "user", "password", "dbname") if given.get(name)}
    return psycopg.connect(**known, autocommit=True)


def counts(reader: Any) -> dict[str, int]:
    """How many rows of each guarded table `reader` is shown."""
    found = {}
    for table in sorted(checks.GUARDED):
        found[table] = reader.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))).fetchone()[0]
    return found


def named(reader: psycopg.Connection, *spaces: UUID) -> None:
    reader.execute("SELECT set_config('memory_console.spaces', %s, true)", [",".join(str(space) for space in spaces)])


def filled() -> None:
    """Records, a plan with its candidates and audit lines of Ann and of Bob."""
    for who in (ann(), bob()):
        for number in range(3):
            remember(new=NewMemory(content=f"{who.username} number {number}", path="p"), actor=actor(who))
        memory(who, "spent", importance=0.01)
        plan_all(actor(who))


def test_every_table_of_records_plans_and_audit_is_guarded() -> None:
    ours = {model for model in apps.get_models() if model._meta.app_label not in NOT_OURS}
    tables = {model._meta.db_table for model in ours if model.__name__ not in OPEN}
    assert tables == checks.GUARDED


@pytest.mark.django_db
def test_the_start_check_names_a_table_that_is_not_guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks.verify_runtime(connection) == []
    monkeypatch.setattr(checks, "GUARDED", {"memories_memory", "memories_user"})
    assert checks.verify_runtime(connection) == [
        "Row security is not forced on memories_user. Run `manage.py migrate`."
    ]


def test_without_a_context_there_are_no_rows(bare: psycopg.Connection) -> None:
    filled()
    assert set(counts(bare).values()) == {0}
    bare.execute("SELECT set_config('memory_console.spaces', '*', false)")
    seen = counts(bare)
    assert seen["memories_memory"] == 8
    assert seen["memories_auditrecord"] > 0
    assert seen["reflection_candidate"] > 0
    assert seen["reflection_basis"] > 0


def test_the_owner_of_the_tables_is_bound_as_well(
    bare: psycopg.Connection, owner_connection: BaseDatabaseWrapper
) -> None:
    filled()
    with owner_connection.cursor() as cursor:
        cursor.execute("SELECT set_config('memory_console.spaces', '', false)")
        assert set(counts(cursor).values()) == {0}


def test_a_context_shows_its_spaces_alone(bare: psycopg.Connection) -> None:
    filled()
    atlas = team("Atlas", ann="member")
    memory(ann(), "of the team", team=atlas)
    with bare.transaction():
        named(bare, ann().pk, atlas.pk)
        texts = {row[0] for row in bare.execute("SELECT content FROM memories_memory")}
        mine = counts(bare)
    assert "of the team" in texts
    assert not any("bob" in text for text in texts)
    assert len(texts) == mine["memories_memory"] == mine["memories_memorystate"] == 5
    assert set(counts(bare).values()) == {0}  # it ended with the transaction


@pytest.mark.parametrize("verb", ["insert", "update", "delete", "move"])
def test_nothing_is_written_outside_the_context(bare: psycopg.Connection, verb: str) -> None:
    theirs = memory(bob(), "of Bob")
    mine = memory(ann(), "of Ann")
    path = theirs.path
    with bare.transaction():
        named(bare, ann().pk)
        if verb == "update":
            assert bare.execute("UPDATE memories_memory SET path = 'x' WHERE id = %s", [theirs.pk]).rowcount == 0
        elif verb == "delete":
            assert bare.execute("DELETE FROM memories_memorystate WHERE memory_id = %s", [theirs.pk]).rowcount == 0
        else:
            statement = (
                "UPDATE memories_memory SET owner_id = %s WHERE id = %s"
                if verb == "move"
                else "INSERT INTO memories_spacesettings (space_id, changed_at, changed_by_id) "
                "SELECT %s, now(), owner_id FROM memories_memory WHERE id = %s"
            )
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="row-level security"), bare.transaction():
                bare.execute(statement, [bob().pk, mine.pk])
    theirs.refresh_from_db()
    assert (theirs.path, theirs.owner_id) == (path, bob().pk)
    assert MemoryState.objects.filter(pk=theirs.pk).exists()


def test_states_and_links_stand_where_their_memory_stands(bare: psycopg.Connection) -> None:
    atlas = team("Atlas", ann="member")
    moved = memory(ann(), "to be shared")
    assert moved.state.__class__.objects.get(pk=moved.pk).space_id == ann().pk
    Memory.objects.filter(pk=moved.pk).update(team=atlas)
    state = MemoryState.objects.get(pk=moved.pk)
    assert state.space_id == atlas.pk
    moved.state.save()  # with the space it was read with
    assert MemoryState.objects.get(pk=moved.pk).space_id == atlas.pk


@pytest.mark.django_db(transaction=True)
def test_a_connection_carries_nothing_over_from_one_tenant_to_the_next() -> None:
    filled()
    with _open() as reader:
        for turn in range(300):
            who = (ann(), bob())[turn % 2]
            try:
                with reader.transaction():
                    named(reader, who.pk)
                    names = {row[0].split()[0] for row in reader.execute("SELECT content FROM memories_memory")}
                    assert names <= {who.username, "spent"}
                    if turn % 3 == 0:
                        reader.execute("SELECT 1 / 0")
            except psycopg.errors.DivisionByZero:
                pass
            assert reader.execute("SELECT count(*) FROM memories_memory").fetchone() == (0,)


@pytest.mark.django_db(transaction=True)
def test_a_request_leaves_no_context_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a connection as production makes it, by page and by API, after answers and refusals."""
    filled()
    api, page = Api(ann()), signed_in(ann())
    options = connections.settings["default"]["OPTIONS"]
    monkeypatch.setitem(connections.settings["default"], "OPTIONS", {**options, "options": ""})
    connection.close()
    assert Memory.objects.count() == 0
    for answer in (api.get("memories"), page.get("/memories")):
        assert answer.status_code == 200
        assert "ann number 1" in answer.content.decode()
        assert Memory.objects.count() == 0
    assert page.get("/memories/01890000-0000-7000-8000-000000000000").status_code == 404
    assert Memory.objects.count() == 0
    connection.close()


@pytest.mark.django_db(transaction=True)
def test_nobody_sees_only_what_belongs_to_nobody(bare: psycopg.Connection) -> None:
    filled()
    with transaction.atomic():
        announce(ANYONE)
        assert Memory.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_work_for_all_spaces_says_so_and_puts_the_context_back() -> None:
    filled()
    with transaction.atomic():
        name_spaces([ann().pk], ann().pk)
        assert Memory.objects.count() == 4
        with within([bob().pk], bob().pk):
            assert {one.owner_id for one in Memory.objects.all()} == {bob().pk}
        assert {one.owner_id for one in Memory.objects.all()} == {ann().pk}
        with everywhere():
            assert Memory.objects.count() == 8
        assert Memory.objects.count() == 4


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_replaces_a_lost_one_has_the_context_of_its_block(monkeypatch: pytest.MonkeyPatch) -> None:
    filled()
    options = connections.settings["default"]["OPTIONS"]
    monkeypatch.setitem(connections.settings["default"], "OPTIONS", {**options, "options": ""})
    connection.close()
    with everywhere():
        connection.close()
        assert Memory.objects.count() == 8
    assert Memory.objects.count() == 0
    connection.close()


@pytest.mark.django_db(transaction=True)
def test_a_task_looks_after_every_space_and_leaves_none(monkeypatch: pytest.MonkeyPatch) -> None:
    filled()
    options = connections.settings["default"]["OPTIONS"]
    monkeypatch.setitem(connections.settings["default"], "OPTIONS", {**options, "options": ""})
    connection.close()
    seen = shared_task(name="tests.count")(Memory.objects.count)()
    assert (seen, Memory.objects.count()) == (8, 0)
    connection.close()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("condition", "value", "index"),
    [("search @@ %s::tsquery", "zebra", "memory_words"), ("folded LIKE %s", "%zebra%", "memory_letters")],
)
def test_conditions_on_text_still_use_their_index(condition: str, value: str, index: str) -> None:
    """Of operators that PostgreSQL does not trust with rows that may not be seen, no index is used."""
    with within([ann().pk], ann().pk), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN SELECT id FROM memories_memory WHERE {condition}", [value])
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert f"Bitmap Index Scan on {index}" in plan
    assert condition.split()[0] in plan.partition("Index Cond")[2]


@pytest.mark.django_db
def test_the_check_says_how_a_superuser_speeds_up_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    assert checks.slow_search(connection) == []
    monkeypatch.setattr(checks, "LEAKPROOF", ("textregexeq(text, text)",))
    (said,) = checks.slow_search(connection)
    assert "ALTER FUNCTION pg_catalog.textregexeq(text, text) LEAKPROOF;" in said


@pytest.mark.django_db
def test_the_runtime_role_cannot_take_the_policies_off() -> None:
    with pytest.raises(ProgrammingError, match="must be owner"), connection.cursor() as cursor:
        cursor.execute("DROP POLICY within_spaces ON memories_memory")
