"""Whether a sentence denies what its sources affirm, or affirms what they deny, clause by clause. Pure.

"The deploy does not run on Thursdays" has all its words from "The deploy runs on Thursdays". So each clause is held
against the clauses of the sources that are nearest to it in words: who denies needs one that denies as well, or hints
at it, as "failed to" does, and the other way round. Small lists for the languages the console speaks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reflection.summarizer.stop_words import ENGLISH, PORTUGUESE, SPANISH
from reflection.summarizer.words import fold, is_run, stem, tokens, units

NEAR = 0.5  # of the words of a clause, which another one shares that is compared with it
LEAST = 2  # words of a clause; a shorter part belongs to the one beside it

_PARTS = re.compile(r"[,;:()–—、，；：]+|\b(?:and|but|because|so|while|y|pero|porque|e|mas)\b", re.IGNORECASE)
_WORDS = (
    "not|never|without|neither|nor|none|nobody|nothing|nowhere|cannot|[a-z]+n't"
    "|(?:do|does|did|is|are|was|were|has|have|had|ca|wo|would|could|should)nt"
    "|nao|nunca|sem|jamais|nem|nenhum|nenhuma|nenhuns|nenhumas|ninguem"
    "|sin|jamas|ni|ningun|ninguno|ninguna|nadie|tampoco"
)
_BEHIND = (  # what Japanese and Korean put behind the verb, or before it
    "ない(?!か)|なかった|なく|ません|ずに|않|(?<![잘연])못|없|아니(?:다|라|고|에요|었|며)|아닙|아닌"
    r"|(?<![\uac00-\ud7af])안(?=\s)|지 (?:마|말)"
)
_DENIAL = re.compile(rf"\b(?:{_WORDS})\b|{_BEHIND}")
_NO = re.compile(r"\bno\b")  # in Portuguese it is "in the"
_NO_DENIAL = re.compile(  # must, may be, only, surely, few
    r"\bnot (?:only|just)\b|\bno doubt\b|\bnao so\b|\bno solo\b|\bsem duvida\b|\bsin duda\b"
    r"|(?:なければ|なくては|なくちゃ|なきゃ|ないと)(?:なら|いけ)?(?:ない|ません|なかった)?"
    r"|かもしれ(?:ない|ません|なかった)|違い(?:ない|なく|ありません)|申し訳(?:ない|ありません)|もったいない"
    r"|(?:少|危|すく|あぶ)な(?:い|く|かった)|(?:間も|まも)なく|しか.{0,8}?(?:ない|ません|なかった)"
    r"|지 않으면 안 ?[되돼된될됩]\w*|틀림없\w*|수밖에 없\w*|상관없\w*"
)
_HINT = re.compile(
    r"\b(?:fail(?:s|ed|ing|ure)?|lack(?:s|ed|ing)?|refus(?:e|es|ed|al)|declin(?:e|es|ed)|reject(?:s|ed)?"
    r"|stop(?:s|ped)?|miss(?:es|ed|ing)?|unable|hardly|barely|rarely|seldom|only|nada"
    r"|falh(?:a|am|ou|aram)|falt(?:a|am|an|ou|o|aram|aron)|recus(?:a|ou|aram)|deix(?:a|ou|aram) de|so"
    r"|fall(?:a|an|o|aron)|rechaz(?:a|o|aron)|neg(?:ou|o|aron|aram)|dej(?:a|o|aron) de|solo)\b"
    r"|[不未無非]|失敗|やめ|止め|なし|だめ|ダメ|ず(?=[、。に]|$)|だけ|실패|거절|거부|중단|그만|불가|모르|몰라|만 "
)
PORTUGUESE_LOOKS = re.compile(r"[ãõçâêô]|[ln]h[aeo]|\b\w+[^y\W]ou\b|\b(?:o|os|da|das|do|em|na|um|uma|ao|às|com|é|e)\b")
SPANISH_LOOKS = re.compile(r"ñ|\b(?:el|los|las|y|en|del|al|una|es)\b")
_ENGLISH_ALONE = ENGLISH - PORTUGUESE - SPANISH - {"a"}
_HIRAGANA = re.compile(r"[\u3041-\u3096]")
_HANGUL = re.compile(r"[\uac00-\ud7af]+")


@dataclass(frozen=True, slots=True)
class Clause:
    """What one clause is about, whether it denies, and whether it may be read so."""

    words: frozenset[str]
    denies: bool
    hints: bool

    def agrees(self, other: Clause) -> bool:
        """Whether neither denies what the other affirms."""
        return (other.hints or not self.denies) and (self.hints or not other.denies)


def no_denies(text: str) -> bool:
    """Whether "no" is a denial in `text`: it looks more Spanish or English than Portuguese, where it is "in the"."""
    words = tokens(text)
    folded, english = " ".join(words), sum(word in _ENGLISH_ALONE for word in words)
    return max(len(SPANISH_LOOKS.findall(folded)), english) > len(PORTUGUESE_LOOKS.findall(folded))


def clauses(sentence: str, *, no: bool) -> list[Clause]:
    """The clauses of a sentence; `no` says whether that is a denial in its language."""
    texts: list[str] = []
    for part in _PARTS.split(sentence):
        if texts and (len(_words(part)) < LEAST or len(_words(texts[-1])) < LEAST):
            texts[-1] = f"{texts[-1]} {part}"
        else:
            texts.append(part)
    return [_clause(text, no) for text in texts]


def contradicts(sentence: Sequence[Clause], sources: Sequence[Clause]) -> bool:
    """Whether some clause of a sentence has its opposite in the clauses of the sources that are nearest to it."""
    return any(near and not any(map(clause.agrees, near)) for clause in sentence for near in [_near(clause, sources)])


def _near(clause: Clause, sources: Sequence[Clause]) -> list[Clause]:
    """Those of `sources` that share most with `clause`, of all the words of both; none where little is shared."""
    shares = [
        (len(common) / len(clause.words | other.words), other)
        for other in sources
        if (common := clause.words & other.words) and len(common) >= NEAR * len(clause.words)
    ]
    most = max((share for share, _ in shares), default=0.0)
    return [other for share, other in shares if share == most]


def _clause(text: str, no: bool) -> Clause:
    plain = _NO_DENIAL.sub(" ", fold(text).replace("’", "'"))
    denies = _DENIAL.search(plain) is not None or (no and _NO.search(plain) is not None)
    return Clause(_words(text), denies, denies or _HINT.search(plain) is not None)


def _words(text: str) -> frozenset[str]:
    """What a clause is about, whatever the endings: stems, beginnings of Korean words, of Japanese no hiragana."""
    told = {unit if is_run(unit) else stem(unit.removesuffix("s")) for unit in units(text) if not _HANGUL.search(unit)}
    korean = {word[:2] for word in _HANGUL.findall(text)}
    return frozenset(word for word in told | korean if not (_HIRAGANA.search(word) or _DENIAL.search(fold(word))))
