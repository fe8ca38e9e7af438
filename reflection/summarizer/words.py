"""The informative words of a text, whatever its script. Pure.

Spaced scripts give words; runs of a script without spaces (Han, kana, Thai, Lao, Khmer, Burmese) and Hangul give
overlapping pairs of characters. Function words earn nothing: small lists for the languages the console speaks, pure
hiragana and common Chinese particles by script.
"""

from __future__ import annotations

import re
import unicodedata

from reflection.summarizer.stop_words import STOP_WORDS

_RUN = (
    r"\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff"  # kana, Han
    r"\uac00-\ud7af\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u109f\u1780-\u17d3"  # Hangul, Thai, Lao, Burmese, Khmer
)
_TOKEN = re.compile(rf"[{_RUN}]+|(?:(?![{_RUN}])[^\W_])+(?:['’](?:(?![{_RUN}])[^\W_])+)*")
_RUN_START = re.compile(rf"[{_RUN}]")
_HIRAGANA = re.compile(r"[\u3041-\u3096\u30fc]+")
_PARTICLES = frozenset("的了是在我你他她它们这那和就都也不有吗呢吧啊很个与及")


def fold(text: str) -> str:
    """NFKC, case folded, accents off, white space collapsed: equal meaning of letters compares equal."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    kept = "".join(c for c in plain if not unicodedata.combining(c) or "\u3099" <= c <= "\u309a")
    return " ".join(unicodedata.normalize("NFC", kept).split())


def tokens(text: str) -> list[str]:
    """Case-folded words and unspaced runs, in order."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold().replace("’", "'"))


def units(text: str) -> list[str]:
    """The informative units of `text` in order, repeats kept: words that are no stop words, and character pairs."""
    found: list[str] = []
    for token in tokens(text):
        if is_run(token):
            found.extend(_pairs(token))
        elif token not in STOP_WORDS and (len(token) > 1 or token.isdigit()):
            found.append(token.removesuffix("'s"))
    return found


def is_run(token: str) -> bool:
    """Whether a token is a run of Hangul or of a script without spaces."""
    return bool(_RUN_START.match(token))


def _pairs(run: str) -> list[str]:
    pairs = [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    return [pair for pair in pairs if not _HIRAGANA.fullmatch(pair) and not set(pair) <= _PARTICLES]


def word_count(text: str) -> int:
    """How many words a reader would count; two characters of an unspaced script stand for one."""
    return sum((len(token) + 1) // 2 if _RUN_START.match(token) else 1 for token in tokens(text))


def stem(word: str) -> str:
    """The beginning that forms of a word share; short words and numbers whole."""
    return word if len(word) < 5 or word.isdigit() else word[: max(4, len(word) - 3)]
