"""The default summarizer: sentences taken word for word, chosen by budgeted submodular coverage. Needs no model.

After Lin and Bilmes 2010 ("Multi-document summarization via budgeted maximization of submodular functions") and 2011
("A class of submodular functions for document summarization"): greedy by gain per length ** r, over

- coverage of the informative words, each with diminishing returns,
- coverage of the meaning: how near the chosen rows come to every row (only where vectors are there),
- diversity: a further sentence of the same row earns less,
- a little for the sentence that opens the episode.

Words of applause are worth nothing, and courtesies are chosen only where nothing else was said, however much of the
budget is left.

The single best sentence replaces the greedy set where it alone is worth more, which is what the paper's bound needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reflection.summarizer import Source, Summary, named
from reflection.summarizer.applause import is_applause
from reflection.summarizer.courtesies import is_courtesy
from reflection.summarizer.sentences import says_something, split
from reflection.summarizer.words import units

Array = NDArray[np.float64]

_LENGTH_POWER = 0.45
_MEANING_WEIGHT = 0.1  # against 1 for all words
_DIVERSITY_WEIGHT = 0.03
_OPENING_WEIGHT = 0.042  # for the sentence that opens the episode, over the number of rows


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    source: int


def summarize(sources: Sequence[Source], budget_chars: int) -> Summary:
    """The sentences of `sources` worth most within `budget_chars`, in source order; empty where none says anything."""
    sentences = _sentences(sources)
    if not sentences:
        return Summary((), "extractive")
    labels = [len(named(sources[sentence.source].speaker)) for sentence in sentences]
    chosen = _choose(_Worth(sources, sentences), sentences, labels, budget_chars)
    told = [(sentences[i].text, sources[sentences[i].source]) for i in sorted(chosen)]
    speakers = {source.id: source.speaker for _, source in told if source.speaker}
    return Summary(tuple((text, source.id) for text, source in told), "extractive", speakers=speakers)


def earns(text: str) -> bool:
    """Whether any sentence of `text` may stand in a summary."""
    return any(says_something(sentence) for sentence in split(text))


def _sentences(sources: Sequence[Source]) -> list[_Sentence]:
    """What may be chosen: sentences that are courtesy for the most part only where there are no others."""
    found: list[_Sentence] = []
    seen: set[tuple[str, str]] = set()
    for at, source in enumerate(sources):
        for text in split(source.text):
            said = (source.speaker, text.casefold())
            if said not in seen and says_something(text):
                seen.add(said)
                found.append(_Sentence(text, at))
    return [sentence for sentence in found if not is_courtesy(sentence.text)] or found


class _Worth:
    """The submodular worth of a set of sentences, kept up to date as sentences are added."""

    def __init__(self, sources: Sequence[Source], sentences: Sequence[_Sentence]) -> None:
        self.words, self.weights = _word_matrix(sources, sentences)
        self.near = _nearness(sources)[[s.source for s in sentences]]  # (sentences, sources)
        self.source_of = np.array([s.source for s in sentences])
        self.covered = np.zeros(len(self.weights))
        self.reached = np.zeros(self.near.shape[1])
        self.used = np.zeros(len(sources))
        self.opening = np.zeros(len(sentences))
        self.opening[0] = _OPENING_WEIGHT / len(sources)

    def gains(self) -> Array:
        """What each sentence would add now, (sentences,)."""
        fresh = self.words @ (self.weights * (self.covered == 0))
        meaning = np.maximum(self.near - self.reached, 0).sum(axis=1)
        diversity = np.sqrt(self.used + 1)[self.source_of] - np.sqrt(self.used)[self.source_of]
        total = self.weights.sum() or 1.0
        gain: Array = fresh / total + _MEANING_WEIGHT * meaning + _DIVERSITY_WEIGHT * diversity / len(self.used)
        return gain + self.opening

    def add(self, i: int) -> None:
        """Take sentence `i`."""
        self.covered += self.words[i]
        self.reached = np.maximum(self.reached, self.near[i])
        self.used[self.source_of[i]] += 1
        self.opening[i] = 0.0


def _word_matrix(sources: Sequence[Source], sentences: Sequence[_Sentence]) -> tuple[Array, Array]:
    """Which sentence has which informative word (sentences, words), and what each word is worth (words,).

    A word is worth the root of the number of sentences it stands in; questions and greetings count here, for they too
    tell what and who the episode is about. Applause is worth nothing, however often it sounds.
    """
    found = Counter(unit for source in sources for text in split(source.text) for unit in set(units(text)))
    counts = {unit: count for unit, count in found.items() if not is_applause(unit)}
    index = {unit: n for n, unit in enumerate(sorted(counts))}
    matrix = np.zeros((len(sentences), len(index)))
    for row, s in enumerate(sentences):
        matrix[row, [index[unit] for unit in set(units(s.text)) if unit in index]] = 1.0
    return matrix, np.sqrt([float(counts[unit]) for unit in index])


def _nearness(sources: Sequence[Source]) -> Array:
    """How near each row's meaning is to every other's (sources, sources), each row's share scaled to sum up to 1.

    Counted from the mean similarity of the episode, so that it does not matter what unlike texts score in the model.
    """
    vectors = [source.vector for source in sources]
    if len(vectors) < 2 or any(vector is None for vector in vectors):
        return np.zeros((len(sources), 1))
    matrix = np.stack([vector for vector in vectors if vector is not None]).astype(np.float64)
    alike = matrix @ matrix.T
    usual = alike[~np.eye(len(alike), dtype=bool)].mean()
    near: Array = np.round(np.clip((alike - usual) / max(1e-9, 1 - usual), 0, 1), 6) / len(alike)
    return near


def _choose(worth: _Worth, sentences: Sequence[_Sentence], labels: Sequence[int], budget: int) -> list[int]:
    """`labels`: how many characters the name before each takes."""
    lengths = np.array([len(s.text) + 1 + label for s, label in zip(sentences, labels, strict=True)])
    budget = max(budget, int(lengths.min()) - 1)  # one sentence always stands
    first = worth.gains()
    chosen: list[int] = []
    left, total = budget + 1, 0.0
    while True:
        gains = np.where(lengths <= left, worth.gains(), 0.0)
        gains[chosen] = 0.0
        best = int(np.argmax(np.round(gains / lengths**_LENGTH_POWER, 9)))
        if gains[best] <= 1e-9:
            break
        chosen.append(best)
        total += float(gains[best])
        left -= int(lengths[best])
        worth.add(best)
    alone = int(np.argmax(np.where(lengths <= budget + 1, first, 0.0)))
    return [alone] if first[alone] > total and lengths[alone] <= budget + 1 else chosen
