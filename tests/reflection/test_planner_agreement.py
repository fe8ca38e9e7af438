"""Which texts form a cluster: close in meaning, and nothing in their words against it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from reflection.planner import agreement
from reflection.planner.agreement import agreeing
from reflection.policy import Policy

TEA = ["Ann drinks green tea.", "Green tea is what Ann drinks.", "Ann drinks tea that is green, at home."]
CLOSE = Policy(promote_cosine=0.6)


def near(count: int, spread: float = 0.1, seed: int = 3) -> NDArray[np.float32]:
    """`count` unit vectors about one direction."""
    found = np.random.default_rng(seed).normal(0, spread, (count, 8)) + np.eye(8)[0]
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def clusters(texts: Sequence[str], policy: Policy = CLOSE) -> list[list[int]]:
    return agreeing(texts, near(len(texts)), policy)


def test_texts_that_share_meaning_and_words_stand_together() -> None:
    assert clusters(TEA) == [[0, 1, 2]]


def test_a_likeness_without_words_in_common_is_none() -> None:
    assert clusters([*TEA, "The ferry to Oslo was late."]) == [[0, 1, 2], [3]]


def test_words_in_common_without_likeness_are_none() -> None:
    far = np.vstack([near(3), np.eye(8, dtype=np.float32)[5:6]])
    assert agreeing([*TEA, TEA[0].replace("drinks", "drank")], far, CLOSE) == [[0, 1, 2], [3]]


def test_another_number_stands_alone() -> None:
    texts = [f"Invoices of Halden are paid within {days} days." for days in (45, 45, 30)]
    assert clusters([texts[0], texts[1] + " Always.", texts[2]]) == [[0, 1], [2]]


def test_whoever_says_another_thing_than_all_others_stands_alone() -> None:
    other = "At home Ann always drinks something else: lemonade, green as it is."
    assert clusters([*TEA, other]) == [[0, 1, 2], [3]]


def test_more_texts_than_a_block_are_compared_too(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = clusters(TEA * 3)
    monkeypatch.setattr(agreement, "_BLOCK", 2)
    assert clusters(TEA * 3) == whole == [list(range(9))]


@pytest.mark.parametrize("block", [16, 1024])
def test_thousands_of_nearly_equal_texts_are_held_against_a_few_each(
    monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(agreement, "_BLOCK", block)
    texts = [f"Ann drinks green tea, said source number {letter}." for letter in "abcdefghij" * 10]
    pairs = list(agreement._near(texts, near(100), CLOSE))
    assert max(sum(i == n for i, _, _ in pairs) for n in range(100)) == agreement.NEAREST


def test_signatures_let_every_pair_through_that_agrees() -> None:
    texts = [
        *TEA,
        "수진은 창가 자리를 선호한다.",
        "창가 자리를 수진이 선호한다고 한다.",
        "予備の鍵は赤い棚にある。",
        "赤い棚に予備の鍵を置く。",
    ]
    signed = agreement._Signatures(texts)
    some, others = np.array([0, 0, 1, 3, 5]), np.array([1, 2, 2, 4, 6])
    assert signed.may_share(some, others).all()
    assert not signed.may_share(np.array([0, 3]), np.array([3, 5])).any()
