"""The list of memories over the API, and its filters."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from memories.models import Memory
from tests.memories.api_client import Api, problems
from tests.memories.factories import ann, bob, memory, team

pytestmark = pytest.mark.django_db


def listed(**query: Any) -> list[str]:
    body = Api(ann()).get("memories", **query).json()
    assert body["total"] == len(body["memories"])
    return sorted(one["content"] for one in body["memories"])


@pytest.fixture
def four() -> list[Memory]:
    return [
        memory(ann(), "a", bucket="work", scope="s", path="p/a"),
        memory(ann(), "b", bucket="home", memory_type="episodic", path="p_a"),
        memory(ann(), "c", bucket="h_me", path="q"),
        memory(bob(), "d", bucket="home", scope="s"),
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"bucket": "home"}, ["b"]),
        ({"bucket": "%"}, ["a", "b", "c"]),
        ({"bucket": "ho%"}, ["b"]),
        ({"scope": "s"}, ["a"]),
        ({"scope": "%"}, []),
        ({"memory_type": "episodic"}, ["b"]),
        ({"path": "p%"}, ["a", "b"]),
        ({"path": "p/%", "bucket": "work"}, ["a"]),
        ({"bucket": "nowhere"}, []),
        ({"bucket": "", "scope": ""}, ["a", "b", "c"]),
    ],
)
def test_each_filter_narrows(four: list[Memory], query: dict[str, str], expected: list[str]) -> None:
    assert listed(**query) == expected


def test_the_total_counts_what_the_filters_let_through() -> None:
    for number in range(30):
        memory(ann(), f"{number}", bucket="home" if number % 10 == 0 else "work")
    body = Api(ann()).get("memories", bucket="home", limit=2).json()
    assert (len(body["memories"]), body["total"]) == (2, 3)


def test_a_team_narrows_and_a_foreign_one_is_forbidden(four: list[Memory]) -> None:
    atlas, boreas = team("Atlas", ann="member"), team("Boreas", bob="member")
    memory(ann(), "e", team=atlas)
    assert listed(team_id=str(atlas.pk)) == ["e"]
    for foreign in (boreas.pk, uuid4(), ann().pk, "%"):
        assert Api(ann()).get("memories", team_id=str(foreign)).status_code == 403


@pytest.mark.parametrize("query", [{"memory_type": "odd"}, {"path": "%" * 21}, {"bucket": "x" * 201}])
def test_a_filter_that_cannot_be_is_refused(query: dict[str, str]) -> None:
    assert problems(Api(ann()).get("memories", **query)) == list(query)
