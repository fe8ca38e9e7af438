"""Where a memory stands, and in which space, by a person's word."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.errors import Conflict, Invalid, NotAllowed
from memories import audit
from memories.models import AuditRecord, Memory, MemoryEmbedding, MemoryLink
from memories.search.search import Search, search
from memories.services import elsewhere
from memories.services.forget import forget, restore
from memories.services.revise import revise
from tests.memories.factories import actor, ann, bea, memory, team, token_actor

pytestmark = pytest.mark.django_db


def vector(of: Memory) -> MemoryEmbedding:
    return MemoryEmbedding.objects.create(
        memory=of, space_id=of.space_id, model="m", dimension=2, vector=[0.6, 0.8], active=of.state.status == "active"
    )


def put(one: Memory, status: str, **more: Any) -> Memory:
    return revise(memory_id=one.pk, changes={"status": status}, **({"actor": actor(ann())} | more))


def now(one: Memory) -> Memory:
    return Memory.objects.select_related("state").get(pk=one.pk)


@pytest.mark.parametrize("was", ["active", "archived", "expired"])
@pytest.mark.parametrize("becomes", ["active", "archived", "expired"])
def test_each_status_follows_each_with_its_marker_its_index_and_one_line(was: str, becomes: str) -> None:
    one = memory(ann(), "zebra kiosk", status=was)
    found = vector(one)
    put(one, becomes, reason="tidy")
    state = now(one).state
    found.refresh_from_db()
    assert (state.status, found.active) == (becomes, becomes == "active")
    assert (state.archived_at is not None, state.expired_at is not None) == (
        becomes == "archived",
        becomes == "expired",
    )
    assert state.version == (1 if was == becomes else 2)
    verbs = {"active": "memory.reactivate", "archived": "memory.archive", "expired": "memory.expire"}
    lines = [(line.action, line.reason, line.detail["status"]) for line in AuditRecord.objects.all()]
    assert lines == ([] if was == becomes else [(verbs[becomes], "tidy", [was, becomes])])


def test_an_archived_memory_leaves_search_and_comes_back() -> None:
    one = memory(ann(), "zebra kiosk")
    put(one, "archived")
    assert not search(actor(ann()), Search(query="zebra kiosk")).hits
    put(one, "active")
    assert len(search(actor(ann()), Search(query="zebra kiosk")).hits) == 1


def test_archive_delete_and_restore_leave_true_markers_and_all_lines() -> None:
    one = memory(ann(), "Tea.")
    put(one, "archived")
    forget(record_id=one.pk, actor=actor(ann()))
    restore(record_id=one.pk, actor=actor(ann()))
    put(one, "active")
    state = now(one).state
    assert (state.status, state.archived_at, state.deleted_at) == ("active", None, None)
    lines = AuditRecord.objects.order_by("seq").values_list("action", flat=True)
    assert list(lines) == ["memory.archive", "memory.forget", "memory.restore", "memory.reactivate"]


@pytest.mark.parametrize(
    ("status", "says"), [("deleted", "forget"), ("gone", "Choose among"), (None, "Choose"), ([], "Choose")]
)
def test_what_is_no_status_to_set_is_invalid(status: Any, says: str) -> None:
    with pytest.raises(Invalid, match=says):
        put(memory(ann(), "Tea."), status)


def test_a_memory_in_the_trash_is_restored_first() -> None:
    with pytest.raises(Conflict, match="trash"):
        put(memory(ann(), "Tea.", status="deleted"), "archived")


def test_what_is_over_is_not_reactivated_without_a_later_expiry() -> None:
    past = timezone.now() - timedelta(days=1)
    for status in ("active", "expired"):
        one = memory(ann(), "Tea.", status=status, expires_at=past)
        with pytest.raises(Invalid, match="later expires_at"):
            put(one, "active")
        revise(memory_id=one.pk, changes={"status": "active", "expires_at": None}, actor=actor(ann()))
        assert (now(one).state.status, now(one).expires_at) == ("active", None)


def test_a_change_of_status_is_no_edit() -> None:
    one = memory(ann(), "Tea.")
    put(one, "archived")
    assert now(one).updated_at == one.updated_at and not one.versions.exists()


def moved(one: Memory, team_id: Any, who: Any = None) -> Memory:
    return revise(memory_id=one.pk, changes={"team_id": team_id}, actor=who or actor(ann()))


def test_a_memory_moves_to_a_team_and_back_with_its_index_and_a_line_in_both_chains() -> None:
    atlas = team("Atlas", ann="member", bea="member")
    one = memory(ann(), "zebra kiosk")
    found = vector(one)
    moved(one, atlas.pk)
    found.refresh_from_db()
    assert (now(one).space_id, found.space_id, now(one).state.version) == (atlas.pk, atlas.pk, 2)
    assert len(search(actor(bea()), Search(query="zebra kiosk")).hits) == 1
    for space in (ann().pk, atlas.pk):
        line = AuditRecord.objects.get(space_id=space)
        assert (line.action, line.detail["space"]) == ("memory.update", [str(ann().pk), str(atlas.pk)])
        assert audit.verify(space) == []
    moved(one, None)
    found.refresh_from_db()
    assert found.space_id == ann().pk and not search(actor(bea()), Search(query="zebra kiosk")).hits


def test_a_memory_moves_only_where_one_may_write_both() -> None:
    atlas, boreas = team("Atlas", ann="member", bea="member"), team("Boreas", bea="admin")
    mine, ours = memory(ann(), "a"), memory(ann(), "b", team=atlas)
    for one, target, who in (
        (mine, boreas.pk, actor(ann())),
        (mine, ann().pk, actor(ann())),
        (ours, None, actor(bea())),
        (mine, atlas.pk, token_actor(ann(), scopes=["memory:read"])),
    ):
        with pytest.raises(NotAllowed):
            moved(one, target, who)
    moved(ours, boreas.pk, actor(bea()))
    assert now(ours).space_id == boreas.pk


def test_the_plans_of_the_space_it_leaves_lose_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    atlas, one, emptied = team("Atlas", ann="member"), memory(ann(), "zebra kiosk"), []
    monkeypatch.setattr(elsewhere, "SCRUBBERS", [emptied.append])
    moved(one, atlas.pk)
    assert emptied == [[one.pk]]


def test_a_summary_and_its_sources_stay_together() -> None:
    atlas = team("Atlas", ann="member")
    source, summary = memory(ann(), "a"), memory(ann(), "b")
    MemoryLink.objects.create(origin=summary, target=source, kind="derived_from", created_at=timezone.now())
    for one in (source, summary):
        with pytest.raises(Conflict, match="one space"):
            moved(one, atlas.pk)


def test_everything_can_change_at_once_with_one_version() -> None:
    atlas = team("Atlas", ann="member")
    one = memory(ann(), "old", path="a")
    changes = {"content": "new", "path": "b", "team_id": atlas.pk, "status": "archived", "importance": 0.9}
    revise(memory_id=one.pk, changes=changes, actor=actor(ann()))
    found = now(one)
    assert (found.content, found.path, found.space_id, found.state.status) == ("new", "b", atlas.pk, "archived")
    assert found.state.version == 2 and [version.content for version in one.versions.all()] == ["old"]
    assert isinstance(found.state.archived_at, datetime)
