"""Deleting for good as pages: the question, the confirmation, the receipt and the proof."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone

from memories.models import AuditRecord, Memory, MemoryLink
from memories.services import elsewhere, erase
from tests.memories.factories import PASSWORD, actor, ann, bea, bob, memory, team, token_actor, version
from tests.memories.page_client import HTMX, everything, signed_in, standing, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_model")]


def trashed(content: str = "The code of the gate is 4417.", **fields: Any) -> Memory:
    return memory(ann(), content, status="deleted", **fields)


def summary_of(source: Memory) -> Memory:
    made = memory(ann(), "The gate has a code.", derivation="summary", pass_id=source.pk)
    MemoryLink.objects.create(origin=made, target=source, kind="derived_from", created_at=timezone.now())
    return made


def confirmed(note: Memory, **fields: Any) -> dict[str, Any]:
    return {"typed": str(note.pk)[-6:], "reason": "asked by the guest", "version": note.state.version} | fields


def test_the_page_names_all_consequences_before_it_asks() -> None:
    note = trashed()
    version(note, 1, "The code is 1234.")
    made = summary_of(note)
    response = signed_in(ann()).get(f"/records/{note.pk}/erase")
    body = text_of(response)
    assert "Delete this memory for good?" in body and "This cannot be undone." in body
    assert "1 earlier version and 1 link" in body and str(made.pk)[-6:] in body and "Delete 2 records for good" in body
    cancel = response.content.decode().split(">Cancel<")[0].rsplit("<a", 1)[1]
    assert "data-focus" in cancel


def test_a_confirmed_record_is_gone_with_what_was_written_from_it() -> None:
    note = trashed()
    made = summary_of(note)
    response = signed_in(ann()).post(f"/records/{note.pk}/erase", confirmed(note), follow=True)
    assert response.redirect_chain == [(f"/erased/{note.pk}", 302)]
    body = text_of(response)
    assert "asked by the guest" in body and str(made.pk) in body and "4417" not in body
    assert not Memory.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [{"typed": ""}, {"typed": "zzzzzz"}, {"reason": ""}, {"reason": " "}, {"reason": "r" * 501}, {"version": ""}],
)
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_bad_confirmation_keeps_the_record_and_the_input(fields: dict[str, str], headers: dict[str, str]) -> None:
    note = trashed()
    client, before = signed_in(ann()), everything()
    response = client.post(f"/records/{note.pk}/erase", confirmed(note) | fields, headers=headers)
    assert response.status_code == 422 and everything() == before
    if "reason" not in fields:
        assert "asked by the guest" in response.content.decode()


def test_the_last_six_characters_are_compared_whatever_their_case() -> None:
    note = trashed()
    data = confirmed(note, typed=f" {str(note.pk)[-6:].upper()} ")
    assert signed_in(ann()).post(f"/records/{note.pk}/erase", data).status_code == 302


def test_a_record_outside_the_trash_is_refused_before_and_after_confirming() -> None:
    note = memory(ann(), "a live note")
    client, before = signed_in(ann()), everything()
    assert client.get(f"/records/{note.pk}/erase").status_code == 409
    assert client.post(f"/records/{note.pk}/erase", confirmed(note)).status_code == 409
    assert everything() == before


def test_a_record_that_moved_since_it_was_seen_is_not_erased() -> None:
    note = trashed()
    response = signed_in(ann()).post(f"/records/{note.pk}/erase", confirmed(note, version=7))
    assert response.status_code == 409 and standing(note) == ("deleted", 1)


def test_a_hold_is_named() -> None:
    note = trashed(hold="Case 12")
    response = signed_in(ann()).post(f"/records/{note.pk}/erase", confirmed(note))
    assert response.status_code == 403 and "Case 12" in text_of(response)


def test_an_old_sign_in_asks_for_the_password_first() -> None:
    note = trashed()
    client = signed_in(ann(), seconds_ago=301)
    response = client.get(f"/records/{note.pk}/erase", follow=True)
    assert "Your password again" in text_of(response)
    response = client.post("/sign-in-again", {"password": PASSWORD, "next": f"/records/{note.pk}/erase"}, follow=True)
    assert "Delete this memory for good?" in text_of(response)


def test_a_sign_in_that_grew_old_while_confirming_loses_nothing() -> None:
    note = trashed()
    client, url = signed_in(ann(), seconds_ago=301), f"/records/{note.pk}/erase"
    response = client.post(url, confirmed(note))
    assert response.status_code == 403 and "asked by the guest" in response.content.decode()
    assert Memory.objects.filter(pk=note.pk).exists()
    data = confirmed(note, password=PASSWORD, next=url)
    response = client.post("/sign-in-again", data)
    assert response.status_code == 307 and response["Location"] == url
    assert client.post(url, data).status_code == 302
    assert not Memory.objects.filter(pk=note.pk).exists()


def test_a_request_of_a_token_leads_to_the_page_and_is_used_up() -> None:
    note = memory(ann(), "a live note")
    agent = token_actor(ann(), scopes=["memory:read", "memory:write", "memory:delete"])
    asked = erase.request_erasure(record_id=note.pk, actor=agent)
    client = signed_in(ann())
    response = client.get(f"/erasure-requests/{asked.pk}", follow=True)
    assert f'value="{asked.pk}"' in response.content.decode()
    url = f"/records/{note.pk}/erase"
    assert client.post(url, confirmed(note, request=asked.pk)).status_code == 302
    assert client.get(f"/erasure-requests/{asked.pk}").status_code == 409
    assert not Memory.objects.exists()


def test_a_request_is_for_its_person_and_its_record_only() -> None:
    note, other = memory(ann(), "a live note"), memory(ann(), "another")
    agent = token_actor(ann(), scopes=["memory:read", "memory:write", "memory:delete"])
    asked = erase.request_erasure(record_id=note.pk, actor=agent)
    assert signed_in(bob()).get(f"/erasure-requests/{asked.pk}").status_code == 404
    client = signed_in(ann())
    assert client.post(f"/records/{other.pk}/erase", confirmed(other, request=asked.pk)).status_code == 403
    assert client.get(f"/records/{note.pk}/erase?request=7").status_code == 422
    assert client.get(f"/records/{note.pk}/erase?request={note.pk}").status_code == 404
    assert Memory.objects.count() == 2


def gone() -> tuple[Client, UUID]:
    note = trashed()
    erase.erase(record_id=note.pk, typed=str(note.pk)[-6:], reason="asked", seen_version=1, actor=actor(ann()))
    return signed_in(ann()), note.pk


def test_the_proof_looks_in_every_place_and_keeps_nothing_of_what_was_typed() -> None:
    client, key = gone()
    before = everything(), AuditRecord.objects.count()
    response = client.post(f"/erased/{key}/verify", {"words": "code of the gate"})
    body = text_of(response)
    assert response.status_code == 200 and "Nothing is left in this console." in body
    for place in ("search by its id", "search by your words", "memory", "versions", "links", "saved plans"):
        assert f"{place} 0, absent" in body
    assert "code of the gate" not in response.content.decode()
    assert (everything(), AuditRecord.objects.count()) == before


def test_the_proof_tells_when_something_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(elsewhere.CHECKS, "drawer", lambda key: 2)
    client, key = gone()
    body = text_of(client.post(f"/erased/{key}/verify"))
    assert "Something is left." in body and "drawer 2" in body


def test_too_many_words_are_refused() -> None:
    client, key = gone()
    assert client.post(f"/erased/{key}/verify", {"words": "w" * 201}).status_code == 422


def test_a_receipt_is_for_the_space_of_the_record() -> None:
    client, key = gone()
    stranger = signed_in(bob())
    assert client.get(f"/erased/{key}").status_code == 200
    assert stranger.get(f"/erased/{key}").status_code == 404
    assert stranger.post(f"/erased/{key}/verify").status_code == 404


def test_the_receipt_of_what_went_along_names_the_cause() -> None:
    note = trashed()
    made = summary_of(note)
    signed_in(ann()).post(f"/records/{note.pk}/erase", confirmed(note))
    assert f"Because of {note.pk}" in text_of(signed_in(ann()).get(f"/erased/{made.pk}"))


def test_an_admin_erases_what_a_member_of_the_team_wrote() -> None:
    atlas = team("Atlas", ann="member", bea="admin")
    note = trashed(team=atlas)
    assert signed_in(bea()).post(f"/records/{note.pk}/erase", confirmed(note)).status_code == 302
