"""Back to what a memory was, as a new version."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.errors import Conflict, NotAllowed, NotFound, Stale
from memories.models import AuditRecord, Memory, MemoryEmbedding
from memories.search.search import Search, search
from memories.services.revise import revert, revise
from tests.memories.factories import actor, ann, bob, memory, token_actor, version

pytestmark = pytest.mark.django_db


def change(one: Memory, **changes: Any) -> None:
    revise(memory_id=one.pk, changes=changes, actor=actor(ann()))


def back(one: Memory, number: int, **more: Any) -> Memory:
    return revert(memory_id=one.pk, number=number, **({"actor": actor(ann())} | more))


def test_content_and_all_fields_come_back_as_a_new_version() -> None:
    later = timezone.now() + timedelta(days=9)
    before = {
        "path": "a",
        "bucket": "home",
        "scope": "s",
        "confidence": 0.4,
        "metadata": {"k": [1]},
        "expires_at": later,
    }
    one = memory(ann(), "Tuesdays.", importance=0.3, **before)
    after = {"path": "b", "bucket": "work", "scope": None, "confidence": None, "metadata": {}, "expires_at": None}
    change(one, content="Fridays.", importance=0.9, memory_type="episodic", **after)
    found = back(one, 1)
    now = Memory.objects.get(pk=one.pk)
    assert {name: getattr(now, name) for name in before} == before
    assert (now.content, now.memory_type, now.state.importance) == ("Tuesdays.", "semantic", 0.3)
    assert found.state.version == now.state.version == 3
    assert [was.content for was in one.versions.order_by("number")] == ["Tuesdays.", "Fridays."]
    assert AuditRecord.objects.get(reason="back to version 1").action == "memory.update"


def test_the_old_words_are_found_again_and_the_new_ones_no_more() -> None:
    one = memory(ann(), "The zebra kiosk.")
    change(one, content="A lemon tree.")
    MemoryEmbedding.objects.create(memory=one, space_id=one.space_id, model="m", dimension=2, vector=[0.6, 0.8])
    back(one, 1)
    assert not search(actor(ann()), Search(query="lemon tree")).hits
    assert len(search(actor(ann()), Search(query="zebra kiosk")).hits) == 1
    assert not MemoryEmbedding.objects.filter(memory=one).exists()


def test_a_version_that_says_what_it_says_now_changes_nothing() -> None:
    one = memory(ann(), "Tuesdays.", version=2)
    version(one, 1, "Tuesdays.")
    assert back(one, 1).state.version == 2 and not AuditRecord.objects.exists()


def test_an_expiry_that_has_passed_stays_away() -> None:
    one = memory(ann(), "Tuesdays.", expires_at=timezone.now() - timedelta(hours=1))
    change(one, content="Fridays.", expires_at=None)
    assert (back(one, 1).content, Memory.objects.get(pk=one.pk).expires_at) == ("Tuesdays.", None)


def test_a_version_that_is_not_there_a_moved_record_and_the_trash_are_refused() -> None:
    one, gone = memory(ann(), "Tuesdays.", version=4), memory(ann(), "x", status="deleted")
    version(one, 2, "Mondays.")
    version(gone, 1, "y")
    with pytest.raises(NotFound):
        back(one, 3)
    with pytest.raises(Stale):
        back(one, 2, seen_version=3)
    with pytest.raises(Conflict):
        back(gone, 1)


def test_a_stranger_and_a_token_that_only_reads_revert_nothing() -> None:
    one = memory(ann(), "Tuesdays.", version=2)
    version(one, 1, "Mondays.")
    with pytest.raises(NotFound):
        back(one, 1, actor=actor(bob()))
    with pytest.raises(NotAllowed):
        back(one, 1, actor=token_actor(ann(), scopes=["memory:read"]))


def test_a_bounded_token_brings_nothing_back_to_a_place_outside() -> None:
    one = memory(ann(), "Tuesdays.", bucket="home")
    change(one, bucket="work")
    with pytest.raises(NotAllowed, match="outside"):
        back(one, 1, actor=token_actor(ann(), buckets=["work"]))
