"""Decisions over the API."""

from __future__ import annotations

from typing import Any

import pytest

from memories.models import AuditRecord, Decision
from tests.memories.api_client import Api, code, problems, rows
from tests.memories.factories import ann, bea, bob, team
from tests.memories.page_client import signed_in

pytestmark = pytest.mark.django_db


def asked(api: Api, **fields: Any) -> dict[str, Any]:
    answer = api.post("decisions", {"context": "Which database?", "options": ["PostgreSQL", "SQLite"], **fields})
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_a_decision_is_asked_and_made_once() -> None:
    api = Api(ann())
    body = asked(api)
    assert body["id"] == body["memory_id"] == str(Decision.objects.get().pk)
    assert (body["options"], body["resolution"], body["decision_status"]) == (["PostgreSQL", "SQLite"], None, "open")
    made = api.post(f"decisions/{body['id']}/resolve", {"resolution": "PostgreSQL"}).json()
    assert (made["resolution"], made["decision_status"], made["version"]) == ("PostgreSQL", "resolved", 2)
    again = api.post(f"decisions/{body['id']}/resolve", {"resolution": "SQLite"})
    assert (again.status_code, code(again)) == (409, "conflict")
    assert api.get(f"decisions/{body['id']}").json()["resolution"] == "PostgreSQL"
    lines = AuditRecord.objects.filter(object_id=body["id"]).order_by("seq")
    assert [line.action for line in lines] == ["decision.create", "decision.resolve"]
    assert "SQL" not in str([line.detail for line in lines])


def test_the_list_is_narrowed_by_state_place_and_words() -> None:
    api = Api(ann())
    first = asked(api)["id"]
    second = asked(api, context="Which colour?", bucket="home")["id"]
    api.post(f"decisions/{first}/resolve", {"resolution": "PostgreSQL"})

    def found(**query: Any) -> list[str]:
        return [one["id"] for one in api.get("decisions", **query).json()["decisions"]]

    assert found() == [second, first]
    assert found(decision_status="open") == found(bucket="home") == found(query="colours") == [second]
    assert found(decision_status="resolved") == found(query="postgresql") == [first]
    assert problems(api.get("decisions", decision_status="x")) == ["decision_status"]


def test_the_list_is_narrowed_by_the_status_and_the_date_that_clients_name() -> None:
    api = Api(ann())
    first = asked(api, due_at="2030-01-01T00:00:00Z")
    second = asked(api, due_at="2031-01-01T00:00:00+01:00")
    third = asked(api)
    assert (first["item_kind"], first["item_status"], first["due_at"]) == ("decision", "open", "2030-01-01T00:00:00Z")
    assert (second["due_at"], third["due_at"]) == ("2030-12-31T23:00:00Z", None)
    made = api.post(f"decisions/{first['id']}/resolve", {"resolution": "PostgreSQL"}).json()
    assert (made["item_status"], made["due_at"]) == ("resolved", first["due_at"])

    def found(**query: Any) -> list[str]:
        return [one["id"] for one in api.get("decisions", bucket="work", limit=20, **query).json()["decisions"]]

    assert found(item_status="open") == [third["id"], second["id"]]
    assert found(item_status="resolved") == [first["id"]] and len(found(item_status="%")) == 3
    assert found(due_before="2030-06-01T00:00:00Z") == [first["id"]]
    assert found(due_before="2040-01-01T00:00:00Z", item_status="open") == [second["id"]]
    assert found(due_before="2030-01-01T00:00:00Z") == []
    for wrong in ({"item_status": "done"}, {"due_before": "soon"}, {"due_before": "1700-01-01T00:00:00Z"}):
        assert problems(api.get("decisions", **wrong)) == list(wrong)
    before = rows()
    assert problems(api.post("decisions", {"context": "Which?", "due_at": "soon"})) == ["due_at"]
    assert rows() == before


def test_a_date_travels_with_its_decision_and_stands_on_its_page() -> None:
    key = asked(Api(ann()), due_at="2030-01-01T12:00:00Z")["id"]
    lines = Api(ann()).post("export", {"kinds": ["decision"]}).json()["jsonl"]
    Api(bob()).post("import", {"text": lines})
    assert Decision.objects.get(owner=bob()).due_at == Decision.objects.get(pk=key).due_at
    assert "2030" in signed_in(ann()).get(f"/decisions/{key}").content.decode()


def test_forgetting_hides_it_and_restoring_brings_it_back() -> None:
    api = Api(ann())
    key = asked(api)["id"]
    assert api.post(f"memories/{key}/forget").json()["kind"] == "decision"
    assert api.get("decisions").json()["total"] == 0 and api.get(f"decisions/{key}").status_code == 404
    assert api.post(f"decisions/{key}/resolve", {"resolution": "a"}).status_code == 409
    api.post(f"memories/{key}/restore")
    assert api.get("decisions").json()["total"] == 1


def test_strangers_cannot_tell_anothers_from_none_and_the_team_decides() -> None:
    atlas = team("Atlas", ann="member", bea="member")
    private, shared = asked(Api(ann()))["id"], asked(Api(ann()), team_id=str(atlas.pk))["id"]
    stranger = Api(bob())
    before = rows()
    for key in (private, shared, "01a22ca2-8482-7386-8256-67939b2aa67b"):
        assert stranger.get(f"decisions/{key}").status_code == 404
        assert stranger.post(f"decisions/{key}/resolve", {"resolution": "a"}).status_code == 404
    assert rows() == before
    assert Api(bea()).post(f"decisions/{shared}/resolve", {"resolution": "a"}).status_code == 200
    assert Api(bea()).post(f"decisions/{private}/resolve", {"resolution": "a"}).status_code == 404


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"context": ""}, "context"),
        ({"context": None}, "context"),
        ({"context": "a\0"}, "context"),
        ({"options": "yes"}, "options"),
        ({"options": [1]}, "options"),
        ({"options": [" "]}, "options"),
        ({"options": ["x" * 2001]}, "options"),
        ({"options": ["x"] * 51}, "options"),
        ({"bucket": ""}, "bucket"),
    ],
)
def test_bad_input_is_named_and_stores_nothing(fields: dict[str, Any], named: str) -> None:
    assert problems(Api(ann()).post("decisions", {"context": "a", **fields})) == [named]
    assert not Decision.objects.exists()


@pytest.mark.parametrize("body", [{}, {"resolution": " "}, {"resolution": 5}, {"resolution": "x" * 16_001}])
def test_a_resolution_says_something(body: dict[str, Any]) -> None:
    api = Api(ann())
    key = asked(api)["id"]
    assert problems(api.post(f"decisions/{key}/resolve", body)) == ["resolution"]
    assert api.post(f"decisions/{key}/resolve", {"resolution": "a"}, If_Match='"2"').status_code == 412


def test_reading_and_writing_need_their_scopes() -> None:
    reader = Api(ann(), scopes=["memory:read"])
    assert reader.post("decisions", {"context": "a"}).status_code == 403
    assert Api(ann(), scopes=["memory:write"]).get("decisions").status_code == 403
