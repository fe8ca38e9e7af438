"""What somebody made active again stays as long as if it had been used then; the conditions say so."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from memories.access import Actor
from memories.models import Memory, MemoryState
from memories.services.bulk import Picked, restore_many
from memories.services.forget import forget, restore
from memories.services.revise import revise
from reflection.services.undo import roll_back
from reflection.services.why import explain
from tests.memories import factories
from tests.memories.api_client import Api
from tests.reflection import life, pages
from tests.reflection.test_passes_between import episode, run, state

pytestmark = pytest.mark.django_db
Later = Callable[[float], datetime]


def note(days: float, content: str = "Comparing two invoices.", **fields: Any) -> Memory:
    """A memory of Ann's that nobody has touched for so many days."""
    at = timezone.now() - timedelta(days=days)
    return factories.memory(factories.ann(), content, created_at=at, anchor=at, **fields)


def idle() -> Memory:
    return note(20, memory_type="working")


def faded() -> Memory:
    return note(400, memory_type="episodic", importance=0.2, base=0.2)


def cited() -> Memory:
    sources = episode(timezone.now() - timedelta(days=40), 0, 1, 2)
    keeper = note(39, "Pumps are well.", memory_type="semantic", derivation="summary", pass_id=sources[0].pk)
    for place, one in enumerate(sources):
        keeper.links.create(target=one, kind="derived_from", position=place, created_at=keeper.created_at)
    return sources[0]


def repeated() -> Memory:
    older = note(3, "The door code is new.", memory_type="semantic")
    note(2, "The door code is new.", memory_type="semantic")
    return older


RULES = [(idle, 14), (faded, 90), (cited, 30), (repeated, None)]


def archived(ann: Actor) -> set[Any]:
    """What a pass would archive now."""
    return {one.target_id for one in life.candidates(life.plan_all(ann, actions_csv="archive"))}


@pytest.mark.parametrize(("made", "days"), RULES)
def test_it_stays_as_long_as_if_it_had_been_used_then(ann, later, made, days):
    one = made()
    run(ann, "archive")
    assert state(one).status == "archived"
    revise(memory_id=one.pk, changes={"status": "active"}, actor=ann)
    assert one.pk not in archived(ann)
    later((days or 3000) - 0.01)
    assert (one.pk in archived(ann)) is False or days is None and state(one).status == "active"
    if days:
        later(days + 0.01)
        assert one.pk in archived(ann)


def test_a_repetition_stays_until_a_newer_one_comes(ann, later):
    one = repeated()
    run(ann, "archive")
    revise(memory_id=one.pk, changes={"status": "active"}, actor=ann)
    assert archived(ann) == set()
    later(1)
    newest = note(0, "The door code is new.", memory_type="semantic")
    found = archived(ann)
    assert one.pk in found and newest.pk not in found and len(found) == 2


@pytest.mark.parametrize("door", ["page", "api"])
def test_both_doors_count(ann, door):
    one = idle()
    run(ann, "archive")
    if door == "api":
        assert Api(factories.ann()).patch(f"memories/{one.pk}", {"status": "active"}).status_code == 200
    else:
        web = pages.browser(factories.ann())
        web.post(f"/memories/{one.pk}/status", {"status": "active", "version": str(state(one).version)})
    assert state(one).status == "active" and one.pk not in archived(ann)


@pytest.mark.parametrize("many", [False, True])
def test_what_came_back_from_the_trash_counts_as_well(ann, many):
    one = idle()
    forget(record_id=one.pk, actor=ann)
    if many:
        restore_many(picked=[Picked(one.pk)], typed_count=1, actor=ann)
    else:
        restore(record_id=one.pk, actor=ann)
    assert state(one).reactivated_at is not None and one.pk not in archived(ann)


def test_what_was_archived_when_it_went_to_the_trash_is_not_brought_back_by_a_restore(ann):
    one = idle()
    run(ann, "archive")
    forget(record_id=one.pk, actor=ann)
    restore(record_id=one.pk, actor=ann)
    assert (state(one).status, state(one).reactivated_at) == ("archived", None)


def test_an_undone_pass_leaves_no_mark_so_the_next_one_finds_the_same(ann):
    one = idle()
    done = run(ann, "archive")
    roll_back(pass_id=done.pk, actor=ann)
    assert state(one).reactivated_at is None and archived(ann) == {one.pk}


def test_setting_what_stands_already_is_no_bringing_back(ann):
    one = idle()
    revise(memory_id=one.pk, changes={"status": "active"}, actor=ann)
    assert state(one).reactivated_at is None and one.pk in archived(ann)


def test_it_is_worth_and_was_used_what_it_was(ann):
    one = idle()
    before = MemoryState.objects.values("importance", "base", "anchor", "last_used_at", "use_count").get(memory=one)
    run(ann, "archive")
    revise(memory_id=one.pk, changes={"status": "active"}, actor=ann)
    assert MemoryState.objects.values(*before).get(memory=one) == before


def conditions(one: Memory, ann: Actor, rule: str) -> dict[str, tuple[str, bool | None]]:
    answer = next(found for found in explain(one.pk, hours=24, actor=ann).answers if found.action == "archive")
    assert not answer.would
    return {gate.name: (gate.measured, gate.holds) for way in answer.reasons if way.name == rule for gate in way.gates}


def test_the_conditions_name_the_day_it_was_brought_back(ann, later):
    one = idle()
    run(ann, "archive")
    revise(memory_id=one.pk, changes={"status": "active"}, actor=ann)
    later(5.01)
    assert conditions(one, ann, "idle_working") == {"unused": ("5 days since it was made active again", False)}


def test_the_conditions_of_a_repetition_name_the_newer_one_and_that_it_was_brought_back(ann):
    one = repeated()
    run(ann, "archive")
    revise(memory_id=one.pk, changes={"status": "active"}, actor=ann)
    found = conditions(one, ann, "duplicate")
    assert found["a newer one with the same words"][1] is True
    assert found["made active again"][1] is False
    seen = pages.text(pages.browser(factories.ann()).get(f"/memories/{one.pk}/why"))
    assert "made active again" in seen and "before the newer one came, or never" in seen
