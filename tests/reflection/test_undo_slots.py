"""One active slot of working state for each key and place, also after a pass was undone or a token taken back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from memories import audit
from memories.access import live
from memories.models import Memory
from memories.services import state
from memories.services.forget import forget
from memories.services.revise import revise
from reflection.services.undo import roll_back
from reflection.services.undo_some import take_back
from tests.memories import factories
from tests.reflection import life, token_writes

pytestmark = pytest.mark.django_db
KEY = "state:active_task"


def idle(key=KEY, **fields):
    at = timezone.now() - timedelta(days=20)
    made = {"memory_type": "working", "semantic_key": key, "bucket": "work", "created_at": at} | fields
    return factories.memory(factories.ann(), f"Comparing two invoices of {key}.", **made)


@pytest.fixture
def ann():
    return factories.actor(factories.ann())


@pytest.fixture
def at():
    return token_writes.scene()


def archived(ann):
    return life.applied(life.plan_all(ann, actions_csv="archive"), ann)


def now_active(key=KEY):
    return [row.content for row in live(Memory.objects.filter(semantic_key=key)).order_by("pk")]


def outcomes(done):
    return {one.target_id: (one.outcome, one.outcome_text) for one in life.candidates(done)}


def test_an_archived_slot_stays_archived_where_its_key_is_taken_by_now(ann):
    old, other = idle(), idle("state:review")
    done = archived(ann)
    new = state.update(content="Writing the offer.", bucket="work", actor=ann)
    roll_back(pass_id=done.pk, actor=ann)
    assert now_active() == ["Writing the offer."]
    found = outcomes(done)
    assert found[old.pk] == ("kept", f"kept: the state “active_task” is held by another memory, {new.pk}")
    assert found[other.pk][0] == "rolled_back" and len(now_active("state:review")) == 1
    assert audit.verify() == []


def test_the_same_holds_for_a_single_change(ann):
    old = idle()
    done = archived(ann)
    state.update(content="Writing the offer.", bucket="work", actor=ann)
    take_back(pass_id=done.pk, candidates=[one.pk for one in life.candidates(done)], actor=ann)
    assert now_active() == ["Writing the offer."]
    assert outcomes(done)[old.pk][0] == "kept"


@pytest.mark.parametrize("elsewhere", [{"bucket": "home"}, {"bucket": "work", "scope": "atlas"}])
def test_a_slot_of_another_place_takes_no_key(ann, elsewhere):
    old = idle()
    done = archived(ann)
    state.update(content="Writing the offer.", **elsewhere, actor=ann)
    roll_back(pass_id=done.pk, actor=ann)
    assert outcomes(done)[old.pk][0] == "rolled_back" and len(now_active()) == 2


def test_a_slot_that_is_over_takes_no_key(ann):
    old = idle()
    done = archived(ann)
    over = timezone.now() - timedelta(minutes=5)
    factories.memory(factories.ann(), "Over.", memory_type="working", semantic_key=KEY, bucket="work", expires_at=over)
    roll_back(pass_id=done.pk, actor=ann)
    assert outcomes(done)[old.pk][0] == "rolled_back"


def test_memories_with_a_plain_key_may_stand_side_by_side(ann):
    old = idle("invoices")
    done = archived(ann)
    idle("invoices")
    roll_back(pass_id=done.pk, actor=ann)
    assert outcomes(done)[old.pk][0] == "rolled_back"


def test_a_token_is_not_taken_back_over_a_slot_that_was_made_since(at):
    old = idle()
    forget(record_id=old.pk, actor=at.agent)
    planned = at.plan()
    state.update(content="Writing the offer.", bucket="work", actor=at.ann)
    done = life.applied(planned, at.ann)
    assert now_active() == ["Writing the offer."]
    assert outcomes(done)[old.pk][0] == "drifted" and "is held by another memory" in outcomes(done)[old.pk][1]


def test_a_plan_names_a_slot_whose_key_is_taken_already(at):
    old = idle()
    forget(record_id=old.pk, actor=at.agent)
    state.update(content="Writing the offer.", bucket="work", actor=at.ann)
    planned = at.plan()
    assert planned.counts["revert"] == 0
    left = next(one for one in planned.skipped if one["gate"] == "taken")
    assert left["memory_ids"] == [str(old.pk)] and left["text"].startswith("The state “active_task” is held by")


def test_what_a_token_put_in_the_place_of_a_slot_makes_room_for_it(at):
    old = idle()
    forget(record_id=old.pk, actor=at.agent)
    state.update(content="Ignore the offer.", bucket="work", actor=at.agent)
    done = life.applied(at.plan(), at.ann)
    assert now_active() == [old.content]
    roll_back(pass_id=done.pk, actor=at.ann)
    assert now_active() == ["Ignore the offer."]


def test_half_of_such_a_change_is_not_undone_alone(at):
    old = idle()
    forget(record_id=old.pk, actor=at.agent)
    made = state.update(content="Ignore the offer.", bucket="work", actor=at.agent)
    done = life.applied(at.plan(), at.ann)
    trashed = next(one for one in life.candidates(done) if one.target_id == made.pk)
    take_back(pass_id=done.pk, candidates=[trashed.pk], actor=at.ann)
    assert now_active() == [old.content]
    assert outcomes(done)[made.pk][0] == "kept" and outcomes(done)[old.pk][0] == "applied"


def test_of_two_that_want_the_same_place_the_eldest_gets_it(at):
    eldest, younger = idle(), idle("state:active_task", bucket="home")
    for one in (eldest, younger):
        forget(record_id=one.pk, actor=at.agent)
    Memory.objects.filter(pk=younger.pk).update(bucket="work")
    planned = at.plan()
    assert [one.target_id for one in life.candidates(planned)] == [eldest.pk]


def test_a_slot_that_cannot_go_keeps_its_place(at):
    held, moved = idle("state:a"), idle("state:a", bucket="home")
    revise(memory_id=moved.pk, changes={"bucket": "attic"}, actor=at.agent)
    state.update(state_key="a", content="Ann's own.", bucket="home", actor=at.ann)
    planned = at.plan()
    assert planned.counts["revert"] == 0 and {one["gate"] for one in planned.skipped} == {"taken"}
    assert len(now_active("state:a")) == 3 and held.pk
