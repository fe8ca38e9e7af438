"""Where a text holds the words of a query, for showing them. Works on folded text with a map back to the original."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

MARKS_MOST = 100
READ = 64_000  # characters
VOICED = "\u3099\u309a"  # with these marks a kana is another letter


def folded(text: str) -> tuple[str, list[int]]:
    """`text` without case and accents, and for each of its characters the place it came from."""
    if text.isascii():
        return text.lower(), list(range(len(text)))
    parts = {letter: _parts(letter) for letter in set(text)}  # far fewer than there are characters
    lengths = {letter: len(part) for letter, part in parts.items()}
    if set(lengths.values()) == {1}:
        places = list(range(len(text)))
    else:
        places = [place for place, letter in enumerate(text) for _ in range(lengths[letter])]
    return text.translate({ord(letter): part for letter, part in parts.items()}), places


def _parts(letter: str) -> str:
    plain = unicodedata.normalize("NFKD", letter).casefold()
    return "".join(part for part in plain if not unicodedata.combining(part) or part in VOICED)


def marks(text: str, words: Iterable[str]) -> list[tuple[int, int]]:
    """Spans (start, end) of `text`, in order and apart, in which one of `words` begins a word or is a CJK run."""
    inside, places = folded(text[:READ])
    wanted = sorted({folded(word)[0] for word in words} - {""}, key=len, reverse=True)
    if not wanted or not inside:
        return []
    pattern = "|".join(re.escape(word) if _joined(word) else rf"(?<!\w){re.escape(word)}" for word in wanted)
    found: list[tuple[int, int]] = []
    for match in re.finditer(pattern, inside):
        start, end = places[match.start()], _end(places, match.end(), len(text[:READ]))
        if found and start < found[-1][1]:
            continue
        if found and start == found[-1][1]:  # a run of parts is one
            found[-1] = found[-1][0], end
            continue
        found.append((start, end))
        if len(found) == MARKS_MOST:
            break
    return found


def _joined(word: str) -> bool:
    """Whether words of this script are written without spaces between them."""
    return ord(word[0]) >= 0x1100


def _end(places: list[int], past: int, length: int) -> int:
    """The place after the last marked character, together with the accents that follow it."""
    last = places[past - 1]
    following = places[past] if past < len(places) else length
    return following if following > last else last + 1
