"""A hit explains itself: where it was found, what its score is made of, and why it may be seen."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memories.search.marks import VOICED, folded, marks
from memories.search.search import Search, search
from memories.search.strength import STRONG
from memories.search.terms import cut
from tests.memories.factories import actor, ann, memory, team
from tests.memories.page_client import signed_in, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_model")]


def test_a_hit_names_each_field_it_was_found_in() -> None:
    memory(ann(), "The zebras arrived.", path="zoo/kiosk", metadata={"speaker": "Tim"})
    [hit] = search(actor(ann()), Search("zebra kiosk Tim")).hits
    assert hit.matched == ("content", "path", "metadata")
    assert hit.words == 1.0
    assert hit.meaning is None
    assert hit.why_visible == "private"
    assert STRONG <= hit.score <= 1


def test_words_that_say_nothing_are_left_out_of_a_question() -> None:
    assert [term.text for term in cut("What did the zebra eat at the kiosk?").terms] == ["zebra", "eat", "kiosk"]
    assert [term.text for term in cut("O que a zebra comeu no quiosque?").terms] == ["zebra", "comeu", "quiosque"]


def test_a_query_of_nothing_else_keeps_them() -> None:
    assert [term.text for term in cut("to be or not to be").terms] == ["to", "be", "or", "not"]
    memory(ann(), "To be, or not to be.")
    assert len(search(actor(ann()), Search("to be or not to be")).hits) == 1


def test_words_of_asking_weigh_less_than_what_is_asked() -> None:
    weights = {term.text: term.weight for term in cut("what kind of zebra would Tim mention").terms}
    assert weights["kind"] == weights["would"] == weights["mention"] < weights["zebra"] == 1.0


def test_a_part_of_a_word_is_looked_for_from_four_letters_on() -> None:
    memory(ann(), "requestPipelineFactory")
    assert search(actor(ann()), Search("ipe")).hits == []
    assert len(search(actor(ann()), Search("ipel")).hits) == 1


def test_a_phrase_of_two_characters_is_found_inside_a_run() -> None:
    memory(ann(), "来週の会議は東京です")
    assert len(search(actor(ann()), Search('"会議は"')).hits) == 1
    assert search(actor(ann()), Search('"議会"')).hits == []


def test_parts_of_a_run_without_spaces_are_marked_as_one() -> None:
    assert marks("追跡ページの日付は統一する。", ["追跡", "ペー", "ジの", "日付"]) == [(0, 8)]
    assert marks("red kiosk, red", ["red", "kiosk"]) == [(0, 3), (4, 9), (11, 14)]


def test_a_page_tells_whose_a_hit_is_in_the_reader_s_language() -> None:
    memory(ann(), "The zebras arrived.", team=team("Atlas", ann="admin"))
    page = signed_in(ann()).get("/search?query=zebras", headers={"accept-language": "ja"})
    assert "チーム Atlas" in text_of(page) and "team Atlas" not in text_of(page)


def one_by_one(text: str) -> tuple[str, list[int]]:
    """The same as `folded`, letter by letter."""
    found = [
        (part, place)
        for place, letter in enumerate(text)
        for part in unicodedata.normalize("NFKD", letter).casefold()
        if not unicodedata.combining(part) or part in VOICED
    ]
    return "".join(part for part, _ in found), [place for _, place in found]


@given(st.text() | st.text(alphabet=st.characters(max_codepoint=127)))
def test_a_text_is_folded_as_letter_by_letter(text: str) -> None:
    assert folded(text) == one_by_one(text)
