"""The life of a pass: planned, approved, applied, taken back; every guard on the way."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db.utils import IntegrityError
from django.utils import timezone

from console.celery import app
from console.errors import Conflict, Invalid, NotAllowed, Stale
from memories import audit
from memories.models import AuditRecord, Memory, MemoryLink
from memories.services.revise import revise
from reflection.models import Candidate, ReflectPass
from reflection.report import as_text, counts_of
from reflection.services import decide
from reflection.services.run import reflect
from reflection.services.undo import roll_back
from reflection.tasks import apply_pass, sweep
from tests.memories import factories
from tests.reflection import life

pytestmark = pytest.mark.django_db


def test_a_plan_finds_something_for_each_action(ann, records):
    assert life.plan_all(ann).counts == {"summarize": 1, "promote": 1, "expire": 1, "decay": 1, "archive": 4}


def test_a_dry_run_writes_nothing_but_the_saved_plan(ann, records):
    before = life.world()
    assert all(life.plan_all(ann, dry_run=True).counts.values())
    assert life.beside_a_plan(before) == set()


def test_what_was_previewed_is_what_is_applied(ann, records):
    planned = life.plan_all(ann)
    done = life.applied(planned, ann)
    assert done.status == "applied"
    assert done.applied_counts == planned.counts


def test_a_second_run_at_the_same_moment_finds_nothing(ann, records):
    first = life.applied(life.plan_all(ann), ann)
    from reflection.services.plan import plan

    again = plan(given={}, as_of=first.as_of, actor=ann)
    assert sum(again.counts.values()) == 0


def test_undo_gives_back_every_field(ann, records):
    before = life.snapshot()
    done = life.applied(life.plan_all(ann), ann)
    assert life.snapshot() != before
    roll_back(pass_id=done.pk, actor=ann)
    assert life.snapshot() == before


def test_a_summary_cites_its_sources_and_says_how_it_came_about(ann, records):
    done = life.applied(life.plan_all(ann, actions_csv="summarize"), ann)
    summary = Memory.objects.get(derivation="summary")
    cited = MemoryLink.objects.filter(origin=summary).order_by("position").values_list("target_id", flat=True)
    assert list(cited) == [records[f"turn{n}"].pk for n in range(4)]
    assert (summary.pass_id, summary.memory_type) == (done.pk, "semantic")


def test_a_summary_is_extended_when_its_episode_goes_on_and_undo_takes_that_back(ann, records):
    life.applied(life.plan_all(ann, actions_csv="summarize"), ann)
    factories.memory(
        factories.ann(),
        "The carrier confirmed that every parcel left the depot.",
        memory_type="episodic",
        path="projects/atlas/incident",
        bucket="work",
        created_at=timezone.now() - timedelta(minutes=30),
    )
    before = life.snapshot()
    second = life.applied(life.plan_all(ann, actions_csv="summarize"), ann)
    summary = Memory.objects.get(derivation="summary")
    assert "carrier confirmed" in summary.content
    assert summary.versions.count() == 1
    roll_back(pass_id=second.pk, actor=ann)
    assert life.snapshot() == before


def test_a_candidate_left_out_is_not_applied(ann, records):
    planned = life.plan_all(ann, actions_csv="expire,archive")
    left = next(one for one in life.candidates(planned) if one.action == "expire")
    done = life.applied(planned, ann, exclude=(left.pk,))
    assert done.applied_counts["expire"] == 0
    assert Candidate.objects.get(pk=left.pk).outcome == "excluded"
    records["due"].state.refresh_from_db()
    assert records["due"].state.status == "active"


def test_a_record_edited_since_the_preview_is_skipped_and_named_and_the_rest_applied(ann, records):
    planned = life.plan_all(ann)
    revise(memory_id=records["old"].pk, changes={"content": "The printer moved to floor three."}, actor=ann)
    done = life.applied(planned, ann)
    drifted = done.candidates.get(outcome="drifted")
    assert drifted.target_id == records["old"].pk
    assert str(records["old"].pk)[-6:] in drifted.outcome_text
    assert sum(done.applied_counts.values()) == sum(planned.counts.values()) - 1


def test_an_edited_source_of_a_summary_is_drift_too(ann, records):
    planned = life.plan_all(ann, actions_csv="summarize")
    revise(memory_id=records["turn1"].pk, changes={"content": "Ann found the old queue name."}, actor=ann)
    assert life.applied(planned, ann).applied_counts["summarize"] == 0


def test_policy_may_refuse_the_whole_pass_on_drift(ann, records):
    done = life.approve(life.plan_all(ann, on_drift="refuse"), ann)
    revise(memory_id=records["old"].pk, changes={"content": "The printer moved to floor three."}, actor=ann)
    before = life.snapshot(without=())
    apply_pass(str(done.pk))
    done.refresh_from_db()
    assert (done.status, done.applied_at) == ("failed", None)
    assert "changed since" in done.failure
    assert life.snapshot(without=()) == before


def test_what_would_be_refused_on_drift_is_not_approved_until_it_is_left_out(ann, records):
    planned = life.plan_all(ann, on_drift="refuse")
    revise(memory_id=records["old"].pk, changes={"content": "The printer moved to floor three."}, actor=ann)
    with pytest.raises(Conflict, match=r"Leave out what rests on them \(1 candidate\)") as refusal:
        life.approve(planned, ann)
    drifted = tuple(UUID(key) for key in refusal.value.detail["drifted"])
    assert [one.target_id for one in life.candidates(planned) if one.pk in drifted] == [records["old"].pk]
    assert life.applied(planned, ann, exclude=drifted).status == "applied"


def test_another_digest_is_not_approved(ann, records):
    planned = life.plan_all(ann)
    with pytest.raises(Stale):
        decide.approve(pass_id=planned.pk, digest="0" * 64, actor=ann)


def test_a_plan_altered_in_the_database_is_not_applied(ann, records):
    planned = life.approve(life.plan_all(ann, actions_csv="decay"), ann)
    Candidate.objects.filter(reflect_pass=planned).update(after={"importance": 0.0})
    apply_pass(str(planned.pk))
    planned.refresh_from_db()
    assert planned.status == "failed"


def test_exclusions_altered_after_the_approval_are_not_applied(ann, records):
    planned = life.plan_all(ann, actions_csv="archive")
    first, *_ = life.candidates(planned)
    life.approve(planned, ann, exclude=(first.pk,))
    Candidate.objects.filter(pk=first.pk).update(outcome="pending")
    apply_pass(str(planned.pk))
    planned.refresh_from_db()
    assert planned.status == "failed"


def test_approving_nothing_or_a_stranger_candidate_is_refused(ann, records):
    planned = life.plan_all(ann, actions_csv="expire")
    ids = [one.pk for one in life.candidates(planned)]
    for exclude in (ids, [records["old"].pk]):
        with pytest.raises(Invalid):
            decide.approve(pass_id=planned.pk, digest=planned.digest, exclude=exclude, actor=ann)


def test_applying_twice_writes_once(ann, records):
    done = life.applied(life.plan_all(ann), ann)
    before = life.snapshot(without=())
    lines = AuditRecord.objects.count()
    apply_pass(str(done.pk))
    assert life.snapshot(without=()) == before
    assert AuditRecord.objects.count() == lines


def test_a_pass_that_meets_an_unexpected_error_again_and_again_fails(ann, records, monkeypatch):
    planned = life.approve(life.plan_all(ann), ann)
    before = life.snapshot(without=())
    monkeypatch.setattr("memories.services.lifecycle.set_importance", lambda values: 1 / 0)
    for _ in range(5):
        planned.refresh_from_db()
        assert planned.status == "approved"
        with pytest.raises(ZeroDivisionError):
            apply_pass(str(planned.pk))
    planned.refresh_from_db()
    assert (planned.status, "worker's log" in planned.failure) == ("failed", True)
    assert life.snapshot(without=()) == before


def test_the_worker_is_told_by_the_name_of_the_task_with_the_id_alone(monkeypatch):
    told = []
    monkeypatch.setattr(app, "send_task", lambda *sent: told.append(sent))
    key = uuid4()
    decide.wake(key)
    assert told == [(apply_pass.name, [str(key)])]


def test_a_plan_that_nobody_approved_is_not_applied(ann, records):
    planned = life.plan_all(ann)
    before = life.snapshot(without=())
    apply_pass(str(planned.pk))
    assert life.snapshot(without=()) == before


def test_the_database_refuses_an_illegal_move(ann, records):
    planned = life.plan_all(ann)
    with pytest.raises(IntegrityError, match="planned cannot become applied"):
        ReflectPass.objects.filter(pk=planned.pk).update(status="applied")


def test_an_expired_plan_cannot_be_approved_and_the_sweep_ends_it(ann, records):
    planned = life.plan_all(ann)
    past = timezone.now() - timedelta(minutes=1)
    ReflectPass.objects.filter(pk=planned.pk).update(planned_at=past - timedelta(hours=24), expires_at=past)
    with pytest.raises(Conflict, match="expired"):
        life.approve(planned, ann)
    sweep()
    planned.refresh_from_db()
    assert planned.status == "expired"


def test_a_rejected_plan_writes_nothing_and_keeps_the_comment(ann, records):
    before = life.snapshot(without=())
    planned = decide.reject(pass_id=life.plan_all(ann).pk, comment="not now", actor=ann)
    assert life.snapshot(without=()) == before
    assert AuditRecord.objects.get(pass_id=planned.pk, action="pass.reject").reason == "not now"
    with pytest.raises(Conflict):
        life.approve(planned, ann)


def test_undo_keeps_and_names_what_moved_on(ann, records):
    done = life.applied(life.plan_all(ann, actions_csv="decay,archive"), ann)
    revise(memory_id=records["old"].pk, changes={"importance": 0.9}, actor=ann)
    back = roll_back(pass_id=done.pk, actor=ann)
    kept = back.candidates.get(outcome="kept")
    assert kept.target_id == records["old"].pk and "changed since" in kept.outcome_text
    records["old"].state.refresh_from_db()
    assert records["old"].state.importance == 0.9


def test_a_pass_touches_no_edit_time(ann, records):
    before = dict(Memory.objects.values_list("pk", "updated_at"))
    life.applied(life.plan_all(ann), ann)
    after = dict(Memory.objects.filter(pk__in=before).values_list("pk", "updated_at"))
    assert after == before


def test_each_applied_change_has_its_audit_line_and_the_chain_is_whole(ann, records):
    done = life.applied(life.plan_all(ann), ann)
    ids = set(done.candidates.filter(outcome="applied").values_list("audit_id", flat=True))
    lines = AuditRecord.objects.filter(pk__in=ids, pass_id=done.pk)
    assert lines.count() == sum(done.applied_counts.values())
    assert audit.verify() == []


def test_no_audit_line_holds_words_of_a_record(ann, records):
    done = life.applied(life.plan_all(ann), ann)
    roll_back(pass_id=done.pk, actor=ann)
    said = "".join(str(row) for row in AuditRecord.objects.values_list("detail", "reason"))
    assert not any(word in said for word in ("parcels", "Thursdays", "printer", "4417"))


def test_the_report_starts_as_the_contract_says(ann, records):
    done = life.applied(life.plan_all(ann, actions_csv="expire,archive"), ann)
    lines = as_text(done).splitlines()
    assert lines[:9] == [
        "### Memory Reflect Report",
        "- Dry Run: false",
        "- Actions: expire, archive",
        "- Summarized: 0",
        "- Promoted: 0",
        "- Expired: 1",
        "- Decayed: 0",
        "- Archived: 4",
        "- Audit Records: 5",
    ]
    assert lines[9] == "- Audit IDs:" and len(lines[10].strip()) == 38


def test_a_run_on_ones_own_records_is_applied_at_once_and_waits_for_a_sign_off(ann, records):
    done = reflect(given={"actions_csv": "expire"}, actor=factories.token_actor(factories.ann()))
    assert (done.status, counts_of(done)["expired"]) == ("applied", 1)
    signed = decide.sign_off(pass_id=done.pk, actor=ann)
    assert signed.signed_off_by_id == ann.user_id
    with pytest.raises(Conflict):
        decide.sign_off(pass_id=done.pk, actor=ann)


def test_a_token_without_the_write_scope_may_only_preview(records):
    reader = factories.token_actor(factories.ann(), scopes=["memory:read"])
    assert reflect(given={"dry_run": True}, actor=reader).status == "planned"
    with pytest.raises(NotAllowed, match="memory:write"):
        reflect(given={}, actor=reader)
