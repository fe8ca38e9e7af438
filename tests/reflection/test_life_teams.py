"""Rights over a team's passes: who proposes, who approves, who sees nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from console.errors import NotAllowed, NotFound
from memories.models import Membership
from reflection.models import ReflectPass
from reflection.services import decide
from reflection.services.leaving import under_way
from reflection.services.run import reflect
from reflection.services.undo import roll_back
from reflection.tasks import apply_pass
from tests.memories import factories
from tests.reflection import life

pytestmark = pytest.mark.django_db


@pytest.fixture
def atlas():
    atlas = factories.team("Atlas", ann="admin", bea="reviewer", eve="member")
    life.fill(factories.ann(), team=atlas)
    return atlas


def test_a_reviewer_may_approve_what_a_member_planned(atlas):
    eve, bea = factories.actor(factories.user("eve")), factories.actor(factories.bea())
    planned = life.plan_all(eve, team_id=str(atlas.pk))
    with pytest.raises(NotAllowed):
        life.approve(planned, eve)
    assert life.applied(planned, bea).status == "applied"


def test_a_plan_that_waits_for_nobody_is_not_told_when_its_maker_leaves(atlas):
    eve = factories.actor(factories.user("eve"))
    planned, empty = (life.plan_all(eve, team_id=str(atlas.pk), path_filter=path) for path in ("%", "nowhere/%"))
    assert planned.candidates.exists() and not empty.candidates.exists()
    (told,) = under_way(atlas.pk, eve.own)
    assert told.startswith("1 planned pass waits")
    now = timezone.now()
    ReflectPass.objects.update(planned_at=now - timedelta(days=2), expires_at=now - timedelta(days=1))
    assert under_way(atlas.pk, eve.own) == []


def test_a_stranger_sees_no_pass_of_the_team(atlas):
    planned = life.plan_all(factories.actor(factories.bea()), team_id=str(atlas.pk))
    bob = factories.actor(factories.bob())
    for verb in (decide.reject, decide.sign_off, roll_back):
        with pytest.raises(NotFound):
            verb(pass_id=planned.pk, actor=bob)
    with pytest.raises(NotFound):
        life.approve(planned, bob)


def test_a_token_proposes_and_a_person_approves(atlas):
    agent = factories.token_actor(factories.bea(), team=atlas)
    planned = reflect(given={}, actor=agent)
    assert planned.status == "planned"
    with pytest.raises(NotAllowed, match="person"):
        life.approve(planned, agent)


def test_an_approver_who_lost_the_role_applies_nothing(atlas):
    bea = factories.actor(factories.bea())
    planned = life.approve(life.plan_all(bea, team_id=str(atlas.pk)), bea)
    Membership.objects.filter(user=factories.bea()).delete()
    before = life.snapshot(without=())
    apply_pass(str(planned.pk))
    planned.refresh_from_db()
    assert planned.status == "failed"
    assert life.snapshot(without=()) == before


def test_four_eyes_keep_the_planner_from_approving(atlas):
    ann, bea = factories.actor(factories.ann()), factories.actor(factories.bea())
    life.policy(atlas.pk, actor=ann, four_eyes=True)
    planned = life.plan_all(bea, team_id=str(atlas.pk))
    with pytest.raises(NotAllowed, match="second pair of eyes"):
        life.approve(planned, bea)
    assert life.approve(planned, ann).status == "approved"
