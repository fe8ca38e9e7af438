"""A verb means one record, exactly: no prefix, no other kind, nothing that is not there is ever half a success."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from uuid import UUID

import pytest

from memories.services import ledger, snapshots, todos
from memories.services.snapshots import take
from memories.services.state import update
from tests.memories.api_client import Api, code, rows
from tests.memories.factories import actor, ann, memory
from tests.memories.page_client import everything, signed_in, text_of

pytestmark = pytest.mark.django_db

UNKNOWN = UUID("01a22ca2-8482-7386-8256-67939b2aa67b")


def entry() -> UUID:
    money = {"transaction_type": "expense", "amount": Decimal(3), "currency": "EUR", "occurred_on": date(2026, 5, 1)}
    key: UUID = ledger.add(item="tea", actor=actor(ann()), **money).pk
    return key


def test_the_id_of_another_kind_is_not_found_and_says_what_it_is() -> None:
    todo, money = todos.add(content="water the plants", actor=actor(ann())).pk, entry()
    api, browser = Api(ann()), signed_in(ann())
    for key, kind in ((todo, "TODO"), (money, "ledger entry")):
        said = f"This is the id of a {kind}."
        answer = api.get(f"memories/{key}")
        assert answer.status_code == 404 and answer.json()["detail"]["message"].startswith(said)
        page = browser.get(f"/memories/{key}")
        assert page.status_code == 404 and said in text_of(page)
    assert "This is the id of a memory." in api.get(f"reminders/{memory(ann(), 'Tea.').pk}").json()["detail"]["message"]


def test_who_may_not_read_the_ledger_learns_nothing_of_its_ids() -> None:
    key, api = entry(), Api(ann(), scopes=["memory:read"])
    answers = [api.get(f"memories/{one}").json()["detail"]["message"] for one in (key, UNKNOWN)]
    assert answers[0] == answers[1]


FORGETTING = ["/memories/{}/forget", "/todos/{}/forget", "/ledger/{}/forget"]


def test_forgetting_what_is_not_there_is_never_a_success() -> None:
    memory(ann(), "Tea.")
    api, browser, before = Api(ann()), signed_in(ann()), everything()
    for mode in ("soft", "hard", "redact"):
        for sent in ({"mode": mode}, {"mode": mode, "memory_id": str(UNKNOWN)}, {"mode": mode, "target": "coffee"}):
            path = "forget" if len(sent) > 1 else f"memories/{UNKNOWN}/forget"
            answer = api.post(path, sent)
            assert answer.status_code == 404 and code(answer) == "not_found", (sent, answer.content)
    for path in FORGETTING:
        assert browser.post(path.format(UNKNOWN), {"version": 1}).status_code == 404
    now = everything()
    assert {name: rows for name, rows in now.items() if name != "ApiToken"} == {
        name: rows for name, rows in before.items() if name != "ApiToken"
    }


def test_a_shortened_id_is_refused_with_what_to_do() -> None:
    note, api, browser = memory(ann(), "Tea."), Api(ann()), signed_in(ann())
    before = rows()
    for short in (str(note.pk)[:8], str(note.pk)[-6:]):
        answers = [api.get(f"memories/{short}"), api.post(f"memories/{short}/forget")]
        answers.append(api.post("forget", {"memory_id": short}))
        for answer in answers:
            assert answer.status_code == 400 and code(answer) == "invalid_memory_id"
            assert "36" in answer.json()["detail"]["message"] or "whole" in answer.json()["detail"]["message"]
        assert browser.get(f"/memories/{short}").status_code == 404
        assert browser.post(f"/memories/{short}/forget", {"version": 1}).status_code == 404
    assert rows() == before


def test_pages_hold_whole_ids_to_be_copied() -> None:
    note, browser = memory(ann(), "Tea."), signed_in(ann())
    for path in ("/memories", f"/memories/{note.pk}", "/search?query=tea"):
        assert str(note.pk) in browser.get(path).content.decode()


def test_a_restart_names_what_it_leaves_alone() -> None:
    me = actor(ann())
    update(content="Writing.", state_key="report", actor=me)
    kept = take(label="noon", actor=me)
    other = update(content="Reading.", state_key="book", actor=me)
    body = Api(ann()).post("restart/restore", {"snapshot_id": str(kept.pk)}).json()
    assert body["kept_ids"] == [str(other.pk)] and len(body["restored_ids"]) == 1
    assert snapshots.find(kept.pk, actor=me).state.keys() == {"report"}
