"""Wordings of ordinary notes: what says the same in other words, and what only looks as if it did."""

from __future__ import annotations

import pytest

from reflection.planner import claims
from reflection.planner.contrasts import numbers
from reflection.planner.phrases import plain
from reflection.planner.refusals import contents, refusals
from reflection.planner.roles import exchanged
from reflection.planner.stance import stance
from reflection.planner.stems import lacking
from reflection.planner.things import things
from reflection.summarizer.applause import is_compliment
from reflection.summarizer.words import tokens

AGREE = [
    ("Irene es alérgica a los mariscos.", "Nada de mariscos para Irene, es alérgica."),
    ("Leo is allergic to peanuts.", "No peanuts for Leo, he has an allergy."),
    ("현우는 새우 알레르기가 있다.", "현우는 새우를 못 먹는다, 알레르기 때문이다."),
    ("麗子さんは菜食で、卵も食べない。", "菜食の麗子さんは卵を食べない。"),
    ("今年度の広告費は三百二十万円だ。", "広告費は今年度320万円に決まっている。"),
    ("La sala tiene sitio para catorce personas sentadas.", "Para 14 personas sentadas tiene sitio la sala."),
    ("O Edu quer receber o resumo toda terça cedo.", "Toda terça-feira cedo o Edu recebe o resumo."),
    ("美和さんの猫の名前はゴマだ。", "美和さんはゴマという名前の猫を飼っている。"),
]
AT_ODDS = [
    ("Leo is allergic to peanuts.", "Leo is not allergic to peanuts."),
    ("Leo eats peanuts.", "No peanuts for Leo."),
    ("현우는 새우를 먹는다.", "현우는 새우를 못 먹는다."),
    ("今年度の広告費は320万円だ。", "今年度の広告費は320億円だ。"),
    ("Irene toma pan.", "Irene no toma pan."),
    ("O Edu quer vender o barco.", "O Edu vendeu o barco."),
]


@pytest.mark.parametrize(("one", "other"), AGREE)
def test_other_words_for_the_same_agree(one: str, other: str) -> None:
    assert claims.agree(claims.of(one), claims.of(other), 0.9)
    assert claims.agree(claims.of(other), claims.of(one), 0.9)


@pytest.mark.parametrize(("one", "other"), AT_ODDS)
def test_what_looks_like_it_does_not(one: str, other: str) -> None:
    assert not claims.agree(claims.of(one), claims.of(other), 0.97)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("広告費は320万円", {3_200_000}),
        ("1億2000万円と3人", {120_000_000, 3}),
        ("85만 원", {850_000}),
        ("3만5000원", {35_000}),
        ("3만큼", {3}),
        ("850,000원", {850_000}),
    ],
)
def test_digits_before_a_power_are_one_number(text: str, said: set[int]) -> None:
    assert numbers(text, tokens(text)) == said


def test_numerals_and_accents_are_forms_of_one_word() -> None:
    assert lacking(["catorce", "alérgica", "회의"], ["14", "alergia", "회"]) == []
    assert lacking(["catorce", "alérgica"], ["15", "alta"]) == ["catorce", "alérgica"]


def test_a_phrase_counts_as_the_word_it_stands_for() -> None:
    assert plain("terça-feira, todos os dias") == "terça,  daily "
    assert plain("a feira de todo ano") == "a feira de todo ano"
    one, other = claims.of("The standup is daily at nine."), claims.of("Every day the standup is at nine.")
    assert lacking(one.words, other.words) == lacking(other.words, one.words) == []
    assert claims.at_odds(one, claims.of("The standup is weekly at nine."), 0.97)


def test_particles_copulas_and_titles_of_korean_carry_no_news() -> None:
    told = [word for token in tokens("민아 씨에게는 오전마다 할 수 이름이다") for word in contents(token)]
    assert told == ["민아", "오전", "할", "이름"]
    assert refusals("현우는 새우를 못 먹는다.")[0].words == ("먹는다",)


def test_nouns_are_no_determiners_values_or_denied_verbs() -> None:
    assert things("El inventario de cada mes") == {"inventario"}
    assert "toma" not in things("Rebeca no toma pan.") and "bloco" in things("Toco no bloco da vila.")
    assert "daily" not in things("The daily standup of the team.")


def test_a_name_that_something_has_is_no_part() -> None:
    assert not exchanged("猫の名前はゴマだ。", "ゴマという名前の猫を飼う。")


def test_who_always_wants_it_has_a_habit_and_no_intention() -> None:
    assert not stance("She wants to sit by the window every time.").meant
    assert stance("She wants to sit by the window.").meant


@pytest.mark.parametrize(
    "sentence", ["If you are locked out, the florist has the key.", "You'll find the key under the mat."]
)
def test_anybody_is_no_listener(sentence: str) -> None:
    assert not is_compliment(sentence)
    assert is_compliment("I am here if you need me.")
