"""Passes and decisions over the API."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.utils import timezone

from memories.models import Team
from reflection import report
from reflection.models import ReflectPass
from reflection.services import decide
from tests.memories.api_client import Api, code, problems
from tests.memories.factories import actor, ann, bea, bob, team
from tests.reflection import life

pytestmark = pytest.mark.django_db


def team_plan() -> tuple[Team, dict[str, Any]]:
    """A pass over Ann's team that waits for a person."""
    atlas = team("Atlas", ann="admin", bea="reviewer", cleo="member")
    life.fill(ann(), team=atlas)
    return atlas, Api(ann()).post("reflect", {"team_id": str(atlas.pk)}).json()


def test_passes_are_listed_newest_first_in_pages() -> None:
    api = Api(ann())
    made = [api.post("reflect", {"dry_run": True}).json()["pass_id"] for _ in range(3)]
    first = api.get("passes", limit=2).json()
    rest = api.get("passes", limit=2, cursor=first["next_cursor"]).json()
    found = [one["id"] for page in (first, rest) for one in page["passes"]]
    assert found == made[::-1]
    assert rest["next_cursor"] is None
    assert {"status", "counts", "digest", "filters"} < set(first["passes"][0])


def test_passes_are_filtered_by_status() -> None:
    _, waiting = team_plan()
    api = Api(ann())
    dry = api.post("reflect", {"dry_run": True}).json()
    expected = {"awaiting_approval": {waiting["id"]}, "planned": {waiting["id"], dry["id"]}, "applied": set()}
    found = {name: {one["id"] for one in api.get("passes", status=name).json()["passes"]} for name in expected}
    assert found == expected


def test_json_and_text_say_alike_whether_it_is_a_dry_run_and_one_that_waits_has_written_nothing() -> None:
    atlas, waiting = team_plan()
    preview = Api(ann()).post("reflect", {"dry_run": True, "team_id": str(atlas.pk)}).json()
    assert (waiting["status"], waiting["dry_run"], dry(waiting)) == ("awaiting_approval", False, ("false", True))
    assert (preview["status"], preview["dry_run"], dry(preview)) == ("planned", True, ("true", False))
    life.approve(ReflectPass.objects.get(pk=waiting["id"]), actor(bea()))
    assert dry(waiting) == ("false", True)
    life.applied(ReflectPass.objects.get(pk=preview["id"]), actor(bea()))
    done = Api(ann()).get(f"passes/{preview['id']}").json()
    assert (done["status"], done["dry_run"], dry(preview)) == ("applied", False, ("false", False))


def dry(made: dict[str, Any]) -> tuple[str, bool]:
    """What the text of this report says of a dry run, and whether it says that nothing is written."""
    lines = report.as_text(ReflectPass.objects.get(pk=made["id"])).splitlines()
    return lines[1].removeprefix("- Dry Run: "), "- Written: nothing" in lines


def test_a_plan_past_its_time_is_listed_as_expired() -> None:
    api = Api(ann())
    made = api.post("reflect", {"dry_run": True}).json()
    now = timezone.now()
    ReflectPass.objects.update(planned_at=now - timedelta(days=2), expires_at=now - timedelta(days=1))
    (found,) = api.get("passes", status="expired").json()["passes"]
    assert (found["id"], found["status"]) == (made["id"], "expired")
    assert api.get(f"passes/{made['id']}").json()["status"] == "expired"


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ({"status": "done"}, "status"),
        ({"limit": "0"}, "limit"),
        ({"limit": "201"}, "limit"),
        ({"cursor": "7"}, "cursor"),
        ({"cursor": str(uuid4())}, "cursor"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_bad_filter_of_passes_is_named(query: dict[str, str], where: str) -> None:
    assert problems(Api(ann()).get("passes", **query)) == [where]


def test_one_pass_is_its_whole_report() -> None:
    life.fill(ann())
    api = Api(ann())
    made = api.post("reflect", {})
    assert api.get(f"passes/{made.json()['pass_id']}").json() == made.json()


def test_candidates_come_with_evidence_before_and_after_in_pages() -> None:
    life.fill(ann())
    api = Api(ann())
    made = api.post("reflect", {"dry_run": True}).json()
    first = api.get(f"passes/{made['id']}/candidates", limit=2).json()
    rest = api.get(f"passes/{made['id']}/candidates", cursor=first["next_cursor"]).json()
    found = first["candidates"] + rest["candidates"]
    assert len(first["candidates"]) == 2
    assert len(found) == sum(made["counts"].values())
    assert all({"evidence", "before", "after", "why", "outcome"} < set(one) for one in found)
    only = api.get(f"passes/{made['id']}/candidates", action="expire").json()["candidates"]
    assert [one["action"] for one in only] == ["expire"]


@pytest.mark.parametrize(("name", "value"), [("action", "polish"), ("limit", "501"), ("cursor", "-1"), ("x", "y")])
def test_a_bad_filter_of_candidates_is_named(name: str, value: str) -> None:
    api = Api(ann())
    made = api.post("reflect", {"dry_run": True}).json()
    assert problems(api.get(f"passes/{made['id']}/candidates", **{name: value})) == [name]


DECISIONS = ("approve", "reject", "rollback")


@pytest.mark.parametrize("verb", DECISIONS)
def test_a_token_decides_nothing(verb: str) -> None:
    _, made = team_plan()
    before = life.snapshot("reflection_reflectpass", "reflection_candidate", "memories_memorystate", without=())
    answer = Api(ann()).post(f"passes/{made['id']}/{verb}", {"digest": made["digest"], "exclude": []})
    assert (answer.status_code, code(answer)) == (403, "permission_denied")
    assert "person" in answer.json()["detail"]["message"]
    after = life.snapshot("reflection_reflectpass", "reflection_candidate", "memories_memorystate", without=())
    assert after == before


@pytest.mark.parametrize("verb", [*DECISIONS, "apply"])
@pytest.mark.parametrize(
    ("field", "value"),
    [("digest", 5), ("exclude", "all"), ("exclude", ["7"]), ("exclude", [5]), ("comment", []), ("force", True)],
)
def test_a_malformed_decision_is_named(verb: str, field: str, value: Any) -> None:
    made = Api(ann()).post("reflect", {"dry_run": True}).json()
    assert problems(Api(ann()).post(f"passes/{made['id']}/{verb}", {field: value})) == [field]


def test_apply_wants_an_approved_pass() -> None:
    _, made = team_plan()
    answer = Api(ann()).post(f"passes/{made['id']}/apply")
    assert (answer.status_code, code(answer), answer.json()["detail"]["status"]) == (409, "conflict", "planned")


def test_apply_wakes_the_worker_for_an_approved_pass(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    _, made = team_plan()
    life.approve(ReflectPass.objects.get(), actor(bea()))
    woken: list[Any] = []
    monkeypatch.setattr(decide, "wake", woken.append)
    with django_capture_on_commit_callbacks(execute=True):
        answer = Api(ann()).post(f"passes/{made['id']}/apply")
    assert (answer.status_code, answer.json()["status"]) == (202, "approved")
    assert [str(key) for key in woken] == [made["id"]]


def test_apply_takes_the_scope_to_write() -> None:
    _, made = team_plan()
    assert Api(ann(), scopes=["memory:read"]).post(f"passes/{made['id']}/apply").status_code == 403


def test_apply_returns_an_applied_pass_as_it_is() -> None:
    life.fill(ann())
    api = Api(ann())
    made = api.post("reflect", {}).json()
    before = life.snapshot(without=())
    answer = api.post(f"passes/{made['id']}/apply")
    assert (answer.status_code, answer.json()["status"]) == (200, "applied")
    assert life.snapshot(without=()) == before


PASS_ROUTES = [
    ("GET", ""),
    ("GET", "/candidates"),
    ("POST", "/approve"),
    ("POST", "/reject"),
    ("POST", "/apply"),
    ("POST", "/rollback"),
]


def ask(who: Api, verb: str, key: Any, tail: str) -> HttpResponse:
    return who.call(verb, f"passes/{key}{tail}", {} if verb == "POST" else None)


@pytest.mark.parametrize(("verb", "tail"), PASS_ROUTES)
def test_foreign_and_missing_passes_look_the_same(verb: str, tail: str) -> None:
    _, made = team_plan()
    stranger = Api(bob())
    answers = [ask(stranger, verb, key, tail) for key in (made["id"], uuid4())]
    assert [one.status_code for one in answers] == [404, 404]
    assert answers[0].content == answers[1].content


@pytest.mark.parametrize(("verb", "tail"), PASS_ROUTES)
@pytest.mark.parametrize("key", ["7", "new", "0" * 32])
def test_what_is_no_pass_id_is_said_to_be_none(verb: str, tail: str, key: str) -> None:
    answer = ask(Api(ann()), verb, key, tail)
    assert (answer.status_code, code(answer)) == (400, "invalid_memory_id")


def test_a_private_plan_is_not_even_listed_for_the_team() -> None:
    team("Atlas", ann="admin", bea="reviewer")
    life.fill(ann())
    made = Api(ann()).post("reflect", {"dry_run": True}).json()
    assert Api(bea()).get("passes").json()["passes"] == []
    assert Api(bea()).get(f"passes/{made['id']}").status_code == 404


def test_a_bound_token_sees_only_the_plans_it_made() -> None:
    life.fill(ann())
    made, bound = Api(ann()).post("reflect", {"dry_run": True}).json(), Api(ann(), buckets=["home"])
    own = bound.post("reflect", {"dry_run": True}).json()
    assert [one["id"] for one in bound.get("passes").json()["passes"]] == [own["id"]]
    assert bound.get(f"passes/{made['id']}").status_code == 404


@pytest.mark.parametrize("path", ["passes", "passes/{id}", "passes/{id}/candidates"])
def test_reading_passes_takes_the_scope_to_read(path: str) -> None:
    made = Api(ann()).post("reflect", {"dry_run": True}).json()
    answer = Api(ann(), scopes=["memory:write", "audit"]).get(path.format(id=made["id"]))
    assert (answer.status_code, answer.json()["detail"]["scope"]) == (403, "memory:read")


def test_consolidation_lists_what_a_pass_wrote() -> None:
    life.fill(ann())
    api = Api(ann())
    made = api.post("reflect", {}).json()
    records = api.get("audit/consolidation", limit=500).json()["records"]
    assert [one["id"] for one in records][::-1] == made["audit_record_ids"]
    assert {one["pass_id"] for one in records} == {made["id"]}
    decayed = api.get("audit/consolidation", action_type="decay", limit=500).json()["records"]
    assert {one["action_type"] for one in decayed} == {"decay"}
    assert len(decayed) == made["counts"]["decayed"]
    assert Api(bob()).get("audit/consolidation").json() == {"records": []}
