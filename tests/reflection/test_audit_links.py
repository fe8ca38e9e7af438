"""From a line of the audit to its pass and candidate, and back."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest

from memories.models import AuditRecord
from reflection.pages import groups
from reflection.services.undo_some import take_back
from tests.memories import factories
from tests.memories.api_client import Api
from tests.reflection import life, pages

pytestmark = pytest.mark.django_db


@pytest.fixture
def done(ann, plan):
    return life.applied(plan, ann)


def test_a_candidate_leads_to_its_line_and_the_line_back(web, done):
    one = life.candidates(done)[3]
    assert f"/audit?line={one.audit_id}" in web.get(pages.address(done)).content.decode()
    page = web.get("/audit", {"line": one.audit_id}).content.decode()
    assert page.count("<tr>") == 2
    address = pages.address(done, "candidates", str(one.pk))
    assert f'href="{address}"' in page
    assert web.get(address).url == f"{pages.address(done)}#c3"


def test_every_line_of_a_pass_names_a_candidate_whose_line_it_is(ann, done):
    take_back(pass_id=done.pk, candidates=[life.candidates(done)[0].pk], actor=ann)
    by_line = {one.audit_id: one for one in life.candidates(done)}
    lines = AuditRecord.objects.filter(pass_id=done.pk, action__startswith="reflect.")
    assert lines.count() == 9
    for line in lines.exclude(action__startswith="reflect.undo_"):
        one = by_line[line.pk]
        assert line.detail["candidate"] == str(one.pk) and line.object_id == one.result_id
    undone = lines.get(action__startswith="reflect.undo_")
    assert undone.detail["candidate"] == str(life.candidates(done)[0].pk)


def test_the_record_s_own_page_leads_to_the_candidate(web, done, records):
    (one,) = done.candidates.filter(target_id=records["old"].pk)
    assert pages.address(done, "candidates", str(one.pk)) in web.get(f"/memories/{records['old'].pk}").content.decode()


def test_in_a_long_pass_the_link_leads_to_the_part_that_shows_it(web, done, monkeypatch):
    monkeypatch.setattr(groups, "ALL_AT_ONCE", 3)
    monkeypatch.setattr("reflection.pages.show.ALL_AT_ONCE", 3)
    monkeypatch.setattr(groups, "PER_GROUP", 2)
    for one in life.candidates(done):
        address = web.get(pages.address(done, "candidates", str(one.pk))).url
        page = web.get(address).content.decode()
        assert re.search(rf'id="c{one.position}"', page), address


def test_the_candidate_of_another_pass_or_person_is_not_found(web, ann, done):
    other = life.plan_all(ann, actions_csv="decay")
    strange = life.candidates(done)[0].pk
    assert web.get(pages.address(other, "candidates", str(strange))).status_code == 404
    assert web.get(pages.address(done, "candidates", str(uuid4()))).status_code == 404
    bob = pages.browser(factories.bob())
    assert bob.get(pages.address(done, "candidates", str(strange))).status_code == 404


def test_the_api_names_pass_candidate_and_address(done):
    api = Api(factories.ann(), scopes=["memory:read", "audit"])
    records = api.get("audit/consolidation", limit=100).json()["records"]
    candidates = {one["id"]: one for one in api.get(f"passes/{done.pk}/candidates").json()["candidates"]}
    assert len(records) == len(candidates) == 8
    for record in records:
        one = candidates[record["candidate_id"]]
        assert one["audit_record_id"] == record["id"] and one["memory_id"] == record["memory_id"]
        assert record["pass_id"] == str(done.pk) and record["url"] == one["url"]
        assert record["url"].endswith(f"/passes/{done.pk}/candidates/{one['id']}")
