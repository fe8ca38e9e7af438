"""What a text says of each name: the word that stands by it, which is mostly what somebody does. Pure.

"Before Ann leaves, Bo locks up" and "before Bo leaves, Ann locks up" have all their words in common, and each name
stands by the word of the other one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping
from functools import lru_cache

from reflection.planner.refusals import PIECE, contents
from reflection.planner.roles import KOREAN_TITLE, WHEN, parts
from reflection.planner.stems import is_hangul
from reflection.summarizer.words import is_run, tokens


def doing_each_other_s(one: str, other: str) -> bool:
    """Whether some two names do two things, and each does in the other text what the other name does here."""
    some, others = deeds(one), deeds(other)
    both = [name for name in some if name in others]
    pairs = [(a, b) for n, a in enumerate(both) for b in both[n + 1 :]]
    return any(_begun(some[a]) == _begun(others[b]) != _begun(some[b]) == _begun(others[a]) for a, b in pairs)


@lru_cache(maxsize=20_000)
def deeds(text: str) -> Mapping[str, str]:
    """Of each name that does something the nearest word with news, in Japanese and Korean the next one."""
    doing = {word: part.place for word, part in parts(text).items() if part.mark in ("", WHEN)}
    plain = KOREAN_TITLE.sub("", unicodedata.normalize("NFKC", text))
    near = {name: _next(plain[place + len(name) :], name, doing) for name, place in doing.items() if is_run(name)}
    words = tokens(text)
    said = [n for n, word in enumerate(words) if word not in doing and not is_run(word) and contents(word)]
    for name, place in doing.items():
        if said and name not in near:
            near[name] = words[min(said, key=lambda n: (abs(n - place), n < place))]
    return {name: word for name, word in near.items() if word}


def _next(rest: str, name: str, names: Collection[str]) -> str:
    """The first piece of `rest` that is no particle of `name` and no name."""
    later = PIECE.findall(rest.partition(" ")[2] if is_hangul(name) else rest)
    return next((piece for piece in later if piece not in names), "")


def _begun(word: str) -> str:
    """What forms of one word have in common."""
    return unicodedata.normalize("NFD", word)[:4] if is_hangul(word) else word[:4]
