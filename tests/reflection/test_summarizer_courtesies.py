"""What a summary leaves out: greetings, thanks and the opening of a meeting, in the languages of the console."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from reflection.summarizer import Source, extractive
from reflection.summarizer.courtesies import courtesy_share, is_courtesy

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def sources(*texts: str) -> list[Source]:
    return [Source(UUID(int=n), text, START + timedelta(minutes=n)) for n, text in enumerate(texts)]


EPISODES = [
    ("Hi everyone, thanks for joining at short notice.", "The harbour office renews the lease for two years."),
    ("안녕하세요, 바쁘신데 시간 내 주셔서 감사합니다.", "항구 사무실은 임대 계약을 2년 더 연장하기로 했다."),
    ("お世話になっております。本日はよろしくお願いいたします。", "港の事務所は契約を2年延長することにした。"),
    (
        "Bom dia, pessoal! Vamos começar pela fila de entregas.",
        "O escritório do porto renova o contrato por dois anos.",
    ),
    ("Buenas tardes, gracias por conectarse.", "La oficina del puerto renueva el contrato por dos años."),
]


@pytest.mark.parametrize(("greeting", "point"), EPISODES, ids=["en", "ko", "ja", "pt-BR", "es"])
def test_a_courtesy_stays_out_even_where_the_budget_has_room_for_it(greeting: str, point: str) -> None:
    assert extractive.summarize(sources(greeting, point), 1000).text == point


@pytest.mark.parametrize(
    "sentence",
    [
        "Thanks for your help with this!",
        "Good morning everybody, welcome to the call.",
        "오늘도 수고 많으셨습니다, 감사합니다.",
        "お忙しいところありがとうございます。",
        "Obrigada a todos pela presença.",
        "Hola a todos, gracias por venir.",
        "大家好，感谢各位参加。",
    ],
)
def test_mostly_polite_words_are_a_courtesy(sentence: str) -> None:
    assert is_courtesy(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Hey, I moved to Berlin last spring!",
        "Thanks to the new valve the boiler holds its pressure again.",
        "The team meeting takes a short time today.",
        "Let's start on 3 May.",
        "감사 보고서를 다음 주에 제출하기로 했다.",
        "本日の会議で価格を決めた。",
        "O bom dia de feira vende o dobro do normal em Curitiba.",
        "Gracias al piloto de Guadalajara bajaron las devoluciones por correo.",
    ],
)
def test_polite_words_alone_make_no_courtesy(sentence: str) -> None:
    assert not is_courtesy(sentence)


def test_only_courtesies_give_what_there_is() -> None:
    texts: Sequence[str] = ("Hi!", "Thanks for the warm blanket.")
    assert extractive.summarize(sources(*texts), 280).text == "Thanks for the warm blanket."


def test_a_share_is_between_nothing_and_all() -> None:
    assert courtesy_share("") == courtesy_share("The ferry was late.") == 0
    assert courtesy_share("Hello, good evening!") == 1


def test_the_sentence_that_opens_an_episode_is_taken_among_equals() -> None:
    texts = ("The ferry carries forty red bikes.", "The tram carries thirty blue carts.")
    assert extractive.summarize(sources(*texts), 40).text == texts[0]
    assert extractive.summarize(sources(*reversed(texts)), 40).text == texts[1]
