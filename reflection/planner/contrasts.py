"""Words that say different things in the same place: days, sides, colours, kin, opposites, numbers. Pure.

Small lists for the languages the console speaks. Words of one value count as one word. Two texts differ in a kind when
both name values of it and none in common: a row that says Monday bears out nothing that says Tuesday, however close
their vectors are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from reflection.summarizer.words import is_run

# A line is a kind (two spaces more: the line before goes on), `|` parts its values, `*` ends the beginning of a word.
# Letters of Han are looked for inside of words, everything else as words.
_KINDS = """
monday mondays lunes 月曜 월요일* | tuesday tuesdays martes terça terças 火曜 화요일* | segunda segundas | wednesday
  wednesdays miércoles quarta quartas 水曜 수요일* | thursday thursdays jueves quinta quintas 木曜 목요일* | friday
  fridays viernes sexta sextas 金曜 금요일* | saturday saturdays sábado sábados 土曜 토요일* | sunday sundays
  domingo domingos 日曜 일요일*
january janeiro enero | february fevereiro febrero | march março marzo | april abril | june junho junio | july julho
  julio | august agosto | september setembro septiembre setiembre | october outubro octubre | november novembro
  noviembre | december dezembro diciembre
spring primavera 春 봄* | summer verão verano 夏 여름* | autumn fall outono otoño 秋 가을* | winter inverno invierno
  冬 겨울*
morning mornings am manhã manhãs 朝 午前 아침* 오전* | afternoon afternoons evening evenings pm 夕方 午後 저녁*
  오후*
left esquerd* izquierd* 左 왼쪽* 왼손* 왼발* | right direit* derech* 右 오른쪽* 오른손* 오른발*
north norte 북쪽* | south sul sur 남쪽* | east leste este 동쪽* | west oeste 서쪽*
red vermelh* rojo rojos roja rojas 赤 빨간* 빨강* | blue azul azuis azules 青 파란* 파랑* | brown castanh* marrom
  marrón 茶色 갈색* | green verde verdes 緑 초록* 녹색* | black preto preta pretos pretas negro negra negros negras
  黒 검은* 검정* 까만* | white branco branca brancos brancas blanco blanca blancos blancas 白 흰* 하얀* | yellow
  amarel* amarill* 黄 노란* 노랑* | grey gray cinza cinzento cinzenta gris grises 灰色 회색* | pink rosa 桃色 분홍*
  | purple roxo roxa morado morada 紫 보라색*
mother mum mom mãe madre 母 어머니* 엄마* | father dad pai padre 父 아버지* 아빠* | sister irmã hermana 姉 妹 누나*
  언니* 여동생* | brother irmão hermano 兄 弟 오빠* 남동생* | daughter filha hija 娘 딸* | son filho hijo 息子 아들*
  | grandmother grandma avó abuela 祖母 할머니* | grandfather grandpa avô abuelo 祖父 할아버지* | aunt tia tía 叔母
  伯母 이모* 고모* | uncle tio tío 叔父 伯父 삼촌* | wife esposa 妻 아내* | husband marido esposo 夫 남편*
short brief curto curta curtos curtas breve breves corto corta cortos cortas 短 짧* | long longo longa longos longas
  largo larga largos largas 長 긴 길게
dark escuro escura oscuro oscura 暗 ダーク 어두운* | light claro clara 明る ライト 밝은*
open opens opened opening abre abrem abrir abren abierto aberto 開 열린* 연다 | close closes closed closing shut
  shuts fecha fecham fechar fechado cierra cierran cerrar cerrado 閉 닫*
buy buys bought buying purchase purchased comprou comprar compra compró compraron 買 購入 샀* 구입*
  | sell sells sold selling vendeu vender vende vendió vendieron 売 売却 팔았* 판매*
love loves like likes enjoy enjoys prefer prefers preferred preference want wants wanted adora adoram gosta gostam
  prefere preferem quer querem encanta encantan gusta gustan prefiere prefieren quiere quieren 好 希望 좋아* 선호*
  원한* 원해* | hate hates dislike dislikes odeia odeiam detesta detestan odia odian 嫌 싫*
start starts started begin begins began começa começam empieza empiezan comienza 始 시작* | end ends ended stop
  stops stopped acaba acabam termina terminam terminan 終 끝*
new novo nova novos novas nuevo nueva nuevos nuevas 新 새 새로* | old antigo antiga antigos antigas antiguo antigua
  velho velha viejo vieja 古 낡* 옛*
first primeiro primeira primero primera primer 最初 첫* | last último última 最後 마지막* | third terceiro terceira
  tercero tercera | fourth cuarto cuarta | fifth quinto | sixth sexto
moved moves move relocated relocates lives live living mudou mora moram vive vivem viver morar mudó vivir viven 引
  住 이사* 산다 살고
called named name names chama chamam nome llama llaman nombre 名前 이름*
pay pays paid payment payments cost costs price paga pagam pagar custa custam pagan cuesta cuestan 払 支払
train trains training prepare prepares preparing treina treinar prepara entrena entrenar preparan 練習 準備 연습*
  준비*
send sends sent enviar envia envía enviada enviado enviados manda mandar mandamos 送 보내*
work works working worked job trabalha trabalhar trabaja trabajó trabajar trabalhou 働 일한* 일하* 일했*
doctor physician médico médica 医者 医師 의사*
before antes | after afterwards depois después
above over acima encima | below under beneath underneath abaixo debaixo debajo
inside dentro | outside fora fuera
daily diário diária diario diaria 毎日 매일* | weekly semanal 毎週 매주* | monthly mensal mensais mensual mensuales
  毎月 매월* 매달* | yearly annual anual 毎年 매년*
"""
_NUMBERS = """
2 two dois duas | 3 three três tres | 4 four quatro cuatro | 5 five cinco | 6 six seis | 7 seven sete siete
  | 8 eight oito ocho | 9 nine nove nueve | 10 ten dez diez | 11 eleven onze once | 12 twelve doze doce
  | 13 thirteen treze trece | 14 fourteen catorze quatorze catorce | 15 fifteen quinze quince
  | 16 sixteen dezasseis dezesseis dieciséis | 17 seventeen dezassete dezessete diecisiete
  | 18 eighteen dezoito dieciocho | 19 nineteen dezanove dezenove diecinueve
  | 20 twenty vinte veinte | 30 thirty trinta treinta | 40 forty quarenta cuarenta
  | 50 fifty cinquenta cincuenta | 60 sixty sessenta sesenta | 70 seventy setenta | 80 eighty oitenta ochenta
  | 90 ninety noventa | 100 hundred cem cien
"""
_LETTER_DIGITS = {
    letter: n for every in ("一二三四五六七八九", "일이삼사오육칠팔구") for n, letter in enumerate(every, 1)
}
_POWERS = {
    letter: 10**n for n, both in ((1, "十십"), (2, "百백"), (3, "千천"), (4, "万만"), (8, "億억")) for letter in both
}
_HAN_NUMBER = re.compile(
    r"[一二三四五六七八九十百千万億]*[十百千万億][一二三四五六七八九十百千万億]+|[一二三四五六七八九]+[十百千万億]"
    r"|十|[一二三四五六七八九](?=[月日時年人回個本匹歳階番名分枚冊])"
)
_HANGUL_NUMBER = re.compile(
    r"(?<![\uac00-\ud7af])[일이삼사오육칠팔구십백천만억]*[십백천만억][일이삼사오육칠팔구십백천만억]*"
    r"(?=\s?(?:원|달러|명|개|년|분|월|층|호|주|일(?![\uac00-\ud7af])|킬로|퍼센트|번))"
)
_HANGUL_COUNTED = re.compile(
    r"(?<![\uac00-\ud7af])(?:(열|스무|스물|서른|마흔|쉰)\s?)?(한|두|세|네|다섯|여섯|일곱|여덟|아홉)?"
    r"(?=\s?(?:시|명|개|번|살|마리|권|달|잔|병|대|장|그루|켤레|사람|군데|곳)(?:간|에|의|씩|부터|까지|을|를|이|가|은|는|도|로)?(?![\uac00-\ud7af]))"
)
_HANGUL_COUNTS = dict(zip(["한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉"], range(1, 10), strict=True))
_HANGUL_TENS = {"열": 10, "스무": 20, "스물": 20, "서른": 30, "마흔": 40, "쉰": 50}
_DIGITS = re.compile(r"\d+(?:[.,]\d{3})+(?!\d)|\d+")
_MIXED = re.compile(r"(?:\d+(?:[.,]\d{3})*(?:[千万億천억]|만(?!큼)))+(?:\d+(?:[.,]\d{3})*)?")  # 1億2000万, 3만5000
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\u3041-\u30ff]")
_SPANISH = frozenset(("el", "los", "las", "y", "del", "al", "en", "por", "la"))  # `dos` counts only beside one

Value = tuple[int, int]  # kind, place of the value in it


def _table(lines: str) -> Iterator[tuple[str, Value]]:
    for kind, line in enumerate(re.sub(r"\n +", " ", lines).split("\n")):
        for value, words in enumerate(line.split("|")):
            yield from ((word, (kind, value)) for word in words.split())


_ENTRIES = dict(_table(_KINDS))
_INSIDE = {word: value for word, value in _ENTRIES.items() if _HAN.match(word)}
_BEGINNINGS = {word[:-1]: value for word, value in _ENTRIES.items() if word.endswith("*")}
_INSIDE_ANY = re.compile("|".join(sorted(_INSIDE, key=lambda word: (-len(word), word))))
_BEGINS = tuple(_BEGINNINGS)
_NUMBER_WORDS = {word: int(line.split()[0]) for line in _NUMBERS.split("|") for word in line.split()[1:]}


def values(words: Iterable[str]) -> frozenset[Value]:
    """What the case-folded `words` name, of any kind."""
    return frozenset(value for word in words for value in values_of(word))


@lru_cache(maxsize=50_000)
def values_of(word: str) -> tuple[Value, ...]:
    """What one word names."""
    if word in _ENTRIES:
        return (_ENTRIES[word],)
    if word.startswith(_BEGINS):
        return tuple(value for start, value in _BEGINNINGS.items() if word.startswith(start))
    return tuple(_INSIDE[part] for part in _INSIDE_ANY.findall(word)) if is_run(word) else ()


def number_of(word: str) -> int | None:
    """The number that a case-folded word is, in digits or spelt out; None where it is none."""
    return int(word) if word.isascii() and word.isdigit() and len(word) <= 18 else _NUMBER_WORDS.get(word)


def numbers(text: str, words: Iterable[str]) -> frozenset[int]:
    """The whole numbers of `text` (whose case-folded words are `words`), in digits or spelt out."""
    plain = unicodedata.normalize("NFKC", text)
    found = {_spelt(re.sub(r"[.,]", "", number)) for number in _MIXED.findall(plain) if len(number) <= 18}
    plain = _MIXED.sub(" ", plain)
    found |= {int(re.sub(r"[.,]", "", number)) for number in _DIGITS.findall(plain) if len(number) <= 18}
    found |= {_NUMBER_WORDS[word] for word in words if word in _NUMBER_WORDS}
    if "dos" in words and not _SPANISH.isdisjoint(words):
        found.add(2)
    found |= {_spelt(number) for spelt in (_HAN_NUMBER, _HANGUL_NUMBER) for number in spelt.findall(plain)}
    counted = (both for both in _HANGUL_COUNTED.findall(plain) if any(both))
    return frozenset(found | {_HANGUL_TENS.get(ten, 0) + _HANGUL_COUNTS.get(one, 0) for ten, one in counted})


def _spelt(number: str) -> int:
    """十五 is 15, 三百万 3,000,000: digits times what follows them, and all of it times ten thousand or more."""
    total = part = digit = 0
    for letter in number:
        power = _POWERS.get(letter)
        if power is None:
            digit = digit * 10 + (int(letter) if letter.isdecimal() else _LETTER_DIGITS[letter])
        elif power < 10_000:
            part, digit = part + (digit or 1) * power, 0
        else:
            total, part, digit = total + ((part + digit) or 1) * power, 0, 0
    return total + part + digit


def contradict(some: frozenset[Value], others: frozenset[Value]) -> bool:
    """Whether both name values of one kind and none in common."""
    for kind in {kind for kind, _ in some} & {kind for kind, _ in others}:
        if {v for k, v in some if k == kind}.isdisjoint({v for k, v in others if k == kind}):
            return True
    return False
