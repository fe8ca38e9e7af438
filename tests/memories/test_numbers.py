"""The migration that numbers memories: a big table is not written anew, and whoever comes meanwhile is numbered too."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.db import DataError, connections

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])
MIGRATION = import_module("memories.migrations.0059_numbers_and_due_dates")
MADE = "INSERT INTO memories_memory SELECT gen_random_uuid() FROM generate_series(1, 5)"


def ask(statement: str) -> list[Any]:
    with connections["owner"].cursor() as cursor:
        cursor.execute(statement)
        return [row[0] for row in cursor.fetchall()] if cursor.description else []


def carry_out() -> None:
    ask(MIGRATION.COLUMN)
    MIGRATION.number(apps, SimpleNamespace(connection=connections["owner"]))


@pytest.fixture(autouse=True)
def a_table_of_five(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One of the same name, in a schema of its own: all other tests read the real one."""
    monkeypatch.setattr(MIGRATION, "FEW", 2)
    ask("CREATE SCHEMA apart")
    ask("SET search_path TO apart")
    try:
        ask("CREATE TABLE memories_memory (id uuid PRIMARY KEY)")
        ask(MADE)
        yield
    finally:
        ask("DROP SCHEMA apart CASCADE")
        connections["owner"].close()


def test_memories_are_numbered_in_the_order_of_their_ids_and_the_database_goes_on() -> None:
    carry_out()
    assert ask("SELECT number FROM memories_memory ORDER BY id") == [1, 2, 3, 4, 5]
    ask(MADE)
    assert ask("SELECT number FROM memories_memory ORDER BY number") == list(range(1, 11))


def test_the_table_is_not_written_anew() -> None:
    before = ask("SELECT pg_relation_filenode('memories_memory')")
    carry_out()
    assert ask("SELECT pg_relation_filenode('memories_memory')") == before
    assert ask("SELECT indisunique AND indisvalid FROM pg_index WHERE indexrelid = 'memory_number'::regclass") == [True]


def test_what_comes_meanwhile_is_numbered_after_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MIGRATION, "NO_INDEX", MADE)
    old = set(ask("SELECT id FROM memories_memory"))
    carry_out()
    rows = ask("SELECT id FROM memories_memory ORDER BY number")
    assert set(rows[:5]) == old and len(rows) == 10
    assert ask("SELECT max(number) FROM memories_memory") == [10]


@pytest.mark.parametrize("stopped_at", ["NO_INDEX", "INDEX", "LOCK", "BY_ITSELF"])
def test_where_it_stops_it_goes_on_when_it_is_run_again(stopped_at: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(MIGRATION, stopped_at, "SELECT 1 / 0")
        with pytest.raises(DataError):
            carry_out()
    numbered = ask("SELECT id FROM memories_memory ORDER BY number")
    carry_out()
    carry_out()  # it may also stop when all is done and nobody has noted it
    assert ask("SELECT id FROM memories_memory ORDER BY number") == numbered
    assert ask("SELECT number FROM memories_memory ORDER BY number") == [1, 2, 3, 4, 5]
