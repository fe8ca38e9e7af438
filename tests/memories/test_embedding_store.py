"""Vectors in the database: filled once, for the content they were made from, never of two models."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from pytest import MonkeyPatch

from console.celery import app
from memories import tasks
from memories.embedding import EmbeddingUnavailable, TextRefused, Vectors, store
from memories.embedding.waking import embed_soon
from memories.models import Memory, MemoryEmbedding
from memories.services.revise import revise
from tests.memories.factories import actor, ann, bob, memory

pytestmark = pytest.mark.django_db


class Toy:
    """A model of two dimensions. `during` runs while it thinks."""

    dimension, floor = 2, 0.0

    def __init__(self, name: str = "toy") -> None:
        self.name = name
        self.during = lambda: None

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.during()
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        return self.embed_documents([text])[0]


class Picky(Toy):
    """A model that refuses a text that is too long for it, and one that means nothing to it."""

    def __init__(self, longest: int = 1_500) -> None:
        super().__init__()
        self.longest, self.asked = longest, list[Sequence[str]]()

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.asked.append(texts)
        if any(len(text) > self.longest or "%%%" in text for text in texts):
            raise TextRefused("It answered 400.")
        return super().embed_documents(texts)


@pytest.fixture
def toy(monkeypatch: MonkeyPatch) -> Toy:
    made = Toy()
    monkeypatch.setattr(store, "get_embedder", lambda: made)
    monkeypatch.setattr("console.management.commands.reembed.get_embedder", lambda: made)
    return made


def filled(batch: int = store.BATCH) -> int:
    """How many vectors one batch wrote."""
    return len(store.fill(batch)[1])


def test_the_real_model_fills_a_vector() -> None:
    mine = memory(ann(), "The kettle leaks.")
    assert store.backlog() == 1
    assert store.drain() == 1
    row = MemoryEmbedding.objects.get(memory=mine)
    assert (row.space_id, row.active, row.dimension) == (mine.space_id, True, 384)
    assert len(row.vector) == 384


def test_the_speaker_is_read_with_the_content(toy: Toy) -> None:
    mine = memory(ann(), "Hello", metadata={"speaker": "Cy"})
    assert store.text_of(mine) == "Cy: Hello"
    assert store.text_of(memory(ann(), "Hello", metadata={"speaker": 7})) == "Hello"
    assert store.drain() == 2


def test_filling_again_does_nothing(toy: Toy) -> None:
    memory(ann(), "one")
    assert filled() == 1
    assert filled() == 0
    assert store.backlog() == 0


def test_a_batch_is_bounded_and_a_drain_is_not(toy: Toy) -> None:
    for number in range(5):
        memory(ann(), f"note {number}")
    assert filled(batch=2) == 2
    assert store.drain(batch=2) == 3


def test_what_waits_for_an_actor_are_their_own_live_rows(toy: Toy) -> None:
    memory(ann(), "hers")
    memory(bob(), "his")
    memory(ann(), "gone", status="deleted")
    assert store.backlog() == 2
    assert store.waiting(actor(ann())) == store.Waiting(1, 1)


def test_in_a_large_space_the_latest_are_looked_at_and_their_number_is_said(toy: Toy, monkeypatch: MonkeyPatch) -> None:
    for number in range(3):
        memory(ann(), f"note {number}")
    monkeypatch.setattr(store, "LATEST", 2)
    assert store.waiting(actor(ann())) == store.Waiting(2, 2)
    store.drain()
    assert store.waiting(actor(ann())) == store.Waiting(0, 2)


@pytest.mark.parametrize(
    ("metadata", "made_again"), [({"speaker": "Bea"}, True), ({}, True), ({"speaker": "Ann", "mood": 1}, False)]
)
def test_a_vector_is_made_again_when_another_speaks(toy: Toy, metadata: dict[str, Any], made_again: bool) -> None:
    one = memory(ann(), "I like tea.", metadata={"speaker": "Ann"})
    store.drain()
    revise(memory_id=one.pk, changes={"metadata": metadata}, actor=actor(ann()))
    assert store.pending().exists() is made_again


def test_rows_that_are_not_active_get_no_vector(toy: Toy) -> None:
    memory(ann(), "old", status="archived")
    assert store.drain() == 0


@pytest.fixture
def picky(monkeypatch: MonkeyPatch) -> Picky:
    made = Picky()
    monkeypatch.setattr(store, "get_embedder", lambda: made)
    return made


def test_a_text_that_the_model_refuses_holds_nobody_up(picky: Picky) -> None:
    strange, plain = memory(ann(), "%%%"), [memory(bob(), f"note {number}") for number in range(5)]
    for batch in (1, 2, 4):
        MemoryEmbedding.objects.all().delete()
        assert store.drain(batch=batch) == 5
        assert not MemoryEmbedding.objects.filter(memory=strange).exists()
    assert MemoryEmbedding.objects.filter(memory__in=plain).count() == 5


def test_of_a_text_that_is_too_long_the_model_reads_the_beginning(picky: Picky) -> None:
    long = memory(ann(), "x" * 5_000)
    assert store.drain() == 1
    assert list(MemoryEmbedding.objects.get(memory=long).vector) == [1_000, 1]


def test_a_model_that_takes_nothing_at_all_is_not_asked_for_each_text(picky: Picky) -> None:
    picky.longest = 0
    for number in range(16):
        memory(ann(), f"note {number}")
    with pytest.raises(EmbeddingUnavailable, match="400"):
        store.drain()
    assert len(picky.asked) == 6 and not MemoryEmbedding.objects.exists()


def test_content_that_changed_meanwhile_gets_no_stale_vector(toy: Toy) -> None:
    mine = memory(ann(), "before")
    toy.during = lambda: Memory.objects.filter(pk=mine.pk).update(content="after")
    assert filled() == 0
    assert not MemoryEmbedding.objects.exists()
    toy.during = lambda: None
    assert filled() == 1


def test_a_row_deleted_meanwhile_is_not_searched(toy: Toy) -> None:
    mine = memory(ann(), "before")
    marks = {"deleted_at": mine.created_at, "deleted_by": mine.owner, "status_before_delete": "active"}
    toy.during = lambda: type(mine.state).objects.filter(pk=mine.pk).update(status="deleted", **marks)
    filled()
    assert not MemoryEmbedding.objects.filter(active=True).exists()


def test_two_models_are_not_mixed(toy: Toy) -> None:
    memory(ann(), "one")
    store.drain()
    toy.name = "other"
    memory(ann(), "two")
    with pytest.raises(store.ModelChanged, match=r"1 vectors were made by toy \(2\).*manage.py reembed"):
        filled()
    assert MemoryEmbedding.objects.count() == 1
    assert store.backlog() == 2


def test_without_another_model_there_is_no_advice(toy: Toy) -> None:
    memory(ann(), "one")
    store.drain()
    assert store.check_model() == ""


def test_reembed_replaces_every_vector_and_can_be_repeated(toy: Toy) -> None:
    for number in range(3):
        memory(ann(), f"note {number}")
    store.drain()
    toy.name = "other"
    memory(ann(), "new")
    assert "4 vectors written by other" in _reembed()
    assert set(MemoryEmbedding.objects.values_list("model", flat=True)) == {"other"}
    assert "0 vectors written" in _reembed()


def test_reembed_goes_on_where_it_was_stopped(toy: Toy) -> None:
    for number in range(3):
        memory(ann(), f"note {number}")
    store.drain()
    toy.name = "other"
    store.fill(2, replace=True)
    assert "1 vectors written" in _reembed()


def test_reembed_ends_when_a_row_keeps_changing(toy: Toy) -> None:
    mine = memory(ann(), "before")
    toy.during = lambda: Memory.objects.filter(pk=mine.pk).update(content=f"after {id(object())}!")
    assert "1 memories changed meanwhile" in _reembed()


def _reembed() -> str:
    out = StringIO()
    call_command("reembed", "--batch", "2", stdout=out)
    return out.getvalue()


def test_the_task_fills_what_is_pending(toy: Toy) -> None:
    memory(ann(), "one")
    tasks.embed_pending_task()
    assert store.backlog() == 0


def test_the_task_survives_a_model_that_is_down(toy: Toy, caplog: pytest.LogCaptureFixture) -> None:
    memory(ann(), "a secret word")

    def fail() -> None:
        raise EmbeddingUnavailable("The model is down.")

    toy.during = fail  # type: ignore[assignment]
    tasks.embed_pending_task()
    assert "The model is down." in caplog.text
    assert "secret" not in caplog.text
    assert store.backlog() == 1


def test_the_worker_is_woken_by_the_name_of_its_task(monkeypatch: MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(app, "send_task", lambda name, **_: told.append(name))
    embed_soon()
    assert told == [tasks.embed_pending_task.name]


def test_waking_the_worker_never_fails(monkeypatch: MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr(app, "send_task", refuse)
    embed_soon()
    assert "could not be woken" in caplog.text
