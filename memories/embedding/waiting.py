"""Asking the model in the middle of a transaction, which may not rest for as long as a model may be silent."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from console.postgres import patience
from memories.embedding import Embedder, EmbeddingUnavailable

Told = TypeVar("Told")

_questions = ThreadPoolExecutor(max_workers=8, thread_name_prefix="question")
_floors = ThreadPoolExecutor(max_workers=4, thread_name_prefix="floor")  # known at once but the first time


def begin(read: Callable[[str], Told], text: str) -> Future[Told]:
    """Have the model read `text` while other things are done."""
    return _questions.submit(read, text)


def told(asked: Future[Told]) -> Told:
    """The model's answer. Raises EmbeddingUnavailable where it does not come while a transaction may rest."""
    most = patience.longest_rest()
    try:
        return asked.result(most)
    except TimeoutError:
        asked.cancel()
        raise EmbeddingUnavailable(
            f"The embedding model did not answer within {most:g} seconds. Look at the log of its server."
        ) from None


def floor_of(embedder: Embedder) -> float:
    """Its floor, which a model over the network is asked for once. Raises EmbeddingUnavailable."""
    return told(_floors.submit(lambda: embedder.floor))
