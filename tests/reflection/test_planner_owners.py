"""What is somebody's, and that person: Gideon's neighbour is not Gideon, in five languages."""

from __future__ import annotations

import pytest

from reflection.planner import claims
from reflection.planner.claims import agree, at_odds

PLAIN_AND_OWNED = [
    ("Gideon moves his hives to the heather.", "Gideon's neighbour moves his hives to the heather."),
    ("O Gaspar leva as colmeias para a serra.", "O vizinho do Gaspar leva as colmeias para a serra."),
    ("Gaspar sube las colmenas al brezal.", "El vecino de Gaspar sube las colmenas al brezal."),
    ("源さんは八月に巣箱を高原へ運ぶ。", "源さんの隣人は八月に巣箱を高原へ運ぶ。"),
    ("기준 씨는 8월에 벌통을 고원으로 옮긴다.", "기준 씨의 이웃은 8월에 벌통을 고원으로 옮긴다."),
]
THE_SAME = [
    ("Gideon moves his hives to the heather.", "Gideon's hives are moved to the heather."),
    ("Alma expects twins in October.", "Alma's twins are due in October."),
    ("Pedro's father is a baker.", "Pedro's old father works as a baker."),
]


@pytest.mark.parametrize(("plain", "owned"), PLAIN_AND_OWNED)
def test_what_ones_neighbour_does_is_not_done_by_oneself(plain: str, owned: str) -> None:
    assert at_odds(claims.of(plain), claims.of(owned), 0.95)


@pytest.mark.parametrize(("plain", "owned"), THE_SAME)
def test_the_same_thing_of_the_same_person_stays_the_same(plain: str, owned: str) -> None:
    assert not at_odds(claims.of(plain), claims.of(owned), 0.95)


def test_a_question_takes_no_place_of_a_telling() -> None:
    told, asked = claims.of("Gideon moves his hives in August."), claims.of("Does Gideon move his hives in August?")
    assert not agree(told, asked, 0.95) and agree(told, told, 0.95) and agree(asked, asked, 0.95)
