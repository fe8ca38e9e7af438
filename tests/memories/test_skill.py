"""Operations of a skill: each does what its address does, with arguments that are all texts."""

from __future__ import annotations

from typing import Any

import pytest

from memories.api.skill import OPERATIONS
from tests.memories.api_client import Api, problems
from tests.memories.factories import ann, bob, memory, team

pytestmark = pytest.mark.django_db
NAMES = (
    "remember recall search update forget state-save state-restore todo-add todo-list todo-done expense-add "
    "expense-delete ledger-list ledger-summary ledger-delete overview activity doctor"
)


def ask(api: Api, operation: str, /, **arguments: Any) -> Any:
    answer = api.post("skill/operations", {"operation": operation, "arguments": arguments}, X_Request_ID="r-1")
    assert answer.status_code == 200, answer.content
    body = answer.json()
    assert (body["ok"], body["operation"], body["request_id"]) == (True, operation, "r-1")
    return body["result"]


def test_every_operation_of_the_contract_is_there() -> None:
    assert set(OPERATIONS) == set(NAMES.split())


def test_a_memory_is_remembered_found_changed_and_forgotten_by_texts() -> None:
    api = Api(ann())
    made = ask(api, "remember", content="The zebra waits.", path="p", importance="0.9", metadata='{"a": 1}', scope=None)
    shown = api.get(f"memories/{made['id']}").json()
    assert (shown["importance"], shown["metadata"]) == (0.9, {"a": 1})
    assert [one["id"] for one in ask(api, "search", query="zebra", limit="3")["results"]] == [made["id"]]
    assert [one["id"] for one in ask(api, "recall", query="zebra", limit="3")["results"]] == [made["id"]]
    changed = ask(
        api, "update", memory_id=made["id"], content="The zebra left.", merge_metadata="true", metadata='{"b": 2}'
    )
    assert (changed["content"], changed["metadata"]) == ("The zebra left.", {"a": 1, "b": 2})
    assert ask(api, "activity")["results"][0]["id"] == made["id"]
    assert ask(api, "overview", group_by="type")["total_count"] == 1
    assert ask(api, "forget", target="The zebra left.")["status"] == "deleted"
    assert ask(api, "search", query="zebra")["no_match"]


def test_todos_money_and_state() -> None:
    api = Api(ann())
    todo = ask(api, "todo-add", content="Mend it.", due_at="2026-12-01T09:00:00Z")
    assert ask(api, "todo-list", item_status="open", limit="5")["total"] == 1
    assert ask(api, "todo-done", todo_id=todo["id"], note="mended")["item_status"] == "completed"
    entry = ask(api, "expense-add", item="tea", amount="3.50", currency="eur")
    assert ask(api, "ledger-list")["total"] == 1 and ask(api, "ledger-summary")["total"] == "3.50"
    assert ask(api, "ledger-delete", entry_id=entry["id"])["status"] == "deleted"
    ask(api, "state-save", content="Boiling.", ttl_seconds="600")
    assert ask(api, "doctor")["status"] == "ok"


def test_what_is_wrong_is_named_and_nobody_reaches_another() -> None:
    api, his = Api(ann()), memory(bob(), "of Bob")
    wrong = {"operation": "explode"}, {"operation": "recall", "arguments": []}, {}
    assert [problems(api.post("skill/operations", body))[0] for body in wrong] == [
        "operation",
        "arguments",
        "operation",
    ]
    sent = {"operation": "remember", "arguments": {"content": "x", "importance": "much"}}
    assert problems(api.post("skill/operations", sent)) == ["importance"]
    sent = {"operation": "forget", "arguments": {"memory_id": str(his.pk)}}
    assert api.post("skill/operations", sent).status_code == 404
    theirs = str(team("Atlas", bob="admin").pk)
    for operation in ("remember", "recall", "todo-add", "state-save", "overview"):
        sent = {"operation": operation, "arguments": {"content": "x", "query": "x", "team_id": theirs}}
        assert api.post("skill/operations", sent).status_code == 403, operation
    reader = Api(ann(), scopes=["memory:read"])
    assert reader.post("skill/operations", {"operation": "todo-add", "arguments": {"content": "x"}}).status_code == 403
    assert reader.post("skill/operations", {"operation": "ledger-list"}).status_code == 403


@pytest.mark.parametrize(
    "metadata", ['{"a": "\\u0000"}', '{"a": "\\ud800"}', '{"a": 1e999}', "[" * 3_000 + "]" * 3_000]
)
def test_json_within_a_text_is_read_as_strictly_as_a_body(metadata: str) -> None:
    api = Api(ann())
    arguments = {"content": "The zebra waits.", "path": "p", "metadata": metadata}
    answer = api.post("skill/operations", {"operation": "remember", "arguments": arguments})
    assert answer.status_code in (400, 422), answer.content
