"""Runs that are confirmed item by item: a thin face over passes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from memories.models import MemoryState
from reflection.models import Approval, ReflectPass
from reflection.services import policies
from tests.memories.api_client import ALL, Api, code, problems
from tests.memories.factories import actor, ann, bob, team
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


def test_a_run_past_its_time_is_over_before_the_sweep_comes_by() -> None:
    life.fill(ann())
    api = Api(ann())
    run = api.post(RUNS, {"actions_csv": "expire"}).json()
    now = datetime.now(UTC)
    ReflectPass.objects.update(planned_at=now - timedelta(days=2), expires_at=now - timedelta(days=1))
    found = api.get(f"{RUNS}/{run['run_id']}").json()
    assert (found["status"], found["run"]["status"]) == ("expired", "cancelled")


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


def clients_confirm(run: dict[str, Any], **more: Any) -> dict[str, Any]:
    """What a client sends that has read `run`."""
    seen = run["run"]
    return {
        "item_id": run["items"][0]["id"],
        "expected_run_version": str(seen["confirmation_version"]),
        "expected_settings_version": seen["settings_version"],
        **more,
    }


def test_a_client_previews_some_days_reads_the_run_and_confirms_what_it_saw() -> None:
    life.fill(ann())
    api = Api(ann(), "/api/v1/")
    settings = api.get("me/dream/settings").json()
    assert (settings["enabled"], settings["mode"]) == (True, "confirm_each_run")
    assert settings["entitlement"] == {"can_preview": True, "can_apply": True}
    made = api.post(RUNS, {"window_days": 7, "idempotency_key": "k"}).json()
    since, until = (datetime.fromisoformat(made["filters"][name]) for name in ("since", "until"))
    assert until - since == timedelta(days=7)
    shown = api.get(f"{RUNS}/{made['run']['run_id']}").json()
    assert shown["run"] == made["run"] and (shown["run"]["status"], shown["run"]["settings_version"]) == (
        "succeeded",
        1,
    )
    done = api.post(f"{RUNS}/{made['run']['id']}/confirm", clients_confirm(shown)).json()
    assert (done["status"], done["run"]["status"], done["run"]["confirmation_version"]) == ("applied", "succeeded", "3")


@pytest.mark.parametrize("days", [0, 366, -1, 1.5, True, "soon", [7]])
def test_days_outside_a_year_are_refused(days: object) -> None:
    assert problems(Api(ann()).post(RUNS, {"window_days": days})) == ["window_days"]
    both = {"window_days": 7, "time_window_hours": 24}
    assert problems(Api(ann()).post(RUNS, both)) == ["window_days"]
    assert not ReflectPass.objects.exists()


def test_an_item_is_not_applied_under_settings_that_changed_since_it_was_seen() -> None:
    life.fill(ann())
    api = Api(ann())
    run = api.post(RUNS, {"actions_csv": "expire"}).json()
    address = f"{RUNS}/{run['run_id']}/confirm"
    policies.adopt(space_id=ann().pk, given={"decay_step": 0.5}, seen_version=1, actor=actor(ann()))
    assert code(api.post(address, clients_confirm(run))) == "stale"
    assert ReflectPass.objects.get(pk=run["run_id"]).status == "planned"
    assert api.post(address, clients_confirm(run, expected_settings_version=2)).status_code == 200


def test_the_team_in_the_address_is_the_space_of_runs_and_settings() -> None:
    group = team("Atlas", ann="admin")
    api, theirs = Api(ann(), scopes=[*ALL, "admin"]), {"team_id": str(group.pk)}
    life.fill(ann())
    run = api.call("POST", f"/v1/{RUNS}", {}, theirs).json()
    assert run["filters"]["team_id"] == str(group.pk) and run["items"] == []
    assert api.get(f"{RUNS}/{run['run_id']}", **theirs).status_code == 200
    own = api.post(RUNS, {"actions_csv": "expire"}).json()
    assert api.get(f"{RUNS}/{own['run_id']}", **theirs).status_code == 404
    confirmed = api.call("POST", f"/v1/{RUNS}/{own['run_id']}/confirm", clients_confirm(own), theirs)
    assert confirmed.status_code == 404 and ReflectPass.objects.get(pk=own["run_id"]).status == "planned"
    assert api.get("me/dream/settings", **theirs).json()["settings"]["approval"] == "required"
    changed = {"settings": {"decay_step": 0.5}}
    assert api.call("POST", "/v1/me/dream/settings", changed, theirs).json()["version"] == 2
    assert api.get("me/dream/settings").json()["version"] == 1
    other = {"team_id": str(team("Borealis", ann="admin").pk)}
    assert problems(api.call("POST", f"/v1/{RUNS}", other, theirs)) == ["team_id"]


@pytest.mark.parametrize("foreign", ["of others", "01a22ca2-8482-7386-8256-67939b2aa67b", "no id"])
def test_a_foreign_team_in_the_address_is_refused_everywhere(foreign: str) -> None:
    named = str(team("Atlas", bob="admin").pk) if foreign == "of others" else foreign
    life.fill(ann())
    api = Api(ann(), scopes=[*ALL, "admin"])
    run = api.post(RUNS, {"actions_csv": "expire"}).json()
    asked = (
        ("GET", "me/dream/settings", None),
        ("POST", "me/dream/settings", {"settings": {"decay_step": 0.5}}),
        ("POST", RUNS, {}),
        ("GET", f"{RUNS}/{run['run_id']}", None),
        ("POST", f"{RUNS}/{run['run_id']}/confirm", clients_confirm(run)),
    )
    for verb, path, body in asked:
        assert api.call(verb, f"/v1/{path}", body, {"team_id": named}).status_code == 403, (verb, path)
    assert ReflectPass.objects.count() == 1 and api.get("me/dream/settings").json()["version"] == 1
