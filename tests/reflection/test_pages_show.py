"""The page of one pass: what a plan shows, who sees it, and what moved since."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.models import MemoryState
from memories.services.revise import revise
from reflection.models import Basis, ReflectPass
from reflection.pages.cards import ORDER
from reflection.services.undo import roll_back
from tests.memories import factories
from tests.reflection import life, pages

pytestmark = pytest.mark.django_db


def test_a_plan_shows_its_counts_filters_and_candidates(web, plan, records):
    response = web.get(pages.address(plan))
    seen = pages.text(response)
    assert "Preview of a pass over your private memories" in seen
    assert "nothing has been written" in seen
    assert response.context["counts"] == {"summarized": 1, "promoted": 1, "expired": 1, "decayed": 1, "archived": 4}
    assert "limit 500, none cut" in seen
    assert "policy v1" in seen
    assert "The printer on floor two was moved." in seen
    assert "Apply 8 changes" in seen


def test_each_candidate_has_a_switch_and_links_its_evidence(web, plan, records):
    page = web.get(pages.address(plan)).content.decode()
    for one in life.candidates(plan):
        assert f'name="include" value="{one.pk}"' in page
    assert f"/memories/{records['turn0'].pk}" in page
    assert f"/memories/{records['old'].pk}" in page


def test_text_of_a_memory_is_escaped_and_takes_its_own_direction(ann, web):
    nasty = "<script>alert(1)</script> & <b>bold</b>"
    long_ago = timezone.now() - timedelta(days=40)
    factories.memory(
        factories.ann(), nasty, memory_type="episodic", path='<i "x">', created_at=long_ago, importance=0.9, base=0.9
    )
    page = web.get(pages.address(life.plan_all(ann))).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;b&gt;bold" in page
    assert '<i "x">' not in page
    assert 'class="text" dir="auto"' in page


def test_the_digest_stands_in_the_form(web, plan):
    assert f'name="digest" value="{plan.digest}"' in web.get(pages.address(plan)).content.decode()


def test_what_was_protected_and_what_nearly_qualified_is_listed(web, plan):
    seen = pages.text(web.get(pages.address(plan)))
    assert "left alone: protected" in seen


def test_what_was_left_alone_says_how_each_record_begins_as_far_as_the_reader_sees_it(web, plan, records):
    assert "pinned. mem_…" in (seen := pages.text(web.get(pages.address(plan))))
    assert seen.count("The founding date is 4 May.") == 1
    plan.skipped = [plan.skipped[0] | {"memory_ids": [str(factories.memory(factories.bob(), "Bob only.").pk)]}]
    plan.save(update_fields=["skipped"])
    assert "Bob only." not in pages.text(web.get(pages.address(plan)))


def test_the_inputs_of_a_rule_stand_in_their_order(web, plan):
    cards = {card.action: card for group in web.get(pages.address(plan)).context["groups"] for card in group.cards}
    names = [name for name, _ in cards["promote"].numbers]
    assert names[:4] == ["rule", "rows", "sessions", "hours"]
    assert names.index("first") + 1 == names.index("last")
    assert {name.replace(" ", "_") for card in cards.values() for name, _ in card.numbers} <= {*ORDER}


def test_quotation_marks_are_explained_where_something_is_quoted(web, plan):
    seen = pages.text(web.get(pages.address(plan)))
    assert seen.count("What stands in quotation marks is taken word for word") == 2


def test_an_edited_record_is_named_before_approval(ann, web, plan, records):
    revise(memory_id=records["old"].pk, changes={"path": "moved"}, actor=ann)
    response = web.get(pages.address(plan))
    seen = pages.text(response)
    assert "records changed since this was planned" in seen
    assert "edited by ann" in seen
    assert "1 of the selected drifted and will be skipped" in seen
    assert "Of the 8 candidates counted above, 7 can still be written." in seen and "taken back" not in seen
    assert "Plan again with the same filters" in seen
    assert f"?again={plan.pk}" in response.content.decode()


def test_what_an_undone_pass_brought_back_is_named_as_it_was(ann, web, plan, records):
    other = life.applied(life.plan_all(ann), ann)
    assert "Every change was taken back" not in pages.text(web.get(pages.address(plan)))
    roll_back(pass_id=other.pk, actor=ann)
    assert "Every change was taken back, and the records are as they were." in pages.text(web.get(pages.address(plan)))
    revise(memory_id=records["due"].pk, changes={"path": "moved"}, actor=ann)
    assert "Every change was taken back" not in pages.text(web.get(pages.address(plan)))


def test_drifted_candidates_are_left_out_with_one_link(ann, web, plan, records):
    revise(memory_id=records["due"].pk, changes={"path": "moved"}, actor=ann)
    (moved,) = plan.candidates.filter(target_id=records["due"].pk)
    page = web.get(pages.address(plan)).content.decode()
    assert f'href="?out={moved.position}#drift"' in page
    again = pages.text(web.get(pages.address(plan), {"out": moved.position}))
    assert "7 of 8 selected" in again


def test_a_plan_that_refuses_drift_says_so(ann, web, records):
    plan = life.plan_all(ann, on_drift="refuse")
    revise(memory_id=records["due"].pk, changes={"path": "moved"}, actor=ann)
    assert "would stop the whole pass" in pages.text(web.get(pages.address(plan)))


def test_a_plan_past_its_time_cannot_be_approved(web, plan):
    ReflectPass.objects.filter(pk=plan.pk).update(
        planned_at=timezone.now() - timedelta(days=2), expires_at=timezone.now() - timedelta(days=1)
    )
    response = web.get(pages.address(plan))
    assert "expired before anyone decided" in pages.text(response)
    assert b'id="decide"' not in response.content


def test_a_plan_that_found_nothing_says_so(ann, web):
    seen = pages.text(web.get(pages.address(life.plan_all(ann))))
    assert "Nothing to do" in seen
    assert "Apply" not in seen


def test_a_member_sees_why_they_may_not_decide(records):
    atlas = factories.team("Atlas", ann="admin", bea="member")
    life.fill(factories.ann(), team=atlas)
    plan = life.plan_all(factories.actor(factories.ann()), team_id=str(atlas.pk))
    response = pages.browser(factories.bea()).get(pages.address(plan))
    assert "Only a reviewer or an admin of Atlas may decide" in pages.text(response)
    assert "It stands in the inbox of ann." in pages.text(response)
    assert "Apply" not in pages.text(response)


@pytest.mark.parametrize(("who", "word"), [(factories.ann, "Discard"), (factories.bea, "Reject")])
def test_a_plan_of_ones_own_is_discarded_and_that_of_another_rejected(records, who, word):
    atlas = factories.team("Atlas", ann="admin", bea="admin")
    life.fill(factories.ann(), team=atlas)
    plan = life.plan_all(factories.actor(factories.ann()), team_id=str(atlas.pk))
    web = pages.browser(who())
    seen = pages.text(web.get(pages.address(plan)))
    assert f"{word} this plan" in seen and "It stands in the inbox" not in seen
    over = pages.text(web.post(pages.address(plan, "reject"), {}, follow=True))
    assert f"{word.lower()}ed this plan; nothing was written." in over


def test_only_those_are_named_in_whose_inbox_a_plan_stands(records):
    atlas = factories.team("Atlas", ann="admin", bea="member", bob="reviewer")
    life.fill(factories.ann(), team=atlas)
    life.policy(atlas.pk, actor=factories.actor(factories.ann()), four_eyes=True)
    plan = life.plan_all(factories.actor(factories.ann()), team_id=str(atlas.pk))
    seen = pages.text(pages.browser(factories.bea()).get(pages.address(plan)))
    assert "It stands in the inbox of bob." in seen


def test_a_planner_may_reject_but_not_approve_where_four_eyes_are_wanted(ann, web, records):
    life.policy(ann.own, actor=ann, four_eyes=True)
    plan = life.plan_all(ann)
    response = web.get(pages.address(plan))
    assert "second pair of eyes" in pages.text(response)
    assert b"Discard this plan" in response.content
    assert b"data-apply-label" not in response.content


def test_a_token_is_named_as_the_planner(web, records):
    agent = factories.token_actor(factories.ann())
    plan = life.plan_all(agent, dry_run=True)
    assert f"by token {agent.token_prefix}" in pages.text(web.get(pages.address(plan)))


@pytest.mark.parametrize("more", ["", "status", "report", "approve", "reject", "undo", "sign-off", "select"])
@pytest.mark.parametrize("verb", ["get", "post"])
def test_bob_finds_nothing_of_anns_passes(plan, more, verb):
    before = pages.everything()
    stranger = pages.browser(factories.bob())
    parts = [more] if more else []
    response = getattr(stranger, verb)(pages.address(plan, *parts), follow=True)
    assert response.status_code in (404, 405)
    assert b"printer" not in response.content
    assert pages.everything() == before


@pytest.mark.parametrize(
    "query",
    [{"out": "x"}, {"out": "3-1"}, {"out": "1,,2"}, {"out": "99999"}, {"group": "forget"}, {"after": "-1"}],
)
def test_a_malformed_address_is_refused(web, plan, query):
    assert web.get(pages.address(plan), query).status_code == 422
    fragment = web.get(pages.address(plan), query, headers={"HX-Request": "true"})
    assert fragment.status_code == 422
    assert b"data-refused" in fragment.content and b"<html" not in fragment.content


def test_an_unknown_pass_is_not_found(web):
    assert web.get(f"/passes/{uuid4()}").status_code == 404
    assert web.get("/passes/none").status_code == 404


def test_somebody_signed_out_is_sent_to_the_sign_in(client, plan):
    response = client.get(pages.address(plan))
    assert response.status_code == 302
    assert response["Location"].startswith("/login?next=")


def test_the_number_of_queries_does_not_grow_with_the_plan(ann, web):
    def queries_for(count: int) -> int:
        for n in range(count):
            at = timezone.now() - timedelta(days=40, minutes=n)
            factories.memory(
                factories.ann(), f"Note {n}.", memory_type="episodic", created_at=at, importance=0.9, base=0.9
            )
            factories.memory(factories.ann(), f"Kept {n}.", created_at=at, expires_at=at, pinned=True)
        plan = life.plan_all(ann)
        from django.db import connection

        with CaptureQueriesContext(connection) as seen:
            assert web.get(pages.address(plan)).status_code == 200
        return len(seen)

    assert queries_for(5) == queries_for(45)


def test_a_candidate_that_was_told_meanwhile_says_so_in_a_whole_sentence(ann, web, records):
    first, second = (life.plan_all(ann, actions_csv="summarize") for _ in range(2))
    life.applied(first, ann)
    (told,) = life.candidates(first)
    end = str(told.result_id or ReflectPass.objects.get(pk=first.pk).candidates.get().result_id)[-6:]
    seen = pages.text(web.get(pages.address(second)))
    assert f"mem_…{end} tells the same sources already, so this candidate will be skipped." in seen


def test_a_record_that_is_gone_or_changed_unsaid_is_told_in_a_whole_sentence(ann, web, plan, records):
    MemoryState.objects.filter(pk=records["old"].pk).update(version=F("version") + 1)
    seen = pages.text(web.get(pages.address(plan)))
    assert f"mem_…{str(records['old'].pk)[-6:]} changed since this was planned: version 1, now 2." in seen
    Basis.objects.filter(memory_id=records["old"].pk).update(memory_id=uuid4())
    assert "is not there any more, or no longer yours to see. It will be skipped." in pages.text(
        web.get(pages.address(plan))
    )
