"""Policies and schedules over the API."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.utils import timezone

from memories.models import AuditRecord
from reflection import tasks
from reflection.models import ReflectionPolicy, ReflectPass, Schedule
from reflection.services import policies, schedules
from tests.memories import factories
from tests.memories.api_client import Api, code, problems
from tests.memories.page_client import everything

pytestmark = pytest.mark.django_db
ADMIN = ["memory:read", "admin"]


def put(api, body, **headers):
    return api.call("PUT", "reflect/policy", body, **headers)


def rows():
    return {name: found for name, found in everything().items() if name != "ApiToken"}


@pytest.mark.parametrize("prefix", ["/v1/", "/api/v1/"])
def test_a_policy_tells_its_values_and_what_they_mean(ann, prefix):
    answer = Api(factories.ann(), prefix, scopes=["memory:read"]).get("reflect/policy")
    body = answer.json()
    assert (answer.status_code, body["version"], body["space"], answer["ETag"]) == (200, 1, str(ann.own), '"1"')
    assert body["values"] == policies.flat(policies.current(ann.space(ann.own)))
    named = {one["name"] for one in body["numbers"]} | {one["name"] for one in body["choices"]}
    assert named == set(body["values"]) == set(policies.NAMES)
    assert body["created_by"] is None and not ReflectionPolicy.objects.exists()


def test_putting_values_makes_a_version(ann):
    api = Api(factories.ann(), scopes=ADMIN)
    answer = put(api, {"version": 1, "values": {"decay_step": 0.5, "four_eyes": True, "half_life_working": None}})
    body = answer.json()
    assert (answer.status_code, body["version"], answer["ETag"], body["created_by"]) == (200, 2, '"2"', "ann")
    assert (body["values"]["decay_step"], body["values"]["four_eyes"]) == (0.5, True)
    assert body["values"]["half_life_working"] is None
    assert AuditRecord.objects.get(action="policy.save").channel == "api"
    assert api.get("reflect/policy").json()["values"] == body["values"]


def test_what_was_got_can_be_put_back(ann):
    api = Api(factories.ann(), scopes=ADMIN)
    body = api.get("reflect/policy").json()
    assert put(api, {"version": body["version"], "values": body["values"]}).json()["version"] == 1


def test_the_version_is_named_in_the_body_or_in_if_match(ann):
    api = Api(factories.ann(), scopes=ADMIN)
    assert put(api, {"values": {"plan_hours": 48}}, If_Match='"1"').json()["version"] == 2
    moved = put(api, {"values": {"plan_hours": 49}}, If_Match='"1"')
    assert (moved.status_code, code(moved)) == (412, "precondition_failed")
    assert problems(put(api, {"values": {"plan_hours": 49}})) == ["version"]


def test_a_policy_that_moved_is_a_conflict_with_both(ann):
    api = Api(factories.ann(), scopes=ADMIN)
    put(api, {"version": 1, "values": {"plan_hours": 48}})
    answer = put(api, {"version": 1, "values": {"plan_hours": 72}})
    told = answer.json()["detail"]
    assert (answer.status_code, told["code"], told["seen"], told["now"]) == (409, "stale", 1, 2)
    assert told["differences"] == [{"name": "plan_hours", "now": 48, "yours": 72}]


WRONG = [
    ({"values": {"promote_cosine": 2}, "version": 1}, ["promote_cosine"]),
    ({"values": {"nonsense": 2}, "version": 1}, ["nonsense"]),
    ({"values": [], "version": 1}, ["values"]),
    ({"version": 1}, ["values"]),
    ({"values": {}, "version": 0}, ["version"]),
    ({"values": {}, "version": 1, "more": 1}, ["more"]),
    ({"values": {"on_schedule": "apply", "approval": "required"}, "version": 1}, ["on_schedule"]),
]


@pytest.mark.parametrize(("body", "fields"), WRONG)
def test_bad_values_are_named_and_nothing_is_saved(ann, body, fields):
    before = rows()
    assert problems(put(Api(factories.ann(), scopes=ADMIN), body)) == fields
    assert {**rows(), "ReflectionPolicy": []} == {**before, "ReflectionPolicy": []}
    assert not ReflectionPolicy.objects.filter(number=2).exists()


def test_who_may_not_is_refused():
    atlas = factories.team("Atlas", ann="admin", bea="reviewer")
    body = {"version": 1, "values": {"four_eyes": True}}
    for who, fields in (
        (factories.bea(), {"scopes": ADMIN, "team": atlas}),
        (factories.ann(), {"scopes": ["memory:read", "memory:write"], "team": atlas}),
        (factories.ann(), {"scopes": ADMIN, "team": atlas, "buckets": ["work"]}),
    ):
        answer = put(Api(who, **fields), body)
        assert (answer.status_code, code(answer)) == (403, "permission_denied")
    assert put(Api(factories.ann(), scopes=ADMIN, team=atlas), body).json()["name"] == "Atlas"


def test_a_space_is_named_in_the_query(ann):
    atlas = factories.team("Atlas", ann="admin")
    api = Api(factories.ann(), scopes=ADMIN)
    assert api.get("reflect/policy", space=str(atlas.pk)).json()["values"]["approval"] == "required"
    assert api.get("reflect/policy", space=str(uuid4())).status_code == 404
    assert problems(api.get("reflect/policy", space="x")) == ["space"]
    assert problems(api.get("reflect/policy", nonsense="x")) == ["nonsense"]


def test_versions_tell_what_each_changed(ann):
    api = Api(factories.ann(), scopes=ADMIN)
    put(api, {"version": 1, "values": {"plan_hours": 48}})
    put(api, {"version": 2, "values": {"plan_hours": 72, "four_eyes": True}})
    newest, second, first = api.get("reflect/policy/versions").json()["versions"]
    assert (newest["version"], second["version"], first["version"]) == (3, 2, 1)
    assert second["changed"] == [{"name": "plan_hours", "before": 24, "after": 48, "unit": "hours"}]
    assert len(newest["changed"]) == 2 and first["changed"] == []
    assert len(api.get("reflect/policy/versions", limit=1).json()["versions"]) == 1


def test_a_preview_writes_nothing(ann, records):
    api = Api(factories.ann(), scopes=["memory:read"])
    before, lines = rows(), AuditRecord.objects.count()
    body = api.post("reflect/policy/preview", {"values": {"archive_working_days": 30}}).json()
    assert (body["version"], body["compared"], body["records"]) == (1, True, len(records))
    assert body["now"]["counts"]["archived"] == body["proposed"]["counts"]["archived"] + 1
    decay, archive = body["differences"]  # what is not put away goes on fading
    assert (decay["action"], decay["comes"]["count"]) == ("decay", 1)
    assert (archive["action"], archive["goes"]["count"]) == ("archive", 1)
    assert archive["goes"]["first"][0]["memory_id"] == str(records["idle"].pk)
    assert rows() == before and AuditRecord.objects.count() == lines


def test_a_preview_of_bad_values_is_refused(ann):
    api = Api(factories.ann(), scopes=["memory:read"])
    assert problems(api.post("reflect/policy/preview", {"values": {"decay_step": 7}})) == ["decay_step"]
    assert api.post("reflect/policy/preview?space=" + str(factories.bob().pk), {"values": {}}).status_code == 404
    write = Api(factories.ann(), scopes=["memory:write"])
    assert write.post("reflect/policy/preview", {"values": {}}).status_code == 403


def test_schedules_are_read_with_what_became_of_them(ann, records):
    given = {"rhythm": "daily", "at": "03:00", "zone": "Asia/Tokyo", "actions": ["decay"]}
    made = schedules.add(space_id=ann.own, given=given, actor=ann)
    Schedule.objects.filter(pk=made.pk).update(next_at=timezone.now())
    tasks.run_schedule(str(made.pk))
    api = Api(factories.ann(), scopes=["memory:read"])
    [one] = api.get("reflect/schedules").json()["schedules"]
    assert one == api.get(f"reflect/schedules/{made.pk}").json()
    assert (one["asked"], one["status"], one["made_by"]) == (given, "on", "ann")
    assert one["words"] == "every day at 03:00 (Asia/Tokyo)"
    assert one["last"]["pass_id"] == str(ReflectPass.objects.get().pk)


def test_the_schedules_of_others_are_not_there(ann):
    made = schedules.add(space_id=ann.own, given={"rhythm": "hours", "every_hours": 6, "actions": ["decay"]}, actor=ann)
    bob = Api(factories.bob())
    assert bob.get("reflect/schedules").json() == {"schedules": []}
    assert bob.get(f"reflect/schedules/{made.pk}").status_code == 404
    assert bob.get("reflect/schedules/x").status_code == 400
    assert Api(factories.ann()).post("reflect/schedules", {}).status_code == 405  # people make them
