"""The receipt of a hard delete: on the page, as a file, over the API; and what it never says."""

from __future__ import annotations

import re
from uuid import UUID

import pytest

from console.actions import PLACES
from memories.models import AuditRecord, Decision, ErasureRequest, Memory, MemoryUse, Snapshot
from memories.search import places
from memories.services import elsewhere, erase
from memories.services.receipt import look_for
from memories.services.removal import commitment
from tests.memories.api_client import Api
from tests.memories.factories import PAST, actor, ann, bob, memory, team, token
from tests.memories.page_client import signed_in, text_of

pytestmark = pytest.mark.django_db
WORDS = "The code of the gate is 4417."


def gone(**fields: object) -> UUID:
    note = memory(ann(), WORDS, status="deleted", **fields)
    erase.erase(record_id=note.pk, typed=str(note.pk)[-6:], reason="asked", seen_version=1, actor=actor(ann()))
    return note.pk


def test_the_page_lists_the_places_at_once() -> None:
    key = gone()
    body = text_of(signed_in(ann()).get(f"/erased/{key}"))
    kinds, mentions = (*places.RECORDS,), ("marks of use", "snapshots that name it", "saved plans")
    assert kinds == ("memory", "TODO", "ledger entry", "decision", "snapshot")
    for place in (*kinds, *mentions, "versions", "embedding", "search index"):
        assert f"{place} 0, absent" in body
    assert "Nothing is left in this console." in body and "hmac-sha256:" in body
    assert "its status, importance and version" in body


def test_the_file_says_the_same() -> None:
    key = gone()
    response = signed_in(ann()).get(f"/erased/{key}.json")
    found = response.json()
    assert response["Content-Disposition"] == f'attachment; filename="erased-{key}.json"'
    assert found["id"] == str(key) and found["reason"] == "asked" and found["absent"] is True
    assert {"place": "memory", "found": 0} in found["places"] and "4417" not in response.content.decode()


def test_the_api_gives_the_receipt_to_whoever_may_see_the_space() -> None:
    key = gone()
    assert Api(ann()).get(f"erasures/{key}").json()["id"] == str(key)
    assert Api(bob()).get(f"erasures/{key}").status_code == 404
    assert Api(ann()).get("erasures/7").status_code == 400


def test_a_bound_token_sees_the_receipt_of_what_it_asked_for_only() -> None:
    first, second = gone(), gone()
    agent = Api(ann(), buckets=["work"])
    ErasureRequest.objects.create(
        record_id=second, kind="memory", version=1, user=ann(), token_id=agent.token.pk, created_at=PAST,
        expires_at=agent.token.expires_at,
    )  # fmt: skip
    assert agent.get(f"erasures/{first}").status_code == 404
    assert agent.get(f"erasures/{second}").status_code == 200


def test_the_audit_keeps_a_commitment_that_nobody_can_try_texts_on() -> None:
    first, second = (AuditRecord.objects.get(object_id=gone(), action="memory.erase") for _ in range(2))
    assert re.fullmatch(r"hmac-sha256:[0-9a-f]{64}", first.detail["commitment"])
    assert first.detail["commitment"] != second.detail["commitment"]
    note = memory(ann(), WORDS)
    assert commitment(note) != commitment(note)


def test_the_audit_line_says_who_when_why_and_no_word() -> None:
    line = AuditRecord.objects.get(object_id=gone(), action="memory.erase")
    assert (line.actor_name, line.reason, line.channel) == ("ann", "asked", "console")
    assert set(line.detail) == {"status", "version", "commitment"}


def test_a_place_that_still_holds_something_is_told() -> None:
    note = memory(ann(), WORDS)
    MemoryUse.objects.create(memory=note, action="used", context="for the gate", at=PAST)
    Snapshot.objects.create(owner=ann(), created_at=PAST, updated_at=PAST, state={"task": {"memory_id": str(note.pk)}})
    ErasureRequest.objects.create(
        record_id=note.pk, kind="memory", version=1, user=ann(), reason="why", created_at=PAST,
        expires_at=token(ann())[0].expires_at,
    )  # fmt: skip
    found = look_for(note.pk)
    named = ("marks of use", "snapshots that name it", "reasons of requests", "memory")
    assert [found[place] for place in named] == [1, 1, 1, 1]


@pytest.mark.parametrize("kind", ["decision", "snapshot"])
def test_a_decision_and_a_snapshot_are_deleted_for_good_like_memories(kind: str) -> None:
    fields = {"owner": ann(), "created_at": PAST, "updated_at": PAST, "status": "deleted", "deleted_at": PAST}
    fields |= {"deleted_by": ann(), "status_before_delete": "active"}
    made = (
        Decision.objects.create(context=WORDS, options=[WORDS], **fields)
        if kind == "decision"
        else Snapshot.objects.create(label=WORDS, state={"task": {"content": WORDS}}, **fields)
    )
    assert {place for place, found in look_for(made.pk).items() if found} - {"search index"} == {kind}
    client = signed_in(ann())
    assert "4417" in text_of(client.get(f"/records/{made.pk}/erase"))
    data = {"typed": str(made.pk)[-6:], "reason": "asked", "version": 1}
    assert client.post(f"/records/{made.pk}/erase", data).status_code == 302
    assert set(look_for(made.pk).values()) == {0}
    assert AuditRecord.objects.get(object_id=made.pk).action == f"{kind}.erase"


def test_the_summary_of_a_held_source_is_named_by_its_hold() -> None:
    from memories.models import MemoryLink

    atlas = team("Atlas", ann="admin")
    note = memory(ann(), WORDS, status="deleted", team=atlas)
    made = memory(ann(), "Gate.", derivation="summary", pass_id=note.pk, team=atlas, hold="Case 9")
    MemoryLink.objects.create(origin=made, target=note, kind="derived_from", created_at=PAST)
    data = {"typed": str(note.pk)[-6:], "reason": "asked", "version": 1}
    response = signed_in(ann()).post(f"/records/{note.pk}/erase", data)
    assert response.status_code == 403 and "Case 9" in text_of(response)
    assert Memory.objects.count() == 2


def test_every_registered_place_is_in_the_receipt() -> None:
    looked = look_for(gone())
    assert set(elsewhere.CHECKS) <= set(looked)
    assert [place for place in looked if place not in PLACES] == [], "say in plain words what these are"
