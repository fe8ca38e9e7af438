"""Scores stay between 0 and 1 whatever is stored and asked; what the database can fold away is refused before it."""

from __future__ import annotations

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memories.embedding import store
from memories.search.search import Search, recall
from memories.search.wanted import visible_text
from memories.services.fields import said
from tests.memories.api_client import Api
from tests.memories.factories import actor, ann, memory

pytestmark = pytest.mark.django_db

LETTERS = st.characters(exclude_categories=("Cs",), exclude_characters="\0")
TEXT = st.text(LETTERS, min_size=1, max_size=40).filter(lambda text: said(text) and bool(visible_text(text)))
CAREFUL = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]}


@settings(max_examples=15, **CAREFUL)
@given(texts=st.lists(TEXT, min_size=1, max_size=3), query=TEXT)
def test_every_score_lies_between_0_and_1(db: None, texts: list[str], query: str) -> None:
    for text in texts:
        memory(ann(), text)
    store.drain()
    for asked in (query, texts[0], "*"):
        for hit in recall(actor(ann()), Search(asked, limit=50)).hits:
            parts = (hit.score, hit.words, hit.beside, hit.meaning or 0.0)
            assert all(0 <= part <= 1 for part in parts), (asked, hit)


@pytest.mark.parametrize("query", ["quarterly revenue", "*", '"kettle"', "kettle kitchen", "水", "!?"])
def test_similarities_of_the_api_lie_between_0_and_1(query: str) -> None:
    for text in ("The kettle in the kitchen leaks.", "水が漏れる", "Nothing of the kind"):
        memory(ann(), text)
    store.drain()
    for address in ("memories/search", "recall"):
        results = Api(ann()).get(address, query=query, limit=50).json()["results"]
        assert all(0 <= one["similarity"] <= 1 for one in results)


def test_no_character_that_is_taken_alone_is_nothing_to_the_database() -> None:
    letters = [chr(code) for code in range(1, 0x10000) if not 0xD800 <= code < 0xE000]
    taken = [letter for letter in letters if said(letter)]
    with connection.cursor() as cursor:
        cursor.execute("SELECT letter FROM unnest(%s::text[]) AS letter WHERE mc_fold(letter) = ''", [taken])
        assert cursor.fetchall() == []
