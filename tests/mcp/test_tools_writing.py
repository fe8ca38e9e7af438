"""Remembering, changing, forgetting and the rest that writes, each tool once, with what it refuses."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from memories.models import Memory, User
from tests.mcp.bridge import Bridge
from tests.memories.factories import bob, memory

KETTLE = "The kettle in the kitchen broke on Monday."


def test_a_memory_is_remembered_with_all_its_fields(bridge: Bridge) -> None:
    said = bridge.call(
        "remember",
        content=KETTLE,
        path="home/kitchen",
        bucket="home",
        scope="s",
        memory_type="episodic",
        importance=0.9,
        confidence=0.5,
        expires_at="2030-01-01T00:00:00Z",
        metadata_json='{"speaker": "Ann"}',
        provenance_json='{"session_id": "42"}',
        idempotency_key="sent along by clients",
    )
    assert said.text.splitlines()[:3] == ["Remembered.", f"Reference: {said.data['id']}", "Status: created"]
    kept = Memory.objects.select_related("state").get(pk=said.data["id"])
    assert (kept.bucket, kept.scope, kept.state.importance, kept.session) == ("home", "s", 0.9, "42")
    assert kept.metadata == {"speaker": "Ann"} and kept.provenance["channel"] == "mcp"


def test_a_key_updates_and_the_same_again_changes_nothing(bridge: Bridge) -> None:
    first = bridge.call("remember", content="Tea at four.", semantic_key="tea")
    assert bridge.call("remember", content="Tea at four.", semantic_key="tea").data["status"] == "unchanged"
    again = bridge.call("remember", content="Tea at five.", semantic_key="tea")
    assert (again.data["id"], again.data["status"]) == (first.data["id"], "updated")


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({}, "content"),
        ({"content": " "}, "content"),
        ({"content": "x", "importance": 2}, "importance"),
        ({"content": "x", "memory_type": "opinion"}, "memory_type"),
        ({"content": "x", "metadata_json": "{"}, "metadata_json"),
        ({"content": "x", "metadata_json": '{"a": NaN}'}, "metadata_json"),
        ({"content": "x", "metadata_json": "[]"}, "metadata_json"),
        ({"content": "x", "metadata_json": '{"a": "\\u0000"}'}, "a"),
        ({"content": "x", "expires_at": "soon"}, "expires_at"),
        ({"content": "x", "dedupe": "maybe"}, "dedupe"),
    ],
)
def test_a_bad_memory_is_refused_by_name(bridge: Bridge, who: User, wrong: dict[str, Any], named: str) -> None:
    said = bridge.call("remember", **wrong)
    assert said.code == "validation_error" and f'"{named}"' in said.text
    assert not Memory.objects.filter(owner=who).exists()


def test_a_team_of_others_is_refused_and_not_taken_for_none(bridge: Bridge) -> None:
    said = bridge.call("remember", content="x", team_id="01990000-0000-7000-8000-000000000000")
    assert said.code == "permission_denied"
    assert bridge.call("recall_context", query="x", team_id="nobody").code == "permission_denied"


def test_a_memory_is_updated_and_keeps_what_it_was(bridge: Bridge, who: User) -> None:
    kept = memory(who, KETTLE, metadata={"a": 1}, scope="s")
    said = bridge.call(
        "update_memory",
        memory_id=str(kept.pk),
        content="Fixed.",
        metadata_json='{"b": 2}',
        merge_metadata=True,
        scope="",
    )
    assert (said.data["content"], said.data["metadata"], said.data["scope"]) == ("Fixed.", {"a": 1, "b": 2}, None)
    assert bridge.call("list_memory_versions", memory_id=str(kept.pk)).data["versions"][0]["content"] == KETTLE
    assert bridge.call("update_memory", memory_id=str(kept.pk), owner="bob").code == "validation_error"


def test_forgetting_names_reference_mode_and_status_and_is_undone(bridge: Bridge, who: User) -> None:
    kept = memory(who, KETTLE)
    said = bridge.call("forget", memory_id=str(kept.pk), mode="", reason="Fixed.")
    assert said.text.splitlines()[1:4] == [f"Reference: {kept.pk}", "Mode: soft_delete", "Status: deleted"]
    assert bridge.call("search_memory", query="kettle kitchen").data["results"] == []
    assert bridge.call("forget", memory_id=str(kept.pk)).code == "not_found"
    assert bridge.call("restore_memory", memory_id=str(kept.pk)).data["restored"] is True
    assert bridge.call("restore_memory", memory_id=str(kept.pk)).code == "conflict"
    assert bridge.call("search_memory", query="kettle kitchen").data["results"]


def test_forgetting_never_guesses(bridge: Bridge, who: User) -> None:
    kept = [memory(who, f"Kettle number {number}.") for number in (1, 2)]
    said = bridge.call("forget", target="kettle number")
    assert said.code == "conflict" and all(str(one.pk) in said.text for one in kept)
    assert bridge.call("forget", target="teapot").code == "not_found"
    assert bridge.call("forget").code == "validation_error"
    assert bridge.call("forget", target="Kettle number 2.").data["id"] == str(kept[1].pk)


@pytest.mark.parametrize("mode", ["redact", "purge", "HARD", 5])
def test_an_unknown_mode_is_refused(bridge: Bridge, who: User, mode: object) -> None:
    kept = memory(who, KETTLE)
    assert bridge.call("forget", memory_id=str(kept.pk), mode=mode).code == "validation_error"
    assert bridge.call("search_memory", query=str(kept.pk)).data["results"]


def test_a_replacement_points_to_redact(bridge: Bridge, who: User) -> None:
    kept = memory(who, KETTLE)
    said = bridge.call("forget", memory_id=str(kept.pk), replacement_content="x")
    assert said.code == "validation_error" and "redact_memory" in said.text
    done = bridge.call("redact_memory", memory_id=str(kept.pk), reason="Private.")
    assert done.text.splitlines()[1:4] == [f"Reference: {kept.pk}", "Mode: redact", "Status: redacted"]
    assert bridge.call("explain_memory", memory_id=str(kept.pk)).data["memory"]["content"] == "[REDACTED]"


@pytest.mark.parametrize("tool", ["forget", "redact_memory", "restore_memory"])
def test_a_record_of_others_is_neither_removed_nor_restored(bridge: Bridge, tool: str) -> None:
    foreign = memory(bob(), "Bob's own.")
    assert bridge.call(tool, memory_id=str(foreign.pk)).code == "not_found"


def test_todos_are_added_listed_completed_and_reopened(bridge: Bridge) -> None:
    made = bridge.call("todos", action="add", content="Buy a kettle.", due_at="2026-12-01").data["todo"]
    assert bridge.call("todos", action="list").data["total"] == 1
    done = bridge.call("todos", action="complete", todo_id=made["id"], note="A red one.").data["todo"]
    assert (done["item_status"], done["note"]) == ("completed", "A red one.")
    assert bridge.call("todos", action="list").data["total"] == 0
    assert bridge.call("todos", action="list", item_status="%").data["total"] == 1
    assert bridge.call("todos", action="reopen", todo_id=made["id"]).data["todo"]["item_status"] == "open"
    assert bridge.call("forget", memory_id=made["id"]).data["kind"] == "todo"


def test_money_is_entered_listed_and_summed_up(bridge: Bridge) -> None:
    today = timezone.localdate().isoformat()
    made = bridge.call("ledger", action="add", item="Kettle", amount="39.90", currency="eur", category="home")
    assert (made.data["entry"]["amount"], made.data["entry"]["date"]) == ("39.90", today)
    bridge.call("ledger", action="add", item="Refund", amount=9.9, currency="EUR", transaction_type="refund")
    listed = bridge.call("ledger", action="list", date_from=today, category="HOME")
    assert [one["item"] for one in listed.data["transactions"]] == ["Kettle"]
    months = bridge.call("ledger", action="summary", months=3).data["months"]
    assert [one["count"] for one in months] == [2, 0, 0] and months[0]["net"] == "-30.00"
    between = bridge.call("ledger", action="summary", date_from=today, date_to=today).data["months"]
    assert between[0]["expense"] == "39.90"


@pytest.mark.parametrize(
    ("tool", "wrong", "named"),
    [
        ("todos", {}, "action"),
        ("todos", {"action": "delete"}, "action"),
        ("todos", {"action": ["list"]}, "action"),
        ("todos", {"action": "add"}, "content"),
        ("todos", {"action": "complete"}, "todo_id"),
        ("todos", {"action": "list", "item_status": "late"}, "item_status"),
        ("ledger", {"action": "add", "item": "x"}, "amount"),
        ("ledger", {"action": "add", "item": "x", "amount": "-1", "currency": "EUR"}, "amount"),
        ("ledger", {"action": "add", "item": "x", "amount": "1", "currency": "XXX"}, "currency"),
        ("ledger", {"action": "list", "date_from": "soon"}, "date_from"),
        ("ledger", {"action": "summary", "months": 0}, "months"),
    ],
)
def test_a_bad_action_is_refused_by_name(bridge: Bridge, tool: str, wrong: dict[str, Any], named: str) -> None:
    said = bridge.call(tool, **wrong)
    assert said.code == "validation_error" and f'"{named}"' in said.text
