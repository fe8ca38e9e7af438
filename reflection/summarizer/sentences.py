"""Sentences of a text, each a verbatim slice, and which of them say something. Pure."""

from __future__ import annotations

import re

from reflection.summarizer.words import units

LONGEST = 280  # characters; a longer sentence is cut at a clause or a space, so that one always fits a summary

_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|prof|sr|jr|vs|etc|e\.g|i\.e|dra|núm|nr)|\b[A-Z])\.$", re.IGNORECASE
)
_END = re.compile(r"[.!?…؟۔।]+[\"'”’)\]]*(?=\s)|[。！？｡]+[」』”’）]*|\n+")
_CLAUSE = re.compile(r"[,;:、，；：](?=\s|[^\x00-\x7f])|\s")
_QUESTION = re.compile(r"[?？؟;]+[\"'”’)\]」』）!！\s]*$")
_KA = re.compile(r"(?:です|ます|でした|ました|でしょう)か[。｡]?$|[吗呢][。｡]?$")

_COURTESIES = """
    hi hey hello hiya howdy yo bye goodbye cya later thanks thank cheers thx welcome congrats congratulations good
    great nice cool awesome amazing terrible awful sad wonderful fantastic lovely perfect wow yay yeah yep sure
    absolutely totally definitely exactly agreed glad happy hear hearing sound sounds idea point problem worries
    luck care morning evening night day talk soon long time see seeing catch chat sorry please appreciate olá oi
    tchau obrigado obrigada bom boa dia noite tarde prazer parabéns hola adiós adios gracias buenos buenas días
    tardes noches hasta luego felicidades bonjour salut merci bonne soirée hallo danke tschüss guten morgen tag
    abend
"""
_COURTESY = frozenset(_COURTESIES.split())
_COURTESY_RUN = re.compile(
    r"(?:おはよう|こんにちは|こんばんは|ありがとう|さようなら|じゃあね|またね|お疲れ|よろしく|おめでとう"
    r"|你好|您好|早上好|晚上好|谢谢|謝謝|再见|再見|辛苦了|恭喜"
    r"|안녕|감사|고마워|고맙|잘 가|수고)\w{0,8}"
)
_CALLED = re.compile(r"(?:^|,)\s*[A-Z\u00c0-\u04ff][^\W\d_]*(?=[.!…~]*$)|(?<=,)\s*[A-Z\u00c0-\u04ff][^\W\d_]*(?=,)")
_CALLED_FIRST = re.compile(r"^[A-Z\u00c0-\u04ff][^\W\d_]*,(?=\s)|(?<=^Thanks)\s[A-Z]\w+|(?<=^Hey)\s[A-Z]\w+")
_OPENING = re.compile(r"^([^\W\d_]+),?\s+([A-Z\u00c0-\u04ff][^\W\d_]*)")


def split(text: str) -> list[str]:
    """The sentences of `text`, trimmed, each standing in it word for word; none is longer than `LONGEST`."""
    found: list[str] = []
    start = 0
    for end in _END.finditer(text):
        if not _ABBREVIATION.search(text[start : end.start() + 1]) or end.group().startswith("\n"):
            found.append(text[start : end.end()])
            start = end.end()
    found.append(text[start:])
    return [piece for sentence in found for piece in _shorten(sentence.strip()) if piece]


def _shorten(sentence: str) -> list[str]:
    pieces: list[str] = []
    while len(sentence) > LONGEST:
        cuts = [cut.end() for cut in _CLAUSE.finditer(sentence, LONGEST // 2, LONGEST)]
        cut = cuts[-1] if cuts else LONGEST
        pieces.append(sentence[:cut].strip())
        sentence = sentence[cut:].strip()
    return [*pieces, sentence]


def is_question(sentence: str) -> bool:
    """Whether it asks: by its mark, or by the closing particle in Japanese and Chinese."""
    return bool(_QUESTION.search(sentence) or _KA.search(sentence))


def is_greeting(sentence: str) -> bool:
    """Whether it only greets, thanks or applauds: without courtesies and the names called there is nothing left."""
    spoken = _CALLED.sub(" ", _COURTESY_RUN.sub(" ", sentence))
    opening = _OPENING.match(spoken)
    if opening and opening[1].casefold() in _COURTESY:
        spoken = spoken[opening.end() :]
    return all(unit in _COURTESY for unit in units(spoken))


def without_called(sentence: str) -> str:
    """`sentence` without the names that it calls: `Wow, John, that looks great!`, `Sure, Ann.`, `Ann, so glad!`"""
    return _CALLED_FIRST.sub("", _CALLED.sub(" ", sentence))


def says_something(sentence: str) -> bool:
    """Whether a summary may use it: it has informative words, and neither asks nor only greets."""
    return not is_question(sentence) and not is_greeting(sentence)
