"""Forty memories in five languages are found first by words that are not theirs letter for letter."""

from __future__ import annotations

import pytest

from bench.search_languages import DISTRACTORS, PAIRS
from memories.embedding import EmbeddingUnavailable
from memories.search import rank
from memories.search.search import Search, search
from tests.memories.factories import actor, ann, memory


@pytest.mark.django_db
def test_all_forty_are_found_first_by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise EmbeddingUnavailable("The model is down.")

    monkeypatch.setattr(rank, "get_embedder", refuse)
    who = actor(ann())
    for language, text in [(one.language, one.text) for one in PAIRS] + list(DISTRACTORS):
        memory(ann(), text, language=language)
    missed = [
        one.words
        for one in PAIRS
        if [hit.memory.content for hit in search(who, Search(one.words)).hits][:1] != [one.text]
    ]
    assert missed == []


def test_the_set_is_of_five_languages_in_equal_parts() -> None:
    assert {
        name: sum(one.language == name for one in PAIRS) for name in ("en", "pt", "es", "ja", "ko")
    } == dict.fromkeys(("en", "pt", "es", "ja", "ko"), 8)
    assert len({one.text for one in PAIRS} | {text for _, text in DISTRACTORS}) == len(PAIRS) + len(DISTRACTORS)
