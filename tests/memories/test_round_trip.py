"""Everything out of one console and into another: counts and hashes of every model are the same afterwards."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memories.models import AuditRecord, Memory, MemoryUse, MemoryVersion, Snapshot, Todo
from memories.services import export as exporting
from memories.services import records
from memories.services.erase import erase
from memories.services.export_everything import Wanted, export_everything
from memories.services.forget import forget
from memories.services.import_all import import_all
from memories.services.import_lines import Place
from memories.services.snapshots import restart
from tests.memories.belongings import emptied, filled, sums
from tests.memories.factories import actor, ann, bob, memory, team, token_actor, version

pytestmark = pytest.mark.django_db


def everything(who: Any, limit: int = 5_000, **wanted: Any) -> list[str]:
    """All lines of all pages."""
    lines: list[str] = []
    after = None
    while True:
        page = export_everything(wanted=Wanted(**wanted), after=after, limit=limit, actor=who)
        lines += page.lines
        after = page.following
        if after is None:
            return lines


def imported(lines: list[str], who: Any, **more: Any) -> Any:
    rows = [(number, json.loads(line)) for number, line in enumerate(lines, 1)]
    found = import_all(rows=rows, place=Place(), actor=who, **more)
    assert found.errors == []
    return found


def gone_for_good(record: Any) -> None:
    forget(record_id=record.pk, actor=actor(ann()))
    seen = records.standing(records.find(record.pk, actor=actor(ann()))).version
    erase(record_id=record.pk, typed=str(record.pk)[-6:], reason="x", seen_version=seen, actor=actor(ann()))


def test_into_an_empty_console_everything_comes_back_as_it_was() -> None:
    filled(ann())
    before, lines = sums(ann()), everything(actor(ann()))
    emptied()
    told = imported(lines, actor(ann()))
    assert sums(ann()) == before and told.links_left == 0
    assert {name for name, (count, _) in before.items() if count == 0} == {"MemoryEmbedding"}
    assert dict(told.made) == {"memory": 8, "use": 2, "todo": 3, "ledger": 1, "decision": 2, "snapshot": 1}
    assert everything(actor(ann())) == lines


def test_the_same_file_again_makes_nothing_and_no_line_of_audit() -> None:
    filled(ann())
    lines = everything(actor(ann()))
    before, trail = sums(ann()), AuditRecord.objects.count()
    told = imported(lines, actor(ann()))
    assert told.imported == 0 and sums(ann()) == before and AuditRecord.objects.count() == trail


def test_somebody_else_gets_the_same_under_other_ids_however_often() -> None:
    made = filled(ann())
    lines = everything(actor(ann()))
    for _ in range(2):
        imported(lines, actor(bob()))
        assert sums(bob(), same_ids=False) == sums(ann(), same_ids=False)
    snapshot = Snapshot.objects.get(owner=bob())
    assert snapshot.pk != made["snapshot"].pk
    [slot] = snapshot.state.values()
    assert Memory.objects.get(pk=slot["memory_id"]).owner == bob()
    assert restart(snapshot_id=snapshot.pk, actor=actor(bob())).slots


@pytest.mark.parametrize("limit", [1, 3])
def test_pages_make_the_whole_and_parts_of_it_come_in_one_after_the_other(limit: int) -> None:
    filled(ann())
    before, lines = sums(ann()), everything(actor(ann()), limit)
    assert sorted(lines) == sorted(everything(actor(ann())))
    emptied()
    for at in range(0, len(lines), limit):
        imported(lines[at : at + limit], actor(ann()))
    assert sums(ann()) == before


def test_a_history_that_fills_no_line_stands_in_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "LINE_BYTES", 900)
    made = memory(ann(), "now", version=30)
    for number in range(1, 30):
        version(made, number, f"then {number} " * 20)
    before, lines = sums(ann()), everything(actor(ann()))
    assert len(lines) > 5 and all(json.loads(line)["id"] == str(made.pk) for line in lines)
    emptied()
    imported(lines, actor(ann()))
    assert sums(ann()) == before
    MemoryVersion.objects.filter(number__gt=3).delete()
    imported(lines[1:], actor(ann()))
    assert sums(ann())["MemoryVersion"][0] > 20


@pytest.mark.parametrize("kind", ["fact", "todo", "entry", "decision", "snapshot"])
def test_what_was_deleted_for_good_never_comes_back(kind: str) -> None:
    made = filled(ann())[kind]
    lines = everything(actor(ann()))
    type(made).objects.filter(pk=made.pk).update(hold="")
    gone_for_good(made)
    before = sums(ann())
    told = import_all(
        rows=[(n, json.loads(line)) for n, line in enumerate(lines, 1)], place=Place(), actor=actor(ann())
    )
    assert any("deleted for good" in text for _, text in told.errors)
    assert type(made).objects.filter(pk=made.pk).count() == 0
    if kind != "fact":  # whose uses and links, and a summary told anew, went with it
        assert sums(ann()) == before


def test_a_slot_of_a_memory_that_was_deleted_for_good_stays_out_of_its_snapshot() -> None:
    filled(ann())
    lines = everything(actor(ann()))
    slot = Memory.objects.get(semantic_key="state:active_task")
    gone_for_good(slot)
    Snapshot.objects.all().delete()
    import_all(rows=[(n, json.loads(line)) for n, line in enumerate(lines, 1)], place=Place(), actor=actor(ann()))
    assert [one.state for one in Snapshot.objects.all()] == [{}]


def test_without_the_scope_for_money_the_ledger_is_left_out_and_that_is_said() -> None:
    filled(ann())
    agent = token_actor(ann(), scopes=["memory:read", "memory:write"])
    page = export_everything(wanted=Wanted(), actor=agent)
    assert page.left_out == ("ledger",) and not any('"kind":"ledger"' in line for line in page.lines)
    line = next(line for line in everything(actor(ann())) if '"kind":"ledger"' in line)
    told = import_all(rows=[(1, json.loads(line) | {"hold": ""})], place=Place(), actor=agent)
    assert told.imported == 0 and "ledger:write" in told.errors[0][1]


def test_a_place_narrows_what_is_exported_and_a_foreign_one_is_refused() -> None:
    filled(ann())
    atlas = team("Atlas", ann="admin")
    memory(ann(), "shared", team=atlas)
    shared = [json.loads(line) for line in everything(actor(ann()), space_id=atlas.pk)]
    assert [line["content"] for line in shared] == ["shared"]
    assert [json.loads(line)["content"] for line in everything(actor(ann()), bucket="home")] == ["old"]
    assert not any("gone" in line.lower() for line in everything(actor(ann()), deleted=False))
    assert everything(actor(bob())) == []


WRONG = [
    {"kind": "todo", "content": ""},
    {"kind": "todo", "content": "x", "due_at": "soon"},
    {"kind": "todo", "content": "x", "hold": 5},
    {"kind": "todo", "content": "x", "id": "1"},
    {"kind": "ledger", "item": "x", "amount": "-1", "currency": "EUR", "occurred_on": "2026-01-01"},
    {"kind": "ledger", "item": "x", "amount": "1", "currency": "EUR", "occurred_on": "today"},
    {"kind": "ledger", "item": "x", "amount": "1", "currency": "XXX", "occurred_on": "2026-01-01"},
    {"kind": "decision", "context": "x", "options": "yes"},
    {"kind": "decision", "context": "x", "resolved_at": "2026-01-01T00:00:00Z"},
    {"kind": "snapshot", "state": {"a": "b"}},
    {"kind": "snapshot", "state": {"a": {"content": 5}}},
    {"kind": "snapshot", "state": {"a": {"content": "x", "expires_at": "soon"}}},
    {"kind": "snapshot", "label": "x", "status": "away"},
    {"kind": "use", "action": "used"},
    {"kind": "use", "action": "used", "memory_id": "01a22ca2-8482-7386-8256-67939b2aa67b"},
    {"kind": "use", "action": "", "memory_id": "01a22ca2-8482-7386-8256-67939b2aa67b"},
    {"kind": "history", "links": []},
    {"kind": "history", "id": "01a22ca2-8482-7386-8256-67939b2aa67b"},
    {"kind": "magic"},
    {"kind": ["todo"]},
]


def test_wrong_lines_of_every_kind_are_named_and_the_others_come() -> None:
    rows = [*enumerate(WRONG, 1), (99, {"kind": "todo", "content": "good"})]
    told = import_all(rows=rows, place=Place(), actor=actor(ann()))
    assert [number for number, _ in told.errors] == list(range(1, len(WRONG) + 1))
    assert all(text.endswith(".") for _, text in told.errors)
    assert told.imported == 1 and Todo.objects.get().content == "good" and not MemoryUse.objects.exists()


def test_a_dry_run_says_the_same_and_writes_nothing() -> None:
    filled(ann())
    lines = everything(actor(ann()))
    emptied()
    trail = AuditRecord.objects.count()
    dry = imported(lines, actor(ann()), dry_run=True)
    assert sums(ann())["Memory"][0] == 0 and AuditRecord.objects.count() == trail
    wet = imported(lines, actor(ann()))
    assert (dry.made, dry.known, dry.outcomes) == (wet.made, wet.known, wet.outcomes)


def test_one_line_of_audit_tells_of_the_whole_import() -> None:
    filled(ann())
    lines = everything(actor(ann()))
    emptied()
    imported(lines, actor(ann()))
    [line] = AuditRecord.objects.filter(action="records.import")
    assert line.detail["format"] == "memory-console" and line.detail["kinds"]["todo"] == 3
    assert AuditRecord.objects.filter(action="ledger.import").count() == 1
