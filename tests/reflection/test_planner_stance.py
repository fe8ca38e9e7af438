"""What is heard, intended, over, to come, compared or of kin alone is told from what is plainly so."""

from __future__ import annotations

import pytest

from reflection.planner import claims
from reflection.planner.contrasts import numbers
from reflection.planner.kin import of_kin_alone
from reflection.planner.stance import compared_with_another, of_its_day, stance

PLAIN = (
    "Omar has a boat.",
    "O Rui tem um barco.",
    "Ana tiene un barco.",
    "雄太は船を持っている。",
    "민수는 배가 있다.",
)


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_sentence_has_no_stance(text: str) -> None:
    found = stance(text)
    assert (found.heard, found.meant, found.over, found.time) == (False, False, False, "")


@pytest.mark.parametrize(
    "text",
    [
        "Tom says that the bakery closes.",
        "According to Tom, the bakery closes.",
        "O Nuno disse que fecha.",
        "Segundo o Nuno, fecha.",
        "Según Raúl, cierra.",
        "誠は閉まると言った。",
        "誠によると閉まる。",
        "성호 말로는 닫는다.",
    ],
)
def test_what_somebody_says_is_heard(text: str) -> None:
    assert stance(text).heard


@pytest.mark.parametrize(
    "text",
    [
        "Omar wants to sell the boat.",
        "Omar may sell the boat.",
        "A Ana quer vender o barco.",
        "Ana piensa vender el barco.",
        "雄太は船を売りたい。",
        "雄太は船を売るつもりだ。",
        "민수는 배를 팔고 싶다.",
        "민수는 배를 팔려고 한다.",
    ],
)
def test_what_somebody_intends_is_meant(text: str) -> None:
    assert stance(text).meant


@pytest.mark.parametrize(
    "text",
    [
        "Omar no longer sails.",
        "Omar does not sail any more.",
        "Omar used to sail.",
        "Omar stopped sailing.",
        "O Rui já não navega.",
        "O Rui deixou de navegar.",
        "Ana ya no navega.",
        "雄太はもう船に乗らない。",
        "민수는 이제 배를 타지 않는다.",
    ],
)
def test_what_is_no_more_is_over(text: str) -> None:
    assert stance(text).over


def test_the_month_of_may_and_a_second_floor_are_no_stance() -> None:
    assert not stance("Wendell has hay fever in May.").meant
    assert not stance("Fica no segundo andar.").heard


@pytest.mark.parametrize(
    ("one", "other", "at_odds"),
    [
        ("Omar wants to sell the red boat.", "Omar sold the red boat.", True),
        ("The bridge will be closed in August.", "The bridge was closed in August.", True),
        ("The bridge will be closed in August.", "The bridge is closed in August.", False),
        ("I never smoke cigars.", 'Tom said: "I never smoke cigars."', True),
        ("The daughter of Ruth plays violin.", "Ruth told me that her daughter plays violin.", False),
        ("Leo is allergic to walnuts.", "Leo's sister is allergic to walnuts.", True),
        ("Ann is older than Bo in class.", "Bo is older than Ann in class.", True),
    ],
)
def test_a_stance_sets_claims_at_odds(one: str, other: str, at_odds: bool) -> None:
    assert claims.at_odds(claims.of(one), claims.of(other), 1.0) is at_odds


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("O Gil é mais alto do que o Ivo.", "O Ivo é mais alto do que o Gil.", True),
        ("直樹は浩より背が高い。", "浩は直樹より背が高い。", True),
        ("준호는 태민이보다 키가 크다.", "태민이는 준호보다 키가 크다.", True),
        ("Ann is older than Bo.", "Ann is a little older than Bo.", False),
        ("Ann is older than Bo.", "Ann is old.", False),
    ],
)
def test_who_is_compared_with_whom_matters(one: str, other: str, found: bool) -> None:
    assert compared_with_another(one, other) is found


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("A irmã do Tiago canta.", "O Tiago canta.", True),
        ("El hijo de Irene canta.", "Irene canta.", True),
        ("翔太くんの姉は歌う。", "翔太くんは歌う。", True),
        ("하준이 누나는 노래한다.", "하준이는 노래한다.", True),
        ("Ruth's daughter Lea sings.", "Lea, the daughter of Ruth, sings.", False),
        ("Ruth's daughter Lea sings.", "Lea sings.", False),
        ("Leo's car is red.", "Leo is red.", False),
    ],
)
def test_a_sister_s_allergy_is_not_her_brother_s(one: str, other: str, found: bool) -> None:
    assert of_kin_alone(one, other) is of_kin_alone(other, one) is found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("十万円", {100_000}),
        ("百万円", {1_000_000}),
        ("一億二千万円", {120_000_000}),
        ("三十歳", {30}),
        ("오백만 원", {5_000_000}),
        ("이십 퍼센트", {20}),
        ("千葉と万年筆", set()),
        ("만 일을 한다", set()),
    ],
)
def test_numbers_spelt_with_letters_for_ten_and_more_are_read(text: str, found: set[int]) -> None:
    assert numbers(text, []) == found


@pytest.mark.parametrize(
    ("text", "of_a_day"),
    [
        ("See you tomorrow!", True),
        ("내일 꼭 잘되기를 빌어요.", True),
        ("明日の成功を祈っています。", True),
        ("Hasta mañana, descansa.", True),
        ("Cada mañana riego las plantas.", False),
        ("Por la mañana riego las plantas.", False),
        ("Lunch is at noon.", False),
    ],
)
def test_what_counts_from_its_own_day_is_told_apart(text: str, of_a_day: bool) -> None:
    assert of_its_day(text) is of_a_day
