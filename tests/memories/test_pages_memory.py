"""One memory as pages: reading, writing, changing, to the trash and back."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.errors import Invalid
from memories.models import AuditRecord, Memory, MemoryLink, MemoryState, MemoryVersion
from memories.services.remember import NewMemory, remember
from memories.services.revise import revise
from tests.memories.factories import actor, ann, bea, bob, memory, team
from tests.memories.page_client import HTMX, everything, signed_in, standing, text_of

pytestmark = pytest.mark.django_db

HOSTILE = "<script>alert(1)</script>\u202e\u200b<img src=x onerror=y> & \"'"


def new(**fields: Any) -> dict[str, Any]:
    plain = {"content": "The key hangs by the door.", "type": "auto", "bucket": "work", "importance": "0.5"}
    return {**plain, "space": str(ann().pk), **fields}


def edited(of: Memory, **fields: Any) -> dict[str, Any]:
    return {
        "content": of.content,
        "path": of.path,
        "bucket": of.bucket,
        "type": of.memory_type,
        "importance": of.state.importance,
        "version": of.state.version,
    } | fields


def test_a_memory_shows_its_text_its_facts_and_its_audit() -> None:
    note = memory(ann(), "The key hangs by the door.", path="home/keys", provenance={"tool": {"name": "<i>notes</i>"}})
    revise(memory_id=note.pk, changes={"content": "The key hangs by the window."}, reason="moved", actor=actor(ann()))
    response = signed_in(ann()).get(f"/memories/{note.pk}")
    body = response.content.decode()
    assert "The key hangs by the window." in text_of(response) and "home/keys" in body
    assert re.search(r"<del>.*?door</del>", body) and re.search(r"<ins>.*?window</ins>", body)
    assert "&lt;i&gt;notes&lt;/i&gt;" in body and "moved" in body and "memory.update" in body


def test_a_memory_names_what_it_cites_and_what_cites_it() -> None:
    source, summary = memory(ann(), "We ship on Thursday."), memory(ann(), "The release is on Thursday.")
    MemoryLink.objects.create(
        origin=summary, target=source, kind="derived_from", quote="ship on Thursday", created_at=timezone.now()
    )
    client = signed_in(ann())
    assert "The release is on Thursday." in text_of(client.get(f"/memories/{source.pk}"))
    assert "ship on Thursday" in text_of(client.get(f"/memories/{summary.pk}"))


@pytest.mark.parametrize("page", ["/", "/memories", "/memories/{}", "/memories/{}/edit", "/search?query=alert"])
def test_hostile_text_is_inert_on_every_page(page: str) -> None:
    note = memory(ann(), HOSTILE, path="<b>path", bucket="<b>bucket", semantic_key="<b>key", language='"><b>')
    MemoryVersion.objects.create(
        memory=note, number=1, content="<b>old", fields={"path": "<b>was"}, replaced_at=timezone.now(), reason="<b>why"
    )
    body = signed_in(ann()).get(page.format(note.pk)).content.decode()
    assert "<script>alert" not in body and "<img src=x" not in body and "<b>" not in body.replace("<b>{", "")
    assert "alert" in body


def test_invisible_characters_are_made_visible() -> None:
    note = memory(ann(), "paid\u202eoot")
    assert "U+202E" in signed_in(ann()).get(f"/memories/{note.pk}").content.decode()


def test_times_are_shown_in_the_zone_of_the_reader() -> None:
    person = ann()
    person.time_zone = "Asia/Tokyo"
    person.save()
    note = memory(person, "noon in UTC", created_at=datetime(2026, 1, 2, 12, tzinfo=UTC))
    body = text_of(signed_in(person).get(f"/memories/{note.pk}"))
    assert "2 Jan 2026, 21:00 JST" in body


def test_a_written_memory_is_stored_for_the_person_and_audited() -> None:
    response = signed_in(ann()).post(
        "/memories/new", new(content="Line one\r\nline two", expires_at="2030-01-01T10:00")
    )
    note = Memory.objects.get()
    assert response.status_code == 302 and response["Location"] == f"/memories/{note.pk}"
    assert (note.content, note.owner, note.team_id) == ("Line one\nline two", ann(), None)
    assert note.expires_at == datetime(2030, 1, 1, 10, tzinfo=UTC)
    assert AuditRecord.objects.get().action == "memory.create"


def test_a_service_refuses_a_time_that_the_database_cannot_read() -> None:
    far = datetime(2030, 1, 1, tzinfo=timezone.get_fixed_timezone(16 * 60))
    with pytest.raises(Invalid, match="no time zone"):
        remember(new=NewMemory(content="text", expires_at=far), actor=actor(ann()))


def test_a_memory_can_be_written_for_a_team() -> None:
    atlas = team("Atlas", ann="member")
    signed_in(ann()).post("/memories/new", new(space=str(atlas.pk)))
    assert Memory.objects.get().team_id == atlas.pk


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"content": ""}, 422),
        ({"content": " \u200b\n"}, 422),
        ({"content": "x" * 64_001}, 422),
        ({"content": "a\0b"}, 422),
        ({"importance": "2"}, 422),
        ({"importance": "nan"}, 422),
        ({"type": "odd"}, 422),
        ({"expires_at": "soon"}, 422),
        ({"expires_at": "0001-01-01T00:00:00+23:00"}, 422),
        ({"path": "a/../b"}, 422),
        ({"bucket": "b" * 101}, 422),
        ({"space": "7"}, 422),
        ({"space": "01a22ca2-8482-7386-8256-67939b2aa67b"}, 403),
    ],
)
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_bad_new_memory_is_refused_and_nothing_is_stored(
    fields: dict[str, str], status: int, headers: dict[str, str]
) -> None:
    client, before = signed_in(ann()), everything()
    response = client.post("/memories/new", new(path="kept/path") | fields, headers=headers)
    assert response.status_code == status and everything() == before
    if status == 422 and "\0" not in fields.get("content", "") and "path" not in fields:
        assert "kept/path" in response.content.decode()


def test_an_edit_changes_only_what_was_changed() -> None:
    note = memory(ann(), "old text", importance=0.123456789, expires_at=datetime(2030, 1, 1, 1, 2, 3, 456, tzinfo=UTC))
    client = signed_in(ann())
    page = client.get(f"/memories/{note.pk}/edit").content.decode()
    expires = re.search(r'name="expires_at" value="([^"]+)"', page)
    importance = re.search(r'name="importance" value="([^"]+)"', page)
    assert expires and importance
    response = client.post(
        f"/memories/{note.pk}/edit",
        edited(note, content="new text", expires_at=expires[1], importance=importance[1], reason="it changed"),
    )
    assert response.status_code == 302
    note.refresh_from_db()
    note.state.refresh_from_db()
    assert note.content == "new text" and note.versions.get().reason == "it changed"
    assert note.state.importance == 0.123456789
    assert note.expires_at == datetime(2030, 1, 1, 1, 2, 3, 456, tzinfo=UTC)


def test_an_edit_that_changes_nothing_writes_nothing() -> None:
    note = memory(ann(), "two\nlines")
    client, before = signed_in(ann()), everything()
    response = client.post(f"/memories/{note.pk}/edit", edited(note, content="two\r\nlines"), follow=True)
    assert "Nothing was different" in text_of(response) and everything() == before


def test_an_edit_of_an_older_version_shows_both_texts_and_loses_neither() -> None:
    note = memory(ann(), "first text")
    seen = edited(note, content="my text", reason="mine")
    revise(memory_id=note.pk, changes={"content": "their text"}, actor=actor(ann()))
    client, before = signed_in(ann()), everything()
    response = client.post(f"/memories/{note.pk}/edit", seen)
    assert response.status_code == 409 and everything() == before
    body = response.content.decode()
    assert "their text" in body and "my text" in body and 'name="version" value="2"' in body
    assert client.post(f"/memories/{note.pk}/edit", seen | {"version": 2}).status_code == 302
    note.refresh_from_db()
    assert note.content == "my text"


@pytest.mark.parametrize(
    "fields", [{"importance": "x"}, {"content": ""}, {"version": ""}, {"version": "0"}, {"reason": "r" * 501}]
)
def test_a_bad_edit_is_refused_with_its_input(fields: dict[str, str]) -> None:
    note = memory(ann(), "text")
    client, before = signed_in(ann()), everything()
    response = client.post(f"/memories/{note.pk}/edit", edited(note, path="kept/path") | fields)
    assert response.status_code == 422 and everything() == before
    assert "kept/path" in response.content.decode()


def test_a_memory_in_the_trash_cannot_be_edited() -> None:
    note = memory(ann(), "text", status="deleted")
    assert signed_in(ann()).post(f"/memories/{note.pk}/edit", edited(note, content="more")).status_code == 409


def test_a_row_moved_to_the_trash_offers_undo_in_its_place() -> None:
    note = memory(ann(), "a note")
    client = signed_in(ann())
    response = client.post(f"/memories/{note.pk}/forget", {"version": 1, "next": "/memories"}, headers=HTMX)
    body = response.content.decode()
    assert body.lstrip().startswith('<tr class="undo-row">') and "data-focus" in body
    assert standing(note) == ("deleted", 2)
    back = client.post(f"/memories/{note.pk}/restore", {"version": 2, "as": "row", "next": "/memories"}, headers=HTMX)
    assert back.content.decode().lstrip().startswith("<tr>") and "a note" in back.content.decode()
    assert standing(note) == ("active", 3)


def test_without_scripts_the_list_comes_back_with_an_undo() -> None:
    note = memory(ann(), "a note")
    client = signed_in(ann())
    url = f"/memories/{note.pk}/forget"
    response = client.post(url, {"version": 1, "next": "/memories?type=semantic"}, follow=True)
    assert response.redirect_chain == [("/memories?type=semantic", 302)]
    assert f'action="/memories/{note.pk}/restore"' in response.content.decode()
    response = client.post(f"/memories/{note.pk}/restore", {"version": 2, "next": "/memories"}, follow=True)
    assert "Restored" in text_of(response) and standing(note)[0] == "active"


@pytest.mark.parametrize(
    "target", ["https://elsewhere.example/", "//elsewhere.example", "javascript:alert(1)", "memories"]
)
def test_moving_returns_to_this_console_only(target: str) -> None:
    note = memory(ann(), "a note")
    response = signed_in(ann()).post(f"/memories/{note.pk}/forget", {"version": 1, "next": target})
    assert response["Location"] == f"/memories/{note.pk}"


@pytest.mark.parametrize(
    ("data", "status"),
    [({}, 422), ({"version": "x"}, 422), ({"version": "9"}, 409), ({"version": 1, "reason": "r" * 501}, 422)],
)
@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_move_without_the_right_version_is_refused(
    data: dict[str, Any], status: int, headers: dict[str, str]
) -> None:
    note = memory(ann(), "a note")
    client, before = signed_in(ann()), everything()
    response = client.post(f"/memories/{note.pk}/forget", data, headers=headers)
    assert response.status_code == status and everything() == before
    assert ("<!doctype" in response.content.decode()) == (not headers)


def test_a_move_is_never_made_by_a_get() -> None:
    note = memory(ann(), "a note")
    assert signed_in(ann()).get(f"/memories/{note.pk}/forget").status_code == 405
    assert standing(note) == ("active", 1)


def test_who_may_not_delete_for_good_is_not_offered_it() -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    note = memory(ann(), "a note", team=atlas, status="deleted")
    assert "Delete for good" in text_of(signed_in(ann()).get(f"/memories/{note.pk}"))
    assert "Delete for good" not in text_of(signed_in(bea()).get(f"/memories/{note.pk}"))
    assert signed_in(bea()).get(f"/records/{note.pk}/erase").status_code == 403
    assert signed_in(bob()).get(f"/records/{note.pk}/erase").status_code == 404


@pytest.mark.parametrize(("status", "marker"), [("archived", "archived_at"), ("expired", "expired_at")])
def test_the_heading_says_since_when_a_memory_is_archived_or_expired(status: str, marker: str) -> None:
    old, moved = timezone.now() - timedelta(days=200), timezone.now() - timedelta(hours=3)
    note = memory(ann(), "The key hangs by the door.", created_at=old, updated_at=old)
    MemoryState.objects.filter(pk=note.pk).update(status=status, version=2, **{marker: moved})
    seen = text_of(signed_in(ann()).get(f"/memories/{note.pk}"))
    assert f"{status} 3 hours ago" in seen and "(3 hours ago) · version 2" in seen


def test_what_the_clock_has_expired_says_since_when_and_what_is_active_does_not() -> None:
    over = memory(ann(), "The key hangs by the door.", expires_at=timezone.now() - timedelta(hours=5))
    assert "expired 5 hours ago" in text_of(signed_in(ann()).get(f"/memories/{over.pk}"))
    assert "active just now" not in text_of(signed_in(ann()).get(f"/memories/{memory(ann(), 'New.').pk}"))
