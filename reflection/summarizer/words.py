"""The informative words of a text, whatever its script. Pure.

Spaced scripts give words; runs of a script without spaces (Han, kana, Thai, Lao, Khmer, Burmese) and Hangul give
overlapping pairs of characters. Function words earn nothing: small lists for the languages the console speaks, pure
hiragana and common Chinese particles by script.
"""

from __future__ import annotations

import re
import unicodedata

_RUN = r"\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u109f\u1780-\u17d3"
_TOKEN = re.compile(rf"[{_RUN}]+|(?:(?![{_RUN}])[^\W_])+(?:['’](?:(?![{_RUN}])[^\W_])+)*")
_RUN_START = re.compile(rf"[{_RUN}]")
_HIRAGANA = re.compile(r"[\u3041-\u3096\u30fc]+")
_PARTICLES = frozenset("的了是在我你他她它们这那和就都也不有吗呢吧啊很个与及")

STOP_WORDS = frozenset(
    # English
    """a about above after again against all also am an and any are aren't around as at back be because been before being
    below between both but by can can't cannot could couldn't did didn't do does doesn't doing don don't down during each
    even ever every few for from further get gets getting give go goes going gonna gone got had hadn't has hasn't have
    haven't having he he'd he'll he's her here hers herself him himself his how however i i'd i'll i'm i've if in into is
    isn't it it'd it'll it's its itself just kind know let let's like lot lots made make makes many may maybe me might
    more most much must my myself never no nor not now of off oh ok okay on once one only or other our ours ourselves out
    over own pretty quite really said same say says she she'd she'll she's should shouldn't so some something sure
    still such take than that that'd that's the their theirs them themselves then there there's these they they'd
    they'll they're they've thing things think this those though through to too under until up us very want was wasn't
    way we we'd we'll we're we've well went were weren't what what's when when's where where's which while who who's whom
    why will with won't would wouldn't wow yeah yes yet you you'd you'll you're you've your yours yourself"""
    # Portuguese
    """ ao aos aquela aquele aquilo as até com como da das de dela dele deles depois do dos e ela elas ele eles em entre
    era essa esse esta está estava este eu foi foram há isso isto já lá lhe mais mas me mesmo meu minha muito na nas
    nem no nos nossa nosso num numa não nós o os ou para pela pelo por porque qual quando que quem se sem ser seu seus
    só sua suas também te tem tinha tive um uma uns vai você vocês à às é são"""
    # Spanish
    """ al algo antes aquel aquella así aún con contra cual cuando de del desde donde dos el él ella ellas ellos en entre
    era eran es esa ese eso esta está están este esto fue fueron ha había han hasta hay la las le les lo los me mi mis
    mucho muy más ni no nos nosotros o para pero por porque que quien qué se ser si sí sin sobre son su sus también te
    tengo tiene todo tu tus tú un una uno unos usted y ya yo"""
    # French
    """ au aux avec c'est ce ces cette dans des du elle elles en est et eux il ils j'ai je la le les leur lui ma mais mes
    moi mon ne nos notre nous on ont ou par pas pour qu que qui sa ses son sont sur ta te tes toi tu un une vos votre vous"""
    # German
    """ aber als am an auch auf aus bei bin bis bist da das dass dem den der des die doch du ein eine einem einen einer er
    es für haben hat hatte ich ihr im in ist ja kann mein mich mir mit nach nicht noch nur oder schon sehr sich sie sind
    so und uns vom von vor war was wenn wer wie wir wird zu zum zur über""".split()
)


def fold(text: str) -> str:
    """NFKC, case folded, accents off, white space collapsed: equal meaning of letters compares equal."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    kept = "".join(c for c in plain if not unicodedata.combining(c) or "\u3099" <= c <= "\u309a")
    return " ".join(unicodedata.normalize("NFC", kept).split())


def tokens(text: str) -> list[str]:
    """Case-folded words and unspaced runs, in order."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold().replace("’", "'"))


def units(text: str) -> list[str]:
    """The informative units of `text` in order, repeats kept: words that are no stop words, and character pairs."""
    found: list[str] = []
    for token in tokens(text):
        if _RUN_START.match(token):
            found.extend(_pairs(token))
        elif token not in STOP_WORDS and (len(token) > 1 or token.isdigit()):
            found.append(token.removesuffix("'s"))
    return found


def _pairs(run: str) -> list[str]:
    pairs = [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    return [pair for pair in pairs if not _HIRAGANA.fullmatch(pair) and not set(pair) <= _PARTICLES]


def word_count(text: str) -> int:
    """How many words a reader would count; two characters of an unspaced script stand for one."""
    return sum((len(token) + 1) // 2 if _RUN_START.match(token) else 1 for token in tokens(text))
