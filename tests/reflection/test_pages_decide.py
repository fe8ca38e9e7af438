"""What a person decides on the page of a pass: approve with exclusions, reject, undo, keep; and every refusal."""

from __future__ import annotations

from uuid import uuid4

import pytest

from memories.models import AuditRecord, Memory
from memories.services.revise import revise
from reflection.services.run import reflect
from reflection.tasks import apply_pass
from tests.memories import factories
from tests.reflection import life, pages

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def done(ann, plan):
    return life.applied(plan, ann, exclude=(life.candidates(plan)[-1].pk,))


def test_what_was_unticked_is_left_out_and_the_rest_is_applied(web, plan):
    out = life.candidates(plan)[3]
    response = web.post(pages.address(plan, "approve"), pages.form(plan, out, comment="Fine."), follow=True)
    assert response.redirect_chain == [(pages.address(plan), 302)]
    assert "Approved by Ann; the worker is applying it" in pages.text(response)
    apply_pass(str(plan.pk))
    outcomes = [one.outcome for one in life.candidates(plan)]
    assert outcomes.count("applied") == 7
    assert outcomes[3] == "excluded"
    plan.refresh_from_db()
    assert plan.comment == "Fine."


def test_while_it_is_applied_the_counts_leave_out_what_was_left_out(web, plan):
    whole = web.get(pages.address(plan)).context["counts"]
    out = life.candidates(plan)[-1]
    response = web.post(pages.address(plan, "approve"), pages.form(plan, out), follow=True)
    assert response.context["state"] == "approved"
    assert response.context["counts"] == whole | {"archived": whole["archived"] - 1}


def test_candidates_on_other_pages_stay_in_unless_left_out_before(web, plan):
    first, *_, last = life.candidates(plan)
    given = {"digest": plan.digest, "shown": [str(first.pk)], "include": [str(first.pk)], "out": str(last.position)}
    web.post(pages.address(plan, "approve"), given)
    assert [one.outcome for one in life.candidates(plan)] == ["pending"] * 7 + ["excluded"]


def test_ticking_again_what_was_left_out_before_takes_it_in(web, plan):
    response = web.post(pages.address(plan, "approve"), pages.form(plan, out="0-7"))
    assert response.status_code == 302
    assert {one.outcome for one in life.candidates(plan)} == {"pending"}


def test_turning_the_page_keeps_what_is_left_out_and_writes_nothing(web, plan):
    before = pages.everything()
    out = life.candidates(plan)[2]
    response = web.post(pages.address(plan, "select"), pages.form(plan, out, out="5", turn="archive:6"))
    assert response["Location"] == f"{pages.address(plan)}?group=archive&after=6&out=2"
    assert pages.everything() == before


def test_another_digest_is_refused_and_the_choice_is_kept(web, plan):
    before = pages.everything()
    out = life.candidates(plan)[1]
    given = {**pages.form(plan, out, comment="Keep me"), "digest": "0" * 64}
    response = web.post(pages.address(plan, "approve"), given)
    assert response.status_code == 409
    seen = pages.text(response)
    assert "This is not the plan you saw" in seen
    assert "7 of 8 selected" in seen
    assert "Keep me" in seen
    assert pages.everything() == before


def test_a_refused_approval_is_audited(web, plan):
    web.post(pages.address(plan, "approve"), {**pages.form(plan), "digest": "0" * 64})
    assert AuditRecord.objects.filter(action="pass-approve", result="refused").count() == 1


def test_leaving_everything_out_is_refused(web, plan):
    before = pages.everything()
    response = web.post(pages.address(plan, "approve"), pages.form(plan, *life.candidates(plan)))
    assert response.status_code == 422
    assert "Nothing is left to apply" in pages.text(response)
    assert pages.everything() == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"include": ["none"]},
        {"include": [str(uuid4())]},
        {"shown": ["7"]},
        {"out": "1-"},
        {"comment": "x" * 1001},
        {"comment": "a\0b"},
        {"digest": "a\0b"},
    ],
)
def test_bad_input_is_refused_as_page_and_as_fragment(web, plan, wrong):
    before = pages.everything()
    given = {**pages.form(plan), **wrong}
    page = web.post(pages.address(plan, "approve"), given)
    fragment = web.post(pages.address(plan, "approve"), given, headers=HTMX)
    assert (page.status_code, fragment.status_code) == (422, 422)
    assert b"<html" in page.content and b"<html" not in fragment.content
    assert b"data-refused" in fragment.content
    assert pages.everything() == before


def test_a_plan_is_approved_once(web, plan):
    web.post(pages.address(plan, "approve"), pages.form(plan))
    again = web.post(pages.address(plan, "approve"), pages.form(plan))
    assert again.status_code == 409
    assert "This pass is approved already." in pages.text(again)


def test_a_member_may_not_decide(records):
    atlas = factories.team("Atlas", ann="admin", bea="member")
    life.fill(factories.ann(), team=atlas)
    plan = life.plan_all(factories.actor(factories.ann()), team_id=str(atlas.pk))
    before = pages.everything()
    bea = pages.browser(factories.bea())
    for more in ("approve", "reject", "undo", "sign-off"):
        response = bea.post(pages.address(plan, more), pages.form(plan))
        assert response.status_code == 403
        assert "Only a reviewer or an admin of Atlas" in pages.text(response)
    assert pages.everything() == before


def test_a_rejected_plan_keeps_the_comment_and_offers_to_plan_again(web, plan):
    response = web.post(pages.address(plan, "reject"), {"comment": "Not <now>."}, follow=True)
    seen = pages.text(response)
    assert "your private memories, rejected" in seen
    assert "Not &lt;now&gt;." in seen
    assert f"/passes/new?again={plan.pk}".encode() in response.content
    assert web.post(pages.address(plan, "reject")).status_code == 409


def test_the_result_names_each_outcome_with_its_audit(web, done):
    response = web.get(pages.address(done))
    seen, page = pages.text(response), response.content.decode()
    assert "A pass over your private memories, applied" in seen
    assert "7 changes written. 1 left out." in seen
    assert "### Memory Reflect Report" in seen
    for one in life.candidates(done)[:-1]:
        assert str(one.audit_id) in page
        assert f"/memories/{one.result_id}" in page


def test_the_report_is_a_text_file(web, done):
    response = web.get(pages.address(done, "report"))
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response.content.decode().startswith("### Memory Reflect Report\n- Dry Run: false\n")


def test_the_report_of_a_preview_that_was_applied_is_no_dry_run(ann, web, records):
    preview = life.plan_all(factories.token_actor(factories.ann()), dry_run=True)
    assert "- Dry Run: true\n" in web.get(pages.address(preview, "report")).content.decode()
    life.applied(preview, ann)
    assert "- Dry Run: false\n" in web.get(pages.address(preview, "report")).content.decode()


def test_a_record_that_moved_is_named_in_the_result(ann, web, plan, records):
    life.approve(plan, ann)
    revise(memory_id=records["due"].pk, changes={"path": "moved"}, actor=ann)
    apply_pass(str(plan.pk))
    seen = pages.text(web.get(pages.address(plan)))
    assert "1 skipped, because its record changed between plan and application" in seen
    assert "skipped: drifted" in seen


def test_undo_brings_the_records_back_and_names_what_it_kept(ann, web, done, records):
    revise(memory_id=records["old"].pk, changes={"path": "moved"}, actor=ann)
    response = web.post(pages.address(done, "undo"), {"comment": "Too early."}, follow=True)
    seen = pages.text(response)
    assert "your private memories, undone" in seen
    assert "6 changes undone. 1 kept as it is: each says why below." in seen
    assert "changed since the pass" in seen
    assert Memory.objects.get(pk=records["due"].pk).state.status == "active"
    assert web.post(pages.address(done, "undo")).status_code == 409


def test_what_policy_let_through_is_kept_by_a_person(web, records):
    made = reflect(given={"actions_csv": "expire"}, actor=factories.token_actor(factories.ann()))
    assert "Applied without a person" in pages.text(web.get(pages.address(made)))
    kept = web.post(pages.address(made, "sign-off"), follow=True)
    assert "Ann looked this over" in pages.text(kept)
    assert web.post(pages.address(made, "sign-off")).status_code == 409


def test_what_a_person_approved_needs_no_sign_off(web, done):
    assert web.post(pages.address(done, "sign-off")).status_code == 409


def test_the_status_asks_again_ever_slower_until_the_pass_has_ended(ann, web, plan):
    life.approve(plan, ann)
    early = web.get(pages.address(plan, "status"), headers=HTMX).content.decode()
    late = web.get(pages.address(plan, "status"), {"polls": "60"}, headers=HTMX).content.decode()
    assert 'hx-trigger="every 1s"' in early
    assert 'hx-trigger="every 5s"' in late
    apply_pass(str(plan.pk))
    ended = web.get(pages.address(plan, "status"), headers=HTMX)
    assert b"hx-trigger" not in ended.content
    assert ended["HX-Refresh"] == "true"


def test_an_approved_pass_refreshes_itself_without_scripts_too(ann, web, plan):
    life.approve(plan, ann)
    assert b'<noscript><meta http-equiv="refresh"' in web.get(pages.address(plan)).content


def test_an_approval_is_withdrawn_before_the_worker_applied_it(ann, web, plan):
    life.approve(plan, ann)
    blind = web.post(pages.address(plan, "reject"))
    assert blind.status_code == 409 and "this pass is approved now" in pages.text(blind)
    assert "rejected" in pages.text(web.post(pages.address(plan, "reject"), {"seen": "approved"}, follow=True))
    apply_pass(str(plan.pk))
    plan.refresh_from_db()
    assert plan.status == "rejected"


def test_a_malformed_count_of_polls_is_refused(web, plan):
    assert web.get(pages.address(plan, "status"), {"polls": "many"}).status_code == 422


@pytest.mark.parametrize("more", ["approve", "reject", "undo", "sign-off", "select"])
def test_an_address_that_takes_forms_leads_back_to_the_pass(web, plan, more):
    assert web.get(pages.address(plan, more))["Location"] == pages.address(plan)


def test_a_form_without_its_csrf_token_changes_nothing(plan):
    from django.test import Client

    strict = Client(enforce_csrf_checks=True)
    strict.force_login(factories.ann())
    before = pages.everything()
    assert strict.post(pages.address(plan, "approve"), pages.form(plan)).status_code == 403
    assert pages.everything() == before


def test_an_undone_pass_says_so_beside_its_counts_and_is_undone_already(web, done):
    assert "summarized, undone" not in pages.text(web.get(pages.address(done)))
    assert "summarized, undone" in pages.text(web.post(pages.address(done, "undo"), follow=True))
    again = web.post(pages.address(done, "undo"))
    assert again.status_code == 409 and "This pass is undone already." in pages.text(again)


def test_the_reasons_of_candidates_are_told_in_the_zone_of_the_reader(plan):
    told = [one.why["text"] for one in life.candidates(plan) if " UTC" in one.why["text"]]
    reader = factories.ann()
    reader.time_zone = "Asia/Seoul"
    reader.save()
    seen = pages.text(pages.browser(reader).get(pages.address(plan)))
    assert told and " KST" in seen
    assert not any(text in seen for text in told)
