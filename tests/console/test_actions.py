"""The plain words of audit actions."""

from __future__ import annotations

import pytest

from console.actions import WHOLE, words_of


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("memory.forget", "memory moved to trash"),
        ("todo.erase", "TODO deleted for good"),
        ("ledger.erase_requested", "ledger entry deletion for good asked for"),
        ("reflect.undo_decay", "former importance given back"),
        ("odd.new_thing", "odd new thing"),
        ("", ""),
    ],
)
def test_an_action_is_told_in_plain_words(action: str, words: str) -> None:
    assert words_of(action) == words


def test_every_action_told_as_a_whole_has_words_without_its_code() -> None:
    assert all(words and "." not in words and "_" not in words for words in WHOLE.values())
