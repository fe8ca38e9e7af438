"""What a person has looked at, and looking at a part of a plan: filters, and leaving out what they show."""

from __future__ import annotations

import pytest

from console.errors import Invalid, NotAllowed, NotFound
from memories.services.revise import revise
from reflection.models import Viewed
from reflection.services.viewing import mark_viewed, viewed_positions
from tests.memories import factories
from tests.memories.page_client import HTMX
from tests.reflection import life, pages

pytestmark = pytest.mark.django_db


def select(web, plan, **given):
    """What the page posts to look at another part of the plan; returns the page that follows."""
    return web.post(pages.address(plan, "select"), {**pages.form(plan), **given}, follow=True)


def test_the_page_counts_what_was_viewed(web, plan):
    assert "0 of 8 viewed" in pages.text(web.get(pages.address(plan)))
    first = life.candidates(plan)[0]
    response = web.post(pages.address(plan, "select"), {**pages.form(plan), "view": str(first.pk)})
    assert response.url.endswith("#c0")
    assert "1 of 8 viewed" in pages.text(web.get(pages.address(plan)))
    assert "0 of 8 viewed" in pages.text(select(web, plan, unview=str(first.pk)))


def test_all_that_is_shown_is_marked_at_once(web, plan):
    assert "8 of 8 viewed" in pages.text(select(web, plan, view_shown="1"))


def test_marking_keeps_what_was_left_out(web, plan):
    one, other = life.candidates(plan)[:2]
    response = web.post(pages.address(plan, "select"), {**pages.form(plan, one), "view": str(other.pk)})
    assert response.url == f"{pages.address(plan)}?out=0#c1"


def test_the_marks_of_two_people_are_apart():
    team = factories.team("Atlas", ann="admin", bea="reviewer")
    life.fill(factories.ann(), team=team)
    ann, bea = factories.actor(factories.ann()), factories.actor(factories.bea())
    plan = life.plan_all(ann, team_id=str(team.pk))
    one = life.candidates(plan)[3]
    assert mark_viewed(pass_id=plan.pk, candidates=[one.pk], actor=ann) == 1
    assert mark_viewed(pass_id=plan.pk, candidates=[one.pk], actor=ann) == 1
    assert viewed_positions(plan, actor=ann) == {3} and viewed_positions(plan, actor=bea) == set()


def test_strangers_tokens_and_candidates_of_other_passes_leave_no_mark(ann, plan):
    one = life.candidates(plan)[0]
    with pytest.raises(NotFound):
        mark_viewed(pass_id=plan.pk, candidates=[one.pk], actor=factories.actor(factories.bob()))
    with pytest.raises(NotAllowed):
        mark_viewed(pass_id=plan.pk, candidates=[one.pk], actor=factories.token_actor(factories.ann()))
    with pytest.raises(Invalid):
        mark_viewed(pass_id=plan.pk, candidates=[plan.pk], actor=ann)
    assert not Viewed.objects.exists()


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ({"action": "archive"}, 4),
        ({"path": "projects/%"}, 4),
        ({"path": "PROJECTS/ATLAS/facts"}, 1),
        ({"path": "nowhere"}, 0),
        ({"text": "PRINTER"}, 1),
        ({"text": "half-life"}, 1),
        ({"only": "unviewed"}, 8),
        ({"only": "viewed"}, 0),
        ({"only": "included"}, 8),
        ({"only": "drifted"}, 0),
        ({"action": "decay", "text": "guest code"}, 0),
    ],
)
def test_filters_show_a_part_and_say_how_large(web, plan, filters, count):
    response = web.get(pages.address(plan), filters)
    assert f"8 candidates · {count} match" in pages.text(response)
    assert sum(len(group.cards) for group in response.context["groups"]) == count


def test_what_the_filters_show_is_left_out_and_taken_in_again(web, plan):
    response = select(web, plan, action="archive", do="exclude")
    assert "4 of 8 selected" in pages.text(response)
    assert response.context["out"] == "4-7" and response.context["part"].action == "archive"
    again = web.post(
        pages.address(plan, "select"), {"action": "archive", "out": "4-7", "do": "include", "shown": [], "include": []}
    )
    assert again.url == f"{pages.address(plan)}?action=archive"


def test_what_moved_since_is_left_out_by_its_filter(web, ann, plan, records):
    revise(memory_id=records["old"].pk, changes={"path": "moved"}, actor=ann)
    response = select(web, plan, only="drifted", do="exclude")
    assert "7 of 8 selected" in pages.text(response)


def test_only_what_was_not_viewed_is_left_out_by_its_filter(web, ann, plan):
    mark_viewed(pass_id=plan.pk, candidates=[one.pk for one in life.candidates(plan)[:6]], actor=ann)
    assert select(web, plan, only="unviewed", do="exclude").context["out"] == "6-7"


def test_what_the_filters_hide_is_still_applied(web, plan):
    shown = [str(one.pk) for one in life.candidates(plan) if one.action == "decay"]
    given = {"digest": plan.digest, "shown": shown, "include": shown, "action": "decay", "out": "0"}
    web.post(pages.address(plan, "approve"), given)
    outcomes = [one.outcome for one in life.candidates(plan)]
    assert outcomes == ["excluded", *["pending"] * 7]


@pytest.mark.parametrize("wrong", [{"action": "x"}, {"only": "x"}, {"path": "%" * 30}, {"text": "x" * 300}])
def test_a_wrong_filter_is_refused_plainly(web, plan, wrong):
    assert web.get(pages.address(plan), wrong).status_code == 422


def test_the_marks_go_with_the_pass_and_never_into_its_digest(ann, plan):
    before = plan.digest
    mark_viewed(pass_id=plan.pk, candidates=[one.pk for one in life.candidates(plan)], actor=ann)
    plan.refresh_from_db()
    assert plan.digest == before
    assert life.applied(plan, ann).status == "applied"


def test_scripts_get_back_only_what_one_mark_changes(web, ann, plan):
    one, other = life.candidates(plan)[:2]
    mark_viewed(pass_id=plan.pk, candidates=[other.pk], actor=ann)
    answer = web.post(pages.address(plan, "select"), {"view": str(one.pk)}, headers=HTMX)
    body = answer.content.decode()
    assert answer.status_code == 200 and len(body) < 2_000 and "<html" not in body
    assert "2 of 8 viewed" in body and 'id="viewed-0"' in body and 'name="unview"' in body
    again = web.post(pages.address(plan, "select"), {"unview": str(one.pk)}, headers=HTMX).content.decode()
    assert "1 of 8 viewed" in again and 'name="view"' in again and 'form="decide"' in again
    assert viewed_positions(plan, actor=ann) == {1}


def test_a_mark_on_what_is_no_candidate_is_refused_to_scripts_too(web, plan):
    answer = web.post(pages.address(plan, "select"), {"view": "x"}, headers=HTMX)
    assert answer.status_code == 422 and not Viewed.objects.exists()
