"""What is known already: the same text, the same key, the trash between them, and the type that is picked."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.errors import NotAllowed
from memories.models import AuditRecord, Memory
from memories.search.search import Search, search
from memories.services import todos
from memories.services.forget import forget, restore
from memories.services.remember import NewMemory, Remembered, remember
from memories.services.revise import revise
from tests.memories.factories import actor, ann, bea, memory, team

pytestmark = pytest.mark.django_db


def write(content: str, who: Any = None, **fields: Any) -> Remembered:
    return remember(new=NewMemory(content=content, **fields), actor=actor(who or ann()))


def again(content: str, **fields: Any) -> Remembered:
    return write(content, dedupe=True, **fields)


def trash(one: Remembered) -> None:
    forget(record_id=one.memory.pk, actor=actor(ann()))


@pytest.mark.parametrize("same", ["Zebra kiosk", "ZEBRA  kiosk\n", "zébra kiosk", "Ｚｅｂｒａ kiosk"])
def test_the_same_text_in_another_dress_is_known(same: str) -> None:
    first = write("Zebra kiosk")
    second = again(same)
    assert (second.status, second.memory.pk) == ("unchanged", first.memory.pk)
    assert Memory.objects.count() == 1 and AuditRecord.objects.count() == 1


@pytest.mark.parametrize(("one", "other"), [("今天玩游戏", "今日は雨"), ("no. 1", "no. 2"), ("a!", "a?")])
def test_different_texts_are_never_the_same(one: str, other: str) -> None:
    write(one)
    assert again(other).status == "created"


def test_without_dedupe_the_same_text_is_written_twice() -> None:
    write("Zebra kiosk")
    assert write("Zebra kiosk").status == "created" and Memory.objects.count() == 2


@pytest.mark.parametrize("other", [{"bucket": "home"}, {"scope": "s"}, {"memory_type": "procedural"}])
def test_another_place_or_type_is_another_record(other: dict[str, str]) -> None:
    write("Zebra kiosk", memory_type="semantic")
    assert again("Zebra kiosk", **{"memory_type": "semantic"} | other).status == "created"


def test_another_space_is_another_record() -> None:
    atlas = team("Atlas", ann="member", bea="member")
    write("Zebra kiosk")
    assert again("Zebra kiosk", team_id=atlas.pk).status == "created"
    assert again("Zebra kiosk", who=bea(), team_id=atlas.pk).status == "created"


def test_what_is_in_the_trash_archived_or_over_does_not_block() -> None:
    trash(write("Zebra kiosk"))
    revise(memory_id=again("Zebra kiosk").memory.pk, changes={"status": "archived"}, actor=actor(ann()))
    memory(ann(), "Zebra kiosk", bucket="work", expires_at=timezone.now() - timedelta(seconds=1))
    assert again("Zebra kiosk").status == "created"
    assert len(search(actor(ann()), Search(query="zebra kiosk")).hits) == 1


def test_written_again_after_deletion_both_stand_once_the_first_is_restored() -> None:
    first = write("Zebra kiosk")
    trash(first)
    second = again("Zebra kiosk")
    restore(record_id=first.memory.pk, actor=actor(ann()))
    hits = search(actor(ann()), Search(query="zebra kiosk")).hits
    assert {hit.memory_id for hit in hits} == {first.memory.pk, second.memory.pk}


def test_the_same_content_under_a_key_is_no_change() -> None:
    first = write("Ann lives in Lyon.", semantic_key="home")
    second = write("Ann lives in Lyon.", semantic_key="home", importance=0.9)
    assert (second.status, second.memory.pk, second.memory.state.version) == ("unchanged", first.memory.pk, 1)


def test_another_content_under_a_key_revises_its_record() -> None:
    first = write("Ann lives in Lyon.", semantic_key="home", path="people/ann", importance=0.8, metadata={"k": 1})
    second = write("Ann lives in Porto.", semantic_key="home", metadata={"k": 2})
    now = Memory.objects.get()
    assert (second.status, now.pk, now.content, now.state.version) == (
        "updated",
        first.memory.pk,
        "Ann lives in Porto.",
        2,
    )
    assert (now.path, now.state.importance, now.metadata) == ("people/ann", 0.8, {"k": 2})
    assert [was.content for was in now.versions.all()] == ["Ann lives in Lyon."]
    assert not search(actor(ann()), Search(query="Lyon")).hits


@pytest.mark.parametrize("other", [{"bucket": "home"}, {"scope": "s"}])
def test_a_key_is_of_its_place(other: dict[str, str]) -> None:
    write("Ann lives in Lyon.", semantic_key="home")
    assert write("Ann lives in Porto.", semantic_key="home", **other).status == "created"


def test_the_key_of_a_deleted_record_does_not_block_and_both_may_stand() -> None:
    first = write("Ann lives in Lyon.", semantic_key="home")
    trash(first)
    second = write("Ann lives in Porto.", semantic_key="home")
    assert second.status == "created"
    restore(record_id=first.memory.pk, actor=actor(ann()))
    assert Memory.objects.filter(semantic_key="home", state__status="active").count() == 2
    assert write("Ann lives in Rome.", semantic_key="home").memory.pk == first.memory.pk


@pytest.mark.parametrize(
    ("fields", "picked"),
    [
        ({}, "episodic"),
        ({"semantic_key": "k"}, "semantic"),
        ({"expires_at": timezone.now() + timedelta(days=1)}, "working"),
        ({"semantic_key": "k", "expires_at": timezone.now() + timedelta(days=1)}, "semantic"),
        ({"memory_type": "identity", "semantic_key": "k"}, "identity"),
    ],
)
def test_auto_picks_the_type(fields: dict[str, Any], picked: str) -> None:
    assert write("Tea.", **fields).memory.memory_type == picked


def test_ones_own_id_is_no_team() -> None:
    with pytest.raises(NotAllowed):
        write("Tea.", team_id=ann().pk)
    with pytest.raises(NotAllowed):
        todos.add(content="Call.", team_id=ann().pk, actor=actor(ann()))
