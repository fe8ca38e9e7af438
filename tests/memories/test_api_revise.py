"""Revising memories over the API."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from tests.memories.api_client import Api, problems, rows
from tests.memories.factories import ann, bob, memory, team, version

pytestmark = pytest.mark.django_db


def test_patch_changes_what_is_sent_and_keeps_the_version_before() -> None:
    one, api = memory(ann(), "Tuesdays.", path="a", importance=0.4), Api(ann())
    answer = api.patch(f"memories/{one.pk}", {"content": "Fridays.", "importance": 0.8, "unknown": 1})
    assert answer["ETag"] == '"2"'
    assert {name: answer.json()[name] for name in ("id", "content", "path", "importance")} == {
        "id": str(one.pk),
        "content": "Fridays.",
        "path": "a",
        "importance": 0.8,
    }
    assert [was["content"] for was in api.get(f"memories/{one.pk}/versions").json()["versions"]] == ["Tuesdays."]


def test_patch_honours_if_match() -> None:
    one, api = memory(ann(), "Tuesdays.", version=3), Api(ann())
    moved = [api.patch(f"memories/{one.pk}", {"content": "x"}, If_Match=tag).status_code for tag in ('"2"', "3", '"a"')]
    assert moved == [412, 412, 412]
    assert api.patch(f"memories/{one.pk}", {"content": "Fridays."}, If_Match='"3"').status_code == 200
    assert api.patch(f"memories/{one.pk}", {"content": "Sundays."}, If_Match="*").status_code == 200


def test_patch_without_if_match_is_accepted() -> None:
    one = memory(ann(), "Tuesdays.", version=3)
    assert Api(ann()).patch(f"memories/{one.pk}", {"path": "b"}).status_code == 200


def test_patch_merges_metadata_when_asked() -> None:
    one, api = memory(ann(), "x", metadata={"a": 1, "b": 1}), Api(ann())
    merged = api.patch(f"memories/{one.pk}", {"metadata": {"b": 2}, "merge_metadata": True}).json()["metadata"]
    replaced = api.patch(f"memories/{one.pk}", {"metadata": {"c": 3}}).json()["metadata"]
    assert (merged, replaced) == ({"a": 1, "b": 2}, {"c": 3})


def test_patch_leaves_scope_and_team_at_null_and_clears_an_empty_scope() -> None:
    one, api = memory(ann(), "x", scope="s", confidence=0.5), Api(ann())
    kept = api.patch(f"memories/{one.pk}", {"scope": None, "team_id": None}).json()
    cleared = api.patch(f"memories/{one.pk}", {"scope": "", "confidence": None}).json()
    assert (kept["scope"], kept["version"]) == ("s", 1)
    assert (cleared["scope"], cleared["confidence"]) == (None, None)


@pytest.mark.parametrize("field", [{"status": "deleted"}, {"status": "odd"}, {"content": ""}, {"bucket": 1}])
def test_patch_refuses_what_it_cannot_change(field: dict[str, Any]) -> None:
    one, api = memory(ann(), "x"), Api(ann())
    before = rows()
    assert problems(api.patch(f"memories/{one.pk}", field)) == list(field)
    assert rows() == before
    one.refresh_from_db()
    assert one.state.version == 1


def test_patch_sends_deletion_to_forget() -> None:
    answer = Api(ann()).patch(f"memories/{memory(ann(), 'x').pk}", {"status": "deleted"})
    assert "forget" in answer.json()["detail"][0]["msg"]


def test_patch_archives_and_reactivates() -> None:
    one, api = memory(ann(), "x"), Api(ann())
    stands = [api.patch(f"memories/{one.pk}", {"status": to}).json()["status"] for to in ("archived", "active")]
    assert stands == ["archived", "active"]


def test_patch_does_not_reactivate_what_the_clock_has_expired() -> None:
    one, api = memory(ann(), "x", expires_at=timezone.now() - timedelta(hours=1)), Api(ann())
    assert api.get(f"memories/{one.pk}").json()["status"] == "expired"
    assert problems(api.patch(f"memories/{one.pk}", {"status": "active"})) == ["status"]
    assert api.patch(f"memories/{one.pk}", {"status": "expired", "path": "p"}).json()["version"] == 2
    assert api.patch(f"memories/{one.pk}", {"status": "active", "expires_at": None}).json()["status"] == "active"


def test_patch_moves_to_a_team_and_an_empty_team_back() -> None:
    atlas, one, api = team("Atlas", ann="member"), memory(ann(), "x"), Api(ann())
    there = api.patch(f"memories/{one.pk}", {"team_id": str(atlas.pk)}).json()
    back = api.patch(f"memories/{one.pk}", {"team_id": ""}).json()
    assert (there["team_id"], back["team_id"], back["version"]) == (str(atlas.pk), None, 3)


@pytest.mark.parametrize("foreign", ["stranger", "none", "own"])
def test_patch_moves_to_no_foreign_team(foreign: str) -> None:
    ids = {"stranger": team("Boreas", bob="admin").pk, "none": uuid4(), "own": ann().pk}
    one, api = memory(ann(), "x"), Api(ann())
    before = rows()
    assert api.patch(f"memories/{one.pk}", {"team_id": str(ids[foreign])}).status_code == 403
    assert rows() == before


def test_patch_tolerates_the_status_the_memory_has() -> None:
    one = memory(ann(), "x")
    assert Api(ann()).patch(f"memories/{one.pk}", {"status": "active", "path": "p"}).json()["version"] == 2


def test_owner_and_version_are_not_assigned_from_outside() -> None:
    one, stranger = memory(ann(), "x"), bob()
    body = Api(ann()).patch(f"memories/{one.pk}", {"owner_id": str(stranger.pk), "version": 9, "path": "p"}).json()
    assert (body["owner_id"], body["version"]) == (str(ann().pk), 2)


def test_versions_come_a_page_at_a_time() -> None:
    one = memory(ann(), "Now.")
    for number in range(1, 61):
        version(one, number, f"Before {number}.")
    api, path = Api(ann()), f"memories/{one.pk}/versions"
    body = api.get(path).json()
    assert (len(body["versions"]), body["versions"][0]["version"], body["total"]) == (50, 60, 60)
    assert [was["version"] for was in api.get(path, offset=50, limit=3).json()["versions"]] == [10, 9, 8]
    assert problems(api.get(path, limit=0, offset=-1)) == ["limit", "offset"]


def test_versions_tell_who_replaced_what_and_why() -> None:
    one = memory(ann(), "third", version=3)
    version(one, 1, "first")
    version(one, 2, "second")
    body = Api(ann()).get(f"memories/{one.pk}/versions").json()
    assert [(was["version"], was["content"], was["replaced_by"]) for was in body["versions"]] == [
        (2, "second", "ann"),
        (1, "first", "ann"),
    ]


def test_a_version_is_reverted_to() -> None:
    one, api = memory(ann(), "Tuesdays.", path="a"), Api(ann())
    api.patch(f"memories/{one.pk}", {"content": "Fridays.", "path": "b"})
    stale = api.post(f"memories/{one.pk}/versions/1/revert", {}, If_Match='"1"')
    answer = api.post(f"memories/{one.pk}/versions/1/revert", {"reason": "was right"}, If_Match='"2"')
    assert (stale.status_code, answer.status_code, answer["ETag"]) == (412, 200, '"3"')
    assert (answer.json()["content"], answer.json()["path"]) == ("Tuesdays.", "a")
    assert len(api.get(f"memories/{one.pk}/versions").json()["versions"]) == 2


def test_a_version_that_is_not_there_and_a_stranger_revert_nothing() -> None:
    one = memory(ann(), "Tuesdays.", version=2)
    version(one, 1, "Mondays.")
    assert Api(ann()).post(f"memories/{one.pk}/versions/9/revert").status_code == 404
    assert Api(bob()).post(f"memories/{one.pk}/versions/1/revert").status_code == 404
    assert Api(ann(), scopes=["memory:read"]).post(f"memories/{one.pk}/versions/1/revert").status_code == 403
