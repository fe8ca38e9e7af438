"""Faults that searches of such stores have had, each tried through the page and the API."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db.backends.base.base import BaseDatabaseWrapper

from memories.embedding import store
from memories.models import Memory
from memories.services.forget import forget, restore
from tests.memories.api_client import Api, problems
from tests.memories.doors import DOORS, found, many, taken, written
from tests.memories.factories import actor, ann, memory
from tests.memories.page_client import signed_in, text_of
from tests.reflection import life

pytestmark = [pytest.mark.django_db, pytest.mark.parametrize("door", DOORS)]

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
TEXTS = [
    ("今天玩成语接龙游戏", "成语接龙"),
    ("今天玩成语接龙游戏", "成语"),
    ("今日は成語しりとりをした", "しりとり"),
    ("오늘 끝말잇기 게임", "끝말"),
    ("服务器部署完成", "部署"),
    ("服务器部署完成", "署"),
    ("重跑gen-itgc后", "gen-itgc"),
    ("İstanbul trip", "istanbul"),
    ("istanbul trip", "İSTANBUL"),
    ("STRASSE 12", "straße"),
    ("Die Straße", "STRASSE"),
    ("cafe\u0301 na esquina", "caf\u00e9"),
    ("caf\u00e9 na esquina", "cafe\u0301"),
    ("ends with <|endoftext|> here", "<|endoftext|>"),
    ("token identity fallback", "token fallback"),
]


@pytest.mark.parametrize(("text", "query"), TEXTS)
def test_a_text_of_any_script_is_found_as_soon_as_it_is_written(door: str, text: str, query: str) -> None:
    assert taken(written(door, ann(), "Something else altogether"))
    assert taken(written(door, ann(), text))
    assert found(door, ann(), query) == [text]
    store.drain()
    assert found(door, ann(), query) == [text]


def test_an_absent_topic_is_an_empty_answer_with_a_message(door: str) -> None:
    memory(ann(), "token identity fallback")
    assert found(door, ann(), "quarterly revenue forecast") == []
    body = text_of(signed_in(ann()).get("/search?query=quarterly+revenue+forecast"))
    assert "No strong match" in body
    assert Api(ann()).get("memories/search", query="quarterly revenue").json()["no_match"]["reason"]


NUL = [{name: "a\0b"} for name in ("content", "path", "bucket", "scope")]


@pytest.mark.parametrize("fault", [*NUL, {"memory_type": "a\0b"}])
def test_a_nul_is_refused_in_every_field_and_filter(door: str, fault: dict[str, str]) -> None:
    who = ann()
    Api(who), signed_in(who)
    before = len(Memory.objects.all())
    assert written(door, who, **{"content": "plain", **fault}).status_code == 422
    assert len(Memory.objects.all()) == before
    page = {"type" if name == "memory_type" else name: text for name, text in fault.items()}
    for address in ("/search?query=x", "/memories?limit=5"):
        assert signed_in(who).get(f"{address}&{next(iter(page))}=a%00b").status_code == 422
    for address in ("memories/search", "memories"):
        assert problems(Api(who).get(address, query="x", **fault)) == list(fault)


def test_a_limit_and_a_threshold_are_kept_to(door: str) -> None:
    for number in range(7):
        memory(ann(), f"zebra kiosk {number}")
    memory(ann(), "a kiosk by the river with many other words around it")
    assert len(found(door, ann(), "zebra kiosk", limit=3)) == 3
    assert len(found(door, ann(), "zebra kiosk", limit=50)) == 7
    body = Api(ann()).get("memories/search", query="zebra kiosk", threshold="0.99", limit=50).json()
    assert all(one["similarity"] >= 0.99 for one in body["results"])
    for limit in ("abc", "0", "-1", "1.5"):
        assert signed_in(ann()).get(f"/search?query=zebra&limit={limit}").status_code == 422
        assert problems(Api(ann()).get("memories/search", query="zebra", limit=limit)) == ["limit"]


def the_only_match_is_the_oldest(door: str, count: int, settled: Callable[[], Any] = lambda: None) -> None:
    who = ann()
    many(who, count, "common word {} of many", newest=NOON)
    many(who, count // 2, "another word {} of few", newest=NOON, first=2 * count)
    settled()
    rare = {"created_at": NOON - timedelta(days=4000)}
    memory(who, "common word of the attic", bucket="attic", **rare)
    memory(who, "common unicorn", **rare)
    memory(who, "common and another in one", **rare)
    assert found(door, who, "common word", bucket="attic") == ["common word of the attic"]
    assert found(door, who, "common unicorn", limit=1) == ["common unicorn"]
    assert found(door, who, "common another", limit=1) == ["common and another in one"]


def test_a_match_is_found_behind_thousands_of_newer_rows(door: str) -> None:
    the_only_match_is_the_oldest(door, 3_000)


@pytest.mark.soak
@pytest.mark.django_db(transaction=True)
def test_a_match_is_found_behind_a_hundred_thousand_newer_rows(
    door: str, owner_connection: BaseDatabaseWrapper
) -> None:
    def counted() -> None:
        """As the server does by itself within a minute: until then it takes the tables for empty."""
        with owner_connection.cursor() as cursor:
            cursor.execute("ANALYZE memories_memory, memories_memorystate, memories_memoryembedding")

    the_only_match_is_the_oldest(door, 100_000, counted)


def test_what_a_pass_wrote_is_found_by_its_words_at_once(door: str) -> None:
    life.fill(ann())
    who = actor(ann())
    done = life.applied(life.plan_all(who, actions_csv="summarize"), who)
    summary = Memory.objects.get(pk=life.candidates(done)[0].result_id)
    assert summary.content in found(door, ann(), "label queue draining parcels")


def test_what_was_edited_is_found_by_its_new_words_only(door: str) -> None:
    one = memory(ann(), "The parrot lives in the hall. The safe code is walrus.")
    if door == "api":
        assert Api(ann()).patch(f"memories/{one.pk}", {"content": "The parrot moved."}).status_code == 200
    else:
        sent = {"content": "The parrot moved.", "bucket": "work", "type": "semantic", "importance": "0.5", "version": 1}
        assert signed_in(ann()).post(f"/memories/{one.pk}/edit", sent).status_code == 302
    assert found(door, ann(), "walrus") == []
    assert found(door, ann(), "parrot moved") == ["The parrot moved."]


def test_the_same_search_again_knows_of_a_deletion(door: str) -> None:
    one = memory(ann(), "zebra kiosk")
    assert found(door, ann(), "zebra kiosk") == ["zebra kiosk"]
    forget(record_id=one.pk, actor=actor(ann()))
    assert found(door, ann(), "zebra kiosk") == []
    restore(record_id=one.pk, actor=actor(ann()))
    assert found(door, ann(), "zebra kiosk") == ["zebra kiosk"]


def test_a_type_in_capitals_is_refused_and_never_ignored(door: str) -> None:
    memory(ann(), "zebra", memory_type="semantic")
    assert signed_in(ann()).get("/memories?type=Episodic").status_code == 422
    assert signed_in(ann()).get("/search?query=zebra&type=Episodic").status_code == 422
    assert problems(Api(ann()).get("memories", memory_type="Episodic")) == ["memory_type"]
    assert not taken(written(door, ann(), "kiosk", memory_type="Episodic"))


def test_unlike_chinese_texts_are_never_the_same(door: str) -> None:
    for text in ("今天玩游戏", "明天下雨", "！", "？"):
        more: dict[str, Any] = {"dedupe": True} if door == "api" else {}
        assert taken(written(door, ann(), text, **more))
    assert Memory.objects.count() == 4


SILENT = ["", "   ", "\u200b", "\u00b8", "\u0301\u0308", "\u200e\u00ad", "\ufe0f", "\uffe3 \u203e"]


@pytest.mark.parametrize("text", SILENT, ids=ascii)
def test_a_text_that_says_nothing_is_refused_before_any_model_sees_it(door: str, text: str) -> None:
    answer = written(door, ann(), text)
    assert answer.status_code == 422 and "content is empty" in answer.content.decode()
    assert not Memory.objects.exists()
