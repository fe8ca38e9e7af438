"""Whose neighbour, boss, dog: a sentence about what is somebody's says nothing of that person. Pure.

It holds for kin too, but there one word more or less in the rest does not matter (`kin.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_NAME = r"[A-Z\u00c0-\u00de]\w+"
_ENGLISH = re.compile(rf"({_NAME})['’]s (\w+)(?: (\w+))?")
_OF = re.compile(rf"^(?:\w+ ){{0,4}}?(\w+) (?:de|do|da|of) (?:o |a |el |la )?({_NAME})")  # where the sentence begins
_JAPANESE = re.compile(
    r"([\u3400-\u4dbf\u4e00-\u9fff々]+|[\u30a1-\u30fa\u30fc]+)(?:さん|様|氏|くん|君|ちゃん)の"
    r"([\u3400-\u4dbf\u4e00-\u9fff々]+|[\u30a1-\u30fa\u30fc]+)[はがも]"
)
_KOREAN = re.compile(r"([\uac00-\ud7af]{1,6}?)(?:\s?씨의?|이의|이네|네) ([\uac00-\ud7af]+?)[은는이가]\s")


@dataclass(frozen=True, slots=True)
class Owned:
    """Whose it is, what it is, and in English the word behind, for the first one may only describe it."""

    whose: str
    what: str
    behind: str = ""


@lru_cache(maxsize=20_000)
def owned(text: str) -> tuple[Owned, ...]:
    """What the text says to be somebody's, case-folded."""
    folded = [tuple(map(str.casefold, found)) for found in _ENGLISH.findall(text)]
    of = [Owned(whose.casefold(), what.casefold()) for what, whose in _OF.findall(text)]
    return (*(Owned(*found) for found in folded), *of, *(Owned(*found) for found in _unspaced(text)))


def _unspaced(text: str) -> list[tuple[str, str]]:
    return [*_JAPANESE.findall(text), *_KOREAN.findall(text)]


def strange_to(text: str, other: str) -> list[str]:
    """What `text` says to be somebody's whom `other` names, and is nothing that stands there."""
    said = other.casefold()
    theirs = {(found.whose, word) for found in owned(other) for word in (found.what, found.behind) if word}
    return [
        found.what
        for found in owned(text)
        if found.whose in said and found.what not in said and (found.whose, found.behind) not in theirs
    ]
