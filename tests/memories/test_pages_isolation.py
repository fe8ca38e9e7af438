"""Every page about a record is closed to strangers and to nobody, and no page changes anything by being read."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import pytest
from django.test import Client
from django.urls import get_resolver

from memories import page_urls
from memories.services.erase import erase, request_erasure
from tests.memories.factories import actor, ann, bea, bob, memory, team, token_actor
from tests.memories.page_client import HTMX, everything, signed_in, text_of

pytestmark = pytest.mark.django_db

UNKNOWN = UUID("01a22ca2-8482-7386-8256-67939b2aa67b")
CARE = ["memory-status", "memory-move", "memory-pin", "memory-revert", "hold"]
READ = ["memory", "memory-json", "memory-related"]
RECORD = [*READ, "memory-edit", "memory-forget", "memory-restore", "memory-redact", "erase", *CARE]
KINDS = {"todo", "todo-complete", "todo-reopen", "todo-forget", "todo-restore"}  # in test_todos_pages
KINDS |= {"ledger-entry", "ledger-forget", "ledger-restore"}  # in test_ledger_pages
KINDS |= {"decision", "decision-resolve", "snapshot"}  # in test_kinds_pages
TOKENS = {"token", "token-first-call", "token-revoke"}  # in test_tokens_pages
VIEWS = {"view", "view-default", "view-delete"}  # in test_views
PEOPLE = {"person", "person-code", "person-deactivate", "person-reactivate"}  # in test_teams_pages, and so are TEAMS
TEAMS = {"team", "team-name", "team-members", "member", "member-remove", "member-admin"}
POSTS = {"person-code", "person-reactivate", "team-name", "team-members", "member-remove", "member-admin"}
POSTS |= {"memory-forget", "memory-restore", "erased-verify", "selected", "token-revoke", *CARE}
DATA = {
    "version": 1,
    "content": "taken over",
    "bucket": "work",
    "type": "semantic",
    "importance": "1",
    "typed": "x",
    "reason": "x",
    "status": "archived",
    "space": "x",
    "pinned": "on",
    "hold": "x",
    "include": "01a22ca2-8482-7386-8256-67939b2aa67b:1",
    "replacement_content": "x",
}


def address(name: str, key: UUID) -> str:
    pattern = next(entry.pattern for entry in page_urls.urlpatterns if entry.name == name)
    places = {
        "<uuid:record_id>": str(key),
        "<uuid:request_id>": str(key),
        "<uuid:token_id>": str(key),
        "<uuid:view_id>": str(key),
        "<uuid:user_id>": str(key),
        "<uuid:team_id>": str(key),
        "<uuid:membership_id>": str(key),
        "<int:number>": "1",
        "<str:verb>": "forget",
    }
    found = str(pattern)
    for place, value in places.items():
        found = found.replace(place, value)
    return "/" + found


def test_every_address_about_a_record_is_covered_here() -> None:
    about = {entry.name for entry in page_urls.urlpatterns if "<uuid:" in str(entry.pattern)}
    assert about - KINDS == {
        *RECORD,
        "erased",
        "erased-json",
        "erased-verify",
        "erasure-request",
        *TOKENS,
        *VIEWS,
        *PEOPLE,
        *TEAMS,
    }


@pytest.mark.parametrize("name", RECORD)
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_stranger_cannot_tell_anothers_record_from_none(name: str, headers: dict[str, str]) -> None:
    notes = [memory(ann(), "secret", status=status, team=place) for status, place in _places()]
    stranger, before = signed_in(bob()), everything()
    for key in [*(note.pk for note in notes), UNKNOWN]:
        for send in (stranger.post,) if name in POSTS else (stranger.get, stranger.post):
            if name in READ and send == stranger.post:
                continue
            response = send(address(name, key), DATA, headers=headers)
            assert response.status_code == 404
            assert "secret" not in response.content.decode()
    assert everything() == before


def _places() -> Iterator[tuple[str, object]]:
    atlas = team("Atlas", ann="admin", bea="member")
    team("Other", bob="admin")
    for status in ("active", "archived", "deleted"):
        yield status, None
        yield status, atlas


def test_a_member_of_the_team_sees_it_but_not_the_private_ones_of_others() -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    shared, private = memory(ann(), "shared", team=atlas), memory(ann(), "secret")
    client = signed_in(bea())
    assert client.get(f"/memories/{shared.pk}").status_code == 200
    assert client.get(f"/memories/{private.pk}").status_code == 404
    body = client.get("/memories").content.decode() + client.get("/").content.decode()
    assert "shared" in body and "secret" not in body


def test_receipts_and_requests_are_closed_to_strangers() -> None:
    note, other = memory(ann(), "secret", status="deleted"), memory(ann(), "secret")
    erase(record_id=note.pk, typed=str(note.pk)[-6:], reason="secret", seen_version=1, actor=actor(ann()))
    agent = token_actor(ann(), scopes=["memory:write", "memory:delete"])
    asked = request_erasure(record_id=other.pk, actor=agent)
    stranger = signed_in(bob())
    assert stranger.get(address("erased", note.pk)).status_code == 404
    assert stranger.get(address("erased-json", note.pk)).status_code == 404
    assert stranger.post(address("erased-verify", note.pk)).status_code == 404
    assert stranger.get(address("erasure-request", asked.pk)).status_code == 404
    assert stranger.get(address("erased", UNKNOWN)).status_code == 404


@pytest.mark.parametrize("entry", page_urls.urlpatterns, ids=lambda entry: entry.name)
def test_who_is_signed_out_is_sent_to_sign_in(entry: object) -> None:
    name = entry.name  # type: ignore[attr-defined]
    url, client = address(name, UNKNOWN), Client()
    if name not in POSTS:
        response = client.get(url)
        assert response.status_code == 302 and response["Location"].startswith("/login?next=")
    assert client.post(url, DATA).status_code == 401
    assert client.get(url, headers=HTMX).status_code == 401


@pytest.mark.parametrize("entry", page_urls.urlpatterns, ids=lambda entry: entry.name)
def test_reading_a_page_changes_nothing(entry: object) -> None:
    note = memory(ann(), "a note", status="deleted")
    client, before = signed_in(ann()), everything()
    response = client.get(address(entry.name, note.pk))  # type: ignore[attr-defined]
    assert response.status_code in (200, 302, 403, 404, 405) and everything() == before
    assert response["Cache-Control"] == "no-store" and "HX-Request" in response["Vary"]


@pytest.mark.parametrize(
    "name",
    ["memory-new", "memory-edit", "memory-redact", "erase", "token-new", "connect", *sorted(POSTS)],
)
def test_a_form_without_its_csrf_token_is_refused(name: str) -> None:
    note = memory(ann(), "a note")
    client = Client(enforce_csrf_checks=True)
    client.force_login(ann())
    before = everything()
    response = client.post(address(name, note.pk), DATA)
    assert response.status_code == 403 and "out of date" in text_of(response) and everything() == before


@pytest.mark.parametrize(
    "path", ["/memories/7", "/memories/x/edit", "/records/7/erase", "/erased/7", "/erasure-requests/7"]
)
def test_what_is_no_id_is_not_found(path: str) -> None:
    assert signed_in(ann()).get(path).status_code == 404


def test_no_two_pages_share_an_address() -> None:
    names = [entry.name for entry in page_urls.urlpatterns]
    assert len(names) == len(set(names)) and all(get_resolver().reverse_dict.getlist(name) for name in names)
