"""Reminders over the API, in the shapes that clients of the contract read."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memories.models import Todo
from tests.memories.api_client import Api, code, problems, rows
from tests.memories.factories import ann, bob, team

pytestmark = pytest.mark.django_db


def made(api: Api, **fields: Any) -> dict[str, Any]:
    answer = api.post("reminders", {"content": "Call Bea.", **fields})
    assert answer.status_code == 200, answer.content
    return answer.json()


@pytest.mark.parametrize("prefix", ["/v1/", "/api/v1/"])
def test_a_reminder_has_the_shape_of_the_contract(prefix: str) -> None:
    body = made(Api(ann(), prefix), due_at="2026-12-01T09:00:00+01:00", scope=None, idempotency_key="k")
    assert body["id"] == body["memory_id"] == str(Todo.objects.get().pk)
    assert (body["item_kind"], body["item_status"], body["due_at"]) == ("reminder", "open", "2026-12-01T08:00:00Z")
    assert (body["bucket"], body["scope"], body["version"]) == ("work", None, 1)


def test_completing_is_repeatable_and_reopening_undoes_it() -> None:
    api = Api(ann())
    key = made(api)["id"]
    first = api.post(f"reminders/{key}/complete", {"note": "done"}).json()
    again = api.post(f"reminders/{key}/complete").json()
    assert first == again and (first["id"], first["item_status"], first["note"]) == (key, "completed", "done")
    assert api.post(f"reminders/{key}/reopen").json()["item_status"] == "open"


def test_the_list_is_filtered_before_it_is_cut() -> None:
    api = Api(ann())
    for number in range(3):
        key = made(api, content=f"done {number}", due_at="2020-01-01")["id"]
        api.post(f"reminders/{key}/complete")
    made(api, content="open", due_at="2030-01-01T00:00:00Z")
    found = api.get("reminders", item_status="open", limit=1).json()
    assert ([one["content"] for one in found["reminders"]], found["total"]) == (["open"], 1)
    assert api.get("reminders", item_status="completed", limit=2).json()["total"] == 3
    assert len(api.get("reminders", item_status="%", bucket="%", limit=10).json()["reminders"]) == 4
    assert api.get("reminders", due_before="2025-01-01", item_status="open").json()["reminders"] == []


def test_the_overdue_are_marked_and_found() -> None:
    api = Api(ann())
    made(api, content="late", due_at=(timezone.now() - timedelta(hours=1)).isoformat())
    made(api, content="later", due_at=(timezone.now() + timedelta(hours=1)).isoformat())
    assert [one["content"] for one in api.get("reminders", overdue="true").json()["reminders"]] == ["late"]
    assert [one["overdue"] for one in api.get("reminders").json()["reminders"]] == [True, False]


def test_a_change_honours_if_match_and_a_null_takes_the_date_off() -> None:
    api = Api(ann())
    key = made(api, due_at="2026-12-01")["id"]
    changed = api.patch(f"reminders/{key}", {"due_at": None, "scope": None, "content": "Call."}, If_Match='"1"')
    assert (changed.json()["due_at"], changed.json()["content"], changed["ETag"]) == (None, "Call.", '"2"')
    assert api.patch(f"reminders/{key}", {"content": "x"}, If_Match='"1"').status_code == 412
    assert api.get(f"reminders/{key}").json()["content"] == "Call."


def test_forgetting_hides_it_from_every_list_and_restoring_brings_it_back() -> None:
    api = Api(ann())
    key = made(api)["id"]
    assert api.post(f"memories/{key}/forget").json()["kind"] == "todo"
    assert api.get("reminders").json() == {"reminders": [], "total": 0}
    assert api.get(f"reminders/{key}").status_code == 404
    assert api.post(f"reminders/{key}/complete").status_code == 409
    api.post(f"memories/{key}/restore")
    assert api.get("reminders").json()["total"] == 1


@pytest.mark.parametrize("how", [("GET", ""), ("PATCH", ""), ("POST", "/complete"), ("POST", "/reopen")])
def test_strangers_cannot_tell_anothers_from_none(how: tuple[str, str]) -> None:
    key, api = made(Api(ann()))["id"], Api(bob())
    before = rows()
    verb, below = how
    for other in (key, "01a22ca2-8482-7386-8256-67939b2aa67b"):
        assert api.call(verb, f"reminders/{other}{below}", {}).status_code == 404
    assert code(api.call(verb, f"reminders/7{below}", {})) == "invalid_memory_id"
    assert rows() == before


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "content"),
        ({"content": "  "}, "content"),
        ({"content": "a", "due_at": "soon"}, "due_at"),
        ({"content": "a", "due_at": 5}, "due_at"),
        ({"content": "a", "bucket": 5}, "bucket"),
        ({"content": "a", "scope": "a\nb"}, "scope"),
    ],
)
def test_bad_input_is_named_and_stores_nothing(body: dict[str, Any], named: str) -> None:
    assert problems(Api(ann()).post("reminders", body)) == [named]
    assert not Todo.objects.exists()


@pytest.mark.parametrize(
    "query",
    [
        {"limit": 0},
        {"limit": "abc"},
        {"item_status": "x"},
        {"due_before": "x"},
        {"due_before": "9999-12-31"},
        {"overdue": "yes"},
    ],
)
def test_bad_filters_are_named(query: dict[str, Any]) -> None:
    assert problems(Api(ann()).get("reminders", **query)) == [next(iter(query))]


def test_a_foreign_team_is_refused_never_empty() -> None:
    other = team("Other", bob="admin")
    api = Api(ann())
    assert api.get("reminders", team_id=str(other.pk)).status_code == 403
    assert api.post("reminders", {"content": "a", "team_id": str(other.pk)}).status_code == 403


def test_reading_and_writing_need_their_scopes() -> None:
    reader, writer = Api(ann(), scopes=["memory:read"]), Api(ann(), scopes=["memory:write"])
    assert reader.post("reminders", {"content": "a"}).status_code == 403
    assert writer.post("reminders", {"content": "a"}).status_code == 200
    assert (reader.get("reminders").status_code, writer.get("reminders").status_code) == (200, 403)
