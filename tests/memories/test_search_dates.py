"""Dates in a question: which are read, in which languages, and which moments fit them."""

from __future__ import annotations

from datetime import date

import pytest

from memories.search.dates import Span, spans

TODAY = date(2026, 3, 18)


def read(text: str) -> list[tuple[str, str, bool]]:
    return [(one.start.isoformat(), one.end.isoformat(), one.yearly) for one in spans(text, TODAY)[0]]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("what happened on 2023-05-01?", "2023-05-01", "2023-05-01"),
        ("what happened on 1 february, 2023?", "2023-02-01", "2023-02-01"),
        ("on the 8th of december 2023", "2023-12-08", "2023-12-08"),
        ("on december 1,2023", "2023-12-01", "2023-12-01"),
        ("in august 2023", "2023-08-01", "2023-08-31"),
        ("in the first week of may 2022", "2022-05-01", "2022-05-07"),
        ("the last week of february 2023", "2023-02-22", "2023-02-28"),
        ("during 2022", "2022-01-01", "2022-12-31"),
        ("em 3 de marco de 2024", "2024-03-03", "2024-03-03"),
        ("em novembro de 2024", "2024-11-01", "2024-11-30"),
        ("el 5 de septiembre de 2024", "2024-09-05", "2024-09-05"),
        ("2023年5月1日の会議", "2023-05-01", "2023-05-01"),
        ("2023年5月に", "2023-05-01", "2023-05-31"),
        ("2023년 5월 1일 회의", "2023-05-01", "2023-05-01"),
        ("what did i buy yesterday?", "2026-03-17", "2026-03-17"),
        ("o que comprei ontem", "2026-03-17", "2026-03-17"),
        ("先週の会議", "2026-03-05", "2026-03-17"),
    ],
)
def test_a_date_is_read(text: str, start: str, end: str) -> None:
    assert read(text) == [(start, end, False)]


@pytest.mark.parametrize(
    "text", ["on 16 june", "in july", "5月の旅行", "el 3 de abril", "in the first half of september"]
)
def test_a_date_without_its_year_is_of_every_year(text: str) -> None:
    assert [yearly for _, _, yearly in read(text)] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "what may jon do",
        "the march was long",
        "port 2049 is open",
        "version 2.4.19",
        "0190-2024a",
        "1",
    ],
)
def test_what_is_no_date_is_left_alone(text: str) -> None:
    assert spans(text, TODAY) == ([], text)


def test_what_is_left_of_a_question_lacks_its_date() -> None:
    assert "2023" not in spans("who came on 1 february, 2023 to the party?", TODAY)[1]


def test_more_dates_than_four_are_words() -> None:
    assert len(spans(" ".join(f"2023-05-0{day}" for day in range(1, 8)), TODAY)[0]) == 4


def test_a_day_fits_less_the_later_it_is_told() -> None:
    [day], _ = spans("1 february 2023", TODAY)
    fits = [day.fit(date(2023, 2, told)) for told in (1, 3, 8, 20)]
    assert fits[0] == 1.0
    assert fits == sorted(fits, reverse=True)
    assert fits[-1] == 0.0


def test_a_day_announced_before_fits_in_part() -> None:
    [day], _ = spans("8 february 2023", TODAY)
    assert 0 < day.fit(date(2023, 2, 6)) < 0.5
    assert day.fit(date(2023, 1, 1)) == 0.0


def test_a_leap_day_fits_in_years_without_one() -> None:
    [day], _ = spans("on 29 february", TODAY)
    assert day.fit(date(2023, 2, 28)) == 1.0


def test_a_month_without_year_fits_across_the_turn_of_the_year() -> None:
    [month], _ = spans("in december", TODAY)
    assert 0 < month.fit(date(2024, 1, 5)) < 1


def test_the_shorter_a_span_the_more_it_says() -> None:
    day, month, year = (spans(text, TODAY)[0][0] for text in ("1 may 2023", "in may 2023", "in 2023"))
    assert day.weight > month.weight > year.weight == 1.0
    assert Span("yesterday", TODAY, TODAY, yearly=False, relative=True).weight == 1.0
