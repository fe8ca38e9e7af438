"""Tables for a spreadsheet: what was written comes back, and no cell is run."""

from __future__ import annotations

import csv
import io
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memories.services.sheets import BOM, RUN, cell, lines, unguarded

TEXT = some.text(some.characters(codec="utf-8", exclude_characters="\0"), max_size=30)


@pytest.mark.parametrize(
    "text",
    [
        '=HYPERLINK("http://x","y")',
        "+1-555",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        " =1+1",
        "\u3000=1",
        "＝1+1",
        "＋1",
        "－1",
        "＠A1",
        "=cmd|' /C calc'!A0",
    ],
)
def test_a_text_that_a_spreadsheet_would_run_gets_a_quote_before_it(text: str) -> None:
    assert cell(text) == f"'{text}" and unguarded(str(cell(text))) == text
    [[read]] = csv.reader(io.StringIO(lines([[text]]), newline=""))
    assert read == f"'{text}"


def test_numbers_times_and_plain_texts_stay_as_they_are() -> None:
    row = [Decimal("-12.50"), -3, 0.25, True, None, date(2026, 5, 1), datetime(2026, 5, 1, tzinfo=UTC), "a-b", "it's"]
    assert lines([row]) == '-12.50,-3,0.25,"yes","","2026-05-01","2026-05-01T00:00:00+00:00","a-b","it\'s"\r\n'
    assert float("-12.50") == -12.5


def test_separators_quotes_and_line_ends_inside_a_text_begin_no_cell() -> None:
    text = 'a;=1,"=2"\n=3\t=4'
    assert list(csv.reader(io.StringIO(lines([[text, "b"]]), newline=""))) == [[text, "b"]]
    assert lines([[text]]).startswith('"') and lines([[text]]).endswith('"\r\n')


@given(some.lists(TEXT, min_size=1, max_size=4))
def test_whatever_was_written_comes_back_and_nothing_begins_like_a_formula(texts: list[str]) -> None:
    [row] = csv.reader(io.StringIO(lines([texts]), newline=""))
    assert [unguarded(one) for one in row] == [unguarded(str(cell(text))) for text in texts]
    assert not any(one.startswith(RUN) or one.lstrip().startswith(RUN) for one in row)


@given(TEXT.filter(lambda text: not text.startswith("'")))
def test_only_a_quote_that_was_put_there_is_taken_away(text: str) -> None:
    assert unguarded(str(cell(text))) == text


def test_the_mark_of_utf_8_is_one_character() -> None:
    assert BOM.encode() == b"\xef\xbb\xbf"
