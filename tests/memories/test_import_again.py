"""Lines that are here already make nothing and take no scope, whoever owns the record; words stand in for ids."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memories.models import AuditRecord, LedgerEntry, Memory, MemoryLink, Todo
from memories.services import decisions, snapshots, todos
from memories.services.erase import erase
from memories.services.forget import forget
from memories.services.import_all import import_all
from memories.services.import_lines import Place
from tests.memories.api_client import ALL, Api, rows
from tests.memories.belongings import filled, sums
from tests.memories.factories import actor, ann, bea, bob, memory, team, token_actor
from tests.memories.test_round_trip import everything

pytestmark = pytest.mark.django_db


def brought(lines: list[Any], who: Any, **place: Any) -> Any:
    given = [(number, json.loads(line) if isinstance(line, str) else line) for number, line in enumerate(lines, 1)]
    return import_all(rows=given, place=Place(**place), actor=who)


def shared() -> Any:
    """Records of Bea in a team of hers and Ann's: of every kind that a team keeps."""
    atlas = team("Atlas", ann="member", bea="admin")
    first, second = (memory(bea(), text, team=atlas, agent_id="helper") for text in ("The key.", "The lock."))
    MemoryLink.objects.create(origin=first, target=second, kind="relates_to", created_at=first.created_at)
    todos.add(content="Oil the lock.", team_id=atlas.pk, actor=actor(bea()))
    decisions.ask(context="Which lock?", team_id=atlas.pk, actor=actor(bea()))
    snapshots.take(label="noon", team_id=atlas.pk, actor=actor(bea()))
    return atlas


@pytest.mark.parametrize("into_the_team", [False, True])
def test_what_a_teammate_owns_is_known_and_stays_theirs(into_the_team: bool) -> None:
    atlas = shared()
    lines = everything(actor(ann()))
    before, trail = sums(bea()), AuditRecord.objects.count()
    told = brought(lines, actor(ann()), team_id=atlas.pk if into_the_team else None)
    assert (told.imported, told.known, told.errors) == (0, 5, [])
    assert sums(bea()) == before and AuditRecord.objects.count() == trail
    stranger = brought(lines, actor(bob()))
    assert (stranger.imported, stranger.known) == (5, 0)


def test_a_file_adds_no_link_to_what_a_teammate_owns() -> None:
    atlas = shared()
    lines = everything(actor(ann()))
    MemoryLink.objects.all().delete()
    brought(lines, actor(ann()), team_id=atlas.pk)
    assert not MemoryLink.objects.exists()
    brought(lines, actor(bea()), team_id=atlas.pk)
    assert MemoryLink.objects.count() == 1


def test_what_a_teammate_deleted_for_good_stays_so() -> None:
    shared()
    lines = everything(actor(ann()))
    gone = Memory.objects.get(content="The key.")
    forget(record_id=gone.pk, actor=actor(bea()))
    erase(record_id=gone.pk, typed=str(gone.pk)[-6:], reason="x", seen_version=2, actor=actor(bea()))
    told = brought(lines, actor(ann()))
    assert told.imported == 0 and [text for _, text in told.errors if "deleted for good" in text]


def test_a_known_line_takes_no_scope_and_a_new_one_names_field_and_scope() -> None:
    filled(ann())
    memory(ann(), "trusted", trust=2, pinned=True)
    lines = everything(actor(ann()))
    agent = token_actor(ann(), scopes=["memory:read", "memory:write", "ledger:read"])
    told = brought(lines, agent)
    assert (told.imported, told.errors) == (0, []) and told.known == len([x for x in lines if '"history"' not in x])
    stranger = token_actor(bob(), scopes=["memory:read", "memory:write"])
    said = [text for _, text in brought(lines, stranger).errors]
    for field, scope in (("hold", "admin"), ("trust", "admin"), ("kind: ledger", "ledger:write")):
        assert any(f" {field}, " in text and f"scope {scope}." in text for text in said)


def test_without_any_scope_for_money_nobody_learns_which_entries_are_here() -> None:
    filled(ann())
    line = next(line for line in everything(actor(ann())) if '"kind":"ledger"' in line)
    told = brought([line], token_actor(ann(), scopes=["memory:read", "memory:write"]))
    assert told.known == 0 and "ledger:write" in told.errors[0][1]


NAMELESS = [
    {"content": "Drinks tea.", "path": "imp/a"},
    {"content": "Drinks tea.", "path": "imp/b"},
    {"content": "Drinks tea.", "path": "imp/a", "created_at": "2024-01-01T00:00:00Z"},
    {"content": "Drinks  tea.", "path": "imp/a"},
    {"kind": "todo", "content": "Buy tea."},
    {"kind": "todo", "content": "Buy tea."},
    {"kind": "decision", "context": "Which tea?"},
    {"kind": "snapshot", "label": "noon"},
]


def test_what_has_no_id_is_known_by_its_words() -> None:
    first = brought(NAMELESS, actor(ann()))
    assert (first.imported, first.known, first.errors, first.repeats) == (6, 2, [], {4: 1, 6: 5})
    trail = AuditRecord.objects.count()
    again = brought([*NAMELESS, {"content": "Has cats."}], actor(ann()).through("cli"), bucket="home")
    assert (again.imported, again.known) == (1, 8) and AuditRecord.objects.count() == trail + 2
    assert brought(NAMELESS, actor(bob())).imported == 6


def test_the_door_of_memories_knows_words_too_after_edits_and_for_good() -> None:
    api, sent = Api(ann(), scopes=ALL), {"jsonl": "\n".join(json.dumps(row) for row in NAMELESS[:2])}
    assert api.post("memories/import", sent).json()["imported"] == 2
    count = rows()
    gone, edited = Memory.objects.order_by("path")
    Memory.objects.filter(pk=edited.pk).update(content="Drinks coffee.")
    assert api.post("memories/import", sent).json()["known"] == 2 and rows() == count
    forget(record_id=gone.pk, actor=actor(ann()))
    assert api.post("memories/import", sent).json()["known"] == 2
    erase(record_id=gone.pk, typed=str(gone.pk)[-6:], reason="x", seen_version=2, actor=actor(ann()))
    told = api.post("memories/import", sent).json()
    assert (told["imported"], told["known"]) == (0, 1) and "deleted for good" in told["errors"][0]["message"]


def test_money_spent_twice_without_ids_is_spent_twice_once() -> None:
    coffee = {"kind": "ledger", "transaction_type": "expense", "item": "coffee", "amount": "3.00", "currency": "EUR"}
    lines = [coffee | {"occurred_on": "2026-05-01"}] * 2
    assert [brought(lines, actor(ann())).imported for _ in range(2)] == [2, 0]
    assert LedgerEntry.objects.count() == 2 and not Todo.objects.exists()
