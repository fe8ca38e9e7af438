"""Forty memories in five languages, each with a query by words and a question in another language, and distractors.

The words are not those of the text letter for letter: accents are left off, singular stands for plural, a part of a
Japanese compound for the whole, a Korean noun for the noun with its particle.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pair:
    """A memory, the words that should find it, and a question in another language that means it."""

    language: str
    text: str
    words: str
    question: str


# Language and text; below them the words and the question.
_PAIRS = """
en The staging deployments failed twice because a certificate had run out.
   staging deployment | ¿Por qué falló la instalación de prueba?
en Nora is allergic to hazelnuts and carries an injector.
   allergic hazelnut | ノラは何のアレルギーがありますか
en We agreed to pay invoices within thirty days.
   paying invoice | Em quanto tempo pagamos as faturas?
en The spare key lies under the blue flowerpot behind the house.
   spare keys flowerpot | 예비 열쇠는 어디에 있나요?
en My sister is learning the cello on Thursdays.
   sister cellos | ¿Qué instrumento aprende mi hermana?
en Backups run at three in the morning and are kept for ninety days.
   backup morning | バックアップは何日間保存されますか
en The café on Baker Street closes at six.
   cafe baker street | A que horas fecha o café?
en He prefers trains to planes because of his knees.
   train plane knee | 그는 왜 기차를 더 좋아하나요?
pt A reunião de segunda-feira foi adiada para quarta por causa da greve.
   reuniao adiada | Why was the meeting postponed?
pt O João não come carne desde o verão passado.
   joao carne | ¿Qué no come Juan?
pt As senhas do servidor estão guardadas no cofre vermelho.
   senha servidor | Where are the server passwords kept?
pt A avó faz pão de milho aos domingos.
   avo pao milho | 祖母は日曜日に何を焼きますか
pt Precisamos renovar o contrato de aluguel até o fim de março.
   renovacao contratos aluguel | When must the rental contract be renewed?
pt O cachorro do vizinho late a noite inteira.
   cachorros vizinho | ¿Qué animal hace ruido por la noche?
pt Instalações elétricas novas na cozinha custaram dois mil reais.
   instalacao eletrica | 부엌 전기 공사는 얼마였나요?
pt A professora de natação chama-se Conceição.
   natacao conceicao | Who teaches swimming?
es El niño rompió la ventana del salón con una pelota.
   nino ventana | Who broke the window?
es Las reuniones del equipo de diseño son los martes a las diez.
   reunion diseno | When does the design team meet?
es Mi médico me recomendó caminar media hora al día.
   medico caminando | O que o médico recomendou?
es El avión a Bogotá sale a las seis y cuarto de la mañana.
   avion bogota | ボゴタ行きの飛行機は何時に出ますか
es Guardamos las copias de seguridad en un disco cifrado.
   copia seguridad cifrados | Where do we keep the backups?
es A Lucía le encantan los pingüinos y las películas antiguas.
   pinguino lucia | 루시아는 어떤 동물을 좋아하나요?
es La contraseña del wifi está pegada debajo del teclado.
   contrasena wifi | Onde está a senha do wifi?
es Cancelaron la suscripción de la revista en septiembre.
   suscripciones revista | What was cancelled in September?
ja 来週の会議は東京本社の三階で行われます。
   会議 東京 | Where is next week's meeting?
ja 父は胃の手術を受けて二週間入院した。
   手術 | ¿Qué operación tuvo mi padre?
ja 猫の餌は台所の下の棚にあります。
   猫 餌 | Where is the cat food?
ja 契約書の更新期限は六月末です。
   更新期限 | When does the contract have to be renewed?
ja サーバーのメモリを三十二ギガに増やした。
   ﾒﾓﾘ ｻｰﾊﾞｰ | O que foi aumentado no servidor?
ja 妹は木曜日にピアノを習っている。
   ピアノ | 여동생은 무엇을 배우나요?
ja 新幹線の切符は窓側の席を予約した。
   切符 | Which seat was booked on the train?
ja 冷蔵庫の修理代は二万円だった。
   冷蔵庫 | How much did repairing the fridge cost?
ko 프로젝트에서 배포를 금요일마다 진행하기로 했다.
   프로젝트 배포 | When do we deploy?
ko 할머니께서 김치찌개를 자주 끓여 주셨다.
   김치 | ¿Qué cocinaba la abuela?
ko 예비 비밀번호는 금고 안 봉투에 들어 있다.
   비밀번호 금고 | Where is the spare password?
ko 민수는 우유를 마시면 배가 아프다.
   민수 우유 | What does Minsu not tolerate?
ko 다음 달에 부산으로 이사할 예정이다.
   부산 이사 | Para onde vamos nos mudar?
ko 고양이가 어제 밤에 꽃병을 깨뜨렸다.
   고양이 꽃병 | 花瓶を割ったのは誰ですか
ko 회의록은 매주 월요일에 공유된다.
   회의록 | When are the minutes shared?
ko 자동차 보험을 십이월에 갱신해야 한다.
   보험 갱신 | When must the car insurance be renewed?
"""

_DISTRACTORS = """
en The production environment was moved to another region.
en Peanut butter is on the shopping list.
en Invitations go out on Friday.
en The front door sticks when it rains.
en She sings in a choir on Wednesdays.
en The morning shift begins at seven.
en Tea is served in the garden.
en He sold his bicycle last spring.
pt A festa de sexta-feira começa às oito.
pt A Maria gosta de peixe grelhado.
pt A porta do armário está quebrada.
pt O avô planta tomates no quintal.
pt O mercado fecha mais cedo em abril.
pt O gato dorme no sofá o dia inteiro.
pt A pintura da sala ficou pronta ontem.
pt O professor de dança mudou de cidade.
es La niña pintó la puerta del garaje.
es El equipo de ventas viaja los jueves.
es El dentista abre a las nueve.
es El tren a Sevilla tarda tres horas.
es El disco duro nuevo es más rápido.
es A Pedro le gustan los caballos.
es El ratón está encima de la mesa.
es Pagaron la factura de la luz en octubre.
ja 来月の旅行は京都に決まりました。
ja 母は毎朝散歩をする。
ja 犬の首輪は玄関にあります。
ja 報告書の提出は五月末です。
ja 画面の明るさを下げた。
ja 弟は土曜日にサッカーをしている。
ja 飛行機は通路側の席だった。
ja 洗濯機は先月買い替えた。
ko 디자인 검토는 수요일 오후에 한다.
ko 할아버지께서 된장국을 좋아하신다.
ko 여권은 책상 서랍에 있다.
ko 지수는 커피를 하루에 두 잔 마신다.
ko 지난달에 대전으로 출장을 갔다.
ko 강아지가 신발을 물어 갔다.
ko 보고서는 매달 마지막 날에 낸다.
ko 자전거 바퀴를 새것으로 바꿨다.
"""


def _pair(memory: str, query: str) -> Pair:
    language, text = memory.split(maxsplit=1)
    words, question = query.strip().split(" | ")
    return Pair(language, text, words, question)


_LINES = _PAIRS.strip().splitlines()
PAIRS = tuple(_pair(memory, query) for memory, query in zip(_LINES[::2], _LINES[1::2], strict=True))
DISTRACTORS = tuple((line[:2], line[3:]) for line in _DISTRACTORS.strip().splitlines())
