"""What a token wrote is taken back as a plan: reviewed, approved, applied and undone like any other pass."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from console.errors import Invalid, NotAllowed, NotFound
from memories import audit
from memories.models import AuditRecord, Memory
from memories.services.forget import forget, restore
from memories.services.protect import set_hold
from memories.services.redact import redact
from memories.services.remember import NewMemory, remember
from memories.services.revise import revise
from reflection import report
from reflection.services.revert import plan_revert
from reflection.services.undo import roll_back
from reflection.services.undo_some import take_back
from tests.memories import factories
from tests.reflection import life, token_writes
from tests.reflection.token_writes import POISON

pytestmark = pytest.mark.django_db
CONTENT = ("memories_memory",)
SINCE_THEN = ("version", "updated_at", "search", "folded")


@pytest.fixture
def at():
    return token_writes.scene()


def changes(planned):
    return {one.target_id: one for one in life.candidates(planned)}


def said() -> str:
    return life.snapshot(*CONTENT, without=SINCE_THEN)["memories_memory"]


def test_the_plan_names_each_record_with_what_it_was(at):
    made = token_writes.spoil(at)
    planned = at.plan()
    assert planned.kind == "revert" and planned.counts == {"revert": 4, "trash": 1} and planned.cut == 0
    found = changes(planned)
    edited = found[at.kept["edited"].pk]
    assert edited.after == {
        "content": "The edited note of May.",
        "path": "notes/may",
        "metadata": {},
        "status": "active",
    }
    assert edited.before["content"] == f"{POISON} Twice." and edited.why["writes"] == 2
    assert found[at.kept["forgotten"].pk].after == {"status": "active"}
    assert found[at.kept["pinned"].pk].after == {"pinned": False}
    assert found[at.kept["reweighed"].pk].after == {"importance": 0.4}
    assert (found[made.pk].action, found[made.pk].after) == ("trash", {"status": "deleted"})
    assert [line.version for line in edited.basis.all()] == [3]


def test_nothing_is_written_before_a_person_approves(at):
    token_writes.spoil(at)
    before = life.snapshot(without=())
    planned = at.plan()
    assert life.snapshot(without=()) == before
    assert report.status_of(planned) == "awaiting_approval"


def test_applied_every_memory_says_and_stands_as_before(at):
    before = said()
    made = token_writes.spoil(at)
    done = life.applied(at.plan(), at.ann)
    assert done.status == "applied" and done.applied_counts == {"revert": 4, "trash": 1}
    gone = Memory.objects.get(pk=made.pk)
    assert gone.state.status == "deleted"
    states = {name: Memory.objects.get(pk=one.pk).state for name, one in at.kept.items()}
    assert {state.status for state in states.values()} == {"active"}
    assert states["reweighed"].importance == 0.4
    Memory.objects.filter(pk=made.pk).delete()
    assert said() == before
    assert audit.verify() == []


@pytest.mark.parametrize("status", ["active", "archived"])
def test_what_went_to_the_trash_is_restored_to_where_it_stood(at, status):
    made = at.made()
    revise(memory_id=made.pk, changes={"status": status}, actor=at.agent)
    life.applied(at.plan(), at.ann)
    state = Memory.objects.get(pk=made.pk).state
    assert (state.status, state.deleted_by_id) == ("deleted", at.ann.user_id)
    restore(record_id=made.pk, actor=at.ann)
    assert Memory.objects.get(pk=made.pk).state.status == status


def test_undone_the_token_s_writes_stand_again(at):
    token_writes.spoil(at)
    before = life.snapshot()
    done = life.applied(at.plan(), at.ann)
    roll_back(pass_id=done.pk, actor=at.ann)
    assert life.snapshot() == before


def test_one_of_its_changes_can_be_undone_alone(at):
    made = token_writes.spoil(at)
    done = life.applied(at.plan(), at.ann)
    take_back(pass_id=done.pk, candidates=[changes(done)[made.pk].pk], actor=at.ann)
    assert Memory.objects.get(pk=made.pk).state.status == "active"
    assert Memory.objects.get(pk=at.kept["edited"].pk).content == "The edited note of May."


def test_a_record_that_moved_after_the_plan_is_skipped_as_drifted(at):
    token_writes.spoil(at)
    planned = at.plan()
    revise(memory_id=at.kept["edited"].pk, changes={"content": "Mine."}, actor=at.ann)
    done = life.applied(planned, at.ann)
    assert changes(done)[at.kept["edited"].pk].outcome == "drifted"
    assert Memory.objects.get(pk=at.kept["edited"].pk).content == "Mine."
    assert done.applied_counts == {"revert": 3, "trash": 1}


def test_what_somebody_else_wrote_after_the_token_stays(at):
    revise(memory_id=at.kept["edited"].pk, changes={"content": POISON}, actor=at.agent)
    revise(memory_id=at.kept["edited"].pk, changes={"content": "Mine."}, actor=at.ann)
    planned = at.plan()
    assert planned.counts == {"revert": 0, "trash": 0}
    assert planned.skipped[0]["gate"] == "moved_on" and "ann changed what it says" in planned.skipped[0]["text"]


def test_what_the_token_wrote_after_somebody_else_goes_back_to_theirs(at):
    for actor, text in ((at.agent, POISON), (at.ann, "Mine."), (at.agent, "Worse.")):
        revise(memory_id=at.kept["edited"].pk, changes={"content": text}, actor=actor)
    assert changes(at.plan())[at.kept["edited"].pk].after == {"content": "Mine."}


def test_its_own_record_that_somebody_else_corrected_is_not_trashed(at):
    made = at.made()
    revise(memory_id=made.pk, changes={"content": "Corrected."}, actor=at.ann)
    assert at.plan().counts == {"revert": 0, "trash": 0}


def test_a_side_that_the_token_wrote_last_goes_back_though_another_moved_on(at):
    one = at.kept["edited"]
    revise(memory_id=one.pk, changes={"content": POISON}, actor=at.agent)
    revise(memory_id=one.pk, changes={"content": "Mine."}, actor=at.ann)
    forget(record_id=one.pk, actor=at.agent)
    found = changes(at.plan())[one.pk]
    assert found.after == {"status": "active"} and "ann changed what it says" in found.why["note"]


def test_only_the_span_counts(at):
    revise(memory_id=at.kept["edited"].pk, changes={"content": POISON}, actor=at.agent)
    middle = timezone.now()
    revise(memory_id=at.kept["reweighed"].pk, changes={"content": POISON}, actor=at.agent)
    first = at.plan(until=middle.isoformat())
    second = at.plan(since=middle.isoformat())
    assert set(changes(first)) == {at.kept["edited"].pk}
    assert set(changes(second)) == {at.kept["reweighed"].pk}


def test_the_same_person_and_her_other_token_are_left_alone(at):
    other = factories.token_actor(factories.ann())
    revise(memory_id=at.kept["edited"].pk, changes={"content": "By the other."}, actor=other)
    revise(memory_id=at.kept["pinned"].pk, changes={"content": "By hand."}, actor=at.ann)
    assert at.plan().counts == {"revert": 0, "trash": 0}


def test_applied_again_nothing_is_left_to_do(at):
    token_writes.spoil(at)
    life.applied(at.plan(), at.ann)
    assert at.plan().counts == {"revert": 0, "trash": 0}


def test_the_limit_cuts_and_running_again_goes_on(at):
    for n in range(7):
        at.made(f"{POISON} {n}")
    seen = []
    for left in (4, 1, 0):
        planned = at.plan(limit=3)
        assert planned.cut == left
        seen += list(changes(planned))
        life.applied(planned, at.ann)
    assert len(seen) == len(set(seen)) == 7


def test_a_held_record_and_one_without_its_words_are_left_alone_and_named(at):
    held, redacted = at.kept["edited"], at.kept["pinned"]
    for one in (held, redacted):
        revise(memory_id=one.pk, changes={"content": POISON}, actor=at.agent)
    set_hold(record_id=held.pk, name="Case 2026-17", actor=at.ann)
    redact(memory_id=redacted.pk, reason="Theirs.", actor=at.ann)
    planned = at.plan()
    assert planned.counts == {"revert": 0, "trash": 0}
    assert {item["gate"] for item in planned.skipped} == {"protected", "moved_on"}


def test_an_expiry_that_has_passed_is_not_brought_back(at):
    one = factories.memory(factories.ann(), "Short.", expires_at=timezone.now() + timedelta(seconds=1))
    revise(memory_id=one.pk, changes={"content": POISON, "expires_at": None}, actor=at.agent)
    later = timezone.now() + timedelta(minutes=1)
    planned = plan_revert(given=at.asked(), as_of=later, actor=at.ann)
    assert changes(planned)[one.pk].after == {"content": "Short."}


def test_a_summary_that_tells_a_spoilt_record_is_named(at):
    made = [at.made(f"{POISON} {n}", memory_type="episodic", session="s") for n in range(3)]
    life.applied(life.plan_all(at.ann, actions_csv="summarize"), at.ann)
    summary = Memory.objects.get(derivation="summary")
    assert f"mem_{summary.pk} still tells it" in changes(at.plan())[made[0].pk].why["note"]


def test_the_report_keeps_the_five_counts_and_names_its_own(at):
    token_writes.spoil(at)
    found = report.as_json(life.applied(at.plan(), at.ann))
    assert set(found["counts"]) == {"summarized", "promoted", "expired", "decayed", "archived"}
    assert not any(found["counts"].values())
    assert found["reversal_counts"] == {"reverted": 4, "trashed": 1}
    assert len(found["reverted"]) == 4 and len(found["trashed"]) == 1 and len(found["audit_record_ids"]) == 5
    assert "Reverted: 4" in report.as_text(at.plan()) or "Reverted: 0" in report.as_text(at.plan())


def test_the_audit_names_the_fields_and_never_the_words(at):
    token_writes.spoil(at)
    done = life.applied(at.plan(), at.ann)
    lines = AuditRecord.objects.filter(pass_id=done.pk, action="reflect.revert")
    detail = lines.get(object_id=at.kept["edited"].pk).detail
    assert detail["fields"] == ["content", "metadata", "path", "status"] and detail["status"] == ["archived", "active"]
    assert POISON not in str([line.detail for line in lines])


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"token": ""}, "token"),
        ({"token": "x"}, "token"),
        ({"since": ""}, "since"),
        ({"since": "yesterday"}, "since"),
        ({"until": "2001-01-01T00:00:00Z"}, "until"),
        ({"limit": 0}, "limit"),
        ({"actions": "expire"}, "actions"),
    ],
)
def test_bad_input_is_refused_with_its_field(at, wrong, field):
    with pytest.raises(Invalid) as refusal:
        at.plan(**wrong)
    assert [problem.loc[-1] for problem in refusal.value.problems] == [field]


def test_a_stranger_finds_no_such_token(at):
    token_writes.spoil(at)
    bob = factories.actor(factories.bob())
    for key in (str(at.token.pk), str(uuid4())):
        with pytest.raises(NotFound, match="no such token"):
            plan_revert(given=at.asked(token=key), actor=bob)


def test_a_token_that_only_reads_may_not_ask(at):
    with pytest.raises(NotAllowed, match="memory:write"):
        plan_revert(given=at.asked(), actor=factories.token_actor(factories.ann(), scopes=["memory:read"]))


def test_in_a_team_a_member_proposes_and_a_reviewer_approves():
    team = factories.team("Atlas", ann="member", bea="reviewer", bob="member")
    token, _ = factories.token(factories.ann(), team=team)
    agent = factories.bearer(token)
    made = remember(new=NewMemory(content=POISON, path="x", team_id=team.pk), actor=agent).memory
    asked = {"token": str(token.pk), "since": "2001-01-01T00:00:00Z", "team_id": str(team.pk)}
    bob, bea = factories.actor(factories.bob()), factories.actor(factories.bea())
    planned = plan_revert(given=asked, actor=bob)
    with pytest.raises(NotAllowed, match="reviewer"):
        life.approve(planned, bob)
    life.applied(planned, bea)
    assert Memory.objects.get(pk=made.pk).state.status == "deleted"


def test_a_bounded_token_plans_only_for_what_it_reaches(at):
    inside, outside = at.made("Inside.", bucket="home"), at.made("Outside.", bucket="work")
    bounded = factories.token_actor(factories.ann(), buckets=["home"])
    planned = plan_revert(given=at.asked(), actor=bounded)
    assert set(changes(planned)) == {inside.pk} and outside.pk not in changes(planned)
