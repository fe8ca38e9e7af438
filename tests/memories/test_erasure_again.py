"""What was deleted for good stays so: no id and no source comes back, and an older backup is made to forget again."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from console.errors import Conflict, NotFound
from memories import audit
from memories.models import AuditRecord, Erasure, LedgerEntry, Memory, MemoryLink, MemoryState, Todo
from memories.services import erase, erasure_file
from memories.services.forget import restore
from memories.services.remember import NewMemory, import_many, remember
from tests.memories.factories import PAST, actor, ann, memory

WORDS = "The code of the gate is 4417."


@pytest.fixture(autouse=True)
def ledger_file(tmp_path: Path, settings: Any) -> Path:
    settings.ERASURES_FILE = tmp_path / "home" / "erasures.jsonl"
    return settings.ERASURES_FILE


def gone(**fields: Any) -> Memory:
    note = memory(ann(), WORDS, status="deleted", **fields)
    erase.erase(record_id=note.pk, typed=str(note.pk)[-6:], reason="asked", seen_version=1, actor=actor(ann()))
    return note


@pytest.mark.django_db
def test_an_erased_id_cannot_be_restored() -> None:
    with pytest.raises(NotFound):
        restore(record_id=gone().pk, actor=actor(ann()))


@pytest.mark.django_db
def test_an_erased_source_is_remembered_and_imported_no_more() -> None:
    gone(source="mail", source_id="17")
    again = NewMemory(WORDS, source="mail", source_id="17")
    with pytest.raises(Conflict, match="erased for good"):
        remember(new=again, actor=actor(ann()))
    assert import_many(news=[again], actor=actor(ann())) == 0
    assert not Memory.objects.exists()


@pytest.mark.django_db
def test_the_database_refuses_an_erased_id_whoever_writes_it() -> None:
    note = gone()
    with pytest.raises(IntegrityError, match="deleted for good"), transaction.atomic():
        memory(ann(), "something else", id=note.pk)
    with pytest.raises(IntegrityError, match="deleted for good"), transaction.atomic():
        Memory.objects.bulk_create(
            Memory(id=key, owner=ann(), content="x", memory_type="semantic", created_at=PAST, updated_at=PAST)
            for key in (None, note.pk) if key
        )  # fmt: skip
    Erasure.objects.create(
        record_id=UUID(int=7), kind="todo", space_id=ann().pk, owner_id=ann().pk, source="list", source_id="3",
        erased_at=PAST, erased_by_id=ann().pk, audit_id=UUID(int=8),
    )  # fmt: skip
    with pytest.raises(IntegrityError, match="deleted for good"), transaction.atomic():
        Todo.objects.create(
            owner=ann(), content="x", source="list", source_id="3", created_at=PAST, updated_at=PAST
        )  # fmt: skip


@pytest.mark.django_db
def test_the_database_lets_everything_else_in() -> None:
    gone(source="mail", source_id="17")
    memory(ann(), WORDS, source="mail", source_id="18")
    memory(ann(), WORDS)
    Todo.objects.create(owner=ann(), content=WORDS, source="mail", source_id="17", created_at=PAST, updated_at=PAST)
    assert Memory.objects.count() == 2 and not LedgerEntry.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_each_erasure_is_noted_beside_the_database_by_ids_alone(ledger_file: Path) -> None:
    first, second = gone(source="mail", source_id="17"), gone()
    lines = [json.loads(line) for line in ledger_file.read_text().splitlines()]
    assert [line["record_id"] for line in lines] == [str(first.pk), str(second.pk)]
    assert lines[0]["source_id"] == "17" and "4417" not in ledger_file.read_text()
    assert ledger_file.stat().st_mode & 0o077 == 0
    assert [row.record_id for row in erasure_file.read()] == [first.pk, second.pk]


@pytest.mark.django_db(transaction=True)
def test_a_refused_erasure_is_noted_nowhere(ledger_file: Path) -> None:
    note = memory(ann(), WORDS, status="deleted")
    with pytest.raises(RuntimeError), transaction.atomic():
        erase.erase(record_id=note.pk, typed=str(note.pk)[-6:], reason="asked", seen_version=1, actor=actor(ann()))
        raise RuntimeError
    assert not ledger_file.exists() and Memory.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_file_that_cannot_be_written_is_made_up_for(ledger_file: Path, settings: Any) -> None:
    blocked = ledger_file.parent.parent / "not a folder"
    blocked.write_text("")
    settings.ERASURES_FILE = blocked / "erasures.jsonl"
    note = gone()
    settings.ERASURES_FILE = ledger_file
    call_command("reapply_erasures")
    assert [row.record_id for row in erasure_file.read()] == [note.pk]


def older_backup(owner: BaseDatabaseWrapper, rows: dict[str, list[dict[str, Any]]]) -> None:
    """Put rows back as a restored dump does, with the erasures of after the dump unknown."""
    with owner.cursor() as cursor:
        cursor.execute("ALTER TABLE memories_erasure DISABLE TRIGGER USER; DELETE FROM memories_erasure")
        cursor.execute("ALTER TABLE memories_erasure ENABLE TRIGGER USER")
        for table, dumped in rows.items():
            columns = ", ".join(f'"{name}"' for name in dumped[0])
            cursor.execute(
                f"INSERT INTO {table} ({columns}) OVERRIDING SYSTEM VALUE "
                f"SELECT {columns} FROM jsonb_populate_recordset(NULL::{table}, %s)",
                [json.dumps(dumped)],
            )


def dumped(table: str) -> list[dict[str, Any]]:
    """All rows of a table without what the database computes."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(jsonb_agg(to_jsonb(t) - ARRAY['space_id', 'folded', 'search']), '[]')::text "
            f"FROM {table} t"
        )
        return json.loads(cursor.fetchone()[0])


@pytest.mark.django_db(transaction=True)
def test_what_an_older_backup_brings_back_is_erased_again(
    owner_connection: BaseDatabaseWrapper, capsys: pytest.CaptureFixture[str]
) -> None:
    note = memory(ann(), WORDS, status="deleted", source="mail", source_id="17")
    made = memory(ann(), f"It says: {WORDS}", derivation="summary", pass_id=note.pk)
    MemoryLink.objects.create(origin=made, target=note, kind="derived_from", quote=WORDS, created_at=PAST)
    kept = memory(ann(), "Another note.")
    rows = {name: dumped(name) for name in ("memories_memory", "memories_memorystate", "memories_memorylink")}
    erase.erase(record_id=note.pk, typed=str(note.pk)[-6:], reason="asked", seen_version=1, actor=actor(ann()))
    assert set(Memory.objects.values_list("pk", flat=True)) == {kept.pk}
    MemoryState.objects.all().delete()
    Memory.objects.all().delete()
    older_backup(owner_connection, rows)
    assert Memory.objects.count() == 3 and not Erasure.objects.exists()
    call_command("reapply_erasures")
    assert set(Memory.objects.values_list("pk", flat=True)) == {kept.pk}
    assert set(Erasure.objects.values_list("record_id", flat=True)) == {note.pk, made.pk}
    line = AuditRecord.objects.filter(object_id=note.pk, channel="cli").get()
    assert line.actor_name == "reapply_erasures" and "backup" in line.reason
    assert Erasure.objects.get(pk=note.pk).erased_by_id == ann().pk
    assert "2 records erased again" in capsys.readouterr().out
    assert audit.verify() == []
    call_command("reapply_erasures")
    assert "0 records erased again; 0 erasures noted" in capsys.readouterr().out
    with pytest.raises(Conflict):
        remember(new=NewMemory(WORDS, source="mail", source_id="17"), actor=actor(ann()))


@pytest.mark.django_db(transaction=True)
def test_an_erasure_of_a_record_that_the_backup_lacks_is_noted(owner_connection: BaseDatabaseWrapper) -> None:
    note = gone()
    older_backup(owner_connection, {})
    call_command("reapply_erasures")
    assert Erasure.objects.get().record_id == note.pk


@pytest.mark.django_db(transaction=True)
def test_a_record_under_hold_is_left_and_named(owner_connection: BaseDatabaseWrapper) -> None:
    note = memory(ann(), WORDS, status="deleted")
    rows = {name: dumped(name) for name in ("memories_memory", "memories_memorystate")}
    erase.erase(record_id=note.pk, typed=str(note.pk)[-6:], reason="asked", seen_version=1, actor=actor(ann()))
    rows["memories_memory"][0]["hold"] = "Case 12"
    older_backup(owner_connection, rows)
    with pytest.raises(CommandError, match=str(note.pk)):
        call_command("reapply_erasures")
    assert Memory.objects.filter(pk=note.pk).exists()


def test_a_line_that_was_cut_off_is_passed_over(ledger_file: Path) -> None:
    ledger_file.parent.mkdir()
    ledger_file.write_text('{"record_id": "01a')
    assert list(erasure_file.read()) == []


@pytest.mark.django_db(transaction=True)
def test_a_line_that_was_cut_off_takes_no_later_one_along(ledger_file: Path) -> None:
    first = gone()
    whole = ledger_file.read_text()
    ledger_file.write_text(whole + whole[:40])
    second = gone()
    assert [row.record_id for row in erasure_file.read()] == [first.pk, second.pk]


@pytest.mark.django_db(transaction=True)
def test_what_the_disk_takes_in_parts_is_written_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: whole(descriptor, data[:10]))
    note = gone()
    monkeypatch.undo()
    assert [row.record_id for row in erasure_file.read()] == [note.pk]


def test_a_line_that_does_not_say_who_erased_is_none(ledger_file: Path) -> None:
    ledger_file.parent.mkdir(parents=True)
    ids = {name: str(uuid4()) for name in erasure_file.IDS}
    line = {**ids, "kind": "memory", "source": "", "source_id": None, "erased_at": "2024-01-01T00:00:00+00:00"}
    ledger_file.write_text("".join(json.dumps(one) + "\n" for one in (line | {"erased_by_id": None}, line)))
    assert [str(row.record_id) for row in erasure_file.read()] == [ids["record_id"]]
