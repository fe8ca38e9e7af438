"""What people say to each other, whatever it is about: it stands in no summary for its own sake and is no fact."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest

from reflection.summarizer import Source, extractive
from reflection.summarizer.applause import is_applause, is_compliment

AT = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "sentence",
    [
        "You're so inspiring!",
        "It means a lot to share this with you.",
        "Have a safe trip!",
        "So glad the stuffed animal means so much.",
        "Take your time, no rush at all.",
        "The studio looks awesome.",
        "That was such an exciting evening at the harbour!",
        "Wow, Caroline, that painting of yours!",
        "Estou muito feliz por ti, parabéns!",
        "Boa sorte para o exame!",
        "Te agradezco mucho la ayuda de ayer.",
        "¡Buen viaje!",
        "楽しい旅になりますように。",
        "정말 축하해요, 저까지 기쁘네요.",
        "즐거운 여행 하시길 바라요.",
    ],
)
def test_thanks_praise_and_wishes_are_compliments(sentence: str) -> None:
    assert is_compliment(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The user likes short answers.",
        "Lea plays the violin in the school orchestra.",
        "I volunteer at the homeless shelter.",
        "Priority support ends in June.",
        "Your flight to Oslo leaves on Monday.",
        "You can pay by card only.",
        "The meeting of the good neighbours is on 3 May!",
        "Os relatórios da Helena devem ir em PDF.",
        "A jefa prefiere té verde en las reuniones.",
        "資料は紙ではなくPDFで送る。",
        "보고서는 PDF로 보내야 한다.",
        "",
    ],
)
def test_statements_are_none(sentence: str) -> None:
    assert not is_compliment(sentence)


@pytest.mark.parametrize(("word", "applause"), [("appreciated", True), ("嬉", True), ("kayak", False), ("会議", False)])
def test_words_of_applause_are_known_by_their_beginning_or_letters(word: str, applause: bool) -> None:
    assert is_applause(word) is applause


def test_a_summary_prefers_news_to_applause_however_often_that_sounds() -> None:
    praise = "Amazing, incredible, wonderful, fantastic support"
    news = "The ferry carries forty red bikes to Oslo on Mondays."
    texts = (f"{praise}, all!", f"{praise}.", f"What {praise}.", news)
    found = extractive.summarize([Source(UUID(int=n), text, AT) for n, text in enumerate(texts)], 60)
    assert found.text == news
