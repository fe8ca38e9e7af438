"""What a text claims, as far as its words show, and whether two texts can claim the same. Pure.

Vectors bring together what speaks of the same thing; they keep neither 45 days and 30 days apart, nor Basel and Lyon,
nor "eats meat" and "does not eat meat". So of two texts that are close in meaning the words are looked at as well.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from reflection.planner import contrasts
from reflection.planner.deeds import doing_each_other_s
from reflection.planner.kin import of_kin, of_kin_alone
from reflection.planner.owners import strange_to
from reflection.planner.phrases import plain
from reflection.planner.refusals import Refusal, contents, refusals
from reflection.planner.roles import exchanged
from reflection.planner.stance import Stance, compared_with_another, stance
from reflection.planner.stems import is_hangul, lacking, same_stem
from reflection.planner.tellers import teller
from reflection.summarizer.applause import is_applause
from reflection.summarizer.courtesies import is_courtesy
from reflection.summarizer.sentences import says_something, split, without_called
from reflection.summarizer.stop_words import STOP_WORDS
from reflection.summarizer.words import is_run, tokens

COMMON = 2  # words that two sentences share at least
SHARE = 0.4  # of the words of the shorter sentence, likewise
TOLD = 0.7  # of the words of a statement that each row tells
SWAPPED = 0.12  # how far apart texts may be, times their words, that differ in one word: bought and purchased

_WITHIN = re.compile(r"(?:(?<=[^\W_]\s)|(?<=,\s))[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f]\w+")
_CALLED = re.compile(
    r"([\u3400-\u4dbf\u4e00-\u9fff]{1,4}|[\u30a1-\u30fa\u30fc]{2,8})(?:さん|様|氏|くん|君|ちゃん|先生)"
)
_JAPANESE_TOPIC = re.compile(r"([\u3400-\u4dbf\u4e00-\u9fff]{2,}|[\u30a1-\u30fa\u30fc]{2,})(?:は|が)")
_KOREAN_TOPIC = re.compile(r"(?:^|\s)([\uac00-\ud7af]{2,})(?:은|는)(?=\s)")
_ILL = re.compile(r"all?[eé]rg|intoleran|coeliac|cel[ií]ac|アレルギー|알레르기|알러지", re.IGNORECASE)
_GERMAN_WORDS = """
    und der ist eine nicht ich wir dem für mit auf zum zur
"""
_GERMAN = frozenset(_GERMAN_WORDS.split())  # its nouns have capitals, so these say nothing of names


@dataclass(frozen=True)
class Claim:
    """One text, its parts that can be held against another's, and whom it names as its speaker."""

    text: str
    teller: str = ""
    only_asks: bool = False

    @cached_property
    def tokens(self) -> list[str]:
        """Its case-folded words and unspaced runs."""
        return tokens(plain(self.text))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """What carries news, in order and without repeats: no function words, of Japanese no hiragana."""
        return tuple(dict.fromkeys(word for token in self.tokens for word in contents(token)))

    @cached_property
    def sentences(self) -> list[Sentence]:
        """Each sentence that has news."""
        return [found for found in map(sentence, split(self.text)) if found.news]

    @cached_property
    def names(self) -> frozenset[str]:
        """The words that have a capital within a sentence; in Japanese and Korean persons and topics."""
        german = not _GERMAN.isdisjoint(self.tokens)
        spelt = set() if german else {found.casefold() for found in _WITHIN.findall(self.text)}
        told = (*_CALLED.findall(self.text), *_JAPANESE_TOPIC.findall(self.text), *_KOREAN_TOPIC.findall(self.text))
        return frozenset((spelt - STOP_WORDS) | set(told))

    @cached_property
    def numbers(self) -> frozenset[int]:
        """Its whole numbers."""
        return contrasts.numbers(self.text, self.tokens)

    @cached_property
    def values(self) -> frozenset[contrasts.Value]:
        """Days, sides, colours, opposites that it names."""
        return contrasts.values(self.tokens)

    @cached_property
    def refusals(self) -> list[Refusal]:
        """What it denies."""
        return refusals(self.text)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: its news, and how it is meant."""

    news: tuple[str, ...]
    stance: Stance

    def meant_as(self, other: Sentence, *, of_one: bool) -> bool:
        """Whether both are meant alike. What is heard counts as said where both are `of_one` named person or thing."""
        return self.stance.agrees(other.stance) and (of_one or self.stance.heard == other.stance.heard)

    def tells(self, statement: Sentence) -> bool:
        """Whether it says enough of a statement, and means it so."""
        return tells(self.news, statement.news) and self.stance.agrees(statement.stance)


def sentence(text: str) -> Sentence:
    """What one sentence says, and how."""
    return Sentence(news(text), stance(text))


@lru_cache(maxsize=20_000)
def news(sentence: str) -> tuple[str, ...]:
    """What could be held for true later: words of `sentence` that neither call somebody nor applaud."""
    return tuple(word for word in Claim(without_called(sentence)).words if not is_applause(word))


def of(text: str) -> Claim:
    """The claim of the sentences in `text` that say something; of all of it where none does."""
    told = [sentence for sentence in split(text) if says_something(sentence) and not is_courtesy(sentence)]
    return Claim(" ".join(told) or text, teller(text), only_asks=not told)


def agree(one: Claim, other: Claim, alike: float) -> bool:
    """Whether two texts that are `alike` in meaning (0..1, from the model's floor) say the same.

    A sentence of each has enough words in common with one of the other, and nothing sets them at odds. Who only asks or
    greets agrees with none who tells, lest a question takes the place of a telling.
    """
    if one.only_asks != other.only_asks or _other_numbers(one, other) or not _about_the_same(one, other):
        return False
    return not at_odds(one, other, alike)


def at_odds(one: Claim, other: Claim, alike: float) -> bool:
    """Whether two texts cannot claim the same, for all that they are `alike` in meaning.

    They name different speakers, one is meant otherwise, compares with another or speaks of kin alone, each has a
    number or a name that the other lacks, they name different values of one kind, two names change their parts or what
    they do, one denies what the other says, or they are the same but for one word and less alike than other words for
    the same thing are.
    """
    if _other_numbers(one, other) or (one.teller and other.teller and one.teller != other.teller):
        return True
    if contrasts.contradict(one.values, other.values) or (_foreign(one, other) and _foreign(other, one)):
        return True
    if (
        _otherwise_meant(one, other)
        or compared_with_another(one.text, other.text)
        or of_kin_alone(one.text, other.text)
    ):
        return True
    if _parts_exchanged(one, other) or _of_what_is_ones(one, other) or _of_what_is_ones(other, one):
        return True
    denying = (_denies(one, other), _denies(other, one))
    return True in denying or denying == (None, None) or _swapped(one, other, alike)


def bears_out(some: Sequence[str], others: Sequence[str]) -> bool:
    """Whether two sentences, given as their news, have enough in common to be about the same."""
    shorter = min(len(some), len(others))
    return shorter >= COMMON and len(some) - len(lacking(some, others)) >= max(COMMON, SHARE * shorter)


def tells(sentence: Sequence[str], statement: Sequence[str]) -> bool:
    """Whether a sentence says enough of a statement, both given as their news."""
    common = len(statement) - len(lacking(statement, sentence))
    return common >= max(COMMON, TOLD * len(statement))


def _other_numbers(one: Claim, other: Claim) -> bool:
    return bool(one.numbers - other.numbers and other.numbers - one.numbers)


def _foreign(one: Claim, other: Claim) -> bool:
    """Whether `one` names something that stands nowhere in the other."""
    return any(name not in other.text.casefold() for name in one.names)


def _denies(one: Claim, other: Claim) -> bool | None:
    """Whether `one` denies words that the other says without denying them; None where it does so only aside.

    No peanuts for whom they make ill: what is refused there bears the illness out.
    """
    if not one.refusals:
        return False
    near = {word for refusal in other.refusals for word in refusal.near}
    said = [word for word in other.words if word not in near]
    both_ill = _ILL.search(one.text) is not None and _ILL.search(other.text) is not None
    found = [
        refusal.aside
        for refusal in one.refusals
        if not (both_ill and not _ILL.search(" ".join(refusal.words)))
        and all(any(_form(word, stem) for word in said) for stem in refusal.words)
    ]
    return (True if False in found else None) if found else False


def _form(word: str, stem: str) -> bool:
    """Whether `word` is a form of what is denied; in Korean the last letter is an ending, and melts a vowel."""
    if not is_hangul(stem):
        return word.startswith(stem) if is_run(stem) else same_stem(word, stem)
    if len(stem) > 2 and stem.endswith("지"):
        return unicodedata.normalize("NFD", word).startswith(unicodedata.normalize("NFD", stem[:-1])[:-1])
    return word.startswith(stem[:-1] or stem)


def _otherwise_meant(one: Claim, other: Claim) -> bool:
    """Whether what they have in common is meant otherwise: intended and done, said and heard, still so and over."""
    pairs = _about_the_same(one, other)
    said, heard = one.text.casefold(), other.text.casefold()
    of_one = any(name in said and name in heard for name in one.names | other.names)
    return bool(pairs) and not any(a.meant_as(b, of_one=of_one) for a, b in pairs)


def _parts_exchanged(one: Claim, other: Claim) -> bool:
    """Whether one text says nothing new, only of whom it is said; or two names each do what the other one does."""
    if doing_each_other_s(one.text, other.text):
        return True
    return exchanged(one.text, other.text) and not (lacking(one.words, other.words) and lacking(other.words, one.words))


def _of_what_is_ones(one: Claim, other: Claim) -> bool:
    """Whether `one` says of something that is somebody's what the other says of that person, who has no such thing."""
    strange = [what for what in strange_to(one.text, other.text) if not of_kin(what)]
    return bool(lacking(strange, other.words)) and len(lacking(other.words, one.words)) <= 1


def _about_the_same(one: Claim, other: Claim) -> list[tuple[Sentence, Sentence]]:
    """Each sentence of `one` with each of the other that has enough words in common with it."""
    return [(a, b) for a in one.sentences for b in other.sentences if bears_out(a.news, b.news)]


def _swapped(one: Claim, other: Claim, alike: float) -> bool:
    """Whether they are the same words in the same order but for one, and that one means something else."""
    if len(one.words) != len(other.words) or (1 - alike) * len(one.words) <= SWAPPED:
        return False
    return sum(not same_stem(a, b) for a, b in zip(one.words, other.words, strict=True)) == 1
