"""Which words are forms of one word: other endings, other accents, digits and numerals. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from reflection.planner import contrasts
from reflection.summarizer.words import is_run

_KOREAN_VERB = re.compile(r"[다고서며지요면]$")


def lacking(words: Iterable[str], others: Sequence[str]) -> list[str]:
    """Those of `words` that are not among `others`, whatever their endings."""
    begun: dict[str, list[str]] = {}
    for other in others:
        for key in keys(other):
            begun.setdefault(key, []).append(other)
    rest = [word for word in words if word not in others]
    return [word for word in rest if not any(same_stem(word, o) for key in keys(word) for o in begun.get(key, ()))]


@lru_cache(maxsize=20_000)
def keys(word: str) -> tuple[str, ...]:
    """Beginnings, of which words of one stem have one in common: three letters, in Korean two, of Han each.

    And what the word names, for words of one value count as one.
    """
    if is_hangul(word):
        begun: tuple[str, ...] = (unicodedata.normalize("NFD", word)[:2],)
    elif (number := contrasts.number_of(word)) is not None:
        begun = (f"={number}",)
    else:
        begun = tuple(dict.fromkeys(word)) if is_run(word) else (_bare(word)[:3],)
    return (*begun, *(f"={kind}={value}" for kind, value in contrasts.values_of(word)))


def same_stem(one: str, other: str) -> bool:
    """Whether two words are forms of one, or name the same value or number."""
    if one == other or (contrasts.values_of(one) and contrasts.values_of(one) == contrasts.values_of(other)):
        return True
    if contrasts.number_of(one) is not None and contrasts.number_of(one) == contrasts.number_of(other):
        return True
    short, long = sorted((_bare(one), _bare(other)), key=len)
    if short.isdigit() or (short[0] != long[0] and not is_hangul(short)):
        return is_run(short) and not is_hangul(short) and short in long
    common = next((n for n, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if is_hangul(short):
        return common >= max(2, len(short) - 1) or _same_verb(short, long) or long in (f"{short}의", f"{short}이")
    if is_run(short):
        return short in long
    return common >= max(4, len(short) - 2) or long in (f"{short}s", f"{short}es")


@lru_cache(maxsize=20_000)
def _bare(word: str) -> str:
    """A word without its accents, which come and go with endings: alérgica, alergia; in other scripts as it is."""
    if word.isascii() or is_run(word):
        return word
    return "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))


def _same_verb(one: str, other: str) -> bool:
    """Whether two Korean words with endings of verbs begin with the same three letters, 배운다 and 배우고."""
    if not (_KOREAN_VERB.search(one) and _KOREAN_VERB.search(other)):
        return False
    return unicodedata.normalize("NFD", one)[:3] == unicodedata.normalize("NFD", other)[:3]


def is_hangul(word: str) -> bool:
    """Whether a word begins with a letter of Hangul."""
    return "\uac00" <= word[0] <= "\ud7af"
