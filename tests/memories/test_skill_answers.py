"""What a skill reads of the answers to its operations."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from memories.models import Memory
from tests.memories.api_client import Api, problems, rows
from tests.memories.factories import ann, bob, memory, team
from tests.memories.test_skill import ask

pytestmark = pytest.mark.django_db
DOCTOR = {"operation": "doctor", "arguments": {}}


def test_the_state_is_read_from_its_slot_and_nothing_is_written() -> None:
    api = Api(ann())
    api.post("update_state", {"state_key": "plan", "content": "Boiling.", "next_action": "Pour."})
    api.post("restart/snapshot", {})
    api.post("update_state", {"state_key": "plan", "content": "Pouring.", "next_action": "Drink."})
    before = rows()
    for name in ("state_key", "key"):
        found = ask(api, "state-restore", bucket="work", **{name: "plan"})
        assert (found["state_key"], found["content"], found["next_action"]) == ("plan", "Pouring.", "Drink.")
    assert rows() == before and Memory.objects.get(memory_type="working").content == "Pouring."


def test_where_there_is_no_slot_nothing_is_told() -> None:
    api = Api(ann())
    api.post("update_state", {"content": "Boiling."})
    assert ask(api, "state-restore", state_key="other") is None
    assert ask(api, "state-restore", bucket="home") is None
    assert ask(api, "state-restore", scope="elsewhere") is None
    assert ask(Api(bob()), "state-restore") is None
    assert ask(Api(ann(), scopes=["memory:read"]), "state-restore")["content"] == "Boiling."
    theirs = {"operation": "state-restore", "arguments": {"team_id": str(team("Atlas", bob="admin").pk)}}
    assert api.post("skill/operations", theirs).status_code == 403
    sent = {"operation": "state-restore", "arguments": {"snapshot_id": str(memory(ann(), "x").pk)}}
    assert problems(api.post("skill/operations", sent)) == ["snapshot_id"]


def test_a_state_is_saved_under_the_key_that_skills_send() -> None:
    api = Api(ann())
    assert ask(api, "state-save", key="plan", content="Boiling.")["state_key"] == "plan"
    assert ask(api, "state-restore", key="plan")["content"] == "Boiling."


def test_todos_of_a_status_are_told_with_the_status_of_the_work() -> None:
    api = Api(ann())
    first, _ = (ask(api, "todo-add", content=text)["id"] for text in ("Mend it.", "Paint it."))
    ask(api, "todo-done", id=first)
    told = {one["content"]: one["status"] for one in ask(api, "todo-list")["reminders"]}
    assert told == {"Mend it.": "done", "Paint it.": "open"}
    for status, total in (("done", 1), ("completed", 1), ("open", 1), ("pending", 1), ("all", 2), ("%", 2)):
        assert ask(api, "todo-list", status=status)["total"] == total, status
    wrong = {"operation": "todo-list", "arguments": {"status": "soon"}}
    assert problems(api.post("skill/operations", wrong)) == ["item_status"]


def test_months_of_the_ledger_are_summed_up_by_type_and_currency() -> None:
    api, today = Api(ann()), timezone.localdate()
    before = today.replace(day=1) - timedelta(days=1)
    long_ago = today - timedelta(days=800)
    for item, amount, day, kind in (
        ("tea", "2", today, "expense"),
        ("pay", "9", today, "income"),
        ("rent", "3", before, "expense"),
        ("old", "100", long_ago, "expense"),
    ):
        sent = {"item": item, "amount": amount, "currency": "EUR", "date": str(day), "transaction_type": kind}
        assert api.post("me/ledger/transactions", sent).status_code == 200
    found = ask(api, "ledger-summary", months=6)
    assert (found["months"], found["total"], found["count"], found["currency"]) == (6, "5.00", 3, "EUR")
    now, then = found["summary"]
    assert (now["month"], now["expense_total"], now["income_total"], now["net_total"]) == (
        f"{today:%Y-%m}",
        "2.00",
        "9.00",
        "7.00",
    )
    assert (then["month"], then["transaction_count"]) == (f"{before:%Y-%m}", 1)
    assert ask(api, "ledger-summary")["summary"] == found["summary"]
    assert len(ask(api, "ledger-summary", months="1")["summary"]) == 1
    for name in ("transaction_type", "type"):
        assert ask(api, "ledger-summary", **{name: "income"})["count"] == 1
    assert ask(api, "ledger-summary", currency="usd")["summary"] == []
    assert ask(api, "ledger-summary", month=f"{before:%Y-%m}")["total"] == "3.00"
    for wrong in ({"months": 25}, {"months": 0}, {"transaction_type": "gift"}):
        answer = api.post("skill/operations", {"operation": "ledger-summary", "arguments": wrong})
        assert problems(answer) == list(wrong)


def test_entries_are_listed_by_amount_and_expenses_dated_and_deleted_by_the_names_of_skills() -> None:
    api = Api(ann())
    day = str(timezone.localdate() - timedelta(days=40))
    small = ask(api, "expense-add", item="tea", amount="2", currency="EUR", transaction_date=day)
    ask(api, "expense-add", item="rent", amount="700.50", currency="EUR")
    assert small["date"] == day
    assert [one["item"] for one in ask(api, "ledger-list", min_amount=2.5)["transactions"]] == ["rent"]
    assert [one["item"] for one in ask(api, "ledger-list", max_amount="2")["transactions"]] == ["tea"]
    wrong = {"operation": "ledger-list", "arguments": {"min_amount": "much"}}
    assert problems(api.post("skill/operations", wrong)) == ["min_amount"]
    assert ask(api, "expense-delete", id=small["id"])["status"] == "deleted"


def test_the_doctor_says_whether_the_token_is_good_and_answers_without_one() -> None:
    assert ask(Api(ann()), "doctor")["auth_valid"] is True
    for body in (DOCTOR, {"operation": "doctor"}):
        answer = Client().post("/v1/skill/operations", body, content_type="application/json")
        assert (answer.status_code, answer.json()["ok"], answer.json()["result"]["auth_valid"]) == (200, True, False)
        assert answer.json()["result"]["scopes"] == []
    for body in ({"operation": "recall", "arguments": {"query": "x"}}, {"operation": ["doctor"]}, {}, "doctor", "{"):
        answer = Client().post("/v1/skill/operations", body, content_type="application/json")
        assert answer.status_code == 401, body
    wrong = {"Authorization": "Bearer mc_" + "x" * 43}
    assert (
        Client().post("/v1/skill/operations", DOCTOR, content_type="application/json", headers=wrong).status_code == 403
    )


def test_the_overview_counts_and_the_activity_tells_lines() -> None:
    api = Api(ann())
    kept, gone = (ask(api, "remember", content=f"The zebra {n} waits.", logic_path="p")["id"] for n in range(2))
    ask(api, "forget", id=gone)
    assert api.get(f"memories/{kept}").json()["path"] == "p"
    found = ask(api, "overview")
    names = ("memories_total", "memories_active", "memories_archived", "memories_forgotten")
    assert [found[name] for name in names] == [1, 1, 0, 1]
    [line] = ask(api, "activity", limit=100)["activity"]
    assert len(ask(api, "search", query="zebra", limit="100")["results"]) == 1
    too_many = {"operation": "activity", "arguments": {"limit": 101}}
    assert problems(api.post("skill/operations", too_many)) == ["limit"]
    assert (line["summary"], line["ref_id"]) == ("The zebra 0 waits.", kept)
    assert line["ts"] and line["type"]


def test_what_waits_for_a_person_is_not_ok() -> None:
    api = Api(ann())
    key = str(memory(ann(), "The zebra waits.").pk)
    sent = {"operation": "forget", "arguments": {"id": key, "mode": "hard"}}
    answer = api.post("skill/operations", sent)
    body = answer.json()
    assert (answer.status_code, body["ok"], body["result"]["ok"]) == (202, False, False)
    assert body["result"]["status"] == "awaiting_confirmation"
    answer = api.post(f"memories/{key}/forget", {"mode": "hard_delete"})
    assert (answer.status_code, answer.json()["ok"], answer.json()["forgotten"]) == (202, False, False)
