"""An import by a token with bounds, or by somebody who left a team: what they do not see neither shows nor stops it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memories.models import Membership, Memory, Todo
from tests.memories.api_client import ALL, Api
from tests.memories.factories import ann, memory, team

pytestmark = pytest.mark.django_db

ROW = {
    "content": "The key is under the mat",
    "source": "graph",
    "source_id": "a1",
    "path": "shed/keys",
    "bucket": "work",
}
BOUNDS: dict[str, dict[str, Any]] = {
    "a path": {"path_prefix": "shed"},
    "a bucket": {"buckets": ["work"]},
    "an agent": {"agent_id": "helper"},
}


def brought(api: Api, *, dry_run: bool = False, **row: Any) -> tuple[int, int]:
    sent = {"format": "memory-console", "text": json.dumps(ROW | row), "dry_run": dry_run}
    told = api.post("import", sent)
    assert told.status_code == 200, told.content
    return told.json()["imported"], told.json()["known"]


def hide(kind: str = "memory") -> None:
    assert brought(Api(ann(), scopes=ALL), kind=kind, path="home", bucket="private") == (1, 0)


@pytest.mark.parametrize("name", BOUNDS)
@pytest.mark.parametrize("kind", ["memory", "todo"])
def test_a_bound_token_brings_what_is_taken_out_of_its_sight_once(name: str, kind: str) -> None:
    api = Api(ann(), scopes=ALL, **BOUNDS[name])
    hide(kind)
    assert brought(api, dry_run=True, kind=kind) == (1, 0)
    assert brought(api, kind=kind) == (1, 0)
    assert brought(api, kind=kind) == brought(api, dry_run=True, kind=kind) == (0, 1)


def test_a_token_of_a_team_brings_what_its_person_has_in_private() -> None:
    atlas = team("Atlas", ann="member")
    api = Api(ann(), scopes=ALL, team=atlas)
    hide()
    assert brought(api, dry_run=True) == brought(api) == (1, 0)
    assert brought(api) == (0, 1)
    assert Memory.objects.filter(team=atlas).count() == 1


def test_who_left_a_team_brings_again_what_they_brought_there() -> None:
    atlas = team("Atlas", ann="member")
    memory(ann(), "of the team", team=atlas, source="graph", source_id="a1")
    Membership.objects.filter(team=atlas).delete()
    assert brought(Api(ann(), scopes=ALL)) == (1, 0)
    assert brought(Api(ann(), scopes=ALL)) == (0, 1)


@pytest.mark.parametrize("kind", ["memory", "todo"])
def test_a_token_of_an_agent_brings_nothing_in_the_name_of_another(kind: str) -> None:
    api = Api(ann(), scopes=ALL, agent_id="helper")
    assert brought(api, kind=kind, agent_id="another") == (1, 0)
    [made] = (Memory if kind == "memory" else Todo).objects.all()
    assert made.agent_id == "helper"
