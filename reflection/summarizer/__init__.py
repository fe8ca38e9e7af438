"""The port through which an episode becomes a text. Adapters: `extractive` (the default, no model) and `http`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from typing import Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

_ENDS = tuple(".!?…。！？｡؟।\"'”’)」』）")
_NAME_CHARS = 80
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
    """A text as (sentence, id of its source) in order, how it was made, and a note for the reviewer, if any.

    `speakers` are those of the sources in which somebody is known to speak.
    """

    sentences: tuple[tuple[str, UUID], ...]
    method: str  # extractive, model
    note: str = ""
    speakers: Mapping[UUID, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The sentences as one text; a line break follows a sentence that has no end mark of its own.

        Where speakers are known, the name stands before what each says, on a line of its own: nobody's "I" becomes
        another's.
        """
        said = groupby(self.sentences, key=lambda one: self.speakers.get(one[1], ""))
        return "\n".join(named(by) + join([sentence for sentence, _ in group]) for by, group in said)


def named(speaker: str) -> str:
    """What stands before the words of `speaker`: a name of one line, and no longer than one."""
    name = " ".join(speaker.split())[:_NAME_CHARS]
    return f"{name}: " if name else ""


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
