"""Asking the model in the middle of a transaction, which may not rest for as long as a model may be silent."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from console.postgres import patience
from memories.embedding import Embedder, EmbeddingUnavailable

Told = TypeVar("Told")

SHORT = 0.5  # seconds; what is asked of a model that was silent a moment ago waits this long
MOMENT = 30.0  # seconds for which its silence is remembered

_short_until = [0.0]  # by time.monotonic()
_questions = ThreadPoolExecutor(max_workers=8, thread_name_prefix="question")
_floors = ThreadPoolExecutor(max_workers=4, thread_name_prefix="floor")  # known at once but the first time


def begin(read: Callable[[str], Told], text: str) -> Future[Told]:
    """Have the model read `text` while other things are done."""
    return _questions.submit(read, text)


def told(asked: Future[Told]) -> Told:
    """The answer to a question. Raises EmbeddingUnavailable where it does not come while a transaction may rest.

    Of several who ask a silent model only the first waits that long; the others go on after SHORT until MOMENT is over
    or it answers again.
    """
    answer = _in_time(asked)
    _short_until[0] = 0.0
    return answer


def floor_of(embedder: Embedder) -> float:
    """Its floor, which a model over the network is asked for once. Raises EmbeddingUnavailable."""
    return _in_time(_floors.submit(lambda: embedder.floor))  # where it is known, this tells nothing about the model now


def _in_time(asked: Future[Told]) -> Told:
    most, short = patience.longest_rest(), time.monotonic() < _short_until[0]
    if most is not None and short:
        most = min(most, SHORT)
    try:
        return asked.result(most)
    except TimeoutError:
        asked.cancel()
        if not short:
            _short_until[0] = time.monotonic() + MOMENT
        raise EmbeddingUnavailable(
            f"The embedding model did not answer within {most:g} seconds. Look at the log of its server."
        ) from None
