"""What the summary of a session keeps of the facts in it, at a fifth of the session's length.

The facts are the observations that people noted after each session of LoCoMo. *Fact words*: the share of their
different content words that stand in the summary. *Fact meaning*: the mean, over the observations, of the best cosine
with a sentence of the summary. Both are means over sessions. A system takes the rows of a session and a budget in
characters, and gives sentences in the order of the session. Ours names who speaks, as it does in use: the names take
their place in the budget and count for no fact word, for the others give none.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np

from bench.reflection_vectors import Vectoring
from memories.embedding import Vectors
from reflection.summarizer import Source, extractive, join
from reflection.summarizer.sentences import split
from reflection.summarizer.words import tokens

SHARE = 0.20
SEEDS = (1, 2, 3)
OURS = "ours"


@dataclass(frozen=True, slots=True)
class Turn:
    """One row of a session."""

    speaker: str
    at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation's session and the facts that a person noted after it."""

    conversation: str
    turns: tuple[Turn, ...]
    facts: tuple[str, ...]

    @property
    def budget(self) -> int:
        """Characters that a summary may have."""
        return int(SHARE * sum(len(turn.text) for turn in self.turns))

    @property
    def sentences(self) -> list[str]:
        """All sentences in order."""
        return [sentence for turn in self.turns for sentence in split(turn.text)]


System = Callable[[Session], list[str]]


@dataclass(frozen=True, slots=True)
class Kept:
    """Figures of one system; shares, 0..1, and a mean cosine."""

    words: float
    words_with_stop_words: float
    meaning: float


def within(sentences: Sequence[str], preferred: Sequence[int], budget: int) -> list[str]:
    """The preferred sentences as far as they fit, one after the other, in the order of the session."""
    left, chosen = budget + 1, []
    for n in preferred:
        if len(sentences[n]) + 1 <= left:
            chosen.append(n)
            left -= len(sentences[n]) + 1
    return [sentences[n] for n in sorted(chosen)]


def lead(session: Session) -> list[str]:
    """The first sentences."""
    return within(session.sentences, range(len(session.sentences)), session.budget)


def longest(session: Session) -> list[str]:
    """The longest sentences."""
    found = session.sentences
    return within(found, sorted(range(len(found)), key=lambda n: -len(found[n])), session.budget)


def at_random(seed: int) -> System:
    """Sentences in random order."""

    def draw(session: Session) -> list[str]:
        order = list(range(len(session.sentences)))
        random.Random(seed).shuffle(order)  # noqa: S311
        return within(session.sentences, order, session.budget)

    return draw


def ours(vectors: Vectoring) -> System:
    """The production summarizer, with the vectors that production makes of the rows."""

    def summarize(session: Session) -> list[str]:
        near = vectors.of([f"{turn.speaker}: {turn.text}" for turn in session.turns])
        sources = [
            Source(UUID(int=n), turn.text, turn.at, near[n], turn.speaker) for n, turn in enumerate(session.turns)
        ]
        summary = extractive.summarize(sources, session.budget)
        if len(summary.text) > session.budget:
            raise ValueError(
                f"With its names a summary of conversation {session.conversation} is longer than its budget."
            )
        return [text for text, _ in summary.sentences]

    return summarize


def words(texts: Sequence[str], stop: Collection[str]) -> set[str]:
    """The different words of `texts` that are not among `stop`."""
    return {token.removesuffix("'s") for text in texts for token in tokens(text) if token not in stop}


def share_of_words(facts: Sequence[str], summary: Sequence[str], stop: Collection[str]) -> float:
    """The share of the facts' words that stand in the summary."""
    wanted = words(facts, stop)
    return len(wanted & words(summary, stop)) / len(wanted) if wanted else 0.0


def nearest(facts: Vectors, summary: Vectors) -> float:
    """Mean over the facts (n, d) of the best cosine with a sentence (m, d); 0 for an empty summary."""
    return float((facts @ summary.T).max(axis=1).mean()) if len(summary) else 0.0


def kept(system: System, sessions: Sequence[Session], vectors: Vectoring, stop: Collection[str]) -> Kept:
    """The figures of one system. Raises ValueError where a summary is longer than its budget."""
    summaries = [system(session) for session in sessions]
    for session, summary in zip(sessions, summaries, strict=True):
        if len(join(summary)) > session.budget:
            raise ValueError(f"A summary of conversation {session.conversation} is longer than its budget.")
    vectors.learn([text for summary in summaries for text in summary])
    pairs = list(zip(sessions, summaries, strict=True))
    return Kept(
        words=float(np.mean([share_of_words(session.facts, text, stop) for session, text in pairs])),
        words_with_stop_words=float(np.mean([share_of_words(session.facts, text, ()) for session, text in pairs])),
        meaning=float(
            np.mean([nearest(vectors.of(session.facts), vectors.of(text)) if text else 0.0 for session, text in pairs])
        ),
    )


def mean(figures: Sequence[Kept]) -> Kept:
    """Each figure's mean."""
    return Kept(*(sum(getattr(one, name) for one in figures) / len(figures) for name in Kept.__slots__))


def ratios(systems: dict[str, Kept]) -> dict[str, float]:
    """Ours over the best of the others, figure by figure."""
    others = [one for name, one in systems.items() if name != OURS]
    return {name: getattr(systems[OURS], name) / max(getattr(one, name) for one in others) for name in Kept.__slots__}
