"""Which texts can claim the same: numbers, names, opposites, refusals, and words in common, in five languages."""

from __future__ import annotations

import pytest

from reflection.planner import claims
from reflection.planner.claims import agree, at_odds, news
from reflection.planner.contrasts import numbers
from reflection.planner.outsiders import without_outsiders
from reflection.planner.refusals import refusals
from reflection.planner.stems import lacking
from reflection.summarizer.words import tokens

CLOSE = 0.97  # as like as texts are that differ in a number


def odds(one: str, other: str, alike: float = CLOSE) -> bool:
    there, back = (at_odds(claims.of(a), claims.of(b), alike) for a, b in ((one, other), (other, one)))
    assert there == back
    return there


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Invoices are paid within 45 days.", "Invoices are paid within 30 days."),
        ("The backup runs at two.", "At three the backup runs."),
        ("Sara entrena tres veces por semana.", "Sara entrena dos veces por semana."),
        ("会議は十時に始まる。", "会議は11時に始まる。"),
        ("She moved to Basel.", "She moved to Lyon."),
        ("木村さんはそばが嫌いだ。", "佐藤さんはそばが嫌いだ。"),
        ("고객은 전화를 선호한다.", "거래처는 전화를 선호한다."),
        ("The meeting is on Monday.", "On Tuesdays there is the meeting."),
        ("O armazém recebe às segundas.", "O armazém recebe às sextas."),
        ("Her left knee hurts.", "It is the right knee that hurts her."),
        ("予備の鍵は赤い棚にある。", "青い棚に予備の鍵がある。"),
        ("사용자는 짧은 답변을 원한다.", "사용자가 원하는 것은 긴 답변이다."),
        ("Ana eats meat.", "Ana does not eat meat on weekdays."),
        ("A Clara come ovos todos os dias.", "A Clara não come ovos."),
        ("Marina come carne los domingos.", "Marina no come carne."),
        ("林さんは毎日肉を食べる。", "林さんは肉を食べない。"),
        ("채원은 고기를 매일 먹는다.", "채원은 고기를 먹지 않는다."),
        ("Use tabs, not spaces, in the code.", "Use spaces, not tabs, in the code."),
        ("Owen's dog is called Biscuit.", "Owen's dog is called Bailey."),
    ],
)
def test_texts_that_say_different_things_are_at_odds_however_close_they_are(one: str, other: str) -> None:
    assert odds(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Invoices are paid within 45 days.", "The payment term of invoices is 45 days, since 2024."),
        ("The backup runs at two.", "At 2 the backup runs."),
        ("She moved to Basel.", "In March she moved to Basel because of her job at Roche."),
        ("Priya eats no meat, she is a vegetarian.", "Priya is a vegetarian."),
        ("Send it by mail, not by phone.", "He prefers mail to the phone."),
        ("O escritório fica no terceiro andar.", "No terceiro andar fica o escritório."),
        ("매주 월요일 10시에 회의가 있다.", "회의는 매주 월요일 10시에 시작한다."),
        ("Der Vertrag endet im Juni und wird nicht verlängert.", "Im Juni endet die Vereinbarung, und sie läuft aus."),
    ],
)
def test_other_words_for_the_same_are_not_at_odds(one: str, other: str) -> None:
    assert not odds(one, other)


def test_one_other_word_in_the_same_place_must_mean_nearly_the_same() -> None:
    bought, sold = "Ruth purchased a red car.", "Ruth crashed a red car."
    assert not odds("Ruth acquired a red car.", bought, 0.99)
    assert odds("Ruth acquired a red car.", sold, 0.95)


def test_words_of_one_value_count_as_one_word() -> None:
    assert not odds("Ruth bought a red car.", "Ruth purchased a red car.", 0.9)
    assert lacking(["short"], ["brief"]) == []


def test_agreement_needs_two_words_of_news_in_common() -> None:
    one, other = claims.of("Wow, John, that looks great! I hear the tram."), claims.of("John, great work! The tram!")
    assert not agree(one, other, 0.9)
    assert agree(claims.of("Ann drinks green tea."), claims.of("Green tea is what Ann drinks."), 0.9)


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("Wow, John, that's amazing!", ()),
        ("Ana, so glad you like the kayak!", ("kayak",)),
        ("Thanks Nate!", ()),
        ("은영은 딸이 발레를 배운다고 말했다.", ("은영", "딸", "발레", "배운다고", "말했다")),
        ("母は毎朝、花に水をやる。", ("母", "毎朝", "花", "水")),
        ("她住在北京西城区", ("她住", "住在", "在北", "北京", "京西", "西城", "城区")),
    ],
)
def test_news_is_what_neither_calls_nor_applauds(sentence: str, words: tuple[str, ...]) -> None:
    assert news(sentence) == words


def test_who_says_another_thing_than_all_others_leaves_as_long_as_enough_stay() -> None:
    told = [
        claims.of(text)
        for text in (
            "Marta moved to Rotterdam in March.",
            "In March Marta relocated to Rotterdam.",
            "Marta left for Utrecht in March.",
            "Since March Marta has her flat in Rotterdam.",
        )
    ]
    assert without_outsiders(told, 3) == [0, 1, 3]
    assert without_outsiders(told[:3], 3) == [0, 1, 2]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("twelve eggs and 1,200 kilos, 3.5 of them for two", {12, 1200, 3, 5, 2}),
        ("O preço dos ovos", set()),
        ("dos huevos en la mesa", {2}),
        ("四月二十三日の10時", {4, 23, 10}),
        ("no number", set()),
        ("9" * 30, set()),
    ],
)
def test_numbers_are_read_in_digits_and_words(text: str, found: set[int]) -> None:
    assert numbers(text, tokens(text)) == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("She doesn't eat meat.", [("eat", "meat")]),
        ("O servidor fica no Porto.", []),
        ("Marina no come carne.", [("come", "carne")]),
        ("薬を飲まない。", [("飲",)]),
        ("早く行かないと遅れる。", []),
        ("문을 안 닫는다.", [("닫는다",)]),
        ("Not.", []),
    ],
)
def test_a_refusal_denies_the_words_after_it_or_before(text: str, words: list[tuple[str, ...]]) -> None:
    assert [refusal.words for refusal in refusals(text)] == words


@pytest.mark.parametrize(
    "told",
    [
        (
            "The youth orchestra rehearses in the old brewery.",
            "It's the old brewery where the youth orchestra rehearses.",
            "The brass band rehearses in the old brewery.",
        ),
        (
            "古紙の回収は第二土曜日の午後です。",
            "第二土曜日の午後に古紙を回収する。",
            "空き缶の回収は第二土曜日の午後です。",
        ),
        (
            "폐지는 둘째 토요일 오후에 수거한다.",
            "폐지 수거는 둘째 토요일 오후에 합니다.",
            "빈 병은 둘째 토요일 오후에 수거한다.",
        ),
        (
            "En el kiosco es el concierto de la banda.",
            "El concierto de la banda es en el kiosco.",
            "El concierto del coro es en el kiosco.",
        ),
        (
            "Esvaziam o contentor do papel às segundas.",
            "Às segundas esvazia-se o contentor do papel.",
            "O contentor do vidro é esvaziado às segundas.",
        ),
    ],
)
def test_two_tellings_and_a_third_of_another_thing_are_no_three(told: tuple[str, str, str]) -> None:
    assert without_outsiders([claims.of(text) for text in told], 3) == [0, 1]
    assert without_outsiders([claims.of(text) for text in (told[0], told[2])], 3) == [0]


def test_another_verb_leaves_nobody_out() -> None:
    told = (
        "Our parrot Kiwi repeats the doorbell all day.",
        "All day our parrot Kiwi imitates the doorbell.",
        "Kiwi the parrot repeats the doorbell the whole day.",
    )
    assert without_outsiders([claims.of(text) for text in told], 3) == [0, 1, 2]
