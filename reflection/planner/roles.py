"""Who does it and to whom: whether two texts exchange the parts of two persons or things. Pure.

"Elsa borrowed 300 euros from Timo" and "Timo borrowed 300 euros from Elsa" are the same words. What marks a part is the
preposition before a name, in Japanese and Korean the particle behind a word. Other verbs may turn a sentence round, as
in lending to and borrowing from, so one text must say nothing that the other does not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from reflection.planner.contrasts import values_of
from reflection.summarizer.words import is_run, tokens

_MARKS = """
    to towards ao à aos às al|from do da dos das de del desde|for para|by por pelo pela|than|with com con
    |in on at near em no na nos nas en
"""
_MARK = {word: part.split()[0] for part in _MARKS.split("|") for word in part.split()}
_BEHIND = re.compile(
    r"([\u3400-\u4dbf\u4e00-\u9fff々]+|[\u30a1-\u30fa\u30fc]+)(さん|様|氏|くん|君|ちゃん)?(から|より|は|が|も|に|を|へ|の)"
    r"|(?<![\uac00-\ud7af])([\uac00-\ud7af]{1,6}?)(에게서|한테서|에게|한테|께서|께|보다|은|는|이|가|을|를)(?![\uac00-\ud7af])"
)
KOREAN_TITLE = re.compile(r"(?<=[\uac00-\ud7af])\s씨(?=[가는의를에도])")
WHEN = "when"
_DOING = frozenset(("は", "が", "も", "은", "는", "이", "가", "께서"))
_CAPITAL = re.compile(r"(?<!\w)[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f]\w+")
_WHEN = frozenset(("when", "while", "if", "unless", "quando", "enquanto", "se", "cuando", "mientras", "si"))
_KOREAN_WHEN = re.compile(r"[\uac00-\ud7af](?:면|때)\s")
_ARTICLES = frozenset(
    ["the", "o", "os", "a", "as", "el", "la", "los", "las", "my", "our", "your", "his", "her", "their"]
)
_PORTUGUESE = re.compile(r"[ãõçàâêô]|\b(?:o|os|ao|aos|do|da|em|na|um|uma|é)\b")
_BEING = re.compile(
    r"\b(?:is|are|was|were|be|been|called|named|and|by|é|são|foi|foram|e|es|son|fue|fueron|y)\b|['’]s\b"
)


@dataclass(frozen=True, slots=True)
class Part:
    """What marks a word, empty where it does something; and its place."""

    mark: str
    place: int


def exchanged(one: str, other: str) -> bool:
    """Whether some two names of both texts have each the part that the other one has in the other text."""
    some, others = parts(one), parts(other)
    both = [word for word in some if word in others]
    pairs = [(a, b) for n, a in enumerate(both) for b in both[n + 1 :]]
    return any(_crossed(some[a], some[b], others[a], others[b]) for a, b in pairs) or (
        not (_BEING.search(one) or _BEING.search(other))
        and any(_turned(some[a], some[b], others[a], others[b]) for a, b in pairs if not is_run(a))
    )


def _crossed(a: Part, b: Part, again_a: Part, again_b: Part) -> bool:
    """From Ann to Bo, from Bo to Ann: one of the two does it, and each time another. Or does it when the other does."""
    marks, again = (a.mark, b.mark), (again_b.mark, again_a.mark)
    if marks.count(WHEN) == again.count(WHEN) == 1:
        return marks.index(WHEN) == again.index(WHEN)
    return a.mark != b.mark and "" in marks and marks == again


def _turned(a: Part, b: Part, again_a: Part, again_b: Part) -> bool:
    """Bo invited Ann, Ann invited Bo: nothing marks them but their order around a verb."""
    if any(part.mark for part in (a, b, again_a, again_b)):
        return False
    ways = (b.place - a.place, again_b.place - again_a.place)
    return ways[0] * ways[1] < 0 and min(map(abs, ways)) > 1


@lru_cache(maxsize=20_000)
def parts(text: str) -> Mapping[str, Part]:
    """The part of each name, in Japanese and Korean of each word with a particle; of what is told twice the first."""
    found: dict[str, Part] = {}
    plain = KOREAN_TITLE.sub("", unicodedata.normalize("NFKC", text))
    behind = list(_BEHIND.finditer(plain))
    for told in behind:
        word, mark = (told[1], told[3]) if told[1] else (told[4], told[5])
        if mark == "の" and not told[2]:
            continue  # of a thing: its name, and the name that it has, are no parts
        if mark in _DOING:
            mark = WHEN if _in_korean_clause(plain, told, behind) else ""
        found.setdefault(word, Part(mark, told.start()))
    words, names = tokens(text), {name.casefold() for name in _CAPITAL.findall(plain)}
    to = not _PORTUGUESE.search(" ".join(words))
    for place, word in enumerate(words):
        if word in names and not values_of(word):
            found.setdefault(word, Part(_mark(words[max(0, place - 3) : place], to), place))
    return found


def _in_korean_clause(text: str, told: re.Match[str], others: list[re.Match[str]]) -> bool:
    """Whether who does something only does it where others do: a clause in -myeon or -ttae ends before the next one."""
    later = [other.start() for other in others if other.start() > told.start() and other[5] in _DOING]
    return _KOREAN_WHEN.search(text[told.end() : min(later)]) is not None if later else False


def _mark(before: list[str], to: bool) -> str:
    """What marks the word behind these. Spanish `a` does, the Portuguese article does not."""
    if to and before[-1:] == ["a"]:
        return "to"
    rest = before[:-1] if before and before[-1] in _ARTICLES else before
    found = _MARK.get(rest[-1], "") if rest else ""
    return found or (WHEN if not _WHEN.isdisjoint(rest[-2:]) else "")
