"""How a sentence stands to what it says: as heard from somebody, as intended, as over, as to come or as done. Pure.

"Omar wants to sell the boat", "Omar sold the boat" and "Tom says that his brother sold the boat" have their words in
common and are three different things. Small lists for the languages the console speaks; a sentence without any of these
words is plain.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_CAPITAL = r"[A-Z\u00c0-\u00de]"
_HEARD = re.compile(
    r"\b(?:says?|said|claims?|claimed|told|heard|reportedly|apparently)\b|\b[Aa]ccording to\b"
    r"|\b(?:diz|dizem|disse|disseram|contou|ouvi dizer)\b|\b[Ss]egundo (?:[oa]s? )?"
    + _CAPITAL
    + r"|\b[Dd]e acordo com\b"
    r"|\b(?:dice|dicen|dijo|dijeron|contó)\b|\b[Ss]egún\b"
    r"|と言|といって|と話し|によると|によれば|らしい|と聞い"
    r"|고 (?:했|한다|해요|말|들)|말로는|에 따르면|대요|래요"
)
_MEANT = re.compile(
    r"\b(?:wants?|wanted|plans?|planned|hopes?|hoping|intends?|like) to\b|\bplanning (?:to|on)\b"
    r"|\b(?:might|maybe|perhaps|should|considers?|considering)\b|(?<=\w )may\b|\bthinking (?:of|about)\b"
    r"|\b(?:quer|querem|queria|pretende|pretendem|tenciona|gostaria de|pensa em) \w+[aeiouô]r(?:-se)?\b"
    r"|\b(?:talvez|devia|deveria|poderia)\b"
    r"|\b(?:quiere|quieren|quisiera|gustaría|piensa|piensan|planea|pretende) \w+[aeií]r(?:se)?\b"
    r"|\b(?:quizás?|tal vez|debería|podría)\b"
    r"|たい(?=[。、]|です|と|$)|つもり|かもしれ|べき|うと思"
    r"|고 싶|려고|려 한다|을까|할까"
)
_AGAIN_AND_AGAIN = re.compile(  # who always wants it so has a habit, and no intention
    r"\b(?:every|always|cada|sempre|siempre)\b|\btod[ao]s? (?:(?:os|as|los|las) )?(?:dias?|días?|segunda|terça|quarta"
    r"|quinta|sexta|sábado|domingo|lunes|martes|miércoles|jueves|viernes)"
    r"|毎[日週月年朝晩回]|いつも|매[일주달월년번]|마다|항상|늘 "
)
_OVER = re.compile(
    r"\b(?:no longer|used to|formerly|quit|ceased|g[ai]ven? up)\b|(?:\bnot|n't)\b.*\bany ?more\b"
    r"|\bstop(?:s|ped)? \w+ing\b"
    r"|\b[Jj]á não\b|\bnão\b.*\bmais\b(?! \w+ (?:do )?que)|\b[Dd]eix(?:a|ou|aram|ei|ar) de\b|\bdesist(?:e|iu|ir)\b"
    r"|\b(?:costumava|antigamente)\b"
    r"|\b[Yy]a no\b|\bdej(?:a|ó|aron|é|ar|ado) (?:de|el|la|los|las)\b|\bsol(?:ía|ían)\b"
    r"|もう.*(?:ない|ません|なく)|以前は|かつて|やめ|辞め"
    r"|이제.*(?:않|없|안 |아니)|더 이상|예전|그만두|그만뒀|끊"
)
_TO_COME = re.compile(
    r"\b(?:will|shall|going to)\b|'ll\b|\b(?:vai|vão|irá|irão)\b|\bvan? a\b|\w+[aei]rán?\b|予定|でしょう"
    r"|예정|[을를ㄹ할갈될] (?:것|거)|겠"
)
_DONE = re.compile(
    r"\b(?:was|were|did|didn't|had)\b|(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\bgets )\b\w{3,}ed\b"
    r"|\b\w+(?:ou|aram|eram|iram)\b|\b\w+(?:ó|aron|ieron)\b"
    r"|(?:た|ました)(?=[。」]|$)|[았었했였렸갔왔됐]다|[았었했였렸갔왔됐]어요"
)

_THAN = re.compile(
    r"\bthan (?:the )?(\w+)|\b(?:do )?que (?:el |la |o |a )?([A-Z\u00c0-\u00de]\w+)"
    r"|([\u3400-\u4dbf\u4e00-\u9fff]{1,4}|[\u30a1-\u30fa\u30fc]{2,8})より|([\uac00-\ud7af]+?)이?보다"
)


_DAY = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|hoje|amanhã|ontem|hoy|ayer|anoche)\b"
    r"|(?<!\bla )(?<!\bcada )(?<!\bde )(?<!\buna )\bmañana\b|今日|本日|明日|昨日|今夜|오늘|내일|어제",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Stance:
    """How a sentence is meant. `time` is "to come", "done" or, where nothing says so, empty."""

    heard: bool
    meant: bool
    over: bool
    time: str

    def agrees(self, other: Stance) -> bool:
        """Whether both can mean the same, whoever they have it from: intended or not, over or not, to come or done."""
        if (self.meant, self.over) != (other.meant, other.over):
            return False
        return {self.time, other.time} != {"to come", "done"}


@lru_cache(maxsize=20_000)
def stance(sentence: str) -> Stance:
    """How `sentence` is meant."""
    ahead, behind = _TO_COME.search(sentence), _DONE.search(sentence)
    return Stance(
        heard=_HEARD.search(sentence) is not None,
        meant=_MEANT.search(sentence) is not None and not _AGAIN_AND_AGAIN.search(sentence),
        over=_OVER.search(sentence) is not None,
        time="to come" if ahead else "done" if behind else "",
    )


def compared_with_another(one: str, other: str) -> bool:
    """Whether two texts compare with different ones: older than Ann, older than Bo."""
    than = [_compared(text) for text in (one, other)]
    return all(than) and than[0] != than[1]


def _compared(text: str) -> str:
    found = _THAN.search(text)
    return next(filter(None, found.groups()), "").casefold() if found else ""


def of_its_day(sentence: str) -> bool:
    """Whether `sentence` counts from the day it was said: three who say "tomorrow" speak of three days."""
    return _DAY.search(sentence) is not None
