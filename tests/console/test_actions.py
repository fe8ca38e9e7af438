"""The plain words of audit actions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import get_resolver

from console.actions import ASKED, WHOLE, words_of
from console.mcp.tools import TOOLS


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("memory.forget", "memory moved to trash"),
        ("todo.erase", "TODO deleted for good"),
        ("ledger.erase_requested", "ledger entry deletion for good asked for"),
        ("reflect.undo_decay", "former importance given back"),
        ("odd.new_thing", "odd new thing"),
        ("memory-redact", "asked for: memory words taken out"),
        ("api_forget", "asked for: memory moved to trash"),
        ("erase", "asked for: record deleted for good"),
        ("api_search", "request"),
        ("mcp.forget", "asked for: memory moved to trash"),
        ("mcp.restore_memory", "asked for: memory restored from the trash"),
        ("mcp.todos", "request"),
        ("mcp.search_memory", "request"),
        ("mcp", "request"),
        ("view-delete", "asked for: view deleted"),
        ("", ""),
    ],
)
def test_an_action_is_told_in_plain_words(action: str, words: str) -> None:
    assert words_of(action) == words


def test_every_action_told_as_a_whole_has_words_without_its_code() -> None:
    assert all(words and "." not in words and "_" not in words for words in WHOLE.values())


def named(patterns: Any) -> Iterator[str]:
    for one in patterns:
        yield from named(one.url_patterns) if hasattr(one, "url_patterns") else [str(one.name)]


def test_what_can_be_refused_is_an_address_and_is_told_by_the_words_of_an_action() -> None:
    known = {name.removeprefix("api_") for name in named(get_resolver().url_patterns)}
    assert set(ASKED) <= known | set(TOOLS)
    assert all(action in WHOLE or action.replace(".", " ") != words_of(action) for action in ASKED.values())
