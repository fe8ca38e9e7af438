"""What a model writes may not deny what its sources affirm, nor affirm what they deny; what is copied always stands."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reflection.summarizer import Source
from reflection.summarizer.chat import Chat
from reflection.summarizer.http import HttpSummarizer
from reflection.summarizer.sentences import split
from reflection.summarizer.supported import Ground, borne_out
from tests.reflection.chat_server import ChatServer, serving

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
OPPOSITES = [
    ("The deploy runs on Thursdays.", "The deploy does not run on Thursdays."),
    ("The deploy runs on Thursdays.", "The deploy doesn’t run on Thursdays."),
    ("Bea pays the invoice with a card.", "Bea pays the invoice without a card."),
    ("There is a deploy on Thursdays.", "There is no deploy on Thursdays."),
    ("A publicação acontece às quintas-feiras.", "A publicação não acontece às quintas-feiras."),
    ("A Bea compra carne no mercado.", "A Bea nunca compra carne no mercado."),
    ("El despliegue se hace los jueves.", "El despliegue no se hace los jueves."),
    ("Bea come carne los domingos.", "Bea nunca come carne los domingos."),
    ("デプロイは木曜日に実行される。", "デプロイは木曜日に実行されない。"),
    ("会議は金曜日に開きます。", "会議は金曜日に開きません。"),
    ("배포는 목요일에 실행된다.", "배포는 목요일에 실행되지 않는다."),
    ("회의는 금요일에 열린다.", "회의는 금요일에 안 열린다."),
]
AGREEING = [
    ("The deploy never runs on Thursdays.", "The deploy does not run on Thursdays."),
    ("The pump failed to start on Monday.", "The pump did not start on Monday."),
    ("We dont deploy on Fridays.", "We do not deploy on Fridays."),
    ("The deploy runs on Thursdays. It needs no approval.", "The deploy runs on Thursdays and needs no approval."),
    ("Bea did not come on Monday because the ferry was late, so she came on Tuesday.", "Bea came on Tuesday."),
    ("Ann and Bea do not eat fish.", "Bea and Ann do not eat fish."),
    ("The deploy runs on Thursdays. It does not run on Fridays.", "The deploy runs on Thursdays."),
    ("O servidor fica no porto. A Bea trabalha no hotel.", "O servidor fica em casa no porto."),
    ("デプロイは木曜日に実行しなければならない。", "デプロイは木曜日に実行する。"),
    ("배포는 목요일에 실행하지 않으면 안 된다.", "배포는 목요일에 실행한다."),
]
BESIDE = ("Bea does not eat fish.", "The deploy does not run on Fridays.", "Nobody came to the meeting.")


def ground(*texts: str) -> Ground:
    return Ground([Source(UUID(int=n), text, START + timedelta(minutes=n)) for n, text in enumerate(texts)])


@pytest.mark.parametrize(("affirmed", "denied"), OPPOSITES)
def test_no_sentence_stands_that_says_the_opposite_of_its_source(affirmed: str, denied: str) -> None:
    assert not borne_out(denied, ground(affirmed))
    assert not borne_out(affirmed, ground(denied))


@pytest.mark.parametrize(("affirmed", "denied"), OPPOSITES[:4])
def test_a_denial_of_something_else_among_the_sources_changes_nothing(affirmed: str, denied: str) -> None:
    assert not borne_out(denied, ground(affirmed, *BESIDE))
    assert borne_out(affirmed, ground(affirmed, *BESIDE))


@pytest.mark.parametrize(("source", "sentence"), AGREEING)
def test_other_words_for_the_same_stand(source: str, sentence: str) -> None:
    assert borne_out(sentence, ground(source))


TEXTS = [text for pair in OPPOSITES + AGREEING for text in pair] + list(BESIDE)


@given(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=8))
def test_what_is_copied_from_a_source_stands_whatever_the_others_say(texts: list[str]) -> None:
    found = ground(*texts)
    assert all(borne_out(sentence, found) for text in texts for sentence in split(text))


@given(st.lists(st.text(min_size=1, max_size=120), min_size=1, max_size=4))
def test_any_text_can_be_copied(texts: list[str]) -> None:
    found = ground(*texts)
    assert all(borne_out(sentence, found) for text in texts for sentence in split(text))


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with serving() as made:
        yield made


def test_the_opposite_is_left_out_of_a_summary_and_counted(server: ChatServer) -> None:
    story = ("The deploy runs on Thursdays.", "Bea bought a red kayak.", "The ferry to Oslo was late.")
    server.says = "The deploy does not run on Thursdays. Bea bought a red kayak. The ferry to Oslo was late."
    found = HttpSummarizer(Chat(server.url, "m", timeout=5.0)).summarize(ground(*story).sources, 280)
    assert found.text == "Bea bought a red kayak. The ferry to Oslo was late."
    assert "without 1 of its sentences" in found.note
