"""Sentences of a text, each a verbatim slice, and which of them say something. Pure."""

from __future__ import annotations

import re

from reflection.summarizer.words import tokens, units, word_count

LONGEST = 280  # characters; a longer sentence is cut at a clause or a space, so that one always fits a summary

_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|prof|sr|jr|vs|etc|e\.g|i\.e|dra|núm|nr)|\b[A-Z])\.$", re.IGNORECASE
)
_END = re.compile(r"[.!?…؟۔।]+[\"'”’)\]]*(?=\s)|[。！？｡]+[」』”’）]*|\n+")
_CLAUSE = re.compile(r"[,;:、，；：](?=\s|[^\x00-\x7f])|\s")
_QUESTION = re.compile(r"[?？؟;]+[\"'”’)\]」』）!！\s]*$")
_KA = re.compile(r"(?:です|ます|でした|ました|でしょう)か[。｡]?$|[吗呢][。｡]?$")

_GREETINGS = frozenset(
    """
    hi hey hello hiya howdy yo bye goodbye cya thanks thank cheers thx welcome congrats congratulations morning
    evening wow cool awesome great nice yay yeah yep sure absolutely totally definitely olá oi tchau obrigado
    obrigada bom boa hola adiós adios gracias buenos buenas bonjour salut merci hallo danke tschüss
    """.split()
)
_GREETING_RUN = re.compile(
    r"^(?:おはよう|こんにちは|こんばんは|ありがとう|さようなら|じゃあね|またね|お疲れ|よろしく"
    r"|你好|您好|早上好|晚上好|谢谢|謝謝|再见|再見|안녕|감사합니다|고마워|잘 가)"
)


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
    """Whether it only greets, thanks or applauds: opens so and has fewer than three informative units besides."""
    words = tokens(sentence)
    if _GREETING_RUN.match(sentence.strip()):
        return word_count(sentence) <= 6
    opens = bool(words) and words[0] in _GREETINGS
    return opens and len([unit for unit in units(sentence) if unit not in _GREETINGS]) < 3


def says_something(sentence: str) -> bool:
    """Whether a summary may use it: a statement of at least three words, neither a question nor a greeting."""
    return (
        word_count(sentence) >= 3 and bool(units(sentence)) and not is_question(sentence) and not is_greeting(sentence)
    )
