"""The pages of schedules."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from memories.models import Membership
from reflection import tasks
from reflection.models import ReflectPass, Schedule
from reflection.services import schedules
from tests.memories import factories
from tests.memories.page_client import HTMX, everything, text_of
from tests.reflection import life, pages

pytestmark = pytest.mark.django_db
GOOD = {
    "team_id": "",
    "owner_filter": "",
    "actions": ["expire", "decay"],
    "time_window_hours": "24",
    "path_filter": "%",
    "bucket": "%",
    "scope": "",
    "limit": "500",
    "on_drift": "",
    "rhythm": "daily",
    "at": "03:00",
    "weekday": "0",
    "every_hours": "6",
    "zone": "Asia/Tokyo",
}


@pytest.fixture
def schedule(ann):
    return schedules.add(
        space_id=ann.own,
        given={"rhythm": "daily", "at": "03:00", "zone": "Asia/Tokyo", "actions": ["decay"]},
        actor=ann,
    )


def address(schedule, *more):
    return "/".join(["/schedules", str(schedule.pk), *more])


def run(schedule):
    Schedule.objects.filter(pk=schedule.pk).update(next_at=timezone.now())
    tasks.run_schedule(str(schedule.pk))


def test_at_first_there_is_none(web):
    assert "No schedule" in text_of(web.get("/schedules"))


def test_the_form_starts_in_the_zone_of_the_person():
    kim = factories.user("kim", time_zone="Asia/Seoul")
    page = pages.browser(kim).get("/schedules/new").content.decode()
    assert 'name="zone" value="Asia/Seoul"' in page and 'name="since"' not in page


def test_a_schedule_is_made_and_leads_to_its_page(web):
    response = web.post("/schedules/new", GOOD)
    made = Schedule.objects.get()
    assert response["Location"] == address(made)
    assert made.given["actions"] == ["expire", "decay"] and made.made_by == factories.ann()
    seen = text_of(web.get(address(made)))
    assert "Every day at 03:00 (Asia/Tokyo)" in seen and "It puts a plan into the inbox and writes nothing" in seen


def test_every_field_reaches_the_schedule(web):
    atlas = factories.team("Atlas", ann="member")
    asked = {
        "team_id": str(atlas.pk),
        "owner_filter": "me",
        "path_filter": "a/%",
        "bucket": "work",
        "scope": "s",
        "limit": "7",
        "on_drift": "refuse",
        "time_window_hours": "48",
        "rhythm": "weekly",
        "weekday": "4",
    }
    web.post("/schedules/new", {**GOOD, **asked})
    made = Schedule.objects.get()
    assert (made.space_id, made.rhythm, made.weekday, made.every_hours) == (atlas.pk, "weekly", 4, None)
    assert made.given == {
        "actions": ["expire", "decay"],
        "time_window_hours": "48",
        "path_filter": "a/%",
        "owner_filter": str(factories.ann().pk),
        "bucket": "work",
        "scope": "s",
        "limit": "7",
        "on_drift": "refuse",
    }
    page = web.get(address(made)).content.decode()
    assert 'name="path_filter" value="a/%"' in page and '<option value="me" selected>' in page
    assert 'name="team_id"' not in page


WRONG = [
    ({"rhythm": ""}, "How often: choose"),
    ({"at": "25:00"}, "write it like 03:00"),
    ({"zone": "Nowhere"}, "is no time zone"),
    ({"rhythm": "hours", "every_hours": "0"}, "a whole number from 1 to 720"),
    ({"rhythm": "weekly", "weekday": "9"}, "a whole number from 0 to 6"),
    ({"actions": []}, "No action is named"),
    ({"limit": "0"}, "whole number from 1"),
]


@pytest.mark.parametrize(("wrong", "sentence"), WRONG)
def test_a_mistake_is_said_beside_its_field_and_what_was_entered_stays(web, schedule, wrong, sentence):
    before = everything()
    for path in ("/schedules/new", address(schedule)):
        response = web.post(path, {**GOOD, "scope": "kept scope", "version": 1, **wrong})
        page = response.content.decode()
        assert response.status_code == 422
        assert page.count(sentence) == 2 and 'value="kept scope"' in page and 'aria-invalid="true"' in page
        fragment = web.post(path, {**GOOD, "version": 1, **wrong}, headers=HTMX)
        assert fragment.status_code == 422 and b"<html" not in fragment.content
    assert everything() == before


@pytest.mark.parametrize("wrong", [{"team_id": str(uuid4())}, {"team_id": "x"}, {"owner_filter": "bob"}])
def test_what_is_not_yours_is_refused(web, wrong):
    factories.bob()
    before = everything()
    assert web.post("/schedules/new", {**GOOD, **wrong}).status_code == 403
    assert everything() == before


def test_the_list_and_the_page_lead_to_the_last_plan(web, records, schedule):
    run(schedule)
    made = ReflectPass.objects.get()
    for path in ("/schedules", address(schedule)):
        assert f'href="/passes/{made.pk}"' in web.get(path).content.decode()


def test_a_plan_says_that_a_schedule_made_it(web, records, schedule):
    run(schedule)
    assert "by a schedule of Ann" in text_of(web.get("/inbox"))
    assert "by a schedule of Ann" in text_of(web.get(f"/passes/{ReflectPass.objects.get().pk}"))


def test_it_is_changed(web, schedule):
    response = web.post(address(schedule), {**GOOD, "at": "04:30", "version": 1})
    assert response.status_code == 302
    schedule.refresh_from_db()
    assert (f"{schedule.at:%H:%M}", schedule.version) == ("04:30", 2)


def test_it_is_paused_goes_on_and_is_deleted(web, schedule):
    assert web.post(address(schedule, "pause"), {"version": 1})["Location"] == address(schedule)
    assert "ann paused it" in text_of(web.get(address(schedule)))
    web.post(address(schedule, "resume"), {"version": 2})
    schedule.refresh_from_db()
    assert schedule.next_at is not None
    assert web.post(address(schedule, "delete"), {"version": 3})["Location"] == "/schedules"
    assert web.get(address(schedule)).status_code == 404
    assert "No schedule" in text_of(web.get("/schedules"))


@pytest.mark.parametrize("verb", ["", "pause", "delete"])
def test_who_saw_another_version_is_told_both_and_keeps_what_they_typed(web, schedule, verb):
    before = everything()
    response = web.post(address(schedule, *([verb] if verb else [])), {**GOOD, "scope": "kept", "version": 7})
    assert response.status_code == 409 and "You saw version 7; it is now at version 1." in text_of(response)
    assert verb or 'value="kept"' in response.content.decode()
    assert everything() == before


@pytest.mark.parametrize("version", ["", "x", "9" * 30])
def test_without_the_version_that_was_seen_nothing_happens(web, schedule, version):
    before = everything()
    for path in (address(schedule), address(schedule, "pause"), address(schedule, "delete")):
        assert web.post(path, {**GOOD, "version": version}).status_code == 422
    assert everything() == before


def test_opened_without_a_form_the_verbs_lead_back(web, schedule):
    for verb in ("pause", "resume", "delete"):
        assert web.get(address(schedule, verb))["Location"] == address(schedule)


def test_others_of_the_team_read_it_and_an_admin_may_end_it():
    atlas = factories.team("Atlas", ann="admin", bea="member", bob="member")
    given = {"rhythm": "hours", "every_hours": 6, "actions": ["decay"]}
    made = schedules.add(space_id=atlas.pk, given=given, actor=factories.actor(factories.bea()))
    page = pages.browser(factories.bob()).get(address(made)).content.decode()
    assert "Every 6 hours" in page and "What it asks for" in page
    assert "/pause" not in page and "/delete" not in page and 'name="actions"' not in page
    assert pages.browser(factories.bob()).post(address(made, "pause"), {"version": 1}).status_code == 403
    admin = pages.browser(factories.ann())
    assert "/pause" in admin.get(address(made)).content.decode()
    assert admin.post(address(made), {**GOOD, "version": 1}).status_code == 403
    assert admin.post(address(made, "pause"), {"version": 1}).status_code == 302


def test_a_schedule_that_paused_by_itself_says_why():
    atlas = factories.team("Atlas", ann="admin", bea="member")
    given = {"rhythm": "hours", "every_hours": 6, "actions": ["decay"]}
    made = schedules.add(space_id=atlas.pk, given=given, actor=factories.actor(factories.bea()))
    Membership.objects.filter(user=factories.bea()).delete()
    run(made)
    seen = text_of(pages.browser(factories.ann()).get(address(made)))
    assert "It paused by itself" in seen
    assert "bea, in whose name it acts, has no access to this space any more." in seen


def test_a_policy_that_lets_it_apply_is_said(ann, web, schedule):
    life.policy(ann.own, actor=ann, on_schedule="apply")
    assert "lets it apply its plan by itself" in text_of(web.get(address(schedule)))


def test_those_of_others_are_not_there(schedule):
    bob = pages.browser(factories.bob())
    assert "No schedule" in text_of(bob.get("/schedules"))
    for key in (schedule.pk, uuid4()):
        assert bob.get(f"/schedules/{key}").status_code == 404
        for verb in ("", "/pause", "/resume", "/delete"):
            assert bob.post(f"/schedules/{key}{verb}", {**GOOD, "version": 1}).status_code == 404


def test_who_is_signed_out_is_sent_to_sign_in(schedule):
    for path in ("/schedules", "/schedules/new", address(schedule)):
        assert Client().get(path)["Location"].startswith("/login?")
        assert Client().post(address(schedule, "pause")).status_code == 401
