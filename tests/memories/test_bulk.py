"""Many records at once: each on its own, the count typed in, one line for each and one for all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from console.errors import Invalid, NotAllowed, SignInAgain
from memories import audit
from memories.access import person
from memories.models import AuditRecord, Erasure, Memory, MemoryEmbedding, MemoryLink, Todo
from memories.services.bulk import Batch, Picked, erase_many, forget_many, restore_many
from memories.services.forget import forget
from tests.memories.factories import actor, ann, bea, bob, memory, team, token_actor

pytestmark = pytest.mark.django_db


def todo(content: str = "Call Bea.") -> Todo:
    now = timezone.now()
    return Todo.objects.create(owner=ann(), content=content, created_at=now, updated_at=now)


def picked(*some: Any) -> list[Picked]:
    return [Picked(one if isinstance(one, UUID) else one.pk) for one in some]


def to_trash(*some: Any, **more: Any) -> Batch:
    return forget_many(picked=picked(*some), typed_count=len(some), actor=actor(ann()), **more)


def said(batch: Batch) -> list[tuple[bool, str]]:
    return [(one.done, one.message) for one in batch.outcomes]


def status_of(*some: Memory) -> list[str]:
    return [Memory.objects.get(pk=one.pk).state.status for one in some]


def vector(of: Memory) -> MemoryEmbedding:
    return MemoryEmbedding.objects.create(
        memory=of, space_id=of.space_id, model="m", dimension=2, vector=[0.6, 0.8], active=True
    )


def test_all_go_and_come_back_where_they_stood() -> None:
    one, two, chore = memory(ann(), "a"), memory(ann(), "b", status="archived"), todo()
    found = vector(one)
    gone = to_trash(one, two, chore, reason="spring")
    chore.refresh_from_db()
    found.refresh_from_db()
    assert (status_of(one, two), chore.status, found.active) == (["deleted", "deleted"], "deleted", False)
    back = [Picked(outcome.id, outcome.version) for outcome in gone.done]
    restore_many(picked=back, typed_count=3, actor=actor(ann()))
    chore.refresh_from_db()
    found.refresh_from_db()
    assert (status_of(one, two), chore.status, found.active) == (["active", "archived"], "active", True)


def test_each_record_succeeds_or_is_refused_on_its_own() -> None:
    good, gone, strange, moved = memory(ann(), "a"), memory(ann(), "b", status="deleted"), memory(bob(), "c"), todo()
    wanted = [*picked(good, gone, strange), Picked(moved.pk, 7), Picked(uuid4())]
    batch = forget_many(picked=wanted, typed_count=5, actor=actor(ann()))
    assert [outcome.done for outcome in batch.outcomes] == [True, False, False, False, False]
    assert "already" in batch.outcomes[1].message and "changed" in batch.outcomes[3].message
    assert batch.outcomes[2].message == batch.outcomes[4].message
    assert status_of(good, strange) == ["deleted", "active"]


def test_every_record_has_a_line_and_the_batch_has_one_with_the_ids_of_its_space() -> None:
    atlas = team("Atlas", ann="member")
    mine, ours = memory(ann(), "a"), memory(ann(), "b", team=atlas)
    batch = to_trash(mine, ours, reason="spring")
    for one, space in ((mine, ann().pk), (ours, atlas.pk)):
        lines = AuditRecord.objects.filter(space_id=space).order_by("seq")
        assert [line.action for line in lines] == ["memory.forget", "records.forget_many"]
        assert {line.reason for line in lines} == {"spring"}
        assert lines[0].detail["batch"] == str(batch.id) == str(lines[1].object_id)
        assert lines[1].detail["ids"] == [str(one.pk)]
        assert audit.verify(space) == []


@pytest.mark.parametrize("count", [0, 1, 3, -2])
def test_a_wrong_count_moves_nothing(count: int) -> None:
    some = [memory(ann(), "a"), memory(ann(), "b")]
    with pytest.raises(Invalid, match="Type that number"):
        forget_many(picked=picked(*some), typed_count=count, actor=actor(ann()))
    assert status_of(*some) == ["active", "active"] and not AuditRecord.objects.exists()


def test_nothing_picked_is_no_batch() -> None:
    with pytest.raises(Invalid, match="Nothing is selected"):
        forget_many(picked=[], typed_count=0, actor=actor(ann()))


@pytest.mark.parametrize(("count", "most"), [(501, 500), (40_000, 500)])
def test_more_than_the_cap_is_refused_with_the_cap(count: int, most: int) -> None:
    ids: Sequence[Picked] = [Picked(uuid4()) for _ in range(count)]
    for many in (forget_many, restore_many):
        with pytest.raises(Invalid, match=f"at most {most} go at once"):
            many(picked=ids, typed_count=count, actor=actor(ann()))


def test_500_records_go_at_once() -> None:
    now, who = timezone.now(), ann()
    chores = Todo.objects.bulk_create(
        Todo(owner=who, content=f"{n}", created_at=now, updated_at=now) for n in range(500)
    )
    assert len(to_trash(*chores).done) == 500
    assert Todo.objects.filter(status="deleted").count() == 500


def test_a_record_picked_twice_counts_once() -> None:
    one = memory(ann(), "a")
    batch = forget_many(picked=picked(one, one), typed_count=1, actor=actor(ann()))
    assert said(batch) == [(True, "")] and Memory.objects.get(pk=one.pk).state.version == 2


def test_a_token_that_only_reads_and_a_bound_one_move_nothing() -> None:
    one = memory(ann(), "a", bucket="home")
    with pytest.raises(NotAllowed):
        forget_many(picked=picked(one), typed_count=1, actor=token_actor(ann(), scopes=["memory:read"]))
    batch = forget_many(picked=picked(one), typed_count=1, actor=token_actor(ann(), buckets=["work"]))
    assert not batch.done and status_of(one) == ["active"]


def erased(*some: Any, who: Any = None, **more: Any) -> Batch:
    plain = {"typed_count": len(some), "typed_word": "delete", "reason": "asked to", "actor": who or actor(ann())}
    return erase_many(picked=picked(*some), **plain | more)


def test_what_is_in_the_trash_goes_for_good_and_the_rest_is_refused() -> None:
    gone, chore = memory(ann(), "a", status="deleted"), todo()
    forget(record_id=chore.pk, actor=actor(ann()))
    live, held = memory(ann(), "b"), memory(ann(), "c", status="deleted", hold="case 7")
    batch = erased(gone, chore, live, held)
    assert [one.done for one in batch.outcomes] == [True, True, False, False]
    assert "trash" in batch.outcomes[2].message and "case 7" in batch.outcomes[3].message
    assert {row.record_id for row in Erasure.objects.all()} == {gone.pk, chore.pk}
    assert set(Memory.objects.values_list("pk", flat=True)) == {live.pk, held.pk} and not Todo.objects.exists()
    line = AuditRecord.objects.get(action="records.erase_many")
    assert set(line.detail["ids"]) == {str(gone.pk), str(chore.pk)}


@pytest.mark.parametrize("wrong", [{"typed_count": 2}, {"typed_word": "remove"}, {"typed_word": ""}, {"reason": " "}])
def test_a_hard_delete_without_its_confirmation_deletes_nothing(wrong: dict[str, Any]) -> None:
    gone = memory(ann(), "a", status="deleted")
    with pytest.raises(Invalid):
        erased(gone, **wrong)
    assert Memory.objects.filter(pk=gone.pk).exists()


def test_a_hard_delete_of_more_than_100_is_refused() -> None:
    with pytest.raises(Invalid, match="at most 100"):
        erased(*(uuid4() for _ in range(101)))


def test_a_hard_delete_asks_for_the_password_and_never_a_token() -> None:
    gone = memory(ann(), "a", status="deleted")
    with pytest.raises(SignInAgain):
        erased(gone, who=person(ann()))
    with pytest.raises(NotAllowed):
        erased(gone, who=token_actor(ann(), scopes=["memory:write", "memory:delete"]))


def test_a_member_erases_only_what_is_theirs() -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    hers, his = memory(bea(), "a", team=atlas, status="deleted"), memory(ann(), "b", team=atlas, status="deleted")
    batch = erased(hers, his, who=actor(bea()))
    assert [one.done for one in batch.outcomes] == [True, False]


def test_a_summary_goes_along_with_its_source_or_by_itself() -> None:
    sources = [memory(ann(), f"source {n}", status="deleted") for n in range(2)]
    summaries = [memory(ann(), "told"), memory(ann(), "told", status="deleted")]
    for source, summary in zip(sources, summaries, strict=True):
        Memory.objects.filter(pk=summary.pk).update(derivation="summary", pass_id=summary.pk)
        MemoryLink.objects.create(origin=summary, target=source, kind="derived_from", created_at=timezone.now())
    batch = erased(*sources, summaries[1])
    assert [one.done for one in batch.outcomes] == [True] * 3 and not Memory.objects.exists()
    assert Erasure.objects.get(record_id=summaries[0].pk).because_of == sources[0].pk


def test_what_goes_along_is_said_to_be_gone_picked_or_not() -> None:
    source, made = (
        memory(ann(), "Code 4417.", status="deleted"),
        memory(ann(), "A code.", derivation="summary", pass_id=uuid4()),
    )
    MemoryLink.objects.create(origin=made, target=source, kind="derived_from", created_at=timezone.now())
    confirmed = {"typed_word": "delete", "reason": "asked for", "actor": actor(ann())}
    unpicked = memory(ann(), "A code it is.", derivation="fact", pass_id=uuid4())
    MemoryLink.objects.create(origin=unpicked, target=source, kind="derived_from", created_at=timezone.now())
    batch = erase_many(picked=picked(source, made), typed_count=2, **confirmed)
    assert said(batch) == [(True, ""), (True, "It went along with a record that it quoted.")]
    assert batch.along == (unpicked.pk,) and batch.refused == [] and not Memory.objects.exists()


def test_a_source_whose_summary_is_held_stays() -> None:
    source, summary = memory(ann(), "source", status="deleted"), memory(ann(), "told", hold="case 7")
    Memory.objects.filter(pk=summary.pk).update(derivation="summary", pass_id=summary.pk)
    MemoryLink.objects.create(origin=summary, target=source, kind="derived_from", created_at=timezone.now())
    batch = erased(source)
    assert [one.done for one in batch.outcomes] == [False] and "case 7" in batch.outcomes[0].message
    assert Memory.objects.count() == 2
