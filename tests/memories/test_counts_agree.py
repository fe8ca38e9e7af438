"""Numbers and words that stand on two pages say the same, or say what they count."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memories.models import AuditRecord, MemoryState
from tests.memories.api_client import Api
from tests.memories.factories import ann, bob, memory, team, token
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


def test_each_space_says_how_many_are_live_in_it_and_when_something_was_last_done_there() -> None:
    atlas, empty = team("Atlas", ann="member", bob="admin"), team("Empty", ann="member")
    for status in ("active", "archived", "expired", "deleted"):
        memory(ann(), f"Own, {status}.", status=status)
    memory(ann(), "Past its date.", expires_at=timezone.now() - timedelta(days=1))
    memory(bob(), "Anothers.")
    for who, fields in ((ann(), {}), (bob(), {}), (bob(), {"team_id": str(atlas.pk)})):
        assert Api(who).post("remember", {"content": "Tea.", "path": "p", **fields}).status_code == 200
    client = signed_in(ann())
    found = {space.id: (count, last) for space, count, last in client.get("/access").context["spaces"]}
    lasts = {key: AuditRecord.objects.filter(space_id=key).latest("at").at for key in (ann().pk, atlas.pk)}
    assert found == {ann().pk: (2, lasts[ann().pk]), atlas.pk: (1, lasts[atlas.pk]), empty.pk: (0, None)}
    for key, (count, _) in found.items():
        assert client.get("/memories", {"space": str(key)}).context["page"].counted == count


def test_the_page_of_ones_access_asks_no_more_for_many_spaces(django_assert_max_num_queries: Any) -> None:
    client = signed_in(ann())
    client.get("/access")
    with django_assert_max_num_queries(40) as asked:
        client.get("/access")
    for number in range(20):
        team(f"Team {number}", ann="member")
    with django_assert_max_num_queries(len(asked)):
        assert "Team 19" in text_of(client.get("/access"))
