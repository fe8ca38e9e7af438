"""Who does what to whom: names that change their parts, in five languages."""

from __future__ import annotations

import pytest

from reflection.planner import claims
from reflection.planner.contrasts import numbers
from reflection.planner.roles import exchanged
from reflection.summarizer.words import tokens

EXCHANGED = [
    ("Elsa borrowed 300 euros from Timo.", "Timo borrowed 300 euros from Elsa."),
    ("Marcos le debe 50 euros a Paula.", "Paula le debe 50 euros a Marcos."),
    ("A Marta deve 50 euros ao Rui.", "O Rui deve 50 euros à Marta."),
    ("健さんは由美さんに本を貸した。", "由美さんは健さんに本を貸した。"),
    ("민수가 지아에게 책을 빌려주었다.", "지아가 민수에게 책을 빌려주었다."),
    ("Bo invited Ann to the opera.", "Ann invited Bo to the opera."),
    ("When Ismail is away, Greta signs the orders.", "When Greta is away, Ismail signs the orders."),
    ("Si falta Isidoro, firma Encarna.", "Si falta Encarna, firma Isidoro."),
    ("石田さんの留守には文子さんが判を押す。", "文子さんの留守には石田さんが判を押す。"),
    ("박 부장이 자리를 비우면 은주 씨가 서명한다.", "은주 씨가 자리를 비우면 박 부장이 서명한다."),
]
THE_SAME = [
    ("Oscar calls Rita every Sunday.", "Every Sunday Oscar calls Rita."),
    ("由美さんに健さんが本を貸した。", "健さんは由美さんに本を貸した。"),
    ("Xenia approves refunds.", "Refunds are approved by Xenia."),
    ("When Ismail is away, Greta signs.", "Greta signs when Ismail is away."),
    ("은주 씨는 박 부장이 자리를 비우면 서명해요.", "박 부장이 자리를 비우면 은주 씨가 서명한다."),
    ("Nora swims every Tuesday.", "On Tuesdays Nora swims."),
]


@pytest.mark.parametrize(("one", "other"), EXCHANGED)
def test_who_gives_and_who_takes_change_their_parts(one: str, other: str) -> None:
    assert exchanged(one, other) and exchanged(other, one)
    assert claims.at_odds(claims.of(one), claims.of(other), 0.95)


@pytest.mark.parametrize(("one", "other"), THE_SAME)
def test_another_order_of_words_changes_no_parts(one: str, other: str) -> None:
    assert not exchanged(one, other) and not exchanged(other, one)


def test_lending_to_somebody_is_borrowing_from_the_other() -> None:
    one, other = claims.of("Timo lent 300 euros to Elsa."), claims.of("Elsa borrowed 300 euros from Timo.")
    assert not claims.at_odds(one, other, 0.95)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("합창단 연습은 저녁 여덟 시에 있다.", {8}),
        ("회의는 열한 시 반이다.", {11}),
        ("고양이 세 마리", {3}),
        ("한국에 간다", set()),
        ("Seventeen of ninety", {17, 90}),
        ("0 degrees", {0}),
    ],
)
def test_numerals_spelt_out_are_numbers(text: str, said: set[int]) -> None:
    assert numbers(text, tokens(text)) == said


def test_korean_verbs_that_are_denied_are_known_in_the_past() -> None:
    one, other = claims.of("미란이는 바닷가로 이사했다."), claims.of("미란이는 바닷가로 이사하지 않았다.")
    assert claims.at_odds(one, other, 0.95)
