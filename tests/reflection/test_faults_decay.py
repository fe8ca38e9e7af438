"""Faults of decay, expiry and time, over doors and whole passes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from memories.models import AuditRecord, Memory, MemoryState
from reflection.policy import Policy
from reflection.services.plan import plan
from reflection.services.undo import roll_back
from tests.memories import factories
from tests.memories.api_client import Api
from tests.reflection import life, pages

pytestmark = pytest.mark.django_db
MIDNIGHT = datetime(2026, 8, 13, tzinfo=UTC)
READERS = ("Asia/Shanghai", "America/Los_Angeles")  # 8 hours ahead, 7 behind


@pytest.fixture
def ann():
    return factories.actor(factories.ann())


def importance(memory) -> float:
    return MemoryState.objects.get(memory=memory).importance


def faded(days, **fields):
    at = timezone.now() - timedelta(days=days)
    return factories.memory(
        factories.ann(), f"Told {days} days ago.", memory_type="episodic", created_at=at, anchor=at, **fields
    )


@pytest.mark.parametrize("wrong", [0.0, 0.01, 0.7, 1.0])
def test_an_importance_that_was_stored_wrong_is_set_right_by_the_next_pass(ann, wrong):
    note = faded(30, base=0.8, importance=wrong)
    life.applied(plan(given={"actions_csv": "decay"}, actor=ann), ann)
    assert importance(note) == pytest.approx(0.4, abs=1e-4)


def test_decaying_five_times_at_one_moment_changes_a_record_once(ann):
    note, now = faded(30, base=0.8, importance=0.8), timezone.now()
    counts = []
    for _ in range(5):
        planned = plan(given={"actions_csv": "decay"}, as_of=now, actor=ann)
        counts.append(planned.counts["decay"])
        if counts[-1]:
            life.applied(planned, ann)
    assert counts == [1, 0, 0, 0, 0]
    assert importance(note) == pytest.approx(0.4, abs=1e-4)


def test_looking_for_a_memory_makes_it_no_more_important(ann):
    note = faded(30, base=0.8, importance=0.8)
    answers = [Api(factories.ann()).get("memories/search", query="told days ago").json()["results"] for _ in range(5)]
    assert len({str([(one["id"], one["similarity"]) for one in found]) for found in answers}) == 1
    assert importance(note) == 0.8


@pytest.mark.parametrize("passes", [0, 1, 3])
def test_a_use_counts_from_what_is_left_however_many_passes_ran(ann, passes):
    note, now = faded(60, base=0.8, importance=0.8), timezone.now()
    for days in range(passes * 10, 0, -10):
        life.applied(plan(given={"actions_csv": "decay"}, as_of=now - timedelta(days=days), actor=ann), ann)
    answer = Api(factories.ann()).post(f"memories/{note.pk}/usage", {}).json()
    assert answer["importance"] == pytest.approx(0.25, abs=1e-4)


def test_a_use_follows_the_half_lives_of_its_space(ann):
    note = faded(60, base=0.8, importance=0.8)
    values = Policy(half_life_days={"episodic": 60.0}).as_json()
    life.policy(ann.own, actor=ann, values=values)
    assert Api(factories.ann()).post(f"memories/{note.pk}/usage", {}).json()["importance"] == pytest.approx(
        0.45, abs=1e-4
    )


def test_after_two_idle_months_nothing_is_gone_and_undo_brings_all_back(ann):
    now = timezone.now()
    life.fill(factories.ann(), now=now - timedelta(days=60))
    ids = set(Memory.objects.values_list("pk", flat=True))
    before = life.snapshot()
    done = life.applied(plan(given={"since": str(now - timedelta(days=100))}, as_of=now, actor=ann), ann)
    assert ids <= set(Memory.objects.values_list("pk", flat=True))
    assert not MemoryState.objects.filter(status="deleted").exists()
    roll_back(pass_id=done.pk, actor=ann)
    assert life.snapshot() == before


@pytest.mark.parametrize("zone", READERS)
@pytest.mark.parametrize(("minutes", "visible"), [(-30, True), (0, False), (30, False)])
def test_a_memory_expires_at_one_moment_wherever_the_reader_is(monkeypatch, zone, minutes, visible):
    who, now = factories.ann(), MIDNIGHT + timedelta(minutes=minutes)
    who.time_zone = zone
    who.save()
    note = factories.memory(who, "The guest code is 4417.", expires_at=MIDNIGHT)
    monkeypatch.setattr(timezone, "now", lambda: now)
    api = Api(who)
    found = api.get("memories/search", query="guest code").json()["results"]
    assert [one["id"] for one in found] == [str(note.pk)] * visible
    assert api.get("memories").json()["total"] == visible
    assert api.get("memories/stats").json()["status_counts"] == {"active" if visible else "expired": 1}
    assert ("4417" in pages.text(pages.browser(who).get("/memories"))) is visible
    planned = plan(given={"actions_csv": "expire", "dry_run": True}, actor=factories.actor(who))
    assert planned.counts["expire"] == (not visible)


def test_what_has_expired_keeps_its_page_and_its_history(ann):
    note = factories.memory(factories.ann(), "The guest code is 4417.", expires_at=MIDNIGHT - timedelta(days=600))
    life.applied(plan(given={"actions_csv": "expire"}, actor=ann), ann)
    assert Api(factories.ann()).get("memories/search", query="guest code").json()["results"] == []
    assert "4417" in pages.text(pages.browser(factories.ann()).get(f"/memories/{note.pk}"))
    assert AuditRecord.objects.get(action="reflect.expire").object_id == note.pk
