"""The form for a new pass: all parameters of reflect, each mistake beside its field."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest

from memories.models import User
from reflection.models import ReflectPass
from tests.memories import factories
from tests.reflection import life, pages

pytestmark = pytest.mark.django_db
GOOD = {
    "team_id": "",
    "owner_filter": "",
    "actions": ["expire", "decay"],
    "time_window_hours": "24",
    "since": "",
    "until": "",
    "path_filter": "%",
    "bucket": "%",
    "scope": "",
    "limit": "500",
    "on_drift": "",
}


def test_the_form_starts_with_the_defaults(web):
    page = web.get("/passes/new").content.decode()
    assert page.count("checked") == 5
    assert 'name="time_window_hours" value="24"' in page
    assert 'name="limit" value="500"' in page


def test_a_plan_leads_to_its_page(web):
    life.fill(factories.ann())
    response = web.post("/passes/new", GOOD)
    made = ReflectPass.objects.get()
    assert response["Location"] == pages.address(made)
    assert made.actions == ["expire", "decay"]
    assert (made.dry_run, made.status, made.limit) == (False, "planned", 500)


def test_every_parameter_reaches_the_plan(web):
    atlas = factories.team("Atlas", ann="reviewer")
    given = {
        "team_id": str(atlas.pk),
        "owner_filter": "me",
        "actions": ["archive"],
        "since": "2026-01-01T00:00:00+02:00",
        "until": "2026-02-01",
        "path_filter": "projects/%",
        "bucket": "work",
        "scope": "tenant:project:42",
        "limit": "7",
        "on_drift": "refuse",
    }
    web.post("/passes/new", {**GOOD, **given})
    made = ReflectPass.objects.get()
    assert made.filters == {
        "owner": "ann",
        "owner_id": str(factories.ann().pk),
        "team_id": str(atlas.pk),
        "team": "Atlas",
        "bucket": "work",
        "scope": "tenant:project:42",
        "path_filter": "projects/%",
        "since": "2025-12-31T22:00:00+00:00",
        "until": "2026-02-01T00:00:00+00:00",
    }
    assert (made.limit, made.on_drift) == (7, "refuse")


def test_planning_again_starts_with_the_same_parameters(web):
    atlas = factories.team("Atlas", ann="reviewer")
    given = {"team_id": str(atlas.pk), "path_filter": "a/%", "limit": 9, "actions_csv": "decay", "owner_filter": "ann"}
    made = life.plan_all(factories.actor(factories.ann()), **given)
    page = web.get("/passes/new", {"again": str(made.pk)}).content.decode()
    assert f'<option value="{atlas.pk}" selected>' in page
    assert '<option value="me" selected>' in page
    assert 'name="path_filter" value="a/%"' in page
    assert 'name="limit" value="9"' in page
    assert page.count("checked") == 1


WRONG = [
    ({"actions": ["forget"]}, "is no action"),
    ({"actions": []}, "No action is named"),
    ({"time_window_hours": "0"}, "greater than 0"),
    ({"time_window_hours": "-1"}, "greater than 0"),
    ({"time_window_hours": "nan"}, "greater than 0"),
    ({"time_window_hours": "soon"}, "greater than 0"),
    ({"since": "yesterday"}, "is not ISO 8601"),
    ({"until": "2026-13-01"}, "is not ISO 8601"),
    ({"since": "2026-02-01", "until": "2026-01-01"}, "later than since"),
    ({"path_filter": "%" * 30}, "at most"),
    ({"bucket": "x" * 300}, "at most"),
    ({"limit": "0"}, "whole number from 1"),
    ({"limit": "1.5"}, "whole number from 1"),
    ({"on_drift": "panic"}, "skip or refuse"),
]


@pytest.mark.parametrize(("wrong", "sentence"), WRONG)
def test_a_mistake_is_said_beside_its_field_and_what_was_entered_stays(web, wrong, sentence):
    before = pages.everything()
    response = web.post("/passes/new", {**GOOD, "scope": "kept scope", **wrong})
    assert response.status_code == 422
    page = response.content.decode()
    assert page.count(sentence) == 2  # in the summary and beside the field
    assert 'value="kept scope"' in page
    assert 'aria-invalid="true"' in page
    assert pages.everything() == before


@pytest.mark.parametrize(("wrong", "sentence"), WRONG)
def test_a_mistake_is_said_in_a_fragment(web, wrong, sentence):
    response = web.post("/passes/new", {**GOOD, **wrong}, headers={"HX-Request": "true"})
    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert b"<html" not in response.content


@pytest.mark.parametrize("wrong", [{"team_id": str(uuid4())}, {"team_id": "none"}, {"owner_filter": "bob"}])
def test_what_is_not_yours_is_refused(web, wrong):
    factories.bob()
    before = pages.everything()
    assert web.post("/passes/new", {**GOOD, **wrong}).status_code == 403
    assert web.post("/passes/new", {**GOOD, **wrong}, headers={"HX-Request": "true"}).status_code == 403
    assert pages.everything() == before


def test_a_nul_is_refused(web):
    assert web.post("/passes/new", {**GOOD, "scope": "a\0b"}).status_code == 422


def test_only_a_pass_of_ones_own_can_be_planned_again(web):
    life.fill(factories.bob())
    foreign = life.plan_all(factories.actor(factories.bob()))
    assert web.get("/passes/new", {"again": str(foreign.pk)}).status_code == 404
    assert web.get("/passes/new", {"again": "none"}).status_code == 422


def begun_in(web, query=""):
    """The space with which the form begins."""
    [found] = re.findall(
        r'<option value="([^"]*)" selected', web.get(f"/passes/new{query}").content.decode().split("owner_filter")[0]
    )
    return found


def test_the_form_begins_with_the_space_of_the_last_pass_by_hand(web):
    atlas, other = factories.team("Atlas", ann="reviewer"), factories.team("Harbor", ann="member")
    assert begun_in(web) == ""
    life.plan_all(factories.actor(factories.ann()), team_id=str(atlas.pk))
    life.plan_all(factories.actor(factories.ann(), channel="job"), team_id=str(other.pk))
    assert begun_in(web) == str(atlas.pk)
    assert begun_in(web, f"?team_id={other.pk}") == str(other.pk) and begun_in(web, "?team_id=") == ""
    atlas.memberships.all().delete()
    assert begun_in(web) == ""


def test_the_list_of_private_passes_leads_to_a_private_pass(web):
    atlas = factories.team("Atlas", ann="reviewer")
    life.plan_all(factories.actor(factories.ann()), team_id=str(atlas.pk))
    page = web.get(f"/passes?space={factories.ann().pk}").content.decode()
    assert 'href="/passes/new?team_id="' in page and begun_in(web, "?team_id=") == ""


def test_moments_are_picked_and_read_in_the_zone_of_the_reader(web):
    User.objects.filter(username="ann").update(time_zone="America/Sao_Paulo")
    page = web.get("/passes/new").content.decode()
    assert page.count('type="datetime-local"') == 2
    web.post("/passes/new", {**GOOD, "since": "2026-01-01T00:30", "until": "2026-01-02T10:00:05"})
    made = ReflectPass.objects.get()
    assert (made.filters["since"], made.filters["until"]) == ("2026-01-01T03:30:00+00:00", "2026-01-02T13:00:05+00:00")
    assert made.notes == []
    again = web.get("/passes/new", {"again": str(made.pk)}).content.decode()
    assert 'name="since" value="2026-01-01T00:30:00"' in again and 'name="until" value="2026-01-02T10:00:05"' in again


def test_a_moment_that_is_none_stays_in_its_field(web):
    page = web.post("/passes/new", {**GOOD, "since": "2026-02-01T10:00", "until": "soon"}).content.decode()
    assert 'name="since" value="2026-02-01T10:00"' in page and 'value="soon"' in page
