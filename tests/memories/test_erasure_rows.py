"""TODOs, ledger entries, decisions and snapshots leave no word either; and the look really looks everywhere."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from console.postgres import setup
from console.traces import EVERY_COLUMN
from memories.models import Decision, LedgerEntry, Snapshot, Todo
from memories.services import erase
from tests.memories.factories import PAST, actor, ann, memory
from tests.reflection.erasure_scene import CANARY, analyze, places, traces_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def ledger_file(tmp_path: Path, settings: Any) -> None:
    settings.ERASURES_FILE = tmp_path / "erasures.jsonl"


def made(kind: str) -> Any:
    """A record of this kind in the trash with the canary in every text, beside some others for the statistics."""
    now = timezone.now()
    fields = {"owner": ann(), "created_at": PAST, "updated_at": PAST, "status": "deleted", "deleted_at": now}
    fields |= {"deleted_by": ann(), "status_before_delete": "active"}
    money = {"transaction_type": "expense", "amount": 3, "currency": "EUR", "occurred_on": date(2026, 1, 1)}
    for text in ("one", "two", "three", "four", CANARY):
        match kind:
            case "todo":
                found: Any = Todo.objects.create(content=text, note=text, **fields)
            case "ledger":
                found = LedgerEntry.objects.create(item=text, note=text, category=text, **money, **fields)
            case "decision":
                decided = {"resolution": text, "resolved_at": now, "resolved_by": ann()}
                found = Decision.objects.create(context=text, options=[text, "no"], **decided, **fields)
            case _:
                found = Snapshot.objects.create(label=text, state={"task": {"content": text}}, **fields)
    return found


@pytest.mark.parametrize("kind", ["todo", "ledger", "decision", "snapshot"])
def test_no_word_of_a_record_of_another_kind_is_left(kind: str) -> None:
    record = made(kind)
    analyze()
    before = traces_of(CANARY)
    assert before and not [trace for trace in before if trace.schema == "pg_catalog"]
    typed = str(record.pk)[-6:]
    erase.erase(record_id=record.pk, typed=typed, reason="asked", seen_version=1, actor=actor(ann()))
    analyze()
    assert traces_of(CANARY) == []


def test_the_look_covers_every_schema_and_the_statistics() -> None:
    settings = connections.settings["owner"]
    with setup.superuser(settings, settings["NAME"]) as reader:
        tables = {(schema, table) for schema, table, *_ in reader.execute(EVERY_COLUMN)}
        every = reader.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname <> 'information_schema'"
        ).fetchall()
    assert set(every) <= tables
    assert {("pg_catalog", "pg_statistic"), ("public", "django_session"), ("public", "memories_auditrecord")} <= tables
    assert any(schema == "pgmq" and table.startswith("q_") for schema, table in tables)


def test_a_text_that_stays_in_another_record_is_found_there() -> None:
    memory(ann(), f"Copied: {CANARY}")
    assert {"memories_memory.content", "memories_memory.folded", "memories_memory.search"} <= places(traces_of(CANARY))
