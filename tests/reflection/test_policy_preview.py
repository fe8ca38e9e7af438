"""What another policy would do, before it is saved: the same planner, and not a row written."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import DatabaseError

from console.errors import NotAllowed, NotFound
from memories.models import AuditRecord, Memory
from reflection.models import ReflectionPolicy
from reflection.services import policies, preview
from tests.memories import factories
from tests.memories.page_client import everything
from tests.reflection import life

pytestmark = pytest.mark.django_db


def effect(actor, space_id=None, **given):
    proposed = policies.draft(given, policies.current(actor.space(space_id or actor.own)))
    return preview.effect(proposed=proposed, actor=actor)


def test_both_sides_are_what_a_dry_run_answers(ann, records):
    found = effect(ann, archive_working_days=30, decay_step=0.4)
    planned = life.plan_all(ann, dry_run=True)
    assert found.now.counts == planned.counts
    life.policy(
        ann.own,
        actor=ann,
        values=policies.draft({"archive_working_days": 30, "decay_step": 0.4}, planned.policy).values,
    )
    assert found.proposed.counts == life.plan_all(ann, dry_run=True).counts
    assert found.now.counts != found.proposed.counts


def test_it_names_what_comes_goes_and_differs(ann, records):
    found = effect(ann, archive_working_days=30, half_life_episodic=5, promote_min_rows=4)
    by_action = {one.action: one for one in found.differences}
    assert [one.target_id for one in by_action["archive"].goes][:1] == [records["idle"].pk]
    assert by_action["promote"].goes_count == 1
    assert by_action["decay"].comes_count + by_action["decay"].differs_count > 0
    assert "expire" not in by_action


def test_what_either_policy_archives_later_is_what_a_dry_run_of_that_day_archives(ann, records):
    values = {"archive_working_days": 30, "half_life_episodic": 5, "archive_unused_days": 20}
    found = effect(ann, **values)
    asked = {"dry_run": True, "actions_csv": "expire,archive"}
    for one in found.later:
        assert life.plan(given=asked, as_of=one.at, actor=ann).counts["archive"] == one.now
    made = policies.draft(values, policies.current(ann.space(ann.own)))
    life.policy(ann.own, actor=ann, values=made.values)
    for one in found.later:
        assert life.plan(given=asked, as_of=one.at, actor=ann).counts["archive"] == one.proposed
    assert [one.now for one in found.later] != [one.proposed for one in found.later]


def test_the_same_policy_has_no_effect(ann, records):
    found = effect(ann)
    assert found.now == found.proposed
    assert found.differences == []


def test_nothing_is_written_not_even_audit(ann, records):
    before, lines = everything(), AuditRecord.objects.count()
    effect(ann, archive_unused_days=5)
    assert everything() == before and AuditRecord.objects.count() == lines
    assert not ReflectionPolicy.objects.exists()


def test_the_database_refuses_to_write_meanwhile(ann, records, monkeypatch):
    def writes(*_args, **_named):
        Memory.objects.update(pinned=True)

    monkeypatch.setattr(preview, "survey_of", writes)
    with pytest.raises(DatabaseError, match="read-only transaction"):
        effect(ann, decay_step=0.5)


def test_writing_is_possible_again_afterwards(ann, records):
    effect(ann, decay_step=0.5)
    assert Memory.objects.filter(pk=records["due"].pk).update(pinned=True) == 1


def test_a_large_space_is_not_compared_here(ann, records, monkeypatch):
    monkeypatch.setattr(preview, "ROWS_MOST", 3)
    found = effect(ann, decay_step=0.5)
    assert (found.records, found.now, found.proposed) == (len(records), None, None)


def test_only_the_first_of_each_are_named(ann):
    for n in range(preview.SHOWN + 5):
        factories.memory(factories.ann(), f"Note {n}.", memory_type="working")
    [archive] = effect(ann, archive_working_days=3_650, half_life_working="", archive_unused_days=3_650).differences
    assert (archive.action, archive.goes_count, len(archive.goes)) == ("archive", preview.SHOWN + 5, preview.SHOWN)


def test_a_member_may_look_but_sees_only_what_is_theirs_to_see():
    atlas = factories.team("Atlas", ann="admin", bea="member")
    life.fill(factories.ann(), team=atlas)
    bea = factories.actor(factories.bea())
    assert sum(effect(bea, atlas.pk).now.counts.values()) == 8
    assert sum(effect(bea).now.counts.values()) == 0
    with pytest.raises(NotFound):
        policies.draft({}, policies.current(bea.space(uuid4())))
    bounded = factories.token_actor(factories.ann(), team=atlas, buckets=["private"])
    assert effect(bounded, atlas.pk).records == 0


def test_a_token_without_reading_is_refused(ann, records):
    with pytest.raises(NotAllowed, match="memory:read"):
        effect(factories.token_actor(factories.ann(), scopes=["admin"]))
