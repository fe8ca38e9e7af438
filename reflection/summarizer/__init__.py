"""The port through which an episode becomes a text. Adapters: `extractive` (the default, no model) and `http`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

_ENDS = tuple(".!?…。！？｡؟।\"'”’)」』）")
_UNSPACED_ENDS = tuple("。！？｡」』）")


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """One record to summarise. `vector` is of unit length, or None; `at` is aware."""

    id: UUID
    text: str
    at: datetime
    vector: NDArray[np.float32] | None = None
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """A text as (sentence, id of its source) in order, how it was made, and a note for the reviewer, if any."""

    sentences: tuple[tuple[str, UUID], ...]
    method: str  # extractive, model
    note: str = ""

    @property
    def text(self) -> str:
        """The sentences as one text; a line break follows a sentence that has no end mark of its own."""
        return join([sentence for sentence, _ in self.sentences])


class Summarizer(Protocol):
    """Anything that summarises; the module `extractive` is one."""

    def summarize(self, sources: Sequence[Source], budget_chars: int) -> Summary:
        """A summary of `sources` (in time order) of at most about `budget_chars`; empty where nothing is said."""
        ...


def join(sentences: Sequence[str]) -> str:
    """Sentences as one text, in the manner of their script, with nothing added but white space."""
    text = ""
    for sentence in sentences:
        if text:
            text += "" if text.endswith(_UNSPACED_ENDS) else " " if text.endswith(_ENDS) else "\n"
        text += sentence
    return text
