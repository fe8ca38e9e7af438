"""Counts of memories over the API: what is counted, in which groups, and for whom."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.memories.api_client import Api, problems
from tests.memories.factories import ann, bob, memory, team

pytestmark = pytest.mark.django_db
DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)


def filled() -> None:
    memory(ann(), "one", path="a/b", metadata={"speaker": "Cy"}, created_at=DAY)
    memory(ann(), "two", path="a", memory_type="episodic", metadata={"speaker": "Di"}, bucket="home")
    memory(ann(), "three", path="a", status="archived")
    memory(ann(), "four", path="z", expires_at=DAY)
    memory(ann(), "gone", status="deleted")
    memory(bob(), "of another")


@pytest.mark.parametrize("prefix", ["/v1/", "/api/v1/"])
def test_counts_by_type_status_and_bucket_leave_the_trash_and_strangers_out(prefix: str) -> None:
    filled()
    found = Api(ann(), prefix).get("memories/stats").json()
    assert (found["total_count"], found["filtered_count"], found["scanned_count"]) == (4, 4, 4)
    assert found["type_counts"] == {"semantic": 3, "episodic": 1}
    assert found["status_counts"] == {"active": 2, "archived": 1, "expired": 1}
    assert found["bucket_counts"] == {"work": 3, "home": 1}
    assert found["latest_at"].startswith("2026-03-01") and found["oldest_at"].startswith("2024") and not found["groups"]


@pytest.mark.parametrize(
    ("name", "groups"),
    [
        ("path", {"a": 2, "a/b": 1, "z": 1}),
        ("type", {"semantic": 3, "episodic": 1}),
        ("status", {"active": 2, "archived": 1, "expired": 1}),
        ("bucket", {"work": 3, "home": 1}),
        ("source", {"": 4}),
        ("day", {"2024-01-01": 3, "2026-03-01": 1}),
        ("metadata:speaker", {None: 2, "Cy": 1, "Di": 1}),
    ],
)
def test_groups_add_up(name: str, groups: dict[str, int]) -> None:
    filled()
    found = Api(ann()).get("memories/stats", group_by=name).json()["groups"]
    assert {one["value"]: one["count"] for one in found} == groups
    assert all((one["by"], one["group_by"]) == (name, {name: one["value"]}) for one in found)
    assert [one["count"] for one in found] == sorted((one["count"] for one in found), reverse=True)


def test_filters_narrow_and_top_n_cuts_each_grouping() -> None:
    filled()
    api = Api(ann())
    assert api.get("memories/stats", path_prefix="a").json()["filtered_count"] == 3
    assert api.get("memories/stats", memory_type="episodic").json()["filtered_count"] == 1
    assert api.get("memories/stats", since="2026-01-01T00:00:00Z").json()["filtered_count"] == 1
    found = api.get("memories/stats", group_by="path,type,path", top_n=1).json()["groups"]
    assert [one["group_by"] for one in found] == [{"path": "a"}, {"type": "semantic"}]


def test_a_source_narrows_and_what_is_not_known_is_ignored() -> None:
    api = Api(ann())
    for number, source in enumerate(("hermes", "hermes", "other")):
        api.post("remember", {"content": f"The zebra {number} waits.", "path": "p", "source": source})
    assert api.get("memories/stats", source="hermes", colour="red").json()["filtered_count"] == 2
    assert api.get("memories/stats", source="%").json()["filtered_count"] == 3


def test_wrong_input_is_refused_by_name() -> None:
    api = Api(ann())
    assert problems(api.get("memories/stats", group_by="colour")) == ["group_by"]
    assert problems(api.get("memories/stats", group_by="metadata:")) == ["group_by"]
    assert problems(api.get("memories/stats", top_n=201)) == ["top_n"]
    assert problems(api.get("memories/stats", source=" ")) == ["source"]
    assert api.get("memories/stats", team_id=str(team("Atlas", bob="admin").pk)).status_code == 403
    assert Api(ann(), scopes=["memory:write"]).get("memories/stats").status_code == 403


def test_a_bounded_token_counts_what_it_may_see() -> None:
    filled()
    found = Api(ann(), buckets=["home"]).get("memories/stats", group_by="path").json()
    assert (found["total_count"], [one["value"] for one in found["groups"]]) == (1, ["a"])
