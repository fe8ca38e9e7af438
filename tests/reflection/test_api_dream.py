"""Runs that are confirmed item by item: a thin face over passes."""

from __future__ import annotations

from uuid import UUID

import pytest

from memories.models import MemoryState
from reflection.models import Approval, ReflectPass
from reflection.services import policies
from tests.memories.api_client import ALL, Api, code, problems
from tests.memories.factories import actor, ann, bob
from tests.reflection import life

pytestmark = pytest.mark.django_db
RUNS = "me/dream/runs"


@pytest.mark.parametrize("prefix", ["/v1/", "/api/v1/"])
def test_one_item_is_applied_and_the_others_are_left(prefix: str) -> None:
    kept = life.fill(ann())
    api = Api(ann(), prefix)
    run = api.post(RUNS, {"actions_csv": "expire,archive"}).json()
    assert (run["run_version"], run["dry_run"], run["needs_approval"]) == (1, True, False)
    item = next(one for one in run["items"] if one["action"] == "expire")
    answer = api.post(f"{RUNS}/{run['run_id']}/confirm", {"item_id": item["id"], "expected_run_version": 1})
    assert (answer.status_code, answer.json()["status"], answer.json()["run_version"]) == (200, "applied", 3)
    stands = {name: MemoryState.objects.get(pk=one.pk).status for name, one in kept.items()}
    assert stands["due"] == "expired" and stands["spent"] == "active"
    assert api.get(f"{RUNS}/{run['run_id']}").json()["run_version"] == 3


def test_a_run_that_moved_on_is_a_conflict_and_nothing_is_written_twice() -> None:
    life.fill(ann())
    api = Api(ann())
    run = api.post(RUNS, {"actions_csv": "expire,archive"}).json()
    first, second = run["items"][0]["id"], run["items"][1]["id"]
    address = f"{RUNS}/{run['run_id']}/confirm"
    assert api.post(address, {"item_id": first, "expected_run_version": 2}).status_code == 409
    assert api.post(address, {"item_id": first, "expected_run_version": 1}).status_code == 200
    assert code(api.post(address, {"item_id": second, "expected_run_version": 1})) == "stale"
    assert code(api.post(address, {"item_id": second, "expected_run_version": 3})) == "conflict"


def test_where_a_person_has_to_approve_nothing_is_written() -> None:
    life.fill(ann())
    policies.adopt(space_id=ann().pk, given={"approval": Approval.REQUIRED}, seen_version=1, actor=actor(ann()))
    api = Api(ann())
    run = api.post(RUNS, {"actions_csv": "expire"}).json()
    sent = {"item_id": run["items"][0]["id"], "expected_run_version": 1}
    answer = api.post(f"{RUNS}/{run['run_id']}/confirm", sent)
    assert (answer.status_code, answer.json()["status"]) == (202, "awaiting_approval")
    assert run["items"][0]["id"] in answer.json()["url"]
    assert ReflectPass.objects.get(pk=run["run_id"]).status == "planned"


def test_wrong_items_strangers_and_readers_are_refused() -> None:
    life.fill(ann())
    api = Api(ann())
    run = api.post(RUNS, {"actions_csv": "expire"}).json()
    address = f"{RUNS}/{run['run_id']}/confirm"
    assert problems(api.post(address, {"item_id": str(UUID(int=5)), "expected_run_version": 1})) == ["item_id"]
    assert problems(api.post(address, {"item_id": str(UUID(int=5))})) == ["expected_run_version"]
    assert problems(api.post(address, {"expected_run_version": 1})) == ["item_id"]
    good = {"item_id": run["items"][0]["id"], "expected_run_version": 1}
    assert Api(bob()).post(address, good).status_code == 404
    assert Api(ann(), scopes=["memory:read"]).post(address, good).status_code == 403


def test_settings_are_the_policy() -> None:
    api = Api(ann(), scopes=[*ALL, "admin"])
    shown = api.get("me/dream/settings").json()
    assert shown["version"] == 1 and shown["settings"]["approval"] == "not_required"
    changed = api.post("me/dream/settings", {"settings": {"decay_step": 0.5}, "expected_version": 1})
    assert (changed.json()["version"], changed.json()["settings"]["decay_step"]) == (2, 0.5)
    late = {"settings": {"decay_step": 0.2}, "expected_version": 1}
    assert api.post("me/dream/settings", late).status_code == 409
    assert problems(api.post("me/dream/settings", {"settings": {"colour": "red"}})) == ["colour"]
    assert Api(ann()).post("me/dream/settings", late).status_code == 403
