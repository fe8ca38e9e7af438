"""Status, space, pin, hold, earlier versions and redaction as forms of the page of a memory."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memories.models import Memory
from memories.services.revise import revise
from tests.memories.factories import actor, ann, bea, memory, team
from tests.memories.page_client import everything, signed_in, text_of

pytestmark = pytest.mark.django_db


def post(of: Memory, path: str, who: Any = None, **data: Any) -> Any:
    now = Memory.objects.get(pk=of.pk).state.version
    return signed_in(who or ann()).post(f"{path.format(of.pk)}", {"version": now, **data}, follow=True)


def now(one: Memory) -> Memory:
    return Memory.objects.select_related("state").get(pk=one.pk)


def test_a_memory_is_archived_expired_and_made_active_again() -> None:
    one = memory(ann(), "Tea.")
    for status, said in (("archived", "Archived."), ("expired", "Marked as expired"), ("active", "active again")):
        response = post(one, "/memories/{}/status", status=status, reason="tidy")
        assert said in text_of(response) and now(one).state.status == status


def test_what_the_clock_has_expired_says_so_and_comes_back_without_its_end() -> None:
    one = memory(ann(), "Tea.", expires_at=timezone.now() - timedelta(hours=1))
    body = signed_in(ann()).get(f"/memories/{one.pk}").content.decode()
    assert "Make it active again" in body and 'data-status="expired"' in body
    assert "no longer expires" in text_of(post(one, "/memories/{}/status", status="active"))
    assert now(one).expires_at is None


def test_a_memory_moves_between_ones_spaces() -> None:
    atlas, one = team("Atlas", ann="member"), memory(ann(), "Tea.")
    assert "in Atlas now" in text_of(post(one, "/memories/{}/space", space=str(atlas.pk)))
    assert "in Private now" in text_of(post(one, "/memories/{}/space", space=str(ann().pk)))
    assert now(one).team_id is None


@pytest.mark.parametrize("space", ["", "x", "01a22ca2-8482-7386-8256-67939b2aa67b"])
def test_a_memory_moves_to_no_other_space(space: str) -> None:
    one = memory(ann(), "Tea.")
    assert post(one, "/memories/{}/space", space=space).status_code == 422


def test_a_pin_is_set_and_let_go() -> None:
    one = memory(ann(), "Tea.")
    assert "Pinned" in text_of(post(one, "/memories/{}/pin", pinned="on")) and now(one).pinned
    assert "No longer pinned" in text_of(post(one, "/memories/{}/pin", pinned="off")) and not now(one).pinned


def test_a_hold_is_set_shown_and_lifted() -> None:
    one = memory(ann(), "Tea.")
    body = text_of(post(one, "/records/{}/hold", hold="Case 7"))
    assert "Under the legal hold “Case 7”" in body and "Redact…" not in body and "Mark as expired" not in body
    assert "lifted" in text_of(post(one, "/records/{}/hold", lift="1")) and now(one).hold == ""


def test_only_an_admin_is_offered_a_hold() -> None:
    one = memory(ann(), "Tea.", team=team("Atlas", ann="admin", bea="member"))
    assert "Legal hold" in text_of(signed_in(ann()).get(f"/memories/{one.pk}"))
    assert "Legal hold" not in text_of(signed_in(bea()).get(f"/memories/{one.pk}"))
    assert post(one, "/records/{}/hold", bea(), hold="Case 7").status_code == 403


@pytest.mark.parametrize("path", ["status", "space", "pin"])
def test_a_form_about_an_older_version_changes_nothing(path: str) -> None:
    atlas, one = team("Atlas", ann="member"), memory(ann(), "Tea.", version=3)
    data = {"version": 2, "status": "archived", "space": str(atlas.pk), "pinned": "on"}
    assert signed_in(ann()).post(f"/memories/{one.pk}/{path}", data).status_code == 409
    assert signed_in(ann()).post(f"/memories/{one.pk}/{path}", data | {"version": ""}).status_code == 422
    assert now(one).state.version == 3


def test_an_earlier_version_is_brought_back() -> None:
    one = memory(ann(), "Tuesdays.")
    revise(memory_id=one.pk, changes={"content": "Fridays."}, actor=actor(ann()))
    assert "Bring version 1 back" in text_of(signed_in(ann()).get(f"/memories/{one.pk}"))
    assert "says again what version 1 said" in text_of(post(one, "/memories/{}/versions/1/revert"))
    assert (now(one).content, now(one).state.version) == ("Tuesdays.", 3)


def test_redaction_is_a_page_that_says_what_goes_and_asks_why() -> None:
    one = memory(ann(), "The code is 4711.")
    client = signed_in(ann())
    asked = text_of(client.get(f"/memories/{one.pk}/redact"))
    assert "Take the words out" in asked and "cannot be undone" in asked
    without = client.post(f"/memories/{one.pk}/redact", {"version": 1, "replacement_content": "gone", "reason": ""})
    assert without.status_code == 422 and now(one).content == "The code is 4711."
    data = {"version": 1, "replacement_content": "gone", "reason": "leaked", "clear_metadata": "on"}
    assert "Redacted." in text_of(client.post(f"/memories/{one.pk}/redact", data, follow=True))
    assert now(one).content == "gone" and "4711" not in text_of(client.get(f"/memories/{one.pk}"))


def test_redaction_asks_for_the_password_first() -> None:
    one = memory(ann(), "The code is 4711.")
    client, data = signed_in(ann(), seconds_ago=3600), {"version": 1, "replacement_content": "gone", "reason": "leaked"}
    assert client.get(f"/memories/{one.pk}/redact").status_code == 302
    response = client.post(f"/memories/{one.pk}/redact", data)
    assert response.status_code == 403 and "Your password again" in text_of(response)
    assert now(one).content == "The code is 4711."


def test_a_member_redacts_nothing_of_another() -> None:
    one = memory(ann(), "The code is 4711.", team=team("Atlas", ann="admin", bea="member"))
    client, before = signed_in(bea()), everything()
    assert client.get(f"/memories/{one.pk}/redact").status_code == 403
    assert everything() == before
