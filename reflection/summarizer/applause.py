"""Words of applause, sympathy and encouragement: what people say to each other, whatever it is about. Pure.

They are no news: a sentence that has nothing beside them says nothing that could be held for true later. Small lists
for the languages the console speaks; a `*` ends the beginning of a word, letters of Han are looked for inside of words.
"""

from __future__ import annotations

import re

from reflection.summarizer.stop_words import STOP_WORDS
from reflection.summarizer.words import is_run, tokens

_SPACED = """
    absolutely agree* definitely grateful* joy* lucky thankful totally anything else something everything someone
    since ago crazy let's gonna wanna amazing appreciat* awesome beautiful believ* best better blast bless* brilliant
    catch chat* check cheer* congrat* cool cute deserv* difference dream* enjoy* encourag* epic everyone everybody
    excit* fabulous fantastic feel* felt fun funny glad goal* good gorgeous great guys haha happen* happy hard hear
    heart hey hi hope* hoping hug* impress* important incredibl* inspir* journey keep* kind lol look* lovely luck*
    mean* meant miss moment* neat need* news nice passion* people perfect pleasure photo* pic pics picture* positiv*
    post* proud push* reach* really relax* reward* rough share sharing sight sorry sound* special stay* strength
    strong stuff super support* sweet talent* talk* thank* together touch tough tremendous truly try trying
    understand* view wait* weekend* welcome wish* wonderful wow worth yay abraç* adore* adorei agradec* agradeç*
    ajuda* alegr* amável apoi* avisa* avise* bacana bem boa boas bom bons conversar desej* encant* feliz felizes fico
    fim força fotos gostei imenso incríve* legal lindo linda maravilh* ótim* orgulh* parabéns precis* prazer qualquer
    saudades semana sorte tenham agradezc* alegro alegra animo ánimo avísa* avisas bonito bonita buen buena buenas
    bueno ayuda* deseo encantad* enhorabuena estupend* fantástic* felicid* felicit* fenomenal genial gracias hablar
    increíb* linda lindo maravillos* mejor montón muchísimo necesit* orgullos* placer preciosa precioso suerte tengáis
    감사* 고마* 고맙* 기대* 기뻐* 기쁘* 기쁨* 나눠* 나눌 너무 대단* 도와* 도움* 말씀* 멋지* 멋진 보내* 언제든* 응원*
    이야기* 정말 좋은 좋아요 주말* 즐거* 축하* 편하* 필요* 함께 행복* 훌륭* 힘내* 자랑*
"""
_HAN = (
    "楽|嬉|素敵|素晴|最高|感謝|応援|頑張|期待|話|祝|幸|週末|手伝|協力|必要|遠慮|言|私|自分|過|何|皆|今日|本当|誇"
    "|高兴|開心|开心|精彩|漂亮|加油|厉害|支持|希望|周末|帮忙|需要"
)
_WORDS = frozenset(word for word in _SPACED.split() if not word.endswith("*"))
_BEGINNINGS = tuple(word[:-1] for word in _SPACED.split() if word.endswith("*"))
_LISTENER_WORDS = """
    you your yours you're you've you'll you'd yourself você vocês te teu tua teus tuas contigo ti tú tu tus usted
    ustedes vuestra vuestro
"""
_LISTENER = frozenset(_LISTENER_WORDS.split())
_LISTENER_INSIDE = re.compile("あなた|貴方|당신|그대")  # elsewhere the listener goes without a word
_WISH = re.compile(
    r"\W*(?:(?:so )?(?:glad|sorry|thanks|thank you|congrats|congratulations|wow|hope|wish|wishing|have an?|enjoy"
    r"|let's|happy birthday|merry|safe travels)|obrigad[oa]|parabéns|espero|boa|bom|bons|feliz|gracias"
    r"|enhorabuena|felicidades|felicitaciones|buen|buenas?|buenos|que tengas|que te)\b",
    re.IGNORECASE,
)
_ANYBODY = re.compile(
    r"\byou(?:['’]ll)? (?:can|may|must|have to|need to|get to|find|see)\b"
    r"|\b(?:if|when|once) you\b(?! (?:need|want|like))",
    re.IGNORECASE,
)
_REQUEST = re.compile(r"(?:ください(?:ね)?|ように|(?:세요|십시오|바랍니다|바라요|바라며))[。.!！~]*$")
_NAMED = re.compile(r"\d|(?<=[^\W_]\s)[A-Z\u00c0-\u00de]\w")
_PART = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]|[\uac00-\ud7af]+")
_INSIDE = re.compile(f"(?:{_HAN})+")


def is_applause(word: str) -> bool:
    """Whether a case-folded word, or the whole of a run, only applauds, comforts or wishes well."""
    if word in _WORDS or word.startswith(_BEGINNINGS):
        return True
    return is_run(word) and _INSIDE.fullmatch(word) is not None


def is_compliment(sentence: str) -> bool:
    """Whether it thanks, praises or wishes the listener something, rather than telling anything of the world.

    It opens with thanks or a wish; or applause is half of its words; or it names neither a number nor anybody, and
    speaks to a listener, of whom nobody will know later who it was, or applauds with an exclamation mark or a request.
    """
    if _WISH.match(sentence):
        return True
    said = tokens(_ANYBODY.sub(" ", sentence))
    words = [word for token in said if token not in STOP_WORDS for word in _parts(token)]
    applause = sum(map(is_applause, words))
    if words and 2 * applause >= len(words):
        return True
    to_listener = not _LISTENER.isdisjoint(said) or _LISTENER_INSIDE.search(sentence) is not None
    if _NAMED.search(sentence):
        return applause > 0 and to_listener
    if to_listener:
        return True
    return applause > 0 and (sentence.rstrip().endswith(("!", "！")) or _REQUEST.search(sentence) is not None)


def _parts(token: str) -> list[str]:
    return _PART.findall(token) if is_run(token) else [token]
