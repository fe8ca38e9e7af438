"""Packs for a prompt stay within items and tokens; near misses are what strict search held back."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from console.errors import Invalid, NotAllowed
from memories.search.pack import recall_context, tokens_of
from memories.search.search import Search, near_misses, recall, search
from tests.memories.factories import PAST, actor, ann, bob, memory, token_actor

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_model")]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(items=st.integers(1, 50), tokens=st.integers(1, 400))
def test_a_pack_never_holds_more_than_asked(db: None, items: int, tokens: int) -> None:
    owner = ann()
    if not search(actor(owner), Search("*")).hits:
        for number in range(12):
            memory(owner, f"zebra {number} " + "日本語 words " * number * 5)
    pack = recall_context(actor(owner), Search("zebra"), max_items=items, max_tokens=tokens)
    assert len(pack.items) <= items
    assert pack.tokens == tokens_of(pack.text) <= tokens


def test_a_pack_tells_where_when_and_who() -> None:
    memory(ann(), "The zebra sleeps.", path="zoo/stable", created_at=PAST, metadata={"speaker": "Tim"})
    pack = recall_context(actor(ann()), Search("zebra"))
    assert pack.text == "[zoo/stable · 2024-01-01 · Tim]\nThe zebra sleeps."


def test_what_does_not_fit_is_passed_over_for_what_does() -> None:
    long = memory(ann(), "zebra kiosk " * 200)
    short = memory(ann(), "zebra once")
    pack = recall_context(actor(ann()), Search("zebra kiosk"), max_tokens=60)
    assert [hit.memory_id for hit in pack.items] == [short.pk]
    assert recall(actor(ann()), Search("zebra kiosk")).hits[0].memory_id == long.pk


def test_the_best_alone_is_shortened_rather_than_left_out() -> None:
    memory(ann(), "zebra kiosk " * 200)
    pack = recall_context(actor(ann()), Search("zebra"), max_tokens=50)
    assert len(pack.items) == 1
    assert pack.text.endswith(" …")
    assert pack.tokens <= 50


def test_a_pack_of_nothing_is_empty() -> None:
    pack = recall_context(actor(ann()), Search("zebra"))
    assert (pack.items, pack.text, pack.tokens) == ([], "", 0)


@pytest.mark.parametrize("wrong", [{"max_items": 0}, {"max_items": 51}, {"max_tokens": 0}, {"max_tokens": True}])
def test_wrong_bounds_are_refused_by_name(wrong: dict[str, int]) -> None:
    with pytest.raises(Invalid) as refusal:
        recall_context(actor(ann()), Search("zebra"), **wrong)
    assert [problem.loc for problem in refusal.value.problems] == [("query", next(iter(wrong)))]


def test_near_misses_are_what_strict_search_held_back() -> None:
    strong = memory(ann(), "the zebra kiosk opened")
    weak = memory(ann(), "a kiosk somewhere else")
    memory(bob(), "a kiosk of a stranger")
    wanted = Search("zebra kiosk")
    assert [hit.memory_id for hit in search(actor(ann()), wanted).hits] == [strong.pk]
    assert [hit.memory_id for hit in near_misses(actor(ann()), wanted)] == [weak.pk]


def test_near_misses_keep_to_filters_and_limit() -> None:
    for number in range(4):
        memory(ann(), f"a kiosk number {number}", path="market")
    memory(ann(), "a kiosk elsewhere", path="harbour")
    found = near_misses(actor(ann()), Search("zebra kiosk", path="market", limit=3))
    assert [hit.memory.path for hit in found] == ["market"] * 3


def test_near_misses_need_the_right_to_read() -> None:
    with pytest.raises(NotAllowed, match="memory:read"):
        near_misses(token_actor(ann(), scopes=["memory:write"]), Search("zebra"))
