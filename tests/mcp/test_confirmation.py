"""Deleting for good through the bridge: asked for by an agent, done by a person, told afterwards."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import mcp_types as types
import pytest
from django.utils import timezone

from memories.models import Erasure, ErasureRequest, Memory, User
from memories.services.erase import erase
from tests.mcp import sdk
from tests.mcp.bridge import Bridge
from tests.memories.factories import actor, bob, memory


def confirm(request: ErasureRequest, who: User) -> None:
    """What the person does on the page."""
    erase(
        record_id=request.record_id,
        typed=str(request.record_id)[-6:],
        reason="Asked for.",
        seen_version=request.version,
        request_id=request.pk,
        actor=actor(who),
    )


def test_an_agent_is_told_the_address_and_nothing_is_deleted(bridge: Bridge, server: str, who: User) -> None:
    kept = memory(who, "The kettle broke.")
    said = bridge.call("forget", memory_id=str(kept.pk), mode="hard", reason="Wrong.")
    request = ErasureRequest.objects.get(record_id=kept.pk)
    assert said.code == "confirmation_required" and f"{server}/erasure-requests/{request.pk}" in said.text
    assert (request.user_id, request.token_id, request.version) == (who.pk, bridge.token.pk, 1)
    assert request.expires_at - request.created_at == timedelta(minutes=10)
    assert Memory.objects.filter(pk=kept.pk).exists()


def test_once_the_person_has_confirmed_the_same_call_says_so(bridge: Bridge, who: User) -> None:
    kept = memory(who, "The kettle broke.")
    bridge.call("forget", memory_id=str(kept.pk), mode="hard")
    confirm(ErasureRequest.objects.get(record_id=kept.pk), who)
    said = bridge.call("forget", memory_id=str(kept.pk), mode="hard_delete")
    assert said.text.splitlines()[1:4] == [f"Reference: {kept.pk}", "Mode: hard_delete", "Status: deleted"]


def test_without_the_scope_nobody_is_asked(server: str, who: User) -> None:
    kept = memory(who, "The kettle broke.")
    writer = Bridge(server, who, scopes=["memory:read", "memory:write"])
    assert writer.call("forget", memory_id=str(kept.pk), mode="hard").code == "permission_denied"
    assert not ErasureRequest.objects.filter(record_id=kept.pk).exists()


def test_a_record_of_others_is_not_asked_about(bridge: Bridge) -> None:
    foreign = memory(bob(), "Bob's own.")
    assert bridge.call("forget", memory_id=str(foreign.pk), mode="hard").code == "not_found"


@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
def test_a_client_that_opens_addresses_asks_the_person_within_the_call(bridge: Bridge, who: User, action: Any) -> None:
    kept = memory(who, "The kettle broke.")
    shown: list[str] = []

    def person(address: str) -> types.ElicitResult:
        shown.append(address)
        if action == "accept":
            confirm(ErasureRequest.objects.get(pk=UUID(address.rsplit("/", 1)[1])), who)
        return types.ElicitResult(action=action)

    result = sdk.call(bridge, "forget", {"memory_id": str(kept.pk), "mode": "hard"}, person=person)
    assert len(shown) == 1 and result.is_error is (action != "accept")
    assert Memory.objects.filter(pk=kept.pk).exists() is (action != "accept")
    assert Erasure.objects.filter(record_id=kept.pk).exists() is (action == "accept")
    told = "Status: deleted" if action == "accept" else "The person did not agree"
    assert told in result.content[0].text


def test_agreeing_to_look_is_not_yet_confirming(bridge: Bridge, who: User) -> None:
    kept = memory(who, "The kettle broke.")
    agreed = types.ElicitResult(action="accept")
    result = sdk.call(bridge, "forget", {"memory_id": str(kept.pk), "mode": "hard"}, person=lambda address: agreed)
    assert result.is_error and "has not confirmed in the console yet" in result.content[0].text
    assert Memory.objects.filter(pk=kept.pk).exists()


@pytest.mark.parametrize("state", ["mine, late", "of another", "none", "no id"])
def test_a_state_that_was_not_given_to_this_person_is_worth_nothing(bridge: Bridge, who: User, state: str) -> None:
    kept = memory(who, "The kettle broke.")
    owner = bob() if state == "of another" else who
    at = timezone.now() - timedelta(minutes=11)
    made = ErasureRequest.objects.create(
        record_id=kept.pk, kind="memory", version=1, user=owner, created_at=at, expires_at=at + timedelta(minutes=10)
    )
    given = {"none": "01990000-0000-7000-8000-000000000000", "no id": "{}"}.get(state, str(made.pk))
    said = {"confirm": {"action": "accept"}}
    params = {"name": "forget", "arguments": {"memory_id": str(kept.pk)}, "requestState": given, "inputResponses": said}
    result = bridge.ask("tools/call", params)
    text = result["content"][0]["text"].splitlines()[0]
    codes = {"mine, late": "conflict", "no id": "invalid_memory_id"}
    assert text == f"Error: {codes.get(state, 'not_found')}"
    assert Memory.objects.filter(pk=kept.pk).exists()
