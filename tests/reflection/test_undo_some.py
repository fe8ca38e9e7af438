"""Single candidates of an applied pass are taken back; what moved on is kept and named; the rest stays."""

from __future__ import annotations

from uuid import uuid4

import pytest

from console.errors import Conflict, Invalid, NotAllowed, NotFound
from memories import audit
from memories.models import AuditRecord, Memory
from memories.services.revise import revise
from reflection.services.undo import roll_back
from reflection.services.undo_some import take_back
from tests.memories import factories
from tests.reflection import life

pytestmark = pytest.mark.django_db


@pytest.fixture
def ann():
    life.fill(factories.ann())
    return factories.actor(factories.ann())


@pytest.fixture
def done(ann):
    return life.applied(life.plan_all(ann), ann)


def of(done, action):
    return next(one for one in life.candidates(done) if one.action == action)


def outcomes(done):
    return {one.pk: one.outcome for one in life.candidates(done)}


@pytest.mark.parametrize("action", ["summarize", "promote", "expire", "decay", "archive"])
def test_one_change_is_undone_and_the_others_stand(ann, done, action):
    one = of(done, action)
    take_back(pass_id=done.pk, candidates=[one.pk], actor=ann)
    after = outcomes(done)
    assert after.pop(one.pk) == "rolled_back"
    assert set(after.values()) == {"applied"}
    done.refresh_from_db()
    assert done.status == "applied"


def test_an_archived_record_is_active_again_and_a_summary_is_gone(ann, done):
    archived, summary = of(done, "archive"), of(done, "summarize")
    take_back(pass_id=done.pk, candidates=[archived.pk, summary.pk], comment="Still needed.", actor=ann)
    assert Memory.objects.get(pk=archived.target_id).state.status == "active"
    assert not Memory.objects.filter(derivation="summary").exists()
    line = AuditRecord.objects.get(action="pass.undo_some")
    assert line.reason == "Still needed."
    assert set(line.detail["restored"]) == {str(archived.pk), str(summary.pk)} and line.detail["kept"] == []
    assert AuditRecord.objects.filter(action="reflect.undo_archive", object_id=archived.target_id).count() == 1
    assert audit.verify() == []


def test_what_moved_on_is_kept_and_named(ann, done):
    one = of(done, "decay")
    revise(memory_id=one.target_id, changes={"content": "It was moved twice."}, actor=ann)
    take_back(pass_id=done.pk, candidates=[one.pk], actor=ann)
    kept = of(done, "decay")
    assert kept.outcome == "kept" and "changed since the pass" in kept.outcome_text
    assert Memory.objects.get(pk=one.target_id).content == "It was moved twice."
    assert AuditRecord.objects.get(action="pass.undo_some").detail["kept"] == [str(one.pk)]


def test_undone_one_by_one_everything_is_as_it_was(ann):
    before = life.snapshot()
    done = life.applied(life.plan_all(ann), ann)
    for one in life.candidates(done):
        take_back(pass_id=done.pk, candidates=[one.pk], actor=ann)
    done.refresh_from_db()
    assert done.status == "rolled_back" and done.rolled_back_by_id == ann.user_id
    assert life.snapshot() == before


def test_the_whole_pass_can_still_be_undone_after_a_part_of_it(ann):
    before = life.snapshot()
    done = life.applied(life.plan_all(ann), ann)
    take_back(pass_id=done.pk, candidates=[of(done, "archive").pk], actor=ann)
    roll_back(pass_id=done.pk, actor=ann)
    assert set(outcomes(done).values()) == {"rolled_back"}
    assert life.snapshot() == before


def test_a_change_is_undone_once(ann, done):
    one = of(done, "expire")
    take_back(pass_id=done.pk, candidates=[one.pk], actor=ann)
    with pytest.raises(Conflict, match="rolled back"):
        take_back(pass_id=done.pk, candidates=[one.pk], actor=ann)


def test_nothing_chosen_and_the_candidate_of_another_pass_are_refused(ann, done):
    for wrong in ([], [uuid4()]):
        with pytest.raises(Invalid):
            take_back(pass_id=done.pk, candidates=wrong, actor=ann)
    assert set(outcomes(done).values()) == {"applied"}


def test_a_plan_has_nothing_to_undo(ann):
    planned = life.plan_all(ann)
    with pytest.raises(Conflict, match="applied"):
        take_back(pass_id=planned.pk, candidates=[life.candidates(planned)[0].pk], actor=ann)


def test_strangers_and_tokens_undo_nothing(ann, done):
    one = of(done, "expire")
    with pytest.raises(NotFound):
        take_back(pass_id=done.pk, candidates=[one.pk], actor=factories.actor(factories.bob()))
    with pytest.raises(NotAllowed):
        take_back(pass_id=done.pk, candidates=[one.pk], actor=factories.token_actor(factories.ann()))


def test_a_member_of_a_team_undoes_nothing_a_reviewer_does():
    team = factories.team("Atlas", ann="member", bea="reviewer")
    life.fill(factories.ann(), team=team)
    bea, ann = factories.actor(factories.bea()), factories.actor(factories.ann())
    done = life.applied(life.plan_all(bea, team_id=str(team.pk)), bea)
    one = of(done, "expire")
    with pytest.raises(NotAllowed, match="reviewer"):
        take_back(pass_id=done.pk, candidates=[one.pk], actor=ann)
    take_back(pass_id=done.pk, candidates=[one.pk], actor=bea)
    assert outcomes(done)[one.pk] == "rolled_back"
