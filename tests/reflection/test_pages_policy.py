"""The pages of policies: what they show to whom, preview before saving, conflicts, history."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.http import urlencode

from memories.models import AuditRecord
from reflection.models import ReflectionPolicy
from reflection.numbers import RULES
from reflection.pages.policy_form import entered
from reflection.services import policies, preview
from tests.memories import factories
from tests.memories.page_client import HTMX, everything, text_of
from tests.reflection import life, pages

pytestmark = pytest.mark.django_db


def address(space_id=None, *more):
    return "/".join(["/policies", str(space_id or factories.ann().pk), *more])


def values(actor, space_id=None, **changed):
    return entered(policies.current(actor.space(space_id or actor.own))) | changed


def post(web, actor, *, seen=1, space_id=None, **changed):
    return web.post(address(space_id), values(actor, space_id, **changed) | {"seen": seen})


def test_the_list_names_every_space_and_who_may_change_it(ann, web):
    factories.team("Atlas", ann="member")
    page = text_of(web.get("/policies"))
    assert "Private not required" in page and "Atlas only its admins change it required" in page


def test_every_value_has_a_field_with_its_unit_and_bounds(ann, web):
    page = web.get(address()).content.decode()
    for name in policies.NAMES:
        assert f'name="{name}"' in page, name
    seen = text_of(web.get(address()))
    for rule in RULES:
        assert rule.label in seen and rule.help in seen
        assert f"{rule.least:,g} to {rule.most:,g}" in seen
    assert "Expire" in seen and "at their own date" in seen


def test_an_address_may_hold_other_values(ann, web):
    page = web.get(address(), {"decay_step": "0.125", "on_drift": "refuse"}).content.decode()
    assert 'name="decay_step" value="0.125"' in page
    assert re.search(r'value="refuse"[^>]*checked', page)


def test_a_member_reads_the_values_and_finds_no_form():
    atlas = factories.team("Atlas", ann="admin", bea="reviewer")
    page = pages.browser(factories.bea()).get(address(atlas.pk))
    seen = text_of(page)
    assert "Only an admin of Atlas may change this." in seen and "Half-life of working memories" in seen
    assert 'name="decay_step"' not in page.content.decode()


def test_the_preview_shows_what_changes_and_both_runs_and_writes_nothing(ann, web, records):
    before, lines = everything(), AuditRecord.objects.count()
    page = web.get(address(None, "preview"), values(ann, archive_working_days="30", half_life_working=""))
    seen = text_of(page)
    assert page.status_code == 200
    assert "Working memories unused for before: 14 after: 30 days" in seen
    assert "Half-life of working memories" in seen and "never" in seen
    assert "archive archived 4 3 -1" in seen
    assert "Would not be proposed any more: 1" in seen
    assert "Now comparing two invoices." in seen
    assert "Save as version 2" in seen
    assert everything() == before and AuditRecord.objects.count() == lines
    assert not ReflectionPolicy.objects.exists()


def test_the_preview_asks_as_often_whatever_it_finds(ann, web, records):
    def asked():
        with CaptureQueriesContext(
            connection,
        ) as found:
            web.get(address(None, "preview"), values(ann, archive_working_days="30", decay_step="0.5"))
        return len(found)

    few = asked()
    for n in range(30):
        factories.memory(factories.ann(), f"Note {n}.", memory_type="working")
    assert asked() == few


def test_what_is_proposed_can_be_saved_from_the_preview(ann, web):
    page = web.get(address(None, "preview"), values(ann, plan_hours="48")).content.decode()
    sent = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page.split("<main")[1]))
    response = web.post(address(), sent)
    assert (response.status_code, response["Location"]) == (302, address())
    assert policies.current(ann.space(ann.own)).plan_hours == 48
    assert "Saved as version 2." in text_of(web.get(address()))


def test_values_that_are_in_force_need_no_saving(ann, web):
    page = web.get(address(None, "preview"), values(ann))
    assert "Nothing would change" in text_of(page) and "Save as version" not in text_of(page)
    assert "Nothing had changed." in text_of(web.get(post(web, ann)["Location"]))
    assert not ReflectionPolicy.objects.filter(number=2).exists()


def test_a_large_space_is_saved_without_being_compared(ann, web, records, monkeypatch):
    monkeypatch.setattr(preview, "ROWS_MOST", 1)
    seen = text_of(web.get(address(None, "preview"), values(ann, plan_hours="48")))
    assert "too many to plan twice while you wait" in seen and "Save as version 2" in seen


WRONG = [
    ({"promote_cosine": "2"}, "Likeness of repetitions: give a number from 0 to 1."),
    ({"summary_min_rows": "2.5"}, "give a whole number from 2 to 100"),
    ({"summary_min_rows": "70"}, "it is above"),
    ({"decay_step": ""}, "give a number from 0.001 to 1"),
    ({"plan_hours": "0"}, "give a whole number from 1 to 720"),
    ({"approval": "perhaps"}, "choose required or not_required"),
    ({"four_eyes": ""}, "choose false or true"),
    ({"on_schedule": "apply", "four_eyes": "true"}, "A schedule cannot apply by itself"),
]


@pytest.mark.parametrize(("wrong", "sentence"), WRONG)
@pytest.mark.parametrize("step", ["preview", "save"])
def test_a_mistake_is_said_beside_its_field_and_what_was_entered_stays(ann, web, wrong, sentence, step):
    before = everything()
    sent = values(ann, **{"archive_unused_days": "77", **wrong}) | {"seen": 1}
    response = web.post(address(), sent) if step == "save" else web.get(address(None, "preview"), sent)
    page = response.content.decode()
    assert response.status_code == 422
    assert page.count(sentence) == 2  # in the summary and beside the field
    assert 'name="archive_unused_days" value="77"' in page and 'aria-invalid="true"' in page
    assert everything() == before


@pytest.mark.parametrize("seen", ["", "x", "-1", "9" * 30, "１"])
def test_without_the_version_that_was_seen_nothing_is_saved(ann, web, seen):
    before = everything()
    response = web.post(address(), values(ann, plan_hours="48") | {"seen": seen})
    assert response.status_code == 422 and "The version you saw is missing" in text_of(response)
    assert everything() == before


def test_a_policy_that_moved_is_a_conflict_that_shows_both_and_can_be_settled(ann, web):
    post(web, ann, decay_step="0.5")
    response = post(web, ann, seen=1, decay_step="0.25", plan_hours="48")
    seen = text_of(response)
    assert response.status_code == 409
    assert "You saw version 1; it is now at version 2." in seen and "ann has saved version 2 since" in seen
    assert "before: 0.5 after: 0.25" in seen and "before: 24 after: 48" in seen
    assert "Save mine over version 2" in seen
    assert policies.current(ann.space(ann.own)).number == 2
    assert post(web, ann, seen=2, decay_step="0.25", plan_hours="48").status_code == 302
    assert policies.current(ann.space(ann.own)).number == 3


def test_a_preview_of_what_moved_meanwhile_says_so(ann, web):
    post(web, ann, decay_step="0.5")
    page = web.get(address(None, "preview"), values(ann, plan_hours="48") | {"seen": 1})
    assert "ann has saved version 2 since you opened the form" in text_of(page)
    assert 'name="seen" value="2"' in page.content.decode()


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_who_may_not_is_refused(headers):
    atlas = factories.team("Atlas", ann="admin", bea="reviewer")
    bea, hers = factories.actor(factories.bea()), pages.browser(factories.bea())
    sent, before = values(bea, atlas.pk, four_eyes="true") | {"seen": 1}, everything()
    response = hers.post(address(atlas.pk), sent, headers=headers)
    assert response.status_code == 403 and "Only an admin of Atlas" in text_of(response)
    assert everything() == before


@pytest.mark.parametrize(("sent", "status"), [({"decay_step": "7"}, 422), ({"seen": 7}, 409)])
def test_refusals_come_as_fragments_too(ann, web, sent, status):
    sent = values(ann, plan_hours="48") | {"seen": 1} | sent
    response = web.post(address(), sent, headers=HTMX)
    assert response.status_code == status and b"<html" not in response.content


def test_history_tells_who_changed_what_and_old_values_are_used_again(ann, web):
    post(web, ann, decay_step="0.5")
    post(web, ann, seen=2, plan_hours="48")
    seen = text_of(web.get(address()))
    assert seen.index("Version 3") < seen.index("Version 2 ·") < seen.index("Version 1 ·")
    page = web.get(address(None, "versions", "1"))
    assert "What has changed since" in text_of(page) and "before: 0.01 after: 0.5" in text_of(page)
    again = re.search(r'href="([^"]*preview[^"]*)"', page.content.decode())[1].replace("&amp;", "&")
    assert "Save as version 4" in text_of(web.get(again))
    post(web, ann, seen=3, **entered(policies.version(ann.own, 1, actor=ann)))
    first, last = policies.version(ann.own, 1, actor=ann), policies.current(ann.space(ann.own))
    assert (last.number, policies.flat(last)) == (4, policies.flat(first))
    assert "Nothing: its values are in force again." in text_of(web.get(address(None, "versions", "1")))


def test_a_version_that_is_not_there_is_not_found(web):
    for number in ("0", "7", "9" * 30):
        assert web.get(address(None, "versions", number)).status_code == 404
    assert web.get(address(None, "versions", "1")).status_code == 404  # nobody has used the defaults yet


def test_the_policy_of_others_is_not_there(web):
    atlas = factories.team("Atlas", bea="admin")
    life.policy(atlas.pk, actor=factories.actor(factories.bea()))
    for key in (atlas.pk, factories.bob().pk, uuid4()):
        for path in (address(key), address(key, "preview"), address(key, "versions", "1")):
            assert web.get(path).status_code == 404
        assert web.post(address(key), {"seen": 1}).status_code == 404


def test_who_is_signed_out_is_sent_to_sign_in():
    for path in ("/policies", address(), address(None, "preview"), address(None, "versions", "1")):
        assert Client().get(path)["Location"].startswith("/login?")
    assert Client().post(address(), {}).status_code == 401


def test_a_form_without_its_csrf_token_is_refused(ann):
    client = Client(enforce_csrf_checks=True)
    client.force_login(factories.ann())
    before = everything()
    assert client.post(address(), values(ann, plan_hours="48") | {"seen": 1}).status_code == 403
    assert everything() == before


def test_nothing_of_the_form_is_too_long_for_an_address(ann):
    assert len(urlencode(values(ann))) < 2_000


def test_the_menu_leads_there(web):
    page = web.get("/policies").content.decode()
    assert '<a href="/policies" aria-current="page">' in page and '<a href="/schedules">' in page


def test_a_pass_leads_to_the_version_it_was_planned_under(ann, web, plan):
    page = web.get(pages.address(plan)).content.decode()
    assert f'href="{address(None, "versions", "1")}"' in page
    assert web.get(address(None, "versions", "1")).status_code == 200
