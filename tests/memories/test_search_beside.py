"""What stands beside a memory in its session helps to find it, and never what one may not see."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memories.models import Memory
from memories.search.around import beside, windows
from memories.search.search import Found, Search, recall
from memories.search.strength import DISTANCES, NOBODY
from tests.memories.factories import PAST, actor, ann, bob, memory, team, token_actor
from tests.memories.page_client import signed_in, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_model")]


def said(*texts: str, session: str | None = "talk/1", **fields: Any) -> list[Memory]:
    """One memory after another, a minute apart."""
    owner = fields.pop("owner", None) or ann()
    return [
        memory(owner, text, session=session, created_at=PAST + timedelta(minutes=at), **fields)
        for at, text in enumerate(texts)
    ]


def score_of(found: Found, of: Memory) -> float:
    return next((hit.score for hit in found.hits if hit.memory_id == of.pk), 0.0)


def ask(query: str, **filters: Any) -> Found:
    return recall(actor(ann()), Search(query, limit=50, **filters))


def test_an_answer_is_found_by_the_question_before_it() -> None:
    _, answer, *_ = said("Which instrument does your sister play?", "The cello, since Thursday.", "Nice.")
    alone = memory(ann(), "The cello, since Friday.")
    found = ask("sister cello instrument")
    assert score_of(found, answer) > score_of(found, alone) > 0
    assert "beside" in next(hit for hit in found.hits if hit.memory_id == answer.pk).matched


def test_a_hit_that_is_strong_only_by_its_neighbours_says_so() -> None:
    asked, answer, *_ = said("Which instrument does your sister play?", "The cello, since Thursday.", "Nice.")
    hits = {hit.memory_id: hit for hit in recall(actor(ann()), Search("sister instrument Thursday")).hits}
    assert hits[answer.pk].by_neighbours and not hits[asked.pk].by_neighbours
    page = text_of(signed_in(ann()).get("/search?query=sister+instrument+Thursday"))
    assert page.count("It stands beside a match in the same session") == 1


@pytest.mark.parametrize("apart", [{"session": "talk/2"}, {"session": None}])
def test_another_session_does_not_count(apart: dict[str, Any]) -> None:
    [answer] = said("The cello, since Thursday.")
    said("My sister practises.", **apart)
    hit = next(hit for hit in ask("sister cello").hits if hit.memory_id == answer.pk)
    assert (hit.beside, hit.matched) == (0.0, ("content",))


def test_hidden_neighbours_do_not_count() -> None:
    [answer] = said("The cello, since Thursday.")
    before = score_of(ask("sister cello"), answer)
    said("My sister practises.", owner=bob())
    said("My sister practises.", team=team("Borealis", bob="admin"), owner=bob())
    said("My sister practises.", status="deleted")
    said("My sister practises.", expires_at=timezone.now() - timedelta(seconds=1))
    assert score_of(ask("sister cello"), answer) == before


def test_neighbours_outside_the_bounds_of_a_token_do_not_count() -> None:
    answer, _ = said("The cello, since Thursday.", "My sister practises.", bucket="personal")
    Memory.objects.filter(content__startswith="My").update(bucket="work")
    bound = token_actor(ann(), buckets=["personal"])
    hits = recall(bound, Search("sister cello")).hits
    assert [(hit.memory_id, hit.beside) for hit in hits] == [(answer.pk, 0.0)]


def test_a_neighbour_outside_the_filters_is_no_hit() -> None:
    question, answer = said("Which instrument does your sister play?", "The cello, since Thursday.", path="a")
    Memory.objects.filter(pk=question.pk).update(path="b")
    assert [hit.memory_id for hit in ask("sister cello", path="a").hits] == [answer.pk]


def test_distances_count_from_each_row() -> None:
    first, second, third = said("one", "two", "three")
    places = {str(one.pk): place for place, one in enumerate((first, second, third))}
    near = beside(windows([str(second.pk)]), places)
    around = [{at: int(place) for at, place in zip(DISTANCES, row, strict=True) if place != NOBODY} for row in near]
    assert around == [{1: 1, 2: 2}, {-1: 0, 1: 2}, {-1: 1, -2: 0}]


def test_at_most_four_on_each_side_are_read() -> None:
    made = [str(one.pk) for one in said(*(f"line {number}" for number in range(12)))]
    assert windows([made[6]]) == [made[2:11]]
    assert windows([made[1]]) == [[None, None, None, *made[:6]]]


def test_metadata_is_searched_and_named() -> None:
    mine = memory(ann(), "So good to see you!", metadata={"speaker": "Zelda", "picture": {"shows": "two paintings"}})
    memory(ann(), "Something else")
    for query in ("Zelda", "painting"):
        hit = ask(query).hits[0]
        assert (hit.memory_id, hit.matched) == (mine.pk, ("metadata",))


def test_a_date_in_the_question_finds_what_was_recorded_then() -> None:
    at = {"created_at": PAST.replace(year=2023, month=5, day=2)}
    then = memory(ann(), "We went to the lake.", **at)
    memory(ann(), "We went to the lake again.", created_at=PAST)
    hits = ask("what happened at the lake on 1 May 2023?").hits
    assert hits[0].memory_id == then.pk
    assert "date" in hits[0].matched


def test_a_year_in_a_text_is_found_by_its_words() -> None:
    memory(ann(), "The taxes for 2019 are done.")
    assert ask("taxes in 2019").hits[0].score > ask("taxes in 2018").hits[0].score
