"""What a text denies: the words after a `not`, or before it where the language puts it behind. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reflection.summarizer.denials import PORTUGUESE_LOOKS, SPANISH_LOOKS
from reflection.summarizer.stop_words import STOP_WORDS
from reflection.summarizer.words import is_run, tokens

PIECE = re.compile(
    r"[\u3400-\u4dbf\u4e00-\u9fff]+|[\u30a1-\u30fa\u30fc]+|[\uac00-\ud7af]+|[\u0e01-\u0ece\u1000-\u17d3]+"
)
REACH = 5  # words after a refusal that it may be about

_REFUSING = """
    not no never without neither nor cannot não nunca sem jamais nem nenhum nenhuma sin jamás ni nada ningún
"""
_NOT = frozenset(_REFUSING.split())
_CLAUSE = re.compile(r"[^,;:.!?()–]+")
_AND = (["and"], ["but"], ["y"], ["e"], ["mas"], ["pero"])
_JAPANESE = re.compile(r"ない(?!と|か)|ません|なかった")
_KOREAN = re.compile(r"않|못|없")
_PARTICLE = re.compile(
    r"(?<=.)(?:(?:에서|으로|까지|부터|에게|한테|에|로)(?:는|도|만)|마다|이다|입니다|이에요|이라서|이었다|에서|으로|까지|부터"
    r"|에게|한테|이랑|하고|은|는|이|가|을|를|의|도|와|과|에|로|만)$"
)
_KOREAN_STOP = re.compile(
    r"(?:있|하|되|이|것|않|하셨|했|하신|한|된)(?:다|고|는|는다|을|은|습니다|어요|니다|다고|며|면|지|서)?|합니다|됩니다|해서|안|수"
    r"|씨(?:에게|의|와|가|는|를)?(?:는|도|만)?"
)
_LONG_RUN = 5  # letters of Han from which a piece is looked at in pairs, as words of Chinese


@dataclass(frozen=True, slots=True)
class Refusal:
    """The one or two words denied, and all words near enough to be meant.

    `aside`: it only sets off what was said, as in "by mail, not by phone".
    """

    words: tuple[str, ...]
    near: tuple[str, ...]
    aside: bool = False


def contents(token: str) -> list[str]:
    """What in a case-folded token carries news: itself, or the pieces of a run that are no hiragana."""
    if is_run(token):
        return [word for piece in PIECE.findall(token) for word in _words(piece)]
    return [token.removesuffix("'s")] if token not in STOP_WORDS and (len(token) > 1 or token.isdigit()) else []


def _words(piece: str) -> list[str]:
    if "\uac00" <= piece[0] <= "\ud7af":
        return [] if _KOREAN_STOP.fullmatch(piece) else [_PARTICLE.sub("", piece)]
    return [piece[n : n + 2] for n in range(len(piece) - 1)] if len(piece) > _LONG_RUN else [piece]


def refusals(text: str) -> list[Refusal]:
    """Every refusal in `text` that denies a word."""
    found = [*_ahead(text), *_japanese(text), *_korean(text)]
    return [refusal for refusal in found if refusal.words]


def says_in_the(text: str) -> bool:
    """Whether a `no` in `text` is the Portuguese one, in the, and denies nothing."""
    folded = " ".join(tokens(text))
    return PORTUGUESE_LOOKS.search(folded) is not None and not SPANISH_LOOKS.search(folded)


def _ahead(text: str) -> Iterator[Refusal]:
    in_the = says_in_the(text)
    for clause in _CLAUSE.finditer(text):
        words = tokens(clause.group())
        follows = text[: clause.start()].rstrip().endswith((",", ";", "-", "–"))
        for place, word in enumerate(words):
            if word.endswith("n't") or (word in _NOT and not (word == "no" and in_the)):
                later = [other for other in words[place + 1 : place + 1 + REACH] if other not in _NOT]
                near = tuple(part for other in later for part in contents(other))
                before = words[max(0, place - 1) : place]
                yield Refusal(near[:2], near, (not before and follows) or before[-1:] in _AND)


def _japanese(text: str) -> list[Refusal]:
    """The verb or noun before the ending, within eight letters."""
    before = [text[max(0, place.start() - 8) : place.start()] for place in _JAPANESE.finditer(text)]
    return [_of(PIECE.findall(part)[-1:]) for part in before]


def _korean(text: str) -> list[Refusal]:
    """The verb before its auxiliary, or after 안 and 못."""
    words, found = text.split(), []
    for place, word in enumerate(words):
        if place and word != "못" and _KOREAN.match(word):
            found.append(_of(PIECE.findall(words[place - 1])[-1:]))
        elif word in ("안", "못") and place + 1 < len(words):
            found.append(_of(PIECE.findall(words[place + 1])[:1]))
    return found


def _of(words: list[str]) -> Refusal:
    return Refusal(tuple(words), tuple(words))
