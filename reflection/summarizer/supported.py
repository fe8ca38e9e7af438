"""Whether a text that a model wrote rests on its sources, sentence by sentence. Pure.

A model reads what anybody wrote into memories and may obey it. So a text with the form of a document, with an address,
number, date or name that is not in the sources, or that speaks to whoever reviews it (though a memory does so too),
does not stand at all. Of any other, a sentence stands where half of its informative words are theirs and it neither
denies what they affirm nor affirms what they deny; one in another language has none of these words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from reflection.summarizer import Source, denials
from reflection.summarizer.sentences import split
from reflection.summarizer.stop_words import STOP_WORDS
from reflection.summarizer.words import fold, is_run, stem, units

SUPPORTED = 0.5  # of the informative words of a sentence
SUPPORTED_PAIRS = 0.4  # of the pairs of letters of a script without spaces: a change of ending changes several
_FORM = re.compile(
    r"^\s*(?:#{1,6}|[-*+>|•]|\d{1,3}[.)])\s|^\s*(?:```|~~~|---|===|\*\*|__)|</?[a-z!][^>]*>|\]\(", re.M | re.I
)
_LABEL = re.compile(
    r"^\s*(summary|record|title|note|report|output|answer|resumo|resumen|要約|摘要|요약|system|assistant|user)\s*[:：]",
    re.M | re.I,
)
_ADDRESS = re.compile(
    r"[a-z][a-z0-9+.-]*://\S+|\b(?:mailto|javascript|data):\S+|[\w.+-]+@[\w-]+\.\w+|\b(?:[a-z0-9-]+\.)+[a-z]{2,}(?:/\S*)?",
    re.I,
)
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_DIGITS = re.compile(r"\d+")
_NAME = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_TO_REVIEWER = re.compile(
    r"\bmemory reflect report\b|\b(?:dry run|audit records?|near misses|boundary|policy)\s*:"
    r"|\bapprov(?:e|ed|ing)\s+(?:all|every|each|this|these|it|the (?:plan|pass|summary|candidates?))\b"
    r"|\b(?:ignore|disregard|forget)\s+(?:all |any |the |your |these |previous |prior |above )+"
    r"(?:instructions?|rules?|prompts?|log|notes?|memories)\b"
    r"|\b(?:aprov[ea]r?|aprueb[ea]n?|aprobar)\s+(?:tudo|todo|todos|todas)\b|\b(?:ignor[ea]r?|ignoren?)\s+(?:as|las|todas)\b"
    r"|すべて(?:を)?承認|全て(?:を)?承認|指示を無視|모두 승인|지시를? 무시|全部批准|忽略.{0,6}指令",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Ground:
    """What the sources say, ready to be compared with."""

    sources: Sequence[Source]
    text: str = field(init=False)
    words: frozenset[str] = field(init=False)
    stems: frozenset[str] = field(init=False)
    numbers: frozenset[str] = field(init=False)
    no: bool = field(init=False)  # it is a denial in their language
    clauses: Sequence[denials.Clause] = field(init=False)

    def __post_init__(self) -> None:
        """Speakers and moments are what the model is told as well."""
        said = "\n".join(f"{source.speaker} {source.text}" for source in self.sources)
        days = "\n".join(f"{source.at:%B %b %A %a}" for source in self.sources)
        words = frozenset(units(f"{said}\n{days}"))
        moments = {
            str(part)
            for source in self.sources
            for at in (source.at,)
            for one in (at.year, at.month, at.day, at.hour, at.hour % 12 or 12, at.minute)
            for part in (one, f"{one:02d}")
        }
        object.__setattr__(self, "text", fold(said))
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "stems", frozenset(map(stem, words)))
        object.__setattr__(self, "numbers", frozenset(_DIGITS.findall(_plain(said))) | moments)
        object.__setattr__(self, "no", denials.no_denies(said))
        told = (sentence for source in self.sources for sentence in split(source.text))
        object.__setattr__(self, "clauses", [clause for sentence in told for clause in self.clauses_of(sentence)])

    def clauses_of(self, sentence: str) -> list[denials.Clause]:
        """The clauses of a sentence in the language of the sources."""
        return denials.clauses(sentence, no=self.no)

    def knows(self, word: str) -> bool:
        """Whether the sources have the word, or another form of it."""
        return word in self.words or (not is_run(word) and stem(word) in self.stems)


def unsupported(text: str, ground: Ground) -> str:
    """Why nothing of `text` may stand, in a few words; nothing where it may."""
    speakers, plain = {fold(source.speaker) for source in ground.sources}, _plain(text)
    if _FORM.search(plain) or any(fold(label) not in speakers for label in _LABEL.findall(plain)):
        return "its answer has headings, lists, labels or markup"
    if _TO_REVIEWER.search(plain):
        return "its answer speaks to whoever reviews it"
    if any(fold(found) not in ground.text for found in _ADDRESS.findall(text)):
        return "its answer holds an address that is in no memory"
    if any(not _number_known(found, ground) for found in _NUMBER.findall(plain)):
        return "its answer holds a number that is in no memory"
    if any(not ground.knows(name) for sentence in split(text) for name in _names(sentence)):
        return "its answer holds a name that is in no memory"
    return ""


def _plain(text: str) -> str:
    """As a reader sees it: letters and signs of any width alike, none that is invisible."""
    return "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf")


def _number_known(found: str, ground: Ground) -> bool:
    """Word for word, or for a date or time written another way, part by part."""
    if re.search(rf"(?<![\d]){re.escape(fold(found))}(?!\d)", ground.text):
        return True
    parts = _DIGITS.findall(found)
    fraction = len(parts) == 2 and re.search(r"[.,]", found) is not None
    return not fraction and all(part in ground.numbers or part.lstrip("0") in ground.numbers for part in parts)


def _names(sentence: str) -> Iterator[str]:
    """Capitalised words that do not only open the sentence, folded as words are."""
    for found in list(_NAME.finditer(sentence))[1:]:
        word = found.group()
        if word[0].isupper() and word.casefold() not in STOP_WORDS:
            yield from units(word)


def borne_out(sentence: str, ground: Ground) -> bool:
    """Whether enough of its informative words are in the sources, and nothing of it contradicts them.

    The words of each kind of script count for themselves.
    """
    said = list(dict.fromkeys(units(sentence)))
    for share, words in (
        (SUPPORTED, [word for word in said if not is_run(word)]),
        (SUPPORTED_PAIRS, [word for word in said if is_run(word)]),
    ):
        if sum(map(ground.knows, words)) < share * len(words):
            return False
    return not denials.contradicts(ground.clauses_of(sentence), ground.clauses)
