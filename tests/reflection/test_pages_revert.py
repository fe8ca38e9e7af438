"""The page on which a person asks to take back what a token wrote, and the plan that follows."""

from __future__ import annotations

from uuid import uuid4

import pytest

from memories.models import Memory
from reflection.models import ReflectPass
from tests.memories import factories
from tests.reflection import life, pages, token_writes

pytestmark = pytest.mark.django_db


@pytest.fixture
def at():
    return token_writes.scene()


@pytest.fixture
def web(at):
    return pages.browser(factories.ann())


def test_the_form_offers_own_tokens_and_names_no_other(web, at):
    other, _ = factories.token(factories.bob())
    page = web.get("/passes/revert").content.decode()
    assert str(at.token.pk) in page and str(other.pk) not in page


def test_it_says_how_much_was_written_before_anything_is_planned(web, at):
    token_writes.spoil(at)
    seen = pages.text(web.get("/passes/revert", {"token": at.token.pk}))
    assert "6 writes to 5 memories" in seen
    assert not ReflectPass.objects.exists()


def test_planned_it_shows_each_change_and_what_it_does(web, at):
    token_writes.spoil(at)
    form = {"token": str(at.token.pk), "space": str(at.ann.user_id), "since": "2001-01-01T00:00", "limit": "500"}
    response = web.post("/passes/revert", form, follow=True)
    seen = pages.text(response)
    assert "Preview: what a token wrote, taken back from your private memories" in seen
    assert response.context["counts"] == {"reverted": 4, "trashed": 1} and "to give back" in seen
    assert "Give back" in seen and "Move to the trash" in seen and "Apply 5 changes" in seen
    assert "notes/june" in seen


def test_approved_and_applied_the_page_tells_the_result(web, at):
    made = token_writes.spoil(at)
    done = life.applied(at.plan(), at.ann)
    seen = pages.text(web.get(pages.address(done)))
    assert "5 changes written." in seen and "Reverted: 4" in seen and "Trashed: 1" in seen
    assert Memory.objects.get(pk=made.pk).state.status == "deleted"
    assert "takes back what token" in pages.text(web.get("/passes"))
    assert f"/passes/revert?token={at.token.pk}" in web.get(pages.address(done)).content.decode()


def test_planning_again_leads_to_the_same_question(web, at):
    token_writes.spoil(at)
    done = life.applied(at.plan(), at.ann)
    found = web.get(pages.address(done)).content.decode().split('class="button" href="/passes/revert?', 1)[1]
    address = "/passes/revert?" + found.split('"', 1)[0].replace("&amp;", "&")
    assert "6 writes to 5 memories" in pages.text(web.get(address))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"token": "x"}, "token is the id of a token"),
        ({"token": str(uuid4())}, "no such token"),
        ({"limit": "0"}, "limit must be a whole number"),
        ({"since": "2030-01-01T00:00", "until": "2029-01-01T00:00"}, "until must be later"),
        ({"since": "soon"}, "no date and time"),
    ],
)
@pytest.mark.parametrize("verb", ["get", "post"])
def test_bad_input_is_said_beside_its_field(web, at, wrong, says, verb):
    given = {"token": str(at.token.pk), "space": str(at.ann.user_id), "since": "2001-01-01T00:00"} | wrong
    response = getattr(web, verb)("/passes/revert", given)
    assert response.status_code in (404, 422)
    assert says in pages.text(response) and "Take back what a token wrote" in pages.text(response)


def test_the_space_of_others_is_refused(web, at):
    given = {"token": str(at.token.pk), "space": str(factories.team("Other", bob="admin").pk)}
    assert web.get("/passes/revert", given).status_code == 403


def test_a_token_that_wrote_nothing_offers_no_plan(web, at):
    page = web.get("/passes/revert", {"token": at.token.pk})
    assert "Nothing to take back" in pages.text(page) and "Plan to take" not in pages.text(page)


def test_a_plan_without_any_change_says_so(web, at):
    planned = at.plan()
    assert "Nothing to take back" in pages.text(web.get(pages.address(planned)))


def test_the_page_of_a_token_leads_there(web, at):
    assert f"/passes/revert?token={at.token.pk}" in web.get(f"/tokens/{at.token.pk}").content.decode()
