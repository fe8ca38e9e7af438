"""The memory that Hermes gets from the plug-in: its tools, its turns and what it does while the server is away."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from memories.models import Memory, Snapshot, User
from tests.clients.hermes import Provider, call, home_is, identity_fingerprint, provider_of, register, settled
from tests.memories.factories import memory

pytestmark = pytest.mark.filterwarnings("ignore:unclosed database:ResourceWarning")  # the plug-in leaves some open


class Context:
    """What Hermes hands to a plug-in that registers itself."""

    def __init__(self) -> None:
        self.provider: Any = None
        self.tools: dict[str, Any] = {}

    def register_memory_provider(self, provider: Any) -> None:
        self.provider = provider

    def register_tool(self, *, name: str, toolset: str, schema: dict[str, Any], handler: Any) -> None:
        self.tools[name] = handler


def away(provider: Any) -> None:
    """As after five calls in a row that failed."""
    settled()
    provider._consecutive_failures, provider._breaker_open_until = 5, time.monotonic() + 600


def test_a_session_begins_online_and_tells_the_model_so(provider: Provider) -> None:
    assert provider.is_available() and provider.name == "xmemo"
    assert "XMemo status: online." in provider.system_prompt_block()
    assert {"xmemo_search", "xmemo_remember"} <= {one["name"] for one in provider.get_tool_schemas()}


def test_a_fact_goes_through_its_tools(provider: Provider) -> None:
    kept = call(provider, "remember", content="Lunch is at noon.", path="office/lunch", importance="0.9")
    assert kept["result"] == "Saved to XMemo." and kept["id"] == kept["memory_id"]
    found = call(provider, "search", query="when is lunch")
    assert found["count"] == 1 and found["results"][0]["id"] == kept["id"]
    assert found["formatted"].startswith("1. [semantic] [self] office/lunch (sim ") and "noon" in found["formatted"]
    assert call(provider, "get", memory_id=kept["id"])["content"] == "Lunch is at noon."
    listed = call(provider, "list", path="office")
    assert (listed["count"], listed["items"][0]["preview"]) == (1, "Lunch is at noon.")
    assert "Lunch is at noon." in call(provider, "recall_context", query="lunch at noon")["context"]
    assert call(provider, "mark_used", memory_id=kept["id"], context="Said when lunch is.")["use_count"] == 1
    gone = call(provider, "forget", memory_id=kept["id"], reason="Wrong.")
    assert (gone["status"], gone["mode"]) == ("deleted", "soft_delete") and gone["forgotten"]
    assert call(provider, "list") == {"result": "No XMemo memories found.", "items": [], "count": 0}


def test_memories_of_another_agent_are_told_apart(provider: Provider, who: User) -> None:
    memory(who, "The lake froze in January.", path="lake", agent_id="gardener")
    call(provider, "remember", content="The lake thawed in March.", path="lake")
    said = call(provider, "search", query="lake froze thawed")["formatted"]
    assert "[semantic] [self] lake" in said and "[semantic] [other_agent] lake" in said


def test_words_that_the_plug_in_adds_to_a_question_do_not_hide_the_answer(provider: Provider) -> None:
    kept = call(provider, "remember", content="Deleted photos are restored from the trash within 30 days.", path="faq")
    found = call(provider, "search", query="restore deleted photos")
    assert [one["id"] for one in found["results"]] == [kept["id"]]


def test_work_is_kept_in_state_events_and_reminders(provider: Provider) -> None:
    state = call(provider, "update_state", current_task="Bind the book", next_action="Cut the boards")
    assert state["status"] == "active" and state["state_id"] == state["id"] and state["current_task"] == "Bind the book"
    event = call(provider, "record_event", content="The boards were cut.", event_type="milestone")
    assert event["event_id"] == event["id"] and event["event"]["session_id"] == "session-1"
    made = call(provider, "create_reminder", content="Order thread.", due_at="2030-01-01T00:00:00Z")
    assert call(provider, "list_reminders")["items"][0]["id"] == made["todo_id"]
    done = call(provider, "complete_reminder", todo_id=made["todo_id"], note="Ordered.")
    assert (done["item_status"], done["todo_id"]) == ("completed", made["todo_id"])
    assert call(provider, "list_reminders") == {"result": "No open XMemo reminders found."}


def test_refusals_reach_the_model_as_sentences(provider: Provider) -> None:
    assert "404" in call(provider, "get", memory_id=str(uuid4()))["error"]
    assert "404" in call(provider, "forget", memory_id=str(uuid4()))["error"]
    assert "400" in call(provider, "forget", memory_id="latest")["error"]
    assert "rumour" in call(provider, "remember", content="A fact.", path="x", memory_type="rumour")["error"]


def test_the_next_turn_finds_what_the_last_one_asked_for(provider: Provider) -> None:
    call(provider, "remember", content="The pump house is locked at night.", path="works")
    provider.queue_prefetch("is the pump house locked")
    settled()
    assert "pump house is locked at night" in provider.prefetch("is the pump house locked")


def test_turns_and_own_memories_are_mirrored_and_a_session_ends_with_a_snapshot(
    server: str, key: str, who: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home_is(tmp_path, server, key, monkeypatch, CAPTURE_TIMELINE="true")
    with provider_of("session-1") as made:
        made.sync_turn("Remember that the gate sticks.", "Noted.")
        made.on_memory_write("add", "user", "Prefers tea.")
        call(made, "update_state", current_task="Oil the gate")
        made.on_session_end([])
    kept = {one.content: one for one in Memory.objects.filter(owner=who)}
    assert kept["Turn 1: Remember that the gate sticks...."].event_type == "session_event"
    assert kept["Prefers tea."].path == "hermes/builtin-memory/user"
    taken = Snapshot.objects.get(owner=who)
    assert taken.session == "session-1" and "Oil the gate" in str(taken.state)


def test_what_was_written_while_the_server_was_away_arrives_once(provider: Provider, who: User) -> None:
    away(provider)
    for text in ("Bread is baked on Friday.", "Milk comes on Monday."):
        assert call(provider, "remember", content=text, path="pantry")["outbox_status"] == "pending"
    assert call(provider, "update_state", next_action="Bake")["outbox_status"] == "pending"
    assert not Memory.objects.filter(owner=who).exists()
    provider._record_success()
    client, cache = provider._get_client(), provider._local_cache
    for one in cache.list_pending_writes(identity_fingerprint(client.api_key, client.agent_id)):
        sent = {"json_body": json.loads(one["payload_json"]), "idempotency_key": one["idempotency_key"]}
        client._request(one["method"], one["endpoint"], **sent)  # its answer was lost on the way
    provider._sync_outbox()
    assert cache.get_stats()["sent_writes"] == 3 == Memory.objects.filter(owner=who).count()


def test_a_question_while_the_server_is_away_is_answered_from_before(provider: Provider) -> None:
    call(provider, "remember", content="The baker closes at six.", path="town")
    asked = call(provider, "recall_context", query="when does the baker close")
    away(provider)
    late = call(provider, "recall_context", query="when does the baker close")
    assert late["stale"] and late["items"] == asked["items"] and late["context"] == asked["context"]


def test_registered_tools_reach_the_server(
    server: str, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home_is(tmp_path, server, key, monkeypatch)
    context = Context()
    register(context)
    context.provider.initialize("session-2")
    kept = call(context.provider, "remember", content="The bell rings at eight.", path="school")["id"]
    assert set(context.tools) == {"xmemo_search", "xmemo_get", "xmemo_list"}
    assert json.loads(context.tools["xmemo_get"]({"memory_id": kept}))["path"] == "school"
    assert "bell rings" in context.tools["xmemo_search"]({"query": "bell rings"})
    assert json.loads(context.tools["xmemo_list"](path="school"))["count"] == 1
    settled()
    context.provider.shutdown()
