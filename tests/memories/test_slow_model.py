"""A model that is slow to answer does not hold a transaction until it is rolled back: it goes on without the model."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest
from django.db import connection

from console.postgres import patience
from memories import embedding
from memories.embedding import EmbeddingUnavailable, waiting
from memories.models import Memory, MemoryEmbedding
from tests.memories.api_client import Api
from tests.memories.factories import ann, memory
from tests.memories.page_client import signed_in, text_of

REST = 3  # seconds for which a transaction may rest here


@pytest.fixture
def silent(transactional_db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A web server whose embedding endpoint takes every request and answers none."""
    monkeypatch.setattr(patience, "_process", [patience.WEB])
    monkeypatch.setattr(embedding, "_made", {})
    monkeypatch.setattr(waiting, "_short_until", [0.0])
    settings.IDLE_TRANSACTION_SECONDS = {"web": REST}
    connection.close()
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.EMBEDDING_URL = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        settings.EMBEDDING_MODEL = "m"
        embedding.get_embedder()
        yield
    connection.close()


def with_vector() -> Memory:
    """A memory of Ann that the model read when it still answered."""
    made = memory(ann(), "The plumber comes on Friday.", memory_type="episodic")
    MemoryEmbedding.objects.create(
        memory=made, space_id=made.space_id, active=True, model="m", dimension=3, vector=[1.0, 0.0, 0.0]
    )
    return made


@pytest.mark.usefixtures("silent")
def test_a_search_goes_by_words_then() -> None:
    with_vector()
    page = signed_in(ann()).get("/search?query=plumber+friday")
    assert page.status_code == 200
    assert "1 strong match" in text_of(page) and "went by words only" in text_of(page)
    answer = Api(ann()).get("memories/search", query="plumber friday").json()
    assert answer["coverage"]["meaning"] == "unavailable" and len(answer["results"]) == 1


@pytest.mark.usefixtures("silent")
def test_nothing_is_compared_then() -> None:
    page = signed_in(ann()).get(f"/memories/{with_vector().pk}/related")
    assert page.status_code == 200
    assert "The embedding model cannot be reached, so nothing can be compared." in text_of(page)


@pytest.mark.usefixtures("silent")
def test_what_the_rules_say_goes_by_words_times_and_places_then() -> None:
    assert signed_in(ann()).get(f"/memories/{with_vector().pk}/why").status_code == 200


@pytest.mark.parametrize(("kind", "seconds"), [("web", 10), ("worker", 200), ("command", None)])
def test_the_wait_is_shorter_than_a_transaction_may_rest(
    monkeypatch: pytest.MonkeyPatch, kind: str, seconds: float | None
) -> None:
    monkeypatch.setattr(patience, "_process", [kind])
    assert patience.longest_rest() == seconds


class Asked(Future[str]):
    """A question to a model that answers when `answers` is said; what was waited is written down."""

    def __init__(self, waits: list[float | None], *, answers: bool = False) -> None:
        super().__init__()
        self.waits, self.answers = waits, answers

    def result(self, timeout: float | None = None) -> str:
        self.waits.append(timeout)
        if not self.answers:
            raise TimeoutError
        return "answer"


def test_of_those_who_ask_a_silent_model_only_the_first_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    now, waits = [100.0], list[float | None]()
    monkeypatch.setattr(patience, "_process", [patience.WEB])
    monkeypatch.setattr(waiting, "_short_until", [0.0])
    monkeypatch.setattr(waiting.time, "monotonic", lambda: now[0])
    for seconds in (0, 1, waiting.MOMENT - 2, 1, 1):  # the last one after the moment
        now[0] += seconds
        with pytest.raises(EmbeddingUnavailable, match="did not answer within"):
            waiting.told(Asked(waits))
    assert waits == [10, waiting.SHORT, waiting.SHORT, 10, waiting.SHORT]
    assert waiting.told(Asked(waits, answers=True)) == "answer"
    with pytest.raises(EmbeddingUnavailable):
        waiting.told(Asked(waits))
    assert waits[-1] == 10, "it answered, so there is patience again"
