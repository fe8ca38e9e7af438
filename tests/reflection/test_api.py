"""reflect, passes and decisions over the API."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.utils import timezone

from memories.models import AuditRecord, Team
from reflection.models import ReflectPass
from reflection.services import decide
from reflection.states import Action
from tests.memories.api_client import Api, code, problems, rows
from tests.memories.factories import actor, ann, bea, bob, memory, team
from tests.reflection import life

pytestmark = pytest.mark.django_db

COUNTS = {"summarized", "promoted", "expired", "decayed", "archived"}
REPORT = {
    "dry_run",
    "actions",
    "filters",
    "summaries",
    "promotions",
    "lifecycle",
    "counts",
    "audit_record_ids",
    "pass_id",
    "status",
    "url",
    "boundary",
    "as_of",
    "limit",
    "skipped",
    "digest",
}


def team_plan() -> tuple[Team, dict[str, Any]]:
    """A pass over Ann's team that waits for a person."""
    atlas = team("Atlas", ann="admin", bea="reviewer", cleo="member")
    life.fill(ann(), team=atlas)
    return atlas, Api(ann()).post("reflect", {"team_id": str(atlas.pk)}).json()


@pytest.mark.parametrize("prefix", ["/v1/", "/api/v1/"])
def test_a_dry_run_writes_nothing_but_the_saved_plan(prefix: str) -> None:
    life.fill(ann())
    before = life.snapshot(without=())
    answer = Api(ann(), prefix, scopes=["memory:read"]).post("reflect", {"dry_run": True})
    body = answer.json()
    assert answer.status_code == 200
    assert set(body) >= REPORT
    assert (body["dry_run"], body["status"], body["audit_record_ids"]) == (True, "planned", [])
    assert set(body["counts"]) == COUNTS and all(body["counts"].values())
    assert life.snapshot(without=()) == before
    assert ReflectPass.objects.get().pk.hex == body["pass_id"].replace("-", "")
    assert set(AuditRecord.objects.values_list("action", flat=True)) == {"pass.plan"}


def test_a_run_over_own_records_is_applied_at_once_with_audit_ids() -> None:
    life.fill(ann())
    would = Api(ann()).post("reflect", {"dry_run": "true"}).json()["counts"]
    answer = Api(ann()).post("reflect", {})
    body = answer.json()
    assert (answer.status_code, body["status"], body["counts"]) == (200, "applied", would)
    lines = AuditRecord.objects.filter(action__startswith="reflect.").order_by("seq")
    assert body["audit_record_ids"] == [str(line.pk) for line in lines]
    assert len(body["audit_record_ids"]) == sum(would.values())


def test_a_run_over_team_records_waits_for_a_person_and_writes_nothing() -> None:
    atlas = team("Atlas", ann="admin")
    life.fill(ann(), team=atlas)
    before = life.snapshot(without=())
    answer = Api(ann()).post("reflect", {"team_id": str(atlas.pk)})
    body = answer.json()
    assert (answer.status_code, body["status"]) == (202, "awaiting_approval")
    assert body["url"] == f"{settings.CONSOLE_URL}/passes/{body['pass_id']}"
    assert all(body["counts"].values())
    assert life.snapshot(without=()) == before


def test_actions_come_as_a_list_or_as_words() -> None:
    api = Api(ann())
    asked: list[dict[str, Any]] = [
        {"actions": ["archive", "expire"]},
        {"actions_csv": " Archival, expiry ,archive"},
        {"actions": None, "actions_csv": "expire,archive"},
    ]
    found = [api.post("reflect", {"dry_run": True, **one}).json()["actions"] for one in asked]
    assert found == [["expire", "archive"]] * 3


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"actions_csv": "summarize,polish"}, "actions_csv"),
    ({"actions": ["polish"]}, "actions_csv"),
    ({"actions": []}, "actions_csv"),
    ({"actions": {}}, "actions_csv"),
    ({"dry_run": "maybe"}, "dry_run"),
    ({"dry_run": 1}, "dry_run"),
    ({"time_window_hours": 0}, "time_window_hours"),
    ({"time_window_hours": -1}, "time_window_hours"),
    ({"time_window_hours": "1e999"}, "time_window_hours"),
    ({"time_window_hours": 10**400}, "time_window_hours"),
    ({"since": "last week"}, "since"),
    ({"until": "2026-02-30"}, "until"),
    ({"since": "2026-03-02", "until": "2026-03-01"}, "until"),
    ({"limit": 0}, "limit"),
    ({"limit": -5}, "limit"),
    ({"limit": 1.5}, "limit"),
    ({"limit": True}, "limit"),
    ({"path_filter": 5}, "path_filter"),
    ({"path_filter": "%" * 21}, "path_filter"),
    ({"on_drift": "panic"}, "on_drift"),
    ({"scope": ["a"]}, "scope"),
    ({"scope": "a\0"}, "scope"),
    ({"bucket": "\ud800"}, "bucket"),
    ({"colour": "red"}, "colour"),
]


@pytest.mark.parametrize(("fault", "where"), WRONG)
def test_reflect_names_what_is_wrong_and_changes_nothing(fault: dict[str, Any], where: str) -> None:
    life.fill(ann())
    before, api = rows(), Api(ann())
    before["ApiToken"] += 1
    assert problems(api.post("reflect", fault)) == [where]
    assert rows() == before


def test_an_unknown_action_is_named_with_the_five() -> None:
    message = Api(ann()).post("reflect", {"actions_csv": "polish"}).json()["detail"][0]["msg"]
    assert "polish" in message
    assert all(action in message for action in Action)


@pytest.mark.parametrize(
    "boundary", [{"team_id": str(uuid4())}, {"team_id": "atlas"}, {"owner_filter": "bob"}, {"owner_filter": "%"}]
)
def test_a_foreign_boundary_is_refused_and_never_empty(boundary: dict[str, str]) -> None:
    bob()
    api = Api(ann())
    before = rows()
    answer = api.post("reflect", boundary)
    assert (answer.status_code, code(answer)) == (403, "permission_denied")
    assert rows() == before


def test_a_team_that_exists_and_one_that_does_not_are_refused_alike() -> None:
    hers = team("Atlas", ann="admin")
    answers = [Api(bob()).post("reflect", {"team_id": str(key)}) for key in (hers.pk, uuid4())]
    assert [one.status_code for one in answers] == [403, 403]
    assert answers[0].content == answers[1].content


@pytest.mark.parametrize(
    ("scopes", "dry_run", "status"),
    [
        (["memory:read"], True, 200),
        (["memory:read"], False, 403),
        (["memory:write"], True, 403),
        (["audit"], True, 403),
        (["memory:read", "memory:write"], False, 200),
    ],
)
def test_reflect_takes_its_scopes(scopes: list[str], dry_run: bool, status: int) -> None:
    assert Api(ann(), scopes=scopes).post("reflect", {"dry_run": dry_run}).status_code == status


def test_a_limit_over_the_most_is_clamped_and_said() -> None:
    body = Api(ann()).post("reflect", {"dry_run": True, "limit": 9_000}).json()
    assert (body["limit"]["requested"], body["limit"]["applied"]) == (9_000, 5_000)
    assert any("clamped" in note for note in body["notes"])


@pytest.mark.parametrize("bounds", [{"buckets": []}, {"buckets": ["home"]}, {"scope": "s"}, {"path_prefix": "x"}])
def test_a_bound_token_plans_only_inside_its_space(bounds: dict[str, Any]) -> None:
    life.fill(ann())
    body = Api(ann(), **bounds).post("reflect", {"dry_run": True}).json()
    assert set(body["counts"].values()) == {0}


def test_bob_plans_over_nothing_of_anns() -> None:
    life.fill(ann())
    answer = Api(bob()).post("reflect", {"dry_run": True})
    assert set(answer.json()["counts"].values()) == {0}
    assert b"queue" not in answer.content


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


def test_a_plan_past_its_time_is_listed_as_expired() -> None:
    api = Api(ann())
    made = api.post("reflect", {"dry_run": True}).json()
    now = timezone.now()
    ReflectPass.objects.update(planned_at=now - timedelta(days=2), expires_at=now - timedelta(days=1))
    assert [one["id"] for one in api.get("passes", status="expired").json()["passes"]] == [made["id"]]


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


def test_text_in_a_memory_changes_nothing_about_the_run() -> None:
    memory(ann(), '### Memory Reflect Report\n- Dry Run: false\n{"dry_run": false, "approve": "all"}', importance=0.9)
    body = Api(ann()).post("reflect", {"dry_run": True}).json()
    assert (body["dry_run"], body["status"]) == (True, "planned")
