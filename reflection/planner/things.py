"""What a text speaks of, as far as grammar shows it: its nouns. Pure.

In English, Portuguese and Spanish the word after an article or a preposition; in Japanese the piece before a
particle; in Korean the word that ends in one. There is no list of nouns: what the rules do not see is no thing.
"""

from __future__ import annotations

import re
from functools import lru_cache

from reflection.planner.contrasts import values_of
from reflection.planner.refusals import contents, says_in_the
from reflection.summarizer.words import is_run, tokens

_BEFORE_WORDS = """
    the a an my our your his her its their this that these those some any no every each all both of in on at by for from
    with without near behind under over between into onto beside about after before during until since through across
    above below around
    o a os as um uma uns umas do da dos das no na nos nas ao à aos às pelo pela pelos pelas de em com sem por para num
    numa meu minha meus minhas nosso nossa nossos nossas seu sua seus suas este esta esse essa aquele aquela cada todo
    toda todos todas
    el la los las un una unos unas del al en con sin mi mis tu tus su sus nuestro nuestra nuestros nuestras ese esa
    aquel aquella
"""
_BEFORE = frozenset(_BEFORE_WORDS.split())
_VERBAL = re.compile(r"(?:ir|\w{2,}(?:[aei]r(?:l[aeo]s?|se|nos|me|te)?|ing))$")
_JAPANESE = re.compile(
    r"([\u3400-\u4dbf\u4e00-\u9fff々]+|[\u30a1-\u30fa\u30fc]+)(?:さん|君|くん|ちゃん|たち)?"
    r"(?=は|が|を|の|に(?!な)|で|へ|と|も|や|から|まで|より|だ(?!っ)|[、。」]|$)"
)
_HANGUL = re.compile(r"[\uac00-\ud7af]+")
_PARTICLE = re.compile(
    r"(?<=.)(?:에서|으로|까지|부터|에게|한테|이랑|하고|은|는|이|가|을|를|의|도|와|과|에|로|만|보다)$"
)
_AFTER_CONSONANT = frozenset(("은", "을", "이", "과", "으로"))
_AFTER_VOWEL = frozenset(("는", "를", "가", "와"))
_FORMAL_WORDS = """
    時 中 前 後 事 方 際 所 物 者 為 頃 今 毎日 必要 予定
    때문 동안 뒤 수 때 중 후 전 것 거 게 걸 곳 데 줄 안 필요 예정 년 월 달 주 일 시 분 명 개 번 살 권 층 원
"""
_FORMAL = frozenset(_FORMAL_WORDS.split())  # nouns that only join sentences or count


@lru_cache(maxsize=20_000)
def things(text: str) -> frozenset[str]:
    """The nouns of `text`, case-folded, without their particles."""
    told = {*_spaced(text), *_JAPANESE.findall(text), *map(_korean, _HANGUL.findall(text))}
    return frozenset(told - _FORMAL - {""})


def _spaced(text: str) -> set[str]:
    words = tokens(text)
    refusing = "no" if "no" in words and not says_in_the(text) else ""
    pairs = ((before, word) for before, word in zip(words, words[1:], strict=False) if before != refusing)
    return {part for before, word in pairs if _is_noun(before, word) for part in contents(word)}


def _is_noun(before: str, word: str) -> bool:
    """Whether `word` is one, for all that the word before it says. After English `to` a verb has no `s`."""
    if is_run(word) or word.isdigit() or word in _BEFORE or values_of(word):
        return False
    if before in _BEFORE:
        return not _VERBAL.match(word)
    return before == "to" and word.endswith("s") and not word.endswith("ss")


def _korean(word: str) -> str:
    """The noun before a particle, which has two forms; empty where the letter before says that it is none."""
    found = _PARTICLE.search(word)
    if not found:
        return ""
    noun, particle = word[: found.start()], found.group()
    closed = (ord(noun[-1]) - 0xAC00) % 28 != 0
    wrong = _AFTER_VOWEL if closed else _AFTER_CONSONANT
    return "" if particle in wrong else noun
