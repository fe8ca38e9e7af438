"""Several words that say what one word says elsewhere: every day and daily, terça-feira and terça. Pure.

Small lists for the languages the console speaks.
"""

from __future__ import annotations

import re
from functools import lru_cache

_SAYING = {
    "daily": r"\b(?:(?:every|each) day|todos os dias|todo dia|todos los días)\b|날마다",
    "monthly": r"\b(?:(?:a|per) month|por m[eê]s|ao mês|al mes)\b|한 달에",
}
_ONE_WORD = {word: re.compile(phrase, re.IGNORECASE) for word, phrase in _SAYING.items()}
_PART_OF_WEEKDAY = re.compile(r"(?<=[as])-feiras?\b")


@lru_cache(maxsize=20_000)
def plain(text: str) -> str:
    """`text` with one word for each such phrase."""
    text = _PART_OF_WEEKDAY.sub("", text)
    for word, phrase in _ONE_WORD.items():
        text = phrase.sub(f" {word} ", text)
    return text
