"""The inbox: the nearest deadline first, what nobody reviewed after it, and the count in the navigation."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from memories.models.memory import MemoryState
from memories.services.forget import forget
from reflection.models import ReflectPass
from reflection.pages import lists
from reflection.services.decide import sign_off
from reflection.services.run import reflect
from reflection.services.undo import roll_back
from tests.memories import factories
from tests.reflection import life, pages, token_writes

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


@pytest.fixture
def plans(ann, records):
    """Three plans; the one made last expires first."""
    made = [life.plan_all(ann) for _ in range(3)]
    for hours, one in zip((20, 10, 1), made, strict=True):
        ReflectPass.objects.filter(pk=one.pk).update(expires_at=timezone.now() + timedelta(hours=hours))
    return made


def keys(web, name):
    return [row["pass"].pk for row in web.get("/inbox").context[name]]


def test_the_nearest_deadline_stands_first(web, plans):
    assert keys(web, "to_decide") == [one.pk for one in reversed(plans)]


def test_what_was_applied_longest_ago_without_a_person_stands_first(web, records):
    agent = factories.token_actor(factories.ann())
    first = reflect(given={"actions_csv": "expire"}, actor=agent)
    second = reflect(given={"actions_csv": "decay"}, actor=agent)
    assert keys(web, "to_sign_off") == [first.pk, second.pk]


def test_more_than_fit_are_counted(web, plans, monkeypatch):
    monkeypatch.setattr(lists, "INBOX", 2)
    seen = pages.text(web.get("/inbox"))
    assert "3 plans; nothing of them is written yet · the first 2 are shown" in seen


def test_kept_and_undone_passes_wait_no_more(web, ann, records):
    agent = factories.token_actor(factories.ann())
    kept = reflect(given={"actions_csv": "expire"}, actor=agent)
    undone = reflect(given={"actions_csv": "decay"}, actor=agent)
    assert "Inbox 2 awaiting review" in pages.text(web.get("/"))
    sign_off(pass_id=kept.pk, actor=ann)
    roll_back(pass_id=undone.pk, actor=ann)
    assert keys(web, "to_sign_off") == []
    assert "awaiting review" not in pages.text(web.get("/"))


def test_a_revert_that_a_token_proposed_waits_too(web):
    at = token_writes.scene()
    token_writes.spoil(at)
    planned = at.plan()
    assert keys(web, "to_decide") == [planned.pk]
    assert "takes back what token" in pages.text(web.get("/inbox"))


def test_a_preview_of_an_agent_waits_for_nobody_and_a_plan_of_its_pass_or_of_a_person_does(web, ann, records):
    agent = factories.token_actor(factories.ann())
    looked = reflect(given={"actions_csv": "expire", "dry_run": True}, actor=agent)
    assert keys(web, "to_decide") == [] and "awaiting review" not in pages.text(web.get("/"))
    assert "Apply 1 change" in pages.text(web.get(pages.address(looked)))
    life.policy(ann.own, actor=ann, approval="required")
    asked = reflect(given={"actions_csv": "expire"}, actor=agent)
    own = life.plan_all(ann)
    assert set(keys(web, "to_decide")) == {asked.pk, own.pk}


@pytest.fixture
def atlas():
    team = factories.team("Atlas", ann="admin", bea="reviewer", bob="member")
    life.fill(factories.ann(), team=team)
    return team


def inboxes(team, who, **request):
    """In whose inbox a plan of this person stands, with the count that each of them sees."""
    planned = life.plan_all(factories.actor(who, **request), team_id=str(team.pk))
    found = []
    for name in ("ann", "bea", "bob"):
        browser = pages.browser(getattr(factories, name)())
        seen = keys(browser, "to_decide")
        assert ("1 awaiting review" in pages.text(browser.get("/help"))) is (seen == [planned.pk])
        found += [name] if seen == [planned.pk] else []
    return found, planned


def test_a_preview_of_somebody_who_may_decide_waits_for_nobody_else(atlas):
    found, planned = inboxes(atlas, factories.bea())
    assert found == ["bea"]
    assert "It stands in the inbox of bea." in pages.text(pages.browser(factories.bob()).get(pages.address(planned)))
    assert "Apply" in pages.text(pages.browser(factories.ann()).get(pages.address(planned)))


def test_a_preview_of_a_member_waits_for_those_who_may_decide(atlas):
    assert inboxes(atlas, factories.bob())[0] == ["ann", "bea"]


@pytest.mark.parametrize("channel", ["job", "cli"])
def test_what_a_schedule_or_a_command_asks_for_waits_for_all_who_may_decide(atlas, channel):
    assert inboxes(atlas, factories.bea(), channel=channel)[0] == ["ann", "bea"]


def test_a_preview_waits_for_the_others_once_its_maker_may_not_decide_any_more(atlas):
    life.plan_all(factories.actor(factories.bea()), team_id=str(atlas.pk))
    ann = pages.browser(factories.ann())
    assert keys(ann, "to_decide") == []
    atlas.memberships.filter(user=factories.bea()).update(role="member")
    assert len(keys(ann, "to_decide")) == 1


def test_where_four_eyes_are_asked_for_a_preview_waits_for_the_others(atlas):
    life.policy(atlas.pk, actor=factories.actor(factories.ann()), four_eyes=True)
    assert inboxes(atlas, factories.bea())[0] == ["ann"]


@pytest.mark.parametrize("path", ["/inbox", "/passes"])
def test_a_row_says_how_many_records_have_changed_since(web, ann, records, path):
    life.plan_all(ann)
    assert "since it was planned" not in pages.text(web.get(path))
    MemoryState.objects.filter(pk=records["old"].pk).update(version=F("version") + 1)
    assert "1 record changed since it was planned" in pages.text(web.get(path))
    forget(record_id=records["turn0"].pk, actor=ann)
    assert "2 records changed since it was planned" in pages.text(web.get(path))
    ReflectPass.objects.update(expires_at=timezone.now() - timedelta(seconds=1), planned_at=timezone.now() - HOUR)
    assert "since it was planned" not in pages.text(web.get(path))
