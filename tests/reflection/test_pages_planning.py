"""A pass that the worker is planning, as people and clients see it: how far it is, cancelling, what became of it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from reflection.models import ReflectPass
from reflection.services import plan as planner
from reflection.tasks import plan_pass
from tests.memories import factories
from tests.memories.api_client import Api
from tests.reflection import life, pages

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> ReflectPass:
    """A pass of Ann's that waits for the worker."""
    monkeypatch.setattr(planner, "AT_ONCE", 2)
    life.fill(factories.ann())
    return life.plan_all(factories.actor(factories.ann()), limit=400)


@pytest.fixture
def web() -> Client:
    return pages.browser(factories.ann())


def at(asked: ReflectPass, phase: str, done: int, of: int) -> None:
    ReflectPass.objects.filter(pk=asked.pk).update(progress={"phase": phase, "done": done, "of": of})


def test_a_long_plan_asked_for_on_the_page_leads_to_its_progress(asked: ReflectPass, web: Client) -> None:
    form = {
        "actions": ["expire", "decay"],
        "limit": "400",
        "time_window_hours": "24",
        "path_filter": "%",
        "bucket": "%",
    }
    answer = web.post("/passes/new", form, follow=True)
    seen = pages.text(answer)
    assert "A pass over your private memories, being planned" in seen
    assert "Waiting for the worker" in seen and "nothing has been written" in seen


def test_the_page_says_how_far_it_is_and_loads_itself_again_without_scripts(asked: ReflectPass, web: Client) -> None:
    at(asked, "telling", 3, 12)
    page = web.get(pages.address(asked)).content.decode()
    assert '<progress max="12" value="3"' in page and "Writing summaries: 3 of 12" in page
    assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in page
    assert f'hx-get="/passes/{asked.pk}/planning?polls=1"' in page


def test_the_fragment_asks_more_seldom_and_ends_when_the_plan_is_made(asked: ReflectPass, web: Client) -> None:
    late = web.get(pages.address(asked, "planning"), {"polls": "40"}, headers={"HX-Request": "true"})
    assert 'hx-trigger="every 5s"' in late.content.decode() and "HX-Refresh" not in late
    plan_pass(str(asked.pk))
    made = web.get(pages.address(asked, "planning"), headers={"HX-Request": "true"})
    assert made["HX-Refresh"] == "true" and "hx-get" not in made.content.decode()
    assert "Preview of a pass over your private memories" in pages.text(web.get(pages.address(asked)))


def test_cancelling_ends_it_and_the_page_says_so(asked: ReflectPass, web: Client) -> None:
    seen = pages.text(web.post(pages.address(asked, "cancel"), follow=True))
    assert "not planned" in seen and "Cancelled by ann before the plan was made." in seen
    assert "Nothing to do" not in seen and "Plan again" in seen
    assert "to summarize" not in seen and "to archive" not in seen
    assert "nothing to do" not in pages.text(web.get("/passes?status=failed"))


def test_cancelling_too_late_is_refused_and_shows_the_plan(asked: ReflectPass, web: Client) -> None:
    plan_pass(str(asked.pk))
    answer = web.post(pages.address(asked, "cancel"))
    assert answer.status_code == 409 and "not being planned any more" in pages.text(answer)


def test_opened_without_a_form_the_address_leads_back(asked: ReflectPass, web: Client) -> None:
    assert web.get(pages.address(asked, "cancel"))["Location"] == pages.address(asked)
    asked.refresh_from_db()
    assert asked.status == "planning"


def test_a_stranger_sees_and_cancels_nothing(asked: ReflectPass) -> None:
    stranger = pages.browser(factories.bob())
    for answer in (
        stranger.get(pages.address(asked)),
        stranger.get(pages.address(asked, "planning")),
        stranger.post(pages.address(asked, "cancel")),
    ):
        assert answer.status_code == 404
    asked.refresh_from_db()
    assert asked.status == "planning"


def test_whoever_may_not_cancel_is_offered_no_button_and_told_why(asked: ReflectPass) -> None:
    team = factories.team("Atlas", ann="admin", bea="member")
    life.fill(factories.ann(), team=team)
    theirs = life.plan_all(factories.actor(factories.ann()), limit=400, team_id=str(team.pk))
    member = pages.browser(factories.bea())
    assert "Cancel planning" not in member.get(pages.address(theirs)).content.decode()
    answer = member.post(pages.address(theirs, "cancel"))
    assert answer.status_code == 403 and "Only a reviewer or an admin of Atlas" in pages.text(answer)


@pytest.mark.parametrize("verb", ["approve", "reject"])
def test_what_is_not_planned_yet_is_not_decided_on(asked: ReflectPass, web: Client, verb: str) -> None:
    assert web.post(pages.address(asked, verb), {"digest": ""}).status_code == 409
    asked.refresh_from_db()
    assert asked.status == "planning"


def test_the_list_of_passes_can_be_narrowed_to_what_is_being_planned(asked: ReflectPass, web: Client) -> None:
    assert str(asked.pk) in web.get("/passes?status=planning").content.decode()


def test_over_the_api_a_long_plan_is_answered_with_202_and_followed_by_its_id(asked: ReflectPass) -> None:
    api = Api(factories.ann())
    answer = api.post("reflect", {"limit": 400, "dry_run": True})
    body: dict[str, Any] = answer.json()
    assert (answer.status_code, body["status"], body["progress"]["phase"]) == (202, "planning", "waiting")
    plan_pass(body["pass_id"])
    made = api.get(f"passes/{body['pass_id']}").json()
    assert (made["status"], made["progress"]) == ("planned", None)
    assert sum(made["counts"].values()) > 2


def test_the_api_lists_what_is_being_planned_and_applies_none_of_it(asked: ReflectPass) -> None:
    api = Api(factories.ann())
    (one,) = api.get("passes", status="planning").json()["passes"]
    assert one["pass_id"] == str(asked.pk)
    assert api.post(f"passes/{asked.pk}/apply", {}).status_code == 409
