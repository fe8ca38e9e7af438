"""Snapshots of working state, and starting again from them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from memories.models import AuditRecord, Memory, Snapshot
from memories.services.erase import erase
from memories.services.redact import redact
from memories.services.revise import revise
from tests.memories.api_client import Api, code, problems, rows
from tests.memories.factories import actor, ann, bea, bob, team

pytestmark = pytest.mark.django_db


def stand(api: Api, content: str, **fields: Any) -> dict[str, Any]:
    return api.post("update_state", {"content": content, **fields}).json()


def take(api: Api, **fields: Any) -> dict[str, Any]:
    answer = api.post("restart/snapshot", {"label": "before lunch", **fields})
    assert answer.status_code == 200, answer.content
    return answer.json()


def restart(api: Api, key: str, **fields: Any) -> dict[str, Any]:
    answer = api.post("restart/restore", {"snapshot_id": key, **fields})
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_the_state_comes_back_as_it_was() -> None:
    api = Api(ann())
    slot = stand(api, "Writing.", current_task="report", next_action="send")
    plan = stand(api, "Three steps.", state_key="plan")
    key = take(api, session_id="s1")["id"]
    stand(api, "Something else.")
    api.post(f"memories/{plan['id']}/forget")
    body = restart(api, key)
    assert (body["status"], body["restored"], body["snapshot_id"]) == ("restored", True, key)
    active = body["snapshot"]["active_state"]
    assert (active["content"], active["current_task"], active["next_action"]) == ("Writing.", "report", "send")
    assert Memory.objects.get(pk=slot["id"]).content == "Writing."
    live = Memory.objects.filter(state__status="active", memory_type="working")
    assert sorted(live.values_list("content", flat=True)) == ["Three steps.", "Writing."]


def test_only_the_key_asked_for_is_kept() -> None:
    api = Api(ann())
    stand(api, "Writing.")
    stand(api, "Three steps.", state_key="plan")
    stand(api, "At home.", bucket="home")
    assert list(take(api, state_key="plan")["states"]) == ["plan"]
    assert sorted(take(api)["states"]) == ["active_task", "plan"]
    assert take(api, bucket="none")["active_state"] is None


def test_reading_a_snapshot_writes_nothing() -> None:
    api = Api(ann())
    stand(api, "Writing.")
    key, reader = take(api)["id"], Api(ann(), scopes=["memory:read"])
    before, lines = rows(), AuditRecord.objects.count()
    body = restart(reader, key, restore_state=False, record_restore_event=False)
    assert body["restored"] is False and body["snapshot"]["active_state"]["content"] == "Writing."
    assert rows() == before and AuditRecord.objects.count() == lines


def test_a_restart_is_an_event_unless_it_is_not_wanted() -> None:
    api = Api(ann())
    stand(api, "Writing.")
    key = take(api)["id"]
    assert restart(api, key, record_restore_event=False)["event_id"] is None
    event = Memory.objects.get(pk=restart(api, key)["event_id"])
    assert (event.event_type, event.metadata) == ("restart", {"snapshot_id": key})
    assert event.content.startswith("Started again from the snapshot of 20")


def test_a_slot_lives_as_long_again_as_it_had_left() -> None:
    api = Api(ann())
    stand(api, "Writing.", ttl_seconds=600)
    key = take(api)["id"]
    Memory.objects.update(expires_at=timezone.now() - timedelta(hours=1))
    restart(api, key, record_restore_event=False)
    again = Memory.objects.exclude(expires_at__lt=timezone.now()).get()
    assert timedelta(seconds=500) < again.expires_at - timezone.now() <= timedelta(seconds=600)


def test_what_was_erased_does_not_come_back_from_a_snapshot() -> None:
    api = Api(ann())
    slot = stand(api, "a secret kept for nobody")
    key = take(api)["id"]
    api.post(f"memories/{slot['id']}/forget")
    erase(record_id=slot["id"], typed=slot["id"][-6:], reason="asked to", seen_version=2, actor=actor(ann()))
    assert restart(api, key)["restored_ids"] == []
    assert "secret" not in str(Snapshot.objects.values())


def test_in_the_trash_it_is_not_there() -> None:
    api = Api(ann())
    key = take(api)["id"]
    assert api.post(f"memories/{key}/forget").json()["kind"] == "snapshot"
    assert code(api.post("restart/restore", {"snapshot_id": key})) == "not_found"
    assert api.get("restart/snapshot").json()["total"] == 0
    api.post(f"memories/{key}/restore")
    assert [one["id"] for one in api.get("restart/snapshot").json()["snapshots"]] == [key]


def test_others_cannot_start_from_it_but_the_team_can_from_its_own() -> None:
    atlas = team("Atlas", ann="member", bea="member")
    api = Api(ann())
    stand(api, "Writing.", team_id=str(atlas.pk))
    private, shared = take(api)["id"], take(api, team_id=str(atlas.pk))["id"]
    stranger = Api(bob())
    before = rows()
    for key in (private, shared, "01a22ca2-8482-7386-8256-67939b2aa67b"):
        assert stranger.post("restart/restore", {"snapshot_id": key}).status_code == 404
    assert rows() == before
    restart(Api(bea()), shared)
    assert Memory.objects.filter(owner=bea(), team=atlas, content="Writing.").exists()
    assert Api(bob()).post("restart/snapshot", {"team_id": str(atlas.pk)}).status_code == 403


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"label": "x" * 201}, "label"),
        ({"label": "a\nb"}, "label"),
        ({"state_key": ""}, "state_key"),
        ({"session_id": 5}, "session"),
        ({"bucket": []}, "bucket"),
    ],
)
def test_bad_input_is_named(fields: dict[str, Any], named: str) -> None:
    assert problems(Api(ann()).post("restart/snapshot", fields)) == [named]
    assert not Snapshot.objects.exists()


def test_without_an_id_the_latest_own_one_of_the_place_is_meant() -> None:
    group = team("Atlas", ann="member", bob="admin")
    api, place = Api(ann()), {"team_id": str(group.pk), "bucket": "work"}
    first, second, elsewhere = take(api), take(api), take(api, bucket="home")
    take(Api(bob()), **place)
    for sent in ({}, {"snapshot_id": None, "bucket": "work"}, {"scope": ""}):
        body = api.post("restart/restore", sent).json()
        assert (body["id"], body["snapshot_id"], body["restored"]) == (second["id"], second["id"], True)
        assert body["restored_at"]
    assert api.post("restart/restore", {"bucket": "home"}).json()["id"] == elsewhere["id"]
    assert api.post("restart/restore", {"snapshot_id": first["id"]}).json()["id"] == first["id"]
    assert api.post("restart/restore", {"team_id": str(team("Borealis", bob="admin").pk)}).status_code == 403
    before = rows()
    for sent in (
        place,
        {"scope": "nowhere"},
        {"bucket": "empty"},
        {"source_session_id": "s-1"},
        {"state_key": "other"},
    ):
        answer = api.post("restart/restore", sent)
        assert (answer.status_code, answer.json()["status"], answer.json()["restored"]) == (200, "not_found", False)
    assert rows() == before


def test_a_preview_of_the_latest_writes_nothing_and_needs_only_to_read() -> None:
    api = Api(ann())
    api.post("update_state", {"content": "Boiling."})
    take(api)
    sent = {"bucket": "work", "restore_state": False, "record_restore_event": False}
    before = rows()
    body = Api(ann(), scopes=["memory:read"]).post("restart/restore", sent).json()
    assert body["snapshot"]["active_state"]["content"] == "Boiling." and body["restored"] is False
    assert {name: count for name, count in rows().items() if name != "ApiToken"} == {
        name: count for name, count in before.items() if name != "ApiToken"
    }


def test_one_state_of_a_session_is_brought_back_for_another_session() -> None:
    api = Api(ann())
    for key in ("plan", "active_task"):
        api.post("update_state", {"state_key": key, "content": "Boiling.", "session_id": "s-1"})
    kept = take(api, session_id="s-1")
    take(api, session_id="s-2", state_key="active_task")
    for key in ("plan", "active_task"):
        api.post("update_state", {"state_key": key, "content": "Pouring.", "session_id": "s-1"})
    sent = {"source_session_id": "s-1", "state_key": "plan", "target_session_id": "s-3"}
    body = api.post("restart/restore", sent).json()
    assert body["snapshot_id"] == kept["id"] and len(body["restored_ids"]) == 1
    found = {slot.semantic_key: slot.content for slot in Memory.objects.filter(memory_type="working")}
    assert found == {"state:plan": "Boiling.", "state:active_task": "Pouring."}
    assert Memory.objects.get(pk=body["event_id"]).session == "s-3"
    assert problems(api.post("restart/restore", {"snapshot_id": kept["id"], "state_key": "other"})) == ["state_key"]
    assert problems(api.post("restart/restore", {"target_session_id": 7})) == ["session"]


def test_restoring_needs_a_true_id_and_plain_flags() -> None:
    api = Api(ann())
    assert code(api.post("restart/restore", {"snapshot_id": 7})) == "invalid_memory_id"
    key = take(api)["id"]
    assert problems(api.post("restart/restore", {"snapshot_id": key, "restore_state": "maybe"})) == ["restore_state"]


def test_reading_and_writing_need_their_scopes() -> None:
    key = take(Api(ann()))["id"]
    reader = Api(ann(), scopes=["memory:read"])
    assert reader.post("restart/snapshot", {}).status_code == 403
    assert reader.post("restart/restore", {"snapshot_id": key}).status_code == 403
    assert Api(ann(), scopes=["memory:write"]).get("restart/snapshot").status_code == 403


def test_what_was_redacted_does_not_come_back_from_a_snapshot() -> None:
    api = Api(ann())
    slot = stand(api, "a secret kept for nobody", current_task="another secret")
    key = take(api)["id"]
    redact(memory_id=slot["id"], clear_metadata=True, actor=actor(ann()))
    assert restart(api, key)["restored_ids"] == []
    assert "secret" not in str(Snapshot.objects.values())


@pytest.mark.parametrize("mode", ["soft", "hard"])
def test_the_label_of_a_deleted_snapshot_stands_nowhere_else(mode: str) -> None:
    api = Api(ann())
    key = take(api, label="zebra kiosk")["id"]
    restart(api, key)
    api.post(f"memories/{key}/forget")
    if mode == "hard":
        erase(record_id=UUID(key), typed=key[-6:], reason="asked for", seen_version=2, actor=actor(ann()))
    assert "zebra" not in api.get("timeline").content.decode()
    assert api.get("memories", status="%").json()["total"] == 1


def test_a_memory_that_leaves_its_space_leaves_no_copy_behind() -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    api, other = Api(ann()), Api(bea())
    slot = stand(api, "", current_task="zebra kiosk", team_id=str(atlas.pk))
    stand(api, "Three steps.", state_key="plan", team_id=str(atlas.pk))
    key = take(api, team_id=str(atlas.pk))["id"]
    revise(memory_id=UUID(slot["id"]), changes={"team_id": None, "content": "Other words."}, actor=actor(ann()))
    body = other.get("restart/snapshot").json()["snapshots"][0]
    assert list(body["states"]) == ["plan"] and "zebra" not in str(body)
    assert AuditRecord.objects.filter(action="memory.update", detail__snapshots=[key]).count() == 2


def test_no_copy_outlives_a_memory_that_was_moved_before_it_was_erased() -> None:
    atlas = team("Atlas", ann="admin")
    api = Api(ann())
    slot = stand(api, "", current_task="zebra kiosk")
    take(api)
    assert api.patch(f"memories/{slot['id']}", {"team_id": str(atlas.pk)}).status_code == 200
    api.post(f"memories/{slot['id']}/forget")
    given = {"typed": slot["id"][-6:], "reason": "asked for", "seen_version": 3, "actor": actor(ann())}
    erase(record_id=UUID(slot["id"]), **given)
    assert "zebra" not in str(Snapshot.objects.get().state)


def test_a_slot_that_says_more_than_this_door_takes_comes_back_too() -> None:
    api = Api(ann())
    wide = {"memory_type": "working", "path": "state", "metadata": {"current_task": "y" * 9_000}}
    assert api.post("remember", {"content": "x", "semantic_key": "state:" + "k" * 190, **wide}).status_code == 200
    far = stand(api, "far")
    assert api.patch(f"memories/{far['id']}", {"expires_at": "9999-12-28T00:00:00Z"}).status_code == 200
    key = take(api)["id"]
    Snapshot.objects.update(created_at=timezone.now() - timedelta(days=30))
    assert len(restart(api, key)["restored_ids"]) == 2
    assert Memory.objects.get(pk=far["id"]).expires_at.year > 8_000  # type: ignore[union-attr]


def test_without_the_usual_key_the_slot_that_changed_last_is_the_active_state() -> None:
    api = Api(ann())
    stand(api, "old", state_key="a")
    stand(api, "new", state_key="a_longer_key")
    assert take(api)["active_state"]["content"] == "new"
    stand(api, "newest", state_key="a")
    assert take(api)["active_state"]["content"] == "newest"
