"""LexRank and TextRank as `sumy` has them, on our sentences and words, so that nothing is fetched.

They rank all sentences of a session and take the best that fit; sumy's English stop words are left out, without which
both do worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
from sumy.summarizers.lex_rank import LexRankSummarizer
from sumy.summarizers.text_rank import TextRankSummarizer
from sumy.utils import get_stop_words

from bench.reflection_summaries import Session, System, within
from reflection.summarizer.sentences import split
from reflection.summarizer.words import tokens

STOP_WORDS = frozenset(get_stop_words("english"))


class _Words:
    """What sumy asks of a tokenizer."""

    def to_words(self, text: Any) -> tuple[str, ...]:
        """The words of a sentence."""
        return tuple(tokens(str(text)))


def systems() -> dict[str, System]:
    """Both by name."""
    return {"LexRank": _system(LexRankSummarizer), "TextRank": _system(TextRankSummarizer)}


def _system(method: Any) -> System:
    def summarize(session: Session) -> list[str]:
        summarizer = method()
        summarizer.stop_words = STOP_WORDS
        order: list[int] = []

        def all_of_them(infos: Sequence[Any]) -> Sequence[Any]:
            order.extend(info.order for info in infos)  # best first
            return infos

        words = _Words()
        turns = [Paragraph([Sentence(text, words) for text in split(turn.text)]) for turn in session.turns]
        summarizer(ObjectDocumentModel(turns), all_of_them)
        return within(session.sentences, order, session.budget)

    return summarize
