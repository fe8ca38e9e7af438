"""Numbers and words that stand on two pages say the same, or say what they count."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from memories.models import MemoryState
from tests.memories.factories import ann, memory, token
from tests.memories.page_client import signed_in, text_of

pytestmark = pytest.mark.django_db


def test_a_try_counts_the_live_memories_as_the_overview_does() -> None:
    for status in ("active", "active", "archived", "expired"):
        memory(ann(), f"One that is {status}.", status=status)
    memory(ann(), "Past its date.", expires_at=timezone.now() - timedelta(days=1))
    client = signed_in(ann())
    assert "may see 2 live memories" in text_of(client.post("/connect", {"key": token(ann())[1]}))
    page = client.get("/")
    assert page.context["total"] == {"active": 2, "archived": 1, "expired": 2, "deleted": 0}
    assert page.context["backlog"]["overdue"] == 1
    assert "past their date, not yet put away; counted as expired above" in text_of(page)


def test_a_time_in_a_sentence_leaves_no_space_before_what_follows() -> None:
    used = memory(ann(), "Used.", last_used_at=timezone.now() - timedelta(days=15))
    body = signed_in(ann()).get(f"/memories/{used.pk}").content.decode()
    assert re.search(r"last used <time[^>]*>[^<]*</time>; used ", body)


def test_a_version_without_a_history_says_what_has_changed() -> None:
    note = memory(ann(), "As first written.")
    said = "text and place as first written"
    client = signed_in(ann())
    assert said not in text_of(client.get(f"/memories/{note.pk}"))
    MemoryState.objects.filter(pk=note.pk).update(version=3)
    assert said in text_of(client.get(f"/memories/{note.pk}"))


def test_only_words_that_are_taken_over_stand_in_quotation_marks() -> None:
    told, quoted, other = (memory(ann(), text) for text in ("The summary.", "The quoted one.", "The other one."))
    for position, (target, quote) in enumerate(((quoted, "quoted"), (other, ""))):
        told.links.create(
            target=target, position=position, kind="derived_from", quote=quote, created_at=told.created_at
        )
    body = signed_in(ann()).get(f"/memories/{told.pk}").content.decode()
    assert re.findall(r"<q[^>]*>([^<]*)</q>", body) == ["quoted"] and "The other one." in body
