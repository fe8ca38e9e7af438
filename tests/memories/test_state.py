"""Working state: one active slot for each place and key."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connections
from django.utils import timezone

from console.errors import Conflict
from memories.models import AuditRecord, Memory
from memories.services import bulk, state
from memories.services.import_all import import_all
from memories.services.import_lines import Place
from memories.services.revise import revise
from tests.memories.api_client import Api, code, problems
from tests.memories.factories import actor, ann, bob, memory, team, user

pytestmark = pytest.mark.django_db


def update(api: Api, **fields: Any) -> dict[str, Any]:
    answer = api.post("update_state", {"content": "Writing the report.", **fields})
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_a_slot_has_the_shape_of_the_contract() -> None:
    body = update(Api(ann()), current_task="report", next_action="send it", scope=None)
    slot = Memory.objects.get()
    assert body["id"] == body["memory_id"] == str(slot.pk)
    assert (body["state_key"], body["version"], body["status"], body["expires_at"]) == (
        "active_task",
        1,
        "active",
        None,
    )
    assert (body["current_task"], body["next_action"], body["blocked_reason"]) == ("report", "send it", "")
    assert (slot.memory_type, slot.semantic_key) == ("working", "state:active_task")


def test_the_same_key_is_the_same_slot_and_the_same_words_are_no_change() -> None:
    api = Api(ann())
    first, again = update(api, current_task="a"), update(api, current_task="a")
    moved = update(api, content="Sent.", current_task="b")
    assert (first["id"], first["version"]) == (again["id"], again["version"]) == (moved["id"], 1)
    assert (moved["version"], moved["content"], moved["current_task"]) == (2, "Sent.", "b")
    assert [line.action for line in AuditRecord.objects.order_by("seq")] == ["memory.create", "memory.update"]


@pytest.mark.parametrize("other", [{"state_key": "plan"}, {"bucket": "home"}, {"scope": "s"}])
def test_another_key_or_place_is_another_slot(other: dict[str, str]) -> None:
    api = Api(ann())
    assert update(api)["id"] != update(api, **other)["id"]


def test_owners_and_spaces_have_slots_of_their_own() -> None:
    atlas = team("Atlas", ann="member", bob="member")
    ids = {
        update(Api(ann()))["id"],
        update(Api(bob()))["id"],
        update(Api(ann()), team_id=str(atlas.pk))["id"],
        update(Api(bob()), team_id=str(atlas.pk))["id"],
    }
    assert len(ids) == 4
    assert Api(user("zoe")).post("update_state", {"content": "x", "team_id": str(atlas.pk)}).status_code == 403


def test_without_content_the_fields_are_the_text() -> None:
    body = Api(ann()).post("update_state", {"current_task": "report", "blocked_reason": "no data"}).json()
    assert body["content"] == "Current task: report\nBlocked: no data"


def test_a_slot_lives_for_its_seconds_and_then_a_new_one_begins() -> None:
    api = Api(ann())
    body = update(api, ttl_seconds=60)
    slot = Memory.objects.get()
    assert timedelta(seconds=50) < slot.expires_at - timezone.now() <= timedelta(seconds=60)
    assert update(api, ttl_seconds=0)["expires_at"] is None
    Memory.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert update(api)["id"] != body["id"]
    assert state.slots(actor(ann()), space_id=ann().pk, bucket="work", scope=None).count() == 1


def test_a_bound_token_keeps_its_state_inside_its_space() -> None:
    api = Api(ann(), buckets=["home"], scope="s", path_prefix="agents/one")
    body = update(api)
    assert (body["bucket"], body["scope"]) == ("home", "s")
    assert Memory.objects.get().path == "agents/one/state"
    assert api.post("update_state", {"content": "x", "bucket": "work"}).status_code == 403


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"content": ""}, "content"),
        ({"content": "a\0"}, "content"),
        ({"content": 5}, "content"),
        ({"content": "a", "state_key": ""}, "state_key"),
        ({"content": "a", "state_key": "a\nb"}, "state_key"),
        ({"content": "a", "state_key": "x" * 151}, "state_key"),
        ({"content": "a", "current_task": {}}, "current_task"),
        ({"content": "a", "ttl_seconds": -1}, "ttl_seconds"),
        ({"content": "a", "ttl_seconds": 1.5}, "ttl_seconds"),
        ({"content": "a", "ttl_seconds": 10**12}, "ttl_seconds"),
        ({"content": "a", "session_id": ""}, "session"),
    ],
)
def test_bad_input_is_named_and_stores_nothing(fields: dict[str, Any], named: str) -> None:
    assert problems(Api(ann()).post("update_state", fields)) == [named]
    assert not Memory.objects.exists()


def test_a_token_that_only_reads_has_no_state_to_write() -> None:
    assert Api(ann(), scopes=["memory:read"]).post("update_state", {"content": "a"}).status_code == 403


@pytest.mark.django_db(transaction=True)
def test_two_writers_of_one_key_end_with_one_slot_that_one_of_them_wrote() -> None:
    who = actor(ann())

    def write(number: int, key: str, together: Barrier) -> None:
        try:
            together.wait(timeout=10)
            state.update(state_key=key, content=f"step {number}", current_task=f"step {number}", actor=who)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        for key in "abcde":
            together = Barrier(2)
            list(pool.map(write, range(2), [key] * 2, [together] * 2))
    slots = list(Memory.objects.select_related("state"))
    assert len(slots) == 5
    assert all(slot.metadata["current_task"] == slot.content and slot.state.version == 2 for slot in slots)


def test_a_slot_comes_back_only_where_its_key_is_free() -> None:
    api = Api(ann())
    first = update(api)["id"]
    api.post(f"memories/{first}/forget")
    second = update(api, content="Something else.")["id"]
    refused = api.post(f"memories/{first}/restore")
    assert (refused.status_code, code(refused)) == (409, "conflict") and second in refused.json()["detail"]["message"]
    batch = bulk.restore_many(picked=[bulk.Picked(UUID(first), 2)], typed_count=1, actor=actor(ann()))
    assert [one.done for one in batch.outcomes] == [False]
    api.post(f"memories/{second}/forget")
    assert api.post(f"memories/{first}/restore").status_code == 200


def test_a_slot_does_not_come_to_life_or_move_where_its_key_is_taken() -> None:
    api = Api(ann())
    away, first = update(api, bucket="home")["id"], update(api)["id"]
    assert api.patch(f"memories/{away}", {"bucket": "work"}).status_code == 409
    assert api.patch(f"memories/{first}", {"status": "archived"}).status_code == 200
    assert api.patch(f"memories/{away}", {"bucket": "work"}).status_code == 200
    assert api.patch(f"memories/{first}", {"status": "active"}).status_code == 409
    assert api.patch(f"memories/{first}", {"content": "Archived words."}).status_code == 200
    assert Memory.objects.filter(state__status="active", bucket="work").count() == 1


def two_of_one_key(status: str) -> list[Memory]:
    """Two slots of Ann's with the same key in the same place, none of them active."""
    fields = {"memory_type": "working", "semantic_key": "state:active_task", "status": status}
    return [memory(ann(), text, **fields) for text in ("Writing.", "Reading.")]


def live() -> list[str]:
    rows = state.slots(actor(ann()), space_id=ann().pk, bucket="work", scope=None)
    return sorted(rows.values_list("content", flat=True))


def test_of_two_slots_of_one_key_that_are_restored_together_one_comes_back() -> None:
    some = [bulk.Picked(one.pk) for one in two_of_one_key("deleted")]
    batch = bulk.restore_many(picked=some, typed_count=2, actor=actor(ann()))
    assert [one.done for one in batch.outcomes] == [True, False]
    assert str(some[0].id) in batch.outcomes[1].message and live() == ["Writing."]


def test_what_becomes_a_slot_where_one_of_its_key_is_active_is_refused() -> None:
    first, second = two_of_one_key("archived")
    who = actor(ann())
    revise(memory_id=first.pk, changes={"memory_type": "semantic", "status": "active"}, actor=who)
    revise(memory_id=second.pk, changes={"status": "active"}, actor=who)
    with pytest.raises(Conflict, match=str(second.pk)):
        revise(memory_id=first.pk, changes={"memory_type": "working"}, actor=who)
    assert live() == ["Reading."]


def slot_line(content: str, key: str = "active_task", **fields: Any) -> dict[str, Any]:
    return {"id": str(uuid4()), "content": content, "memory_type": "working", "semantic_key": f"state:{key}", **fields}


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_file_brings_no_second_active_slot_of_a_key(dry_run: bool) -> None:
    slot = update(Api(ann()))["id"]
    lines = [
        slot_line("Older."),
        slot_line("First.", "plan"),
        slot_line("Second.", "plan"),
        slot_line("Elsewhere.", bucket="home"),
        slot_line("Over.", expires_at="2020-01-01T00:00:00Z"),
        slot_line("Put away.", state={"status": "archived"}),
    ]
    told = import_all(rows=list(enumerate(lines, 1)), place=Place(), dry_run=dry_run, actor=actor(ann()))
    assert [number for number, _ in told.errors] == [1, 3]
    assert slot in told.errors[0][1] and "Forget or archive that one first" in told.errors[0][1]
    assert str(lines[1]["id"]) in told.errors[1][1]
    assert told.imported == 4 and live() == (["Writing the report."] if dry_run else ["First.", "Writing the report."])
