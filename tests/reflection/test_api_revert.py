"""Over the API a token may propose to take back what a token wrote; a person decides."""

from __future__ import annotations

import pytest

from memories.models import Memory
from reflection.services.revert import NOTHING
from tests.memories import factories
from tests.memories.api_client import Api, problems
from tests.reflection import life, token_writes

pytestmark = pytest.mark.django_db


@pytest.fixture
def at():
    return token_writes.scene()


def test_a_revert_is_planned_and_waits_for_a_person(at):
    made = token_writes.spoil(at)
    answer = Api(factories.ann()).post("passes/revert", at.asked())
    found = answer.json()
    assert answer.status_code == 202
    assert (found["kind"], found["status"]) == ("revert", "awaiting_approval")
    assert found["reversal_counts"] == {"reverted": 4, "trashed": 1}
    assert found["counts"] == dict.fromkeys(("summarized", "promoted", "expired", "decayed", "archived"), 0)
    assert found["trashed"][0]["memory_id"] == str(made.pk)
    assert Memory.objects.get(pk=made.pk).state.status == "active"


def test_it_is_listed_and_its_candidates_are_read_like_any_pass_s(at):
    token_writes.spoil(at)
    api = Api(factories.ann())
    key = api.post("passes/revert", at.asked()).json()["pass_id"]
    assert [one["id"] for one in api.get("passes", status="awaiting_approval").json()["passes"]] == [key]
    assert len(api.get(f"passes/{key}/candidates").json()["candidates"]) == 5


def test_what_it_wrote_is_in_the_consolidation_audit(at):
    token_writes.spoil(at)
    life.applied(at.plan(), at.ann)
    api = Api(factories.ann(), scopes=["audit"])
    for action, count in (("revert", 4), ("trash", 1), ("archive", 0)):
        assert len(api.get("audit/consolidation", action_type=action).json()["records"]) == count


@pytest.mark.parametrize("scopes", [["memory:read"], ["audit"]])
def test_it_takes_the_right_to_write(at, scopes):
    answer = Api(factories.ann(), scopes=scopes).post("passes/revert", at.asked())
    assert answer.status_code == 403 and answer.json()["detail"]["scope"] == "memory:write"


def test_bad_parameters_are_named_all_at_once(at):
    answer = Api(factories.ann()).post("passes/revert", {"token": 7, "since": "x", "limit": "many", "color": "red"})
    assert answer.status_code == 422
    assert set(problems(answer)) == {"token", "since", "limit", "color"}


def test_the_token_of_a_stranger_is_not_found(at):
    assert Api(factories.bob()).post("passes/revert", at.asked()).status_code == 404


def test_a_pass_is_undone_in_part_by_a_person_alone(at):
    token_writes.spoil(at)
    done = life.applied(at.plan(), at.ann)
    keys = [str(one.pk) for one in life.candidates(done)]
    for body in ({"candidates": keys[:1]}, {"exclude": keys[:1]}, {}):
        assert Api(factories.ann()).post(f"passes/{done.pk}/rollback", body).status_code == 403
    assert problems(Api(factories.ann()).post(f"passes/{done.pk}/rollback", {"candidates": ["x"]})) == ["candidates"]


def test_where_nothing_stands_it_says_so_and_waits_for_nobody(at):
    answer = Api(factories.ann()).post("passes/revert", at.asked())
    found = answer.json()
    assert (answer.status_code, found["status"], found["reversal_counts"]) == (
        200,
        "planned",
        {"reverted": 0, "trashed": 0},
    )
    assert found["notes"] == [NOTHING]
    assert Api(factories.ann()).get("passes", status="awaiting_approval").json()["passes"] == []
