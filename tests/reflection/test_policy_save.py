"""Saving a policy: a new version by whoever may, audited, never over somebody else's."""

from __future__ import annotations

from uuid import uuid4

import pytest

from console.errors import Conflict, Invalid, NotAllowed, NotFound, Stale
from memories.models import AuditRecord
from reflection.models import ReflectionPolicy
from reflection.services import policies
from reflection.services.plan import plan
from tests.memories import factories
from tests.memories.at_once import at_once
from tests.reflection import life, pages

pytestmark = pytest.mark.django_db


def save(actor, space_id=None, seen=1, **given):
    return policies.adopt(space_id=space_id or actor.own, given=given, seen_version=seen, actor=actor)


def test_saving_makes_a_new_version_and_leaves_the_old_one(ann):
    made = save(ann, archive_unused_days="30", four_eyes="true", plan_hours=48, half_life_working="")
    assert (made.number, made.four_eyes, made.plan_hours, made.created_by_id) == (2, True, 48, ann.own)
    assert made.rules.archive_unused_days == 30
    assert "working" not in made.rules.half_life_days
    first = policies.version(ann.own, 1, actor=ann)
    assert (first.four_eyes, first.rules.archive_unused_days, first.created_by) == (False, 90, None)
    assert policies.in_force(ann.space(ann.own)) == made


def test_what_was_planned_keeps_its_version_and_what_is_planned_next_has_the_new_one(ann):
    before = life.plan_all(ann)
    save(ann, decay_step=0.5)
    assert (before.policy.number, life.plan_all(ann).policy.number) == (1, 2)


def test_the_audit_says_what_was_changed_from_what_to_what(ann):
    save(ann, decay_step="0.25", approval="required")
    line = AuditRecord.objects.get(action="policy.save")
    assert (line.actor_id, line.space_id) == (ann.own, ann.own)
    assert line.detail == {
        "version": [1, 2],
        "changed": {"decay_step": [0.01, 0.25], "approval": ["not_required", "required"]},
    }


def test_the_same_values_make_no_version(ann):
    assert save(ann, decay_step=0.01, four_eyes=False).number == 1
    assert not AuditRecord.objects.filter(action="policy.save").exists()


def test_the_values_of_an_old_version_make_a_new_one(ann):
    save(ann, decay_step=0.5)
    again = save(ann, seen=2, **policies.flat(policies.version(ann.own, 1, actor=ann)))
    assert again.number == 3
    assert policies.flat(again) == policies.flat(policies.version(ann.own, 1, actor=ann))


def test_a_policy_that_moved_meanwhile_is_a_conflict_that_shows_both(ann):
    save(ann, decay_step=0.5)
    with pytest.raises(Stale, match="ann has saved version 2") as caught:
        save(ann, seen=1, decay_step=0.25, four_eyes=True)
    assert (caught.value.detail["seen"], caught.value.detail["now"]) == (1, 2)
    assert caught.value.detail["differences"] == [
        {"name": "four_eyes", "now": False, "yours": True},
        {"name": "decay_step", "now": 0.5, "yours": 0.25},
    ]
    assert ReflectionPolicy.objects.count() == 2


WRONG = [
    ({"promote_cosine": "1.01"}, "promote_cosine"),
    ({"plan_hours": 0}, "plan_hours"),
    ({"plan_hours": "soon"}, "plan_hours"),
    ({"approval": "perhaps"}, "approval"),
    ({"four_eyes": 1}, "four_eyes"),
    ({"on_drift": None}, "on_drift"),
    ({"on_erasure": ["erase"]}, "on_erasure"),
    ({"cosine_floor": 0.5}, "cosine_floor"),
    ({"on_schedule": "apply", "approval": "required"}, "on_schedule"),
    ({"on_schedule": "apply", "four_eyes": True}, "on_schedule"),
]


@pytest.mark.parametrize(("given", "field"), WRONG)
def test_of_values_with_a_mistake_none_is_saved(ann, given, field):
    with pytest.raises(Invalid) as caught:
        save(ann, decay_step=0.5, **given)
    assert [problem.loc[-1] for problem in caught.value.problems] == [field]
    assert not ReflectionPolicy.objects.filter(number=2).exists()


def test_all_mistakes_are_said_at_once(ann):
    with pytest.raises(Invalid) as caught:
        save(ann, promote_cosine=7, plan_hours=0, approval="x", nonsense=1)
    assert len(caught.value.problems) == 4


@pytest.mark.parametrize("role", ["member", "reviewer"])
def test_only_an_admin_changes_the_policy_of_a_team(role):
    atlas = factories.team("Atlas", ann="admin", bea=role)
    with pytest.raises(NotAllowed, match="Only an admin of Atlas"):
        save(factories.actor(factories.bea()), atlas.pk, four_eyes=True)
    assert save(factories.actor(factories.ann()), atlas.pk, four_eyes=True).four_eyes


def test_the_policy_of_others_is_not_there(ann):
    atlas = factories.team("Atlas", bea="admin")
    for space_id in (atlas.pk, factories.bob().pk, uuid4()):
        with pytest.raises(NotFound):
            save(ann, space_id, four_eyes=True)


def test_a_token_needs_the_scope_admin_and_no_bounds(ann):
    with pytest.raises(NotAllowed, match="lacks the scope admin"):
        save(factories.token_actor(factories.ann()), four_eyes=True)
    with pytest.raises(NotAllowed, match="part of the space"):
        save(factories.token_actor(factories.ann(), scopes=["admin"], buckets=["work"]), four_eyes=True)
    assert save(factories.token_actor(factories.ann(), scopes=["admin"]), four_eyes=True).number == 2


def test_a_team_needs_approval_and_ones_own_records_do_not(ann):
    atlas = factories.team("Atlas", ann="admin")
    me = factories.actor(factories.ann())
    assert policies.current(me.space(me.own)).approval == "not_required"
    assert policies.current(me.space(atlas.pk)).approval == "required"
    assert not ReflectionPolicy.objects.exists()


def test_looking_at_a_policy_stores_nothing(ann):
    before = pages.everything()
    policies.current(ann.space(ann.own))
    list(policies.versions(ann.own, actor=ann))
    assert pages.everything() == before and not ReflectionPolicy.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_many_who_save_at_once_one_wins():
    ann = factories.actor(factories.ann())
    results = at_once(*[lambda n=n: save(ann, plan_hours=n) for n in range(30, 34)])
    assert sum(isinstance(result, Conflict) for result in results) == 3
    assert list(ReflectionPolicy.objects.order_by("number").values_list("number", flat=True)) == [1, 2]
    assert AuditRecord.objects.filter(action="policy.save").count() == 1


def test_a_plan_of_a_new_space_and_its_first_change_agree_on_the_first_version(ann):
    plan(given={}, actor=ann)
    assert save(ann, plan_hours=30).number == 2
