"""Events of the timeline over the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from memories.models import Memory
from tests.memories.api_client import Api, problems
from tests.memories.factories import ann, bea, bob, memory, team

pytestmark = pytest.mark.django_db


def happened(api: Api, content: str = "Deployed.", **fields: Any) -> dict[str, Any]:
    answer = api.post("timeline/events", {"content": content, **fields})
    assert answer.status_code == 200, answer.content
    return answer.json()


def contents(api: Api, **query: Any) -> list[str]:
    return [event["content"] for event in api.get("timeline", **query).json()["events"]]


def test_an_event_has_the_shape_of_the_contract() -> None:
    body = happened(
        Api(ann()), event_type="deploy", occurred_at="2026-11-30T10:00:00+01:00", session_id="s1", importance=0.8
    )
    event = Memory.objects.get()
    assert body["id"] == body["memory_id"] == body["event"]["id"] == str(event.pk)
    said = {name: body["event"][name] for name in ("event_type", "occurred_at", "session_id", "importance")}
    assert said == {
        "event_type": "deploy",
        "occurred_at": "2026-11-30T09:00:00Z",
        "session_id": "s1",
        "importance": 0.8,
    }
    assert (event.memory_type, event.path, event.state.base) == ("episodic", "timeline", 0.8)


def test_without_a_time_it_happened_now() -> None:
    happened(Api(ann()))
    event = Memory.objects.get()
    assert event.event_type == "event" and abs((timezone.now() - event.occurred_at).total_seconds()) < 30


def test_the_latest_come_first_within_a_half_open_range() -> None:
    api = Api(ann())
    for day in (1, 3, 2):
        happened(api, f"day {day}", occurred_at=f"2026-11-0{day}T00:00:00Z")
    memory(ann(), "no event")
    assert contents(api) == ["day 3", "day 2", "day 1"]
    assert contents(api, since="2026-11-02", until="2026-11-03T00:00:00Z") == ["day 2"]
    assert contents(api, limit=1) == ["day 3"] and contents(api, limit=1, offset=2) == ["day 1"]
    assert api.get("timeline", limit=1).json()["total"] == 3


def test_filters_narrow_by_type_session_and_place() -> None:
    api = Api(ann())
    happened(api, "a", event_type="deploy", session_id="s1")
    happened(api, "b", bucket="home", scope="s")
    assert contents(api, type="deploy") == contents(api, event_type="deploy") == contents(api, session_id="s1") == ["a"]
    assert contents(api, bucket="ho%") == contents(api, scope="s") == ["b"]
    assert contents(api, type="%", session_id="none") == []


def test_what_is_forgotten_or_expired_happened_no_more() -> None:
    api = Api(ann())
    key = happened(api)["id"]
    api.post(f"memories/{key}/forget")
    assert contents(api) == []
    api.post(f"memories/{key}/restore")
    assert contents(api) == ["Deployed."]
    Memory.objects.update(expires_at=timezone.now())
    assert contents(api) == []


def test_events_stay_inside_their_boundary() -> None:
    atlas = team("Atlas", ann="member", bea="member")
    happened(Api(ann()), "private")
    happened(Api(ann()), "shared", team_id=str(atlas.pk))
    assert contents(Api(bea())) == ["shared"] and contents(Api(bob())) == []
    assert Api(bob()).get("timeline", team_id=str(atlas.pk)).status_code == 403
    assert Api(bob()).post("timeline/events", {"content": "x", "team_id": str(atlas.pk)}).status_code == 403
    bound = Api(ann(), buckets=["home"], path_prefix="p")
    happened(bound, "inside")
    assert contents(bound) == ["inside"] and Memory.objects.get(content="inside").path == "p/timeline"


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({}, "content"),
        ({"content": ""}, "content"),
        ({"content": "a", "event_type": ""}, "event_type"),
        ({"content": "a", "event_type": "x" * 51}, "event_type"),
        ({"content": "a", "occurred_at": "yesterday"}, "occurred_at"),
        ({"content": "a", "occurred_at": "9999-12-31T23:59:59Z"}, "occurred_at"),
        ({"content": "a", "importance": 1.5}, "importance"),
        ({"content": "a", "session_id": 5}, "session"),
        ({"content": "a", "metadata": []}, "metadata"),
        ({"content": "a\0"}, "content"),
    ],
)
def test_bad_input_is_named_and_stores_nothing(fields: dict[str, Any], named: str) -> None:
    assert problems(Api(ann()).post("timeline/events", fields)) == [named]
    assert not Memory.objects.exists()


@pytest.mark.parametrize(
    "query", [{"since": "x"}, {"until": "2026-01-01", "since": "2026-01-01"}, {"limit": 501}, {"event_type": "x" * 201}]
)
def test_bad_filters_are_named(query: dict[str, Any]) -> None:
    assert problems(Api(ann()).get("timeline", **query)) == [next(iter(query))]


def test_reading_and_writing_need_their_scopes() -> None:
    assert Api(ann(), scopes=["memory:write"]).get("timeline").status_code == 403
    assert Api(ann(), scopes=["memory:read"]).post("timeline/events", {"content": "a"}).status_code == 403
