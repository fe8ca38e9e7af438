"""The audit over the API."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memories.models import AuditRecord
from tests.memories.api_client import Api, code, problems
from tests.memories.factories import ann, bea, bob, memory, team

pytestmark = pytest.mark.django_db

PATHS = ["audit/events", "audit/consolidation"]


def test_events_are_the_newest_first_with_their_target() -> None:
    one, api = memory(ann(), "Tea."), Api(ann())
    api.post(f"memories/{one.pk}/forget", {"reason": "wrong"})
    api.post(f"memories/{one.pk}/restore")
    events = api.get("audit/events").json()["events"]
    assert [(line["action"], line["target_id"]) for line in events] == [
        ("memory.restore", str(one.pk)),
        ("memory.forget", str(one.pk)),
    ]
    assert (events[1]["reason"], events[1]["actor"], events[1]["channel"]) == ("wrong", "ann", "api")
    assert {"id", "created_at", "seq", "audit_id"} < set(events[0])


def test_events_are_filtered_by_action_target_and_page() -> None:
    one, two, api = memory(ann(), "Tea."), memory(ann(), "Coffee."), Api(ann())
    for record in (one, two):
        api.post(f"memories/{record.pk}/forget")
    api.post(f"memories/{one.pk}/restore")
    count = lambda **query: len(api.get("audit/events", **query).json()["events"])  # noqa: E731
    assert [count(action=name) for name in ("%", "memory.%", "memory.forget", "nothing")] == [3, 3, 2, 0]
    assert [count(target_id=str(record.pk)) for record in (one, two)] == [2, 1]
    assert [count(limit=2), count(limit=2, offset=2)] == [2, 1]


def test_since_is_in_the_range_and_until_is_not() -> None:
    one, api = memory(ann(), "Tea."), Api(ann())
    api.post(f"memories/{one.pk}/forget")
    at = AuditRecord.objects.get().at
    found = lambda **query: len(api.get("audit/events", **query).json()["events"])  # noqa: E731
    assert [found(since=at.isoformat()), found(until=at.isoformat())] == [1, 0]
    later = (at + timedelta(microseconds=1)).isoformat()
    assert [found(since=later), found(until=later)] == [0, 1]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"limit": 0}, "limit"),
    ({"limit": 501}, "limit"),
    ({"offset": -1}, "offset"),
    ({"since": "yesterday"}, "since"),
    ({"until": "2026-13-01"}, "until"),
    ({"since": "2026-01-02", "until": "2026-01-01"}, "until"),
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("query", "where"), WRONG)
def test_a_bad_filter_is_named(path: str, query: dict[str, Any], where: str) -> None:
    assert problems(Api(ann()).get(path, **query)) == [where]


def test_a_target_that_is_no_id_is_refused() -> None:
    answer = Api(ann()).get("audit/events", target_id="7")
    assert (answer.status_code, code(answer)) == (400, "invalid_memory_id")


def test_consolidation_takes_only_the_five_actions() -> None:
    api = Api(ann())
    assert api.get("audit/consolidation", action_type="%").json() == {"records": []}
    assert problems(api.get("audit/consolidation", action_type="polish")) == ["action_type"]


@pytest.mark.parametrize("path", PATHS)
def test_the_audit_takes_its_own_scope(path: str) -> None:
    answer = Api(ann(), scopes=["memory:read", "memory:write"]).get(path)
    assert (answer.status_code, answer.json()["detail"]["scope"]) == (403, "audit")


def test_a_stranger_sees_nothing_of_it_and_the_team_only_its_own() -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    private, shared, api = memory(ann(), "Tea."), memory(ann(), "Coffee.", team=atlas), Api(ann())
    for one in (private, shared):
        api.post(f"memories/{one.pk}/forget", {"reason": "Ann's reason"})
    targets = [[line["target_id"] for line in Api(who).get("audit/events").json()["events"]] for who in (bea(), bob())]
    assert targets == [[str(shared.pk)], []]
    assert Api(bob()).get("audit/events", target_id=str(private.pk)).json() == {"events": []}


def test_a_bound_token_sees_only_what_it_did_itself() -> None:
    mine, other = memory(ann(), "Tea.", bucket="work"), memory(ann(), "Coffee.", bucket="home")
    bound = Api(ann(), buckets=["work"])
    Api(ann()).post(f"memories/{other.pk}/forget")
    bound.post(f"memories/{mine.pk}/forget")
    assert [line["target_id"] for line in bound.get("audit/events").json()["events"]] == [str(mine.pk)]


def test_no_line_holds_content() -> None:
    api = Api(ann())
    key = api.post("remember", {"content": "canary-7f3a", "path": "p"}).json()["id"]
    api.patch(f"memories/{key}", {"content": "canary-7f3b"})
    assert b"canary" not in api.get("audit/events").content


def test_times_are_utc() -> None:
    one, api = memory(ann(), "Tea."), Api(ann())
    api.post(f"memories/{one.pk}/forget")
    assert api.get("audit/events").json()["events"][0]["created_at"].endswith("Z")
    assert AuditRecord.objects.get().at <= timezone.now()


def test_the_chains_of_the_callers_spaces_are_proven() -> None:
    team("Atlas", ann="member")
    memory(bob(), "Tea.")
    one = memory(ann(), "Tea.")
    Api(ann()).post(f"memories/{one.pk}/forget")
    body = Api(ann()).get("audit/verify").json()
    assert body["whole"] is True
    told = [(chain["lines"], chain["broken"]) for chain in body["chains"]]
    assert sorted(told, key=str) == [(0, None), (1, None)]


def test_a_token_of_a_part_of_a_space_cannot_prove_its_chain() -> None:
    answer = Api(ann(), scopes=["audit"], path_prefix="notes").get("audit/verify")
    assert answer.status_code == 403 and "bound to a part" in answer.json()["detail"]["message"]
    assert Api(ann(), scopes=["memory:read"]).get("audit/verify").json()["detail"]["scope"] == "audit"
