"""On the page of an applied pass, single changes and ticked ones are undone, with scripts and without."""

from __future__ import annotations

import pytest

from memories.services.revise import revise
from tests.memories import factories
from tests.memories.api_client import Api
from tests.reflection import life, pages

pytestmark = pytest.mark.django_db


@pytest.fixture
def done(ann, plan):
    return life.applied(plan, ann)


def outcomes(done):
    return [one.outcome for one in life.candidates(done)]


def test_each_written_change_has_a_box_and_a_button(web, done):
    page = web.get(pages.address(done)).content.decode()
    for one in life.candidates(done):
        assert f'name="include" form="undo-some" value="{one.pk}"' in page
        assert f'name="single" value="{one.pk}"' in page
    assert 'data-many="Undo {n} changes"' in page


def test_one_button_undoes_one_change_and_the_page_says_so(web, done):
    first = life.candidates(done)[0]
    response = web.post(pages.address(done, "undo-some"), {"single": str(first.pk), "comment": "Not this one."})
    assert response.status_code == 302
    assert outcomes(done) == ["rolled_back", *["applied"] * 7]
    seen = pages.text(web.get(pages.address(done)))
    assert "8 changes written. 1 undone since." in seen and "0 of 7 chosen to undo" in seen


def test_ticked_changes_are_undone_together(web, done):
    chosen = [str(one.pk) for one in life.candidates(done)[2:5]]
    web.post(pages.address(done, "undo-some"), {"include": chosen})
    assert outcomes(done) == ["applied"] * 2 + ["rolled_back"] * 3 + ["applied"] * 3


def test_nothing_ticked_and_a_strange_candidate_are_refused_above_the_page(web, done):
    response = web.post(pages.address(done, "undo-some"), {})
    assert response.status_code == 422
    assert "A pass over your private memories, applied" in pages.text(response)
    assert "Tick those that are to be undone" in pages.text(response)
    assert web.post(pages.address(done, "undo-some"), {"include": "x"}).status_code == 422
    assert set(outcomes(done)) == {"applied"}


def test_what_moved_on_is_named_on_the_page(web, ann, done, records):
    revise(memory_id=records["old"].pk, changes={"path": "moved"}, actor=ann)
    (moved,) = done.candidates.filter(target_id=records["old"].pk)
    web.post(pages.address(done, "undo-some"), {"include": str(moved.pk)})
    seen = pages.text(web.get(pages.address(done)))
    assert "1 could not be undone: each says why below." in seen
    assert "kept: changed since the pass" in seen


def test_the_address_opened_without_a_form_leads_to_the_pass(web, done):
    assert web.get(pages.address(done, "undo-some")).url == pages.address(done)


def test_a_plan_offers_no_undo(web, plan):
    assert "undo-some" not in web.get(pages.address(plan)).content.decode()


def test_a_token_is_told_that_a_person_undoes(done):
    one = life.candidates(done)[0]
    answer = Api(factories.ann()).post(f"passes/{done.pk}/rollback", {"candidates": [str(one.pk)]})
    assert answer.status_code == 403
    assert set(outcomes(done)) == {"applied"}
