"""The list of passes and the inbox."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from reflection.models import ReflectPass
from reflection.pages import lists
from reflection.services.decide import reject
from reflection.services.run import reflect
from tests.memories import factories
from tests.reflection import life, pages

pytestmark = pytest.mark.django_db


def listed(response) -> list[str]:
    return [str(row["pass"].pk) for row in response.context["rows"]]


def test_the_first_visit_explains_what_a_pass_is(web):
    seen = pages.text(web.get("/passes"))
    assert "No pass yet" in seen
    assert "New pass" in seen


def test_passes_are_listed_newest_first_with_their_counts(ann, web):
    life.fill(factories.ann())
    older, newer = life.plan_all(ann), life.plan_all(ann)
    response = web.get("/passes")
    assert listed(response) == [str(newer.pk), str(older.pk)]
    assert "4 archive" in pages.text(response)


def test_pages_follow_each_other_without_gap_or_repeat(ann, web, monkeypatch):
    monkeypatch.setattr(lists, "PAGE", 2)
    made = [str(life.plan_all(ann).pk) for _ in range(5)]
    seen, address = [], "/passes"
    while address:
        response = web.get(address)
        seen += listed(response)
        address = "/passes" + response.context["next_url"] if response.context["next_url"] else ""
    assert seen == made[::-1]


def test_the_list_is_narrowed_by_status_space_and_memory(web):
    atlas = factories.team("Atlas", ann="reviewer")
    ann = factories.actor(factories.ann())
    records = life.fill(factories.ann())
    private, shared = life.plan_all(ann), life.plan_all(ann, team_id=str(atlas.pk))
    reject(pass_id=shared.pk, actor=ann)
    assert listed(web.get("/passes", {"status": "rejected"})) == [str(shared.pk)]
    assert listed(web.get("/passes", {"space": str(atlas.pk)})) == [str(shared.pk)]
    assert listed(web.get("/passes", {"memory": str(records["turn0"].pk)})) == [str(private.pk)]
    assert "No pass matches" in pages.text(web.get("/passes", {"status": "failed"}))


def test_a_plan_past_its_time_is_listed_as_expired(ann, web):
    plan = life.plan_all(ann)
    now = timezone.now()
    ReflectPass.objects.update(planned_at=now - timedelta(days=2), expires_at=now - timedelta(days=1))
    assert listed(web.get("/passes", {"status": "expired"})) == [str(plan.pk)]
    assert listed(web.get("/passes", {"status": "planned"})) == []


def test_bob_sees_nothing_of_ann(ann):
    records = life.fill(factories.ann())
    plan = life.plan_all(ann)
    bob = pages.browser(factories.bob())
    assert listed(bob.get("/passes")) == []
    assert listed(bob.get("/passes", {"memory": str(records["turn0"].pk)})) == []
    assert bob.get("/passes", {"space": str(factories.ann().pk)}).status_code == 404
    assert bob.get("/passes", {"after": str(plan.pk)}).status_code == 404
    assert "Nothing waits for you" in pages.text(bob.get("/inbox"))


@pytest.mark.parametrize("query", [{"status": "lost"}, {"space": "x"}, {"memory": "mem_x"}, {"after": "x"}])
def test_malformed_filters_are_refused(web, query):
    assert web.get("/passes", query).status_code == 422
    fragment = web.get("/passes", query, headers={"HX-Request": "true"})
    assert fragment.status_code == 422 and b"<html" not in fragment.content


def test_a_nul_in_a_filter_is_refused(web):
    assert web.get("/passes?status=a%00b").status_code == 422


def test_an_unknown_space_is_not_found(web):
    assert web.get("/passes", {"space": str(uuid4())}).status_code == 404


def test_the_number_of_queries_does_not_grow_with_the_list(ann, web):
    def queries_for(count: int) -> int:
        for _ in range(count):
            life.plan_all(ann)
        with CaptureQueriesContext(connection) as seen:
            assert web.get("/passes").status_code == 200
        return len(seen)

    assert queries_for(2) == queries_for(20)


def waiting(web) -> list[str]:
    response = web.get("/inbox")
    rows = [*response.context["to_decide"], *response.context["to_sign_off"]]
    return [str(row["pass"].pk) for row in rows]


def test_the_inbox_holds_what_waits_for_a_decision(ann, web):
    assert waiting(web) == []
    life.fill(factories.ann())
    proposed = life.plan_all(factories.token_actor(factories.ann()), dry_run=False)
    applied = reflect(given={"actions_csv": "expire"}, actor=factories.token_actor(factories.ann()))
    assert waiting(web) == [str(proposed.pk), str(applied.pk)]
    assert '<span class="badge">2' in web.get("/inbox").content.decode()


def test_the_inbox_leaves_out_plans_that_are_empty_over_or_decided(ann, web):
    empty = life.plan_all(ann)
    life.fill(factories.ann())
    late, decided = life.plan_all(ann), life.plan_all(ann)
    now = timezone.now()
    ReflectPass.objects.filter(pk=late.pk).update(
        planned_at=now - timedelta(days=2), expires_at=now - timedelta(days=1)
    )
    reject(pass_id=decided.pk, actor=ann)
    assert waiting(web) == []
    assert empty.status == "planned"


def test_a_team_plan_waits_for_reviewers_only():
    atlas = factories.team("Atlas", ann="admin", bea="member")
    life.fill(factories.ann(), team=atlas)
    plan = life.plan_all(factories.actor(factories.ann()), team_id=str(atlas.pk))
    assert waiting(pages.browser(factories.ann())) == [str(plan.pk)]
    assert waiting(pages.browser(factories.bea())) == []


def test_where_four_eyes_are_wanted_a_plan_waits_for_the_others():
    atlas = factories.team("Atlas", ann="admin", bea="reviewer")
    life.fill(factories.ann(), team=atlas)
    ann = factories.actor(factories.ann())
    life.policy(atlas.pk, actor=ann, four_eyes=True)
    plan = life.plan_all(ann, team_id=str(atlas.pk))
    assert waiting(pages.browser(factories.ann())) == []
    assert waiting(pages.browser(factories.bea())) == [str(plan.pk)]


def test_a_new_pass_begins_with_the_team_that_the_list_shows(ann):
    team = factories.team("Atlas", ann="admin")
    web = pages.browser(factories.ann())
    assert f'href="/passes/new?team_id={team.pk}"' in web.get(f"/passes?space={team.pk}").content.decode()
    form = web.get(f"/passes/new?team_id={team.pk}").content.decode()
    assert f'<option value="{team.pk}" selected>' in form and "Everybody in the team" not in form
    assert 'href="/passes/new"' in web.get("/passes").content.decode()
