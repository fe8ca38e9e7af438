"""Several passes over the same records: each may be undone where no later one relies on it, and in order all may."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone, translation

from memories import audit
from memories.access import Actor
from memories.models import Memory, MemoryState
from memories.services.remember import NewMemory, remember
from memories.services.revise import revise
from reflection.models import ReflectPass
from reflection.pages.retold import retold
from reflection.services.undo import roll_back
from reflection.services.undo_some import take_back
from reflection.states import Action
from tests.memories import factories
from tests.reflection import life, pages, token_writes
from tests.reflection.planner_rows import NOW
from tests.reflection.random_rows import SHORT, some_actions, some_rows
from tests.reflection.stored_rows import people, store
from tests.reflection.test_life_random import EVER
from tests.reflection.test_passes_between import PUMPS, episode, run, state, summary

pytestmark = pytest.mark.django_db
ALL = "summarize,promote,expire,decay,archive"


def undone(done: ReflectPass, ann: Actor) -> list[tuple[str, str]]:
    """Undo the pass. Returns what became of each change, and why."""
    roll_back(pass_id=done.pk, actor=ann)
    return [(one.outcome, one.outcome_text) for one in life.candidates(done)]


def standing(memories: list[Memory]) -> set[str]:
    return {state(one).status for one in memories}


def told_and_put_away(
    ann: Actor, later: Any, actions: str = "archive"
) -> tuple[list[Memory], ReflectPass, ReflectPass]:
    """An episode, the pass that told it, and a later one that archived it because it is told."""
    sources = episode(timezone.now(), 0, 1, 2)
    first = run(ann, "summarize")
    later(31)
    second = run(ann, actions)
    assert standing(sources) == {"archived"}
    return sources, first, second


def test_a_summary_stays_while_a_later_pass_keeps_its_sources_in_it_alone(ann, later):
    _, first, second = told_and_put_away(ann, later)
    ((outcome, why),) = undone(first, ann)
    assert (
        outcome == "kept" and why.startswith(f"kept: pass {second.pk} of ") and why.endswith("; undo that pass first")
    )
    assert state(summary()).status == "active"
    assert audit.verify() == []
    with translation.override("es"):
        assert retold(why) is not None


def test_what_no_later_pass_relies_on_is_undone_all_the_same(ann, later):
    old = timezone.now() - timedelta(days=20)
    idle = factories.memory(factories.ann(), "Comparing.", memory_type="working", created_at=old, anchor=old)
    sources = episode(timezone.now(), 0, 1, 2)
    first = run(ann, "summarize,archive")
    later(31)
    run(ann, "archive")
    assert sorted(outcome for outcome, _ in undone(first, ann)) == ["kept", "rolled_back"]
    assert state(idle).status == "active" and standing(sources) == {"archived"}


@pytest.mark.parametrize("actions", ["archive", ALL])
def test_undone_from_the_last_to_the_first_everything_is_as_it_was(ann, later, actions):
    episode(timezone.now(), 0, 1, 2)
    before = life.snapshot()
    first = run(ann, "summarize")
    later(31)
    second = run(ann, actions)
    for done in (second, first):
        assert {outcome for outcome, _ in undone(done, ann)} == {"rolled_back"}
    assert life.snapshot() == before


def test_what_was_kept_for_a_later_pass_may_be_undone_after_that_one(ann, later):
    sources, first, second = told_and_put_away(ann, later, ALL)
    undone(first, ann)
    undone(second, ann)
    (kept,) = life.candidates(first)
    web = pages.browser(factories.ann())
    assert f'form="undo-kept" name="single" value="{kept.pk}"' in web.get(pages.address(first)).content.decode()
    web.post(pages.address(first, "undo-some"), {"single": str(kept.pk)})
    assert [one.outcome for one in life.candidates(first)] == ["rolled_back"]
    assert not Memory.objects.filter(derivation="summary").exists() and standing(sources) == {"active"}


def test_sources_that_a_person_took_out_again_need_no_keeper(ann, later):
    sources, first, _ = told_and_put_away(ann, later)
    for one in sources:
        revise(memory_id=one.pk, changes={"status": "active"}, actor=ann)
    assert [outcome for outcome, _ in undone(first, ann)] == ["rolled_back"]


def test_a_summary_stays_while_one_change_of_the_later_pass_still_stands(ann, later):
    sources, first, second = told_and_put_away(ann, later)
    for one in life.candidates(second)[:2]:
        take_back(pass_id=second.pk, candidates=[one.pk], actor=ann)
    assert [outcome for outcome, _ in undone(first, ann)] == ["kept"]
    assert standing(sources) == {"active", "archived"}


def went_on(ann: Actor, later: Any) -> tuple[list[Memory], ReflectPass]:
    """An episode that is told, then goes on; its new notes, and the pass that told these."""
    start = timezone.now()
    episode(start, 0, 1, 2)
    run(ann, "summarize")
    later(1)
    added = episode(start, 9)
    since = (start - timedelta(days=1)).isoformat()
    return added, run(ann, "summarize", since=since, until=later(1.1).isoformat())


def test_a_summary_goes_on_telling_what_a_later_pass_archived(ann, later):
    added, second = went_on(ann, later)
    later(40)
    third = run(ann, "archive")
    ((outcome, why),) = undone(second, ann)
    assert outcome == "kept" and str(third.pk) in why
    assert PUMPS.format(9) in summary().content or summary().links.filter(target=added[0]).exists()


def test_a_summary_that_went_on_shrinks_though_only_its_older_sources_are_archived(ann, later):
    added, second = went_on(ann, later)
    revise(memory_id=added[0].pk, changes={"content": f"{added[0].content} Again."}, actor=ann)
    Memory.objects.filter(pk=added[0].pk).update(updated_at=later(39))
    later(40)
    run(ann, "archive")
    assert state(added[0]).status == "active"
    assert [outcome for outcome, _ in undone(second, ann)] == ["rolled_back"]


def test_a_pass_that_told_the_same_record_again_is_named(ann, later):
    _, second = went_on(ann, later)
    first = ReflectPass.objects.exclude(pk=second.pk).get()
    ((outcome, why),) = undone(first, ann)
    assert outcome == "kept" and why.startswith(f"kept: pass {second.pk} of ") and "changed this memory since" in why
    with translation.override("es"):
        assert retold(why) is not None
    undone(second, ann)
    take_back(pass_id=first.pk, candidates=[one.pk for one in life.candidates(first)], actor=ann)
    assert not Memory.objects.filter(derivation="summary").exists()


def test_fading_in_between_does_not_keep_a_summary(ann, later):
    episode(timezone.now(), 0, 1, 2)
    first = run(ann, "summarize")
    for days in (30, 60):
        later(days)
        run(ann, "decay")
    assert state(summary()).version == 3
    assert [outcome for outcome, _ in undone(first, ann)] == ["rolled_back"]


def test_an_edit_among_passes_keeps_a_summary(ann, later):
    episode(timezone.now(), 0, 1, 2)
    first = run(ann, "summarize")
    revise(memory_id=summary().pk, changes={"content": "All pumps are well."}, actor=ann)
    later(30)
    run(ann, "decay")
    ((outcome, why),) = undone(first, ann)
    assert outcome == "kept" and summary().content == "All pumps are well."


def test_a_fading_is_not_undone_beneath_a_later_one(ann, later):
    (one, *_) = episode(timezone.now(), 0)
    passes = []
    for days in (30, 60):
        later(days)
        passes.append(run(ann, "decay"))
    ((outcome, why),) = undone(passes[0], ann)
    assert outcome == "kept" and str(passes[1].pk) in why and state(one).importance == pytest.approx(0.2, abs=1e-4)


def test_what_went_on_takes_a_later_fading_with_it_when_it_is_undone(ann, later):
    _, second = went_on(ann, later)
    first = state(summary())
    before = ReflectPass.objects.exclude(pk=second.pk).get()
    later(60)
    third = run(ann, "decay")
    assert [outcome for outcome, _ in undone(second, ann)] == ["rolled_back"]
    found = state(summary())
    assert found.anchor == before.applied_at < first.anchor and found.importance == found.base
    one = next(one for one in life.candidates(third) if one.result_id == summary().pk)
    take_back(pass_id=third.pk, candidates=[one.pk], actor=ann)
    one.refresh_from_db()
    assert one.outcome == "kept" and state(summary()).importance == found.importance


def test_words_given_back_stay_while_a_repetition_is_archived_for_them(later):
    at = token_writes.scene()
    one = at.kept["edited"]
    words = one.content
    revise(memory_id=one.pk, changes={"content": "Changed."}, actor=at.agent)
    done = life.applied(at.plan(), at.ann)
    MemoryState.objects.update(anchor=timezone.now())
    fields = {
        "path": one.path,
        "bucket": one.bucket,
        "created_at": one.created_at - timedelta(hours=1),
        "anchor": timezone.now(),
    }
    double = factories.memory(factories.ann(), words, memory_type=one.memory_type, **fields)
    later(1)
    put_away = run(at.ann, "archive")
    assert [(found.target_id, found.why["rule"]) for found in life.candidates(put_away)] == [(double.pk, "duplicate")]
    assert [outcome for outcome, _ in undone(done, at.ann)] == ["kept"]
    assert Memory.objects.get(pk=one.pk).content == words


def repeated(at: token_writes.Scene) -> tuple[Memory, Memory]:
    """What the token wrote a second time, and its repetition of it."""
    one = at.kept["untouched"]
    MemoryState.objects.update(anchor=timezone.now())
    fields = {"memory_type": one.memory_type, "bucket": one.bucket}
    return one, remember(new=NewMemory(content=one.content, path="notes", **fields), actor=at.agent).memory


def test_what_a_token_repeated_stays_while_the_first_is_archived_for_it(later):
    at = token_writes.scene()
    one, copy = repeated(at)
    since = (timezone.now() - timedelta(hours=1)).isoformat()
    later(0.5)
    put_away = run(at.ann, "archive")
    assert [found.target_id for found in life.candidates(put_away)] == [one.pk]
    planned = at.plan(since=since)
    assert planned.counts == {"revert": 0, "trash": 0}
    (left,) = planned.skipped
    assert left["gate"] == "taken" and left["text"].startswith(f"Pass {put_away.pk} of ")
    with translation.override("es"):
        assert retold(left["text"]) is not None
    undone(put_away, at.ann)
    assert {found.target_id for found in life.candidates(at.plan(since=since))} == {copy.pk}


def test_a_first_that_is_archived_between_plan_and_application_keeps_the_repetition(later):
    at = token_writes.scene()
    one, copy = repeated(at)
    planned = at.plan()
    later(0.5)
    put_away = run(at.ann, "archive")
    done = life.applied(planned, at.ann)
    assert [(found.outcome, str(put_away.pk) in found.outcome_text) for found in life.candidates(done)] == [
        ("drifted", True)
    ]
    assert (state(one).status, state(copy).status) == ("archived", "active")


def test_words_that_a_token_took_away_later_come_back_though_a_repetition_was_archived_for_them():
    at = token_writes.scene()
    one = at.kept["edited"]
    MemoryState.objects.update(anchor=timezone.now())
    fields = {"memory_type": one.memory_type, "path": one.path, "bucket": one.bucket, "anchor": timezone.now()}
    factories.memory(factories.ann(), one.content, created_at=one.created_at - timedelta(hours=1), **fields)
    words = one.content
    assert run(at.ann, "archive").applied_counts["archive"] == 1
    revise(memory_id=one.pk, changes={"content": token_writes.POISON}, actor=at.agent)
    planned = at.plan()
    assert planned.skipped == []
    life.applied(planned, at.ann)
    assert Memory.objects.get(pk=one.pk).content == words


SETS = [range(30, 40), pytest.param(range(40, 160), marks=pytest.mark.soak)]


@pytest.mark.parametrize("seeds", SETS)
def test_of_three_passes_over_random_records_undoing_the_first_or_all_loses_no_words(
    monkeypatch: pytest.MonkeyPatch, seeds: range
) -> None:
    """From the last to the first, everything is as it was; of the first alone, what is archived stays told."""
    team = people()
    ann = factories.actor(factories.ann())
    life.policy(team.pk, actor=ann, values=SHORT.as_json())
    for seed in seeds:
        chance = random.Random(seed)
        ReflectPass.objects.all().delete()  # the records of all seeds have the same ids
        store(some_rows(chance), team)
        before, done = life.snapshot(), []
        for days in (0, 9, 40):
            given = {
                **EVER,
                "team_id": str(team.pk),
                "actions": list(Action) if seed % 2 else list(some_actions(chance)),
            }
            monkeypatch.setattr(timezone, "now", lambda at=NOW + timedelta(days=days): at)
            made = life.plan_all(ann, **given)
            done.append(life.applied(made, ann) if made.candidates.exists() else made)
        applied = [one for one in done if one.status == "applied"]
        if seed % 2:
            undone(applied[0], ann)
            assert not orphans(applied), f"seed {seed}"
            continue
        for one in reversed(applied):
            assert {outcome for outcome, _ in undone(one, ann)} == {"rolled_back"}, f"seed {seed}"
        now = life.snapshot()
        assert {**now, "memories_memoryembedding": ""} == {**before, "memories_memoryembedding": ""}, f"seed {seed}"


def orphans(passes: list[ReflectPass]) -> set[Any]:
    """Records that a pass archived as told elsewhere, where that other record is gone."""
    standing = [one for done in passes for one in life.candidates(done) if one.outcome in ("applied", "kept")]
    archived = [one for one in standing if one.action == "archive" and one.why["rule"] in ("cited", "duplicate")]
    away = set(MemoryState.objects.filter(status="archived").values_list("memory_id", flat=True))
    keepers = {one.target_id: one.why.get("summary") or one.why["duplicate_of"] for one in archived}
    there = {str(key) for key in Memory.objects.values_list("pk", flat=True)}
    return {target for target, keeper in keepers.items() if target in away and keeper not in there}
