"""Fixtures of the tests of records."""

from __future__ import annotations

from typing import NoReturn

import pytest

from memories.embedding import EmbeddingUnavailable
from memories.search import rank


@pytest.fixture
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Search by words only, so that no test loads a model."""

    def unavailable() -> NoReturn:
        raise EmbeddingUnavailable("There is no model here.")

    monkeypatch.setattr(rank, "get_embedder", unavailable)
