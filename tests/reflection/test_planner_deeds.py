"""What a text says of each name: deeds that change hands."""

from __future__ import annotations

import pytest

from reflection.planner import claims
from reflection.planner.deeds import deeds, doing_each_other_s
from reflection.summarizer.applause import is_compliment

CHANGED_HANDS = [
    ("Before Josef leaves, Klara locks the safe.", "Before Klara leaves, Josef locks the safe."),
    ("Klara locks the safe before Josef leaves.", "Josef locks the safe before Klara leaves."),
    ("Antes de que salga Jorge, Carla cierra la caja.", "Antes de que salga Carla, Jorge cierra la caja."),
    ("Enquanto o Rui cozinha, a Inês limpa a sala.", "Enquanto a Inês cozinha, o Rui limpa a sala."),
    ("丈二さんが帰る前に加奈さんが金庫を閉める。", "加奈さんが帰る前に丈二さんが金庫を閉める。"),
    ("정 과장이 나가기 전에 가희 씨가 금고를 잠근다.", "가희 씨가 나가기 전에 정 과장이 금고를 잠근다."),
]
THE_SAME = [
    ("Before Josef leaves, Klara locks the safe.", "Klara locks the safe before Josef leaves."),
    ("Lea met Tom in Paris.", "Tom met Lea in Paris."),
    ("The twins share a room with Walter.", "Walter shares a room with the twins."),
    ("加奈さんが帰る前に丈二さんが金庫を閉める。", "丈二さんが金庫を閉めるのは加奈さんが帰る前だ。"),
    ("정 과장이 나가기 전에 가희 씨가 금고를 잠근다.", "가희 씨가 금고를 잠그고 정 과장이 나간다."),
]


@pytest.mark.parametrize(("one", "other"), CHANGED_HANDS)
def test_two_who_do_each_what_the_other_did_are_at_odds(one: str, other: str) -> None:
    assert doing_each_other_s(one, other) and doing_each_other_s(other, one)
    assert claims.at_odds(claims.of(one), claims.of(other), 0.97)


@pytest.mark.parametrize(("one", "other"), THE_SAME)
def test_another_order_of_words_changes_no_hands(one: str, other: str) -> None:
    assert not doing_each_other_s(one, other) and not doing_each_other_s(other, one)


def test_a_deed_stands_by_its_name() -> None:
    assert deeds("Antes de que salga Jorge, Carla cierra la caja.") == {"jorge": "salga", "carla": "cierra"}
    assert deeds("加奈さんが帰る前に丈二さんが金庫を閉める。") == {"加奈": "帰", "丈二": "金庫"}
    assert deeds("tea, please.") == deeds("...") == {}


@pytest.mark.parametrize("sentence", ["あなたの意見に賛成します。", "당신 의견에 동의합니다."])
def test_what_is_said_to_a_listener_is_no_statement(sentence: str) -> None:
    assert is_compliment(sentence)
