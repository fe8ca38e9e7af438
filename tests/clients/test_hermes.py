"""The client of the Hermes plug-in, each of its methods against a running server."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from memories.models import User
from tests.clients.hermes import Client, Failed, opened
from tests.memories.factories import memory, token, user

KNOWN = {
    *("health", "recall_context", "search", "get_memory", "list_memories", "remember", "update_state", "record_event"),
    *("create_restart_snapshot", "create_reminder", "list_reminders", "complete_reminder", "mark_used", "forget"),
    "close",
}
LONG_AGO, LATER = "2024-01-01T00:00:00Z", "2024-02-01T00:00:00+00:00"


def refused(call: Callable[..., Any], *given: Any, **named: Any) -> Failed:
    with pytest.raises(Failed) as caught:
        call(*given, **named)
    assert not caught.value.is_transient, caught.value
    return caught.value


def ids(found: list[dict[str, Any]]) -> list[str]:
    return [one["id"] for one in found]


def test_no_method_of_the_client_is_left_out_here() -> None:
    methods = inspect.getmembers(Client, inspect.isfunction)
    assert {name for name, _ in methods if not name.startswith("_")} == KNOWN


def test_the_server_is_healthy_even_without_a_key(client: Client, server: str) -> None:
    with opened(server, "") as nobody:
        assert client.health()["status"] == nobody.health()["status"] == "ok"


def test_what_is_remembered_is_read_searched_listed_and_packed(client: Client) -> None:
    text = "The kettle of the kitchen is green enamel."
    kept = client.remember(text, "home/kitchen", importance=0.8, confidence=0.9)
    assert kept["id"] == kept["memory_id"] and kept["status"] == "created"
    read = client.get_memory(kept["id"])["memory"]
    assert (read["content"], read["path"], read["scope"]) == (text, "home/kitchen", "hermes/default")
    assert (read["importance"], read["confidence"], read["agent_id"]) == (0.8, 0.9, "hermes")
    hit = client.search("green enamel kettle", explain=True)[0]
    assert (hit["id"], hit["content"], hit["memory_type"]) == (kept["id"], text, "semantic")
    assert 0 < hit["similarity"] <= 1 and hit["explanation"]["words"] > 0
    assert ids(client.list_memories(path="home")) == ids(client.list_memories()) == [kept["id"]]
    pack = client.recall_context("green enamel kettle")
    assert ids(pack["items"]) == [kept["id"]] and text in pack["context_text"]


def test_the_same_fact_once_more_is_the_same_record(client: Client) -> None:
    first = client.remember("The train leaves at nine.", "travel")
    assert client.remember("The train leaves at nine.", "travel")["id"] == first["id"]
    keyed = client.remember("The train leaves at ten.", "travel", semantic_key="train")
    assert client.remember("The train leaves at eleven.", "travel", semantic_key="train")["id"] == keyed["id"]
    assert client.get_memory(keyed["id"])["memory"]["content"] == "The train leaves at eleven."
    sent = {"dedupe": False, "idempotency_key": uuid4().hex}
    once, again = (client.remember("The train leaves at nine.", "travel", **sent) for _ in range(2))
    assert once == again and once["id"] != first["id"]


def test_a_search_without_a_strong_match_is_empty(client: Client) -> None:
    client.remember("The kettle is green.", "home")
    assert client.search("quarterly tax return of the bakery") == []


def test_filters_of_a_search_narrow(client: Client, who: User) -> None:
    kept = client.remember("The ferry sails on Sunday.", "travel/ferry", bucket="personal", scope="trips")["id"]
    old = str(memory(who, "The ferry sailed on Monday.", path="travel/old", bucket="work", memory_type="episodic").pk)
    assert set(ids(client.search("ferry"))) == {kept, old}
    assert ids(client.search("ferry", bucket="personal")) == ids(client.search("ferry", scope="trips")) == [kept]
    assert (
        ids(client.search("ferry", path="travel/f%")) == ids(client.search("ferry", memory_type="semantic")) == [kept]
    )
    assert ids(client.search("ferry", since=LONG_AGO, until=LATER)) == [old]
    assert ids(client.search("ferry", time_order="asc")) == ids(client.search("ferry", time_order="desc"))[::-1]
    assert ids(client.search("*", since=LONG_AGO, until=LATER, query_mode="activity_log", time_order="asc")) == [old]
    assert len(client.search("ferry", limit=1, prefer_working=True)) == 1


def test_a_list_takes_a_path_as_far_as_it_is_written_or_with_a_star(client: Client) -> None:
    kept = client.remember("Walls are white.", "home/hall")["id"]
    client.remember("Walls are blue.", "office/hall")
    for path in ("home", "home/h%", "home/*", "HOME/hall"):
        assert ids(client.list_memories(path=path, bucket="work", scope="hermes/default")) == [kept], path
    assert client.list_memories(path="garden") == client.list_memories(memory_type="identity") == []


def test_a_pack_keeps_to_its_limits_and_its_span(client: Client, who: User) -> None:
    new = [client.remember(f"Tomato bed {number} was watered.", "garden")["id"] for number in range(3)]
    old = str(memory(who, "Tomato bed nine was watered.", path="garden").pk)
    assert len(client.recall_context("tomato bed watered", max_items=2)["items"]) == 2
    small = client.recall_context("tomato bed watered", max_tokens=30)
    assert small["budget"]["tokens"] <= 30 and len(small["items"]) == 1
    assert ids(client.recall_context("tomato bed", since=LONG_AGO, until=LATER)["items"]) == [old]
    since = client.recall_context("tomato bed", since=LATER, time_order="asc", hypothetical_answer="It was watered.")
    assert ids(since["items"]) == new
    assert client.recall_context("tomato bed", scope="elsewhere", memory_type="semantic")["items"] == []


def test_a_span_is_that_of_creation_or_of_the_last_change(client: Client, who: User) -> None:
    now, then = datetime.now(UTC), datetime(2024, 1, 9, tzinfo=UTC)
    changed = str(memory(who, "The roof was mended first.", updated_at=now).pk)
    left = str(memory(who, "The roof was mended again.", created_at=then, updated_at=then).pk)
    span = {"since": LONG_AGO, "until": LATER, "time_order": "asc"}
    for axis, found in (
        ("created_at", [changed, left]),
        ("updated_at", [left]),
        ("split_filter_created_order_updated", [left, changed]),
    ):
        named = {**span, "temporal_axis_mode": axis, "owner_timezone": "Asia/Tokyo", "reference_time": LATER}
        assert ids(client.search("roof mended", **named)) == found, axis
        assert ids(client.search("*", **named, query_mode="activity_log")) == found, axis
        assert ids(client.recall_context("roof mended", **named, query_mode="topic")["items"]) == found, axis
        assert ids(client.recall_context("*", **named, query_mode="activity_log")["items"]) == found, axis


def test_a_state_has_one_slot_and_a_snapshot_keeps_it(client: Client) -> None:
    first = client.update_state(current_task="Paint the fence", next_action="Buy paint", idempotency_key=uuid4().hex)
    again = client.update_state(current_task="Paint the gate", blocked_reason="No paint", ttl_seconds=0)
    assert first["id"] == first["memory_id"] == again["id"] and again["version"] > first["version"]
    assert first["state_key"] == "active_task" and first["expires_at"] and again["expires_at"] is None
    taken = client.create_restart_snapshot(session_id="session-1")
    assert taken["id"] != first["id"] and taken["session_id"] == "session-1"
    assert taken["active_state"]["current_task"] == "Paint the gate"
    hit = client.search("paint the gate", prefer_working=True, memory_type="working")
    assert ids(hit) == [first["id"]]


def test_an_event_is_recorded_once_and_found_in_the_log_of_its_span(client: Client) -> None:
    sent = {"event_type": "milestone", "session_id": "session-1", "idempotency_key": uuid4().hex}
    once, again = (client.record_event("The mill was opened.", **sent) for _ in range(2))
    assert once == again and once["event"]["event_type"] == "milestone"
    assert once["event"]["session_id"] == "session-1"
    span = {"since": LATER, "until": datetime(2100, 1, 1, tzinfo=UTC).isoformat()}
    assert ids(client.search("*", query_mode="activity_log", **span)) == [once["id"]]


def test_a_reminder_is_made_listed_and_completed(client: Client) -> None:
    sent = {"due_at": "2030-05-01T09:00:00+02:00", "session_id": "session-1", "idempotency_key": uuid4().hex}
    made, again = (client.create_reminder("Water the ferns.", **sent) for _ in range(2))
    later = client.create_reminder("Air the cellar.")
    assert made == again and (made["item_kind"], made["item_status"]) == ("reminder", "open")
    assert datetime.fromisoformat(made["due_at"]) == datetime(2030, 5, 1, 7, tzinfo=UTC)
    assert ids(client.list_reminders()) == [made["id"], later["id"]]
    assert ids(client.list_reminders(limit=1, bucket="work", scope="hermes/default")) == [made["id"]]
    for _ in range(2):
        done = client.complete_reminder(made["id"], note="Done on Tuesday.")
        assert (done["id"], done["item_status"], done["note"]) == (made["id"], "completed", "Done on Tuesday.")
    assert ids(client.list_reminders()) == [later["id"]]
    assert ids(client.list_reminders(item_status="completed")) == [made["id"]]
    assert len(client.list_reminders(item_status="%")) == 2
    assert refused(client.complete_reminder, str(uuid4())).status_code == 404


def test_a_use_counts_once_for_each_key(client: Client) -> None:
    kept = client.remember("The well is twelve metres deep.", "garden")["id"]
    sent = {"context": "Answered a question.", "metadata": {"turn": 3}, "idempotency_key": uuid4().hex}
    once, again = (client.mark_used(kept, usage_tracking_id="turn-3", **sent) for _ in range(2))
    assert once == again and once["counted"] and once["use_count"] == 1
    assert client.mark_used(kept)["use_count"] == 2
    assert refused(client.mark_used, str(uuid4())).status_code == 404


def test_forgetting_without_a_mode_is_soft_and_the_search_forgets_too(client: Client) -> None:
    kept = client.remember("The attic key is under the stone.", "home")["id"]
    assert ids(client.search("attic key stone")) == [kept]
    gone = client.forget(kept, reason="Moved.", idempotency_key=uuid4().hex)
    assert gone["ok"] and gone["forgotten"] and gone["id"] == kept
    assert (gone["mode"], gone["status"]) == ("soft_delete", "deleted")
    assert client.search("attic key stone") == client.list_memories() == []
    assert client.recall_context("attic key stone")["items"] == []
    assert refused(client.get_memory, kept).status_code == 404
    assert refused(client.forget, kept).status_code in (404, 409)


def test_a_reminder_is_forgotten_by_its_id(client: Client) -> None:
    made = client.create_reminder("Sweep the yard.")["id"]
    assert client.forget(made)["status"] == "deleted" and client.list_reminders(item_status="%") == []


def test_what_is_missing_or_of_others_is_not_found_and_what_is_no_id_is_refused(client: Client) -> None:
    theirs = str(memory(user("stranger"), "A secret of others.").pk)
    for key in (str(uuid4()), theirs):
        for verb in (client.get_memory, client.forget, client.mark_used):
            error = refused(verb, key)
            assert (error.status_code, error.response_body["detail"]["code"]) == (404, "not_found")
    error = refused(client.forget, "latest")
    assert (error.status_code, error.response_body["detail"]["code"]) == (400, "invalid_memory_id")


def test_a_key_that_is_none_and_one_that_only_reads_are_refused(server: str, who: User) -> None:
    with opened(server, "x" * 40) as wrong:
        assert refused(wrong.search, "anything").status_code == 403
    with opened(server, token(who, scopes=["memory:read"])[1], agent_instance_id="cafe" * 8) as reader:
        assert reader.search("*") == []
        assert refused(reader.remember, "No.", "home").status_code == 403
    with opened(server, "") as nobody:
        assert refused(nobody.search, "anything").status_code in (401, 403)


def test_bad_input_is_refused_with_its_field(client: Client) -> None:
    for field, call in (
        ("content", lambda: client.remember("", "home")),
        ("memory_type", lambda: client.remember("A fact.", "home", memory_type="rumour")),
        ("due_at", lambda: client.create_reminder("Later.", due_at="soon")),
        ("ttl_seconds", lambda: client.update_state(current_task="Rest", ttl_seconds=-1)),
        ("query", lambda: client.search(" ")),
        ("max_items", lambda: client.recall_context("anything", max_items=0)),
    ):
        error = refused(call)
        assert error.status_code == 422 and error.response_body["detail"][0]["loc"][-1] == field
