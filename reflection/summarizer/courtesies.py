"""How much of a sentence is courtesy: greeting, thanking, taking leave, opening a meeting. Pure.

Small lists for the languages the console speaks. A word of `_PLAIN` is a courtesy wherever it stands; a word of
`_AROUND` only counts beside one, for "short", "time" or "everyone" say something of their own elsewhere.
"""

from __future__ import annotations

import re

from reflection.summarizer.stop_words import STOP_WORDS
from reflection.summarizer.words import is_run, tokens

COURTEOUS = 0.4  # share of the words from which a sentence counts as a courtesy

_PLAIN_WORDS = """
    hi hey hello hiya howdy bye goodbye thanks thank cheers thx welcome congrats congratulations sorry
    olá oi tchau obrigado obrigada obrigados parabéns abraço abraços
    hola adiós adios gracias saludos felicidades bienvenidos bienvenidas
    bonjour salut merci hallo danke tschüss
"""
_AROUND_WORDS = """
    everyone everybody folks guys team joining coming attending taking short notice time today tonight call meeting
    helping help support kind kindness words family kids
    pessoal gente equipe turma todos todas presença tempo hoje reunião participar ajuda família
    equipo conectarse conectaros asistir acompañarnos venir tiempo hoy reunión ayuda nombre familia
"""
_PLAIN = frozenset(_PLAIN_WORDS.split())
_AROUND = frozenset(_AROUND_WORDS.split())
_PHRASES = re.compile(
    r"\b(?:good (?:morning|afternoon|evening|night)|nice to (?:meet|see) you|good to see you|take care|see you"
    r"|(?:give|send) (?:my|our) (?:love|regards|best)|say (?:hi|hello) to|get well soon|get home safe(?:ly)?"
    r"|safe (?:trip|journey|travels|flight)|boa viagem|buen viaje|as melhoras|(?:que te |te )mejores|te mejoras"
    r"|saludos a|manda(?:r|me)? (?:um abraço|saludos)|dale (?:saludos|recuerdos)|recuerdos a|cumprimentos a"
    r"|let'?s (?:start|begin|get started|kick off)"
    r"|bom dia|boa tarde|boa noite|até (?:logo|amanhã|mais)|prazer em|vamos (?:começar|iniciar)"
    r"|buen[oa]s (?:días|tardes|noches)|hasta (?:luego|mañana|pronto)|mucho gusto|(?:vamos a|podemos) empezar"
    r"|empecemos|comencemos|guten (?:morgen|tag|abend)|bonne (?:soirée|journée))\b",
    re.IGNORECASE,
)
_HANGUL = re.compile(r"[\uac00-\ud7af]+")
_KOREAN = re.compile(
    r"안녕(?:하|히)?\w*|감사(?:합|드|해|했)\w*|고(?:맙|마[워운])\w*|반갑\w*|수고\w+|죄송\w*|시작하(?:겠|죠|시죠)\w*|잘부탁\w*|부탁드\w*"
)
_KOREAN_AROUND = re.compile(
    r"바쁘(?:신|실)\w*|시간을?|내|내어|주셔서|주신|와|참석\w*|여러분\w*|오늘|오늘은|오늘도|많으셨\w*|잘|정말|모두|다들"
)
_RUNS = re.compile(
    r"お世話になっ\w*|(?:どうぞ)?(?:よろしく|宜しく)(?:お願い|おねがい)?\w*|おはよう(?:ございます)?|こんにちは|こんばんは"
    r"|(?:誠に|どうも)?(?:ありがとう|有難う)\w*|お疲れ(?:さま|様)\w*|おやすみ\w*|お忙しい(?:中|ところ)|さようなら|失礼(?:いた|し)\w*|おめでとう\w*"
    r"|それでは|(?:会議を)?始めま(?:しょう|す)|皆(?:さん|様)|みなさん"
    r"|大家好|你好|您好|早上好|下午好|晚上好|谢谢\w{0,4}|謝謝\w{0,4}|感谢\w{0,6}|感謝いたし\w*|再见|再見|辛苦了?|恭喜"
)
_RUNS_AROUND = re.compile(r"(?:本日|今日|今回)[はも]?|お時間を?|いただき|頂き|大家|各位|参加|今天")


def courtesy_share(sentence: str) -> float:
    """The share of courtesies in the words of `sentence` that are no function words, 0 to 1; 0 without any."""
    text = " ".join(sentence.replace("’", "'").split())
    rest = _PHRASES.sub(" ", text)
    plain = sum(2.0 for _ in _PHRASES.finditer(text))
    around, other = 0.0, 0.0
    for token in tokens(rest):
        found = _run(token) if is_run(token) and not _HANGUL.fullmatch(token) else _word(token)
        plain, around, other = plain + found[0], around + found[1], other + found[2]
    return (plain + around) / (plain + around + other) if plain else 0.0


def _word(token: str) -> tuple[float, float, float]:
    """One word as (courtesy, courtesy beside one, anything else)."""
    if token in _PLAIN or _KOREAN.fullmatch(token):
        return 1.0, 0.0, 0.0
    if token in _AROUND or _KOREAN_AROUND.fullmatch(token):
        return 0.0, 1.0, 0.0
    return 0.0, 0.0, 0.0 if token in STOP_WORDS else 1.0


def _run(token: str) -> tuple[float, float, float]:
    """A run of a script without spaces, two characters for one word."""
    plain = sum(len(found.group()) for found in _RUNS.finditer(token))
    around = sum(len(found.group()) for found in _RUNS_AROUND.finditer(_RUNS.sub(" ", token)))
    return plain / 2, around / 2, (len(token) - plain - around) / 2


def is_courtesy(sentence: str) -> bool:
    """Whether it is courtesy for the most part, so that no summary needs it. With a number in it, it is none."""
    return not any(c.isdigit() for c in sentence) and courtesy_share(sentence) >= COURTEOUS
