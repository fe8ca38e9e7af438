"""The geometry of charts and the periods they are drawn over."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.template.loader import render_to_string
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from console import charts, periods
from console.chart_words import buckets
from console.charts import Axis, Bucket, Chart, Mark, Point, Series

DAYS = st.dates(date(1950, 1, 1), date(2100, 1, 1))


def drawn(*values: list[int], beside: bool = False) -> Chart:
    places = [Bucket(f"{n}", f"bucket {n}") for n in range(len(values[0]))]
    series = [Series(f"series {n}", one, f"tone{n}") for n, one in enumerate(values)]
    return charts.bars(
        "k", title="Title", told="Told", buckets=places, series=series, x_name="When", y_name="Memories", beside=beside
    )


def faded() -> Chart:
    """Importance over 30 days, from 1 to a half, with today at its middle."""
    points = [Point(0, 1.0, "day 0"), Point(10, 0.8), Point(30, 0.5, "day 30")]
    x = Axis("Days", 0, 30, [(0, "0"), (15, "15"), (30, "30")])
    y = Axis("Importance", 0, 1, [(0, "0"), (0.5, "0.5"), (1, "1")])
    return charts.curve(
        "fade", title="Decay", told="Told", points=points, x=x, y=y, marks=[Mark(20, "today")], filled=True
    )


def tops(chart: Chart) -> int:
    """What the upper end of the vertical axis stands for."""
    return int(chart.y_ticks[-1].label)


@given(st.integers(0, 10**9))
def test_steps_are_few_whole_and_reach_over_the_highest(high: int) -> None:
    found = charts.steps(high)
    assert found[0] == 0 and found[-1] >= high and len(found) <= charts.TICKS + 1
    assert all(step == int(step) for step in found)
    assert found[-2] < high or high == 0


@given(st.floats(1e-6, 1e12))
def test_steps_of_shares_reach_over_the_highest(high: float) -> None:
    found = charts.steps(high)
    assert found[-1] >= high * 0.999_99 and 2 <= len(found) <= charts.TICKS + 1


@given(st.lists(st.lists(st.integers(0, 500), min_size=4, max_size=4), min_size=1, max_size=5))
def test_bars_on_top_of_each_other_are_as_high_as_their_numbers(values: list[list[int]]) -> None:
    chart = drawn(*values)
    for place, column in enumerate(chart.columns):
        told = [one[place] for one in values if one[place]]
        assert len(column.bars) == len(told)
        floor = 100.0
        for bar, value in zip(column.bars, told, strict=True):
            high = max(value * charts.BOX / tops(chart), charts.SEEN)
            assert float(bar.height) == pytest.approx(high, abs=0.006)
            assert float(bar.y) + float(bar.height) == pytest.approx(floor, abs=0.02)
            floor = float(bar.y)


@given(st.lists(st.lists(st.integers(0, 500), min_size=3, max_size=3), min_size=1, max_size=4))
def test_bars_beside_each_other_stand_on_the_ground_and_do_not_meet(values: list[list[int]]) -> None:
    for column in drawn(*values, beside=True).columns:
        for bar in column.bars:
            assert float(bar.y) + float(bar.height) == pytest.approx(100, abs=0.02)
        for before, after in zip(column.bars, column.bars[1:], strict=False):
            assert float(before.x) + float(before.width) <= float(after.x) + 0.02


@given(st.lists(st.lists(st.integers(0, 500), min_size=4, max_size=4), min_size=1, max_size=5))
def test_the_table_has_every_number_of_the_picture(values: list[list[int]]) -> None:
    table = drawn(*values).table
    assert [[int(cell) for cell in row[1:]] for row in table.rows] == [list(row) for row in zip(*values, strict=True)]
    assert table.head == ["When", *(f"series {n}" for n in range(len(values)))]


def test_a_column_that_is_not_drawn_stands_in_the_table_alone() -> None:
    chart = charts.bars(
        "k",
        title="",
        told="",
        buckets=[Bucket("a", "a", "/there")],
        series=[Series("out", [Decimal("1.50")])],
        x_name="When",
        y_name="EUR",
        last=Series("Net", [Decimal("-1.50")]),
    )
    assert chart.table.lines == [("a", "/there", [("out", "1.50"), ("Net", "-1.50")])]
    assert len(chart.columns[0].bars) == 1 and chart.legend == [("out", "accent")]


def test_a_curve_goes_through_its_points_and_marks_a_place_on_it() -> None:
    chart = faded()
    assert chart.line == "M0 0L33.33 20L100 50" and chart.area == chart.line + "L100 100L0 100Z"
    assert (chart.marks[0].x, chart.marks[0].y, chart.marks[0].anchor) == ("66.67%", "35%", "end")
    assert chart.table.rows == [["day 0", "1.0"], ["day 30", "0.5"]]


def test_beyond_its_ends_a_curve_stays_as_high_as_there() -> None:
    points = [Point(1, 0.9), Point(2, 0.4)]
    assert [charts.height_at(points, x) for x in (0, 1, 1.5, 2, 9)] == [0.9, 0.9, pytest.approx(0.65), 0.4, 0.4]
    assert charts.height_at([], 1) == 0


@pytest.mark.parametrize("language", ["en", "es", "ja"])
def test_a_picture_is_named_told_and_followed_by_its_table_and_has_no_number_in_the_notation_of_the_reader(
    language: str,
) -> None:
    for chart in (faded(), drawn([1, 2, 3], [0, 5, 0])):
        with translation.override(language):
            body = render_to_string("parts/chart.html", {"chart": chart})
        assert f'role="img" aria-labelledby="{chart.key}-title {chart.key}-told"' in body
        assert f'<title id="{chart.key}-title">{chart.title}</title>' in body
        assert f'<desc id="{chart.key}-told">Told</desc>' in body
        assert "style=" not in body and body.index("</svg>") < body.index("<table")
        places = re.findall(r' (?:x|y|width|height|cx|cy|x1|x2|y1|y2|d)="([^"]*)"', body)
        assert places and not any("," in place for place in places)
        assert body.count('<th scope="row">') == len(chart.table.rows)


def test_names_in_a_chart_are_escaped() -> None:
    chart = charts.bars(
        "k", title="<b>", told="<i>", buckets=[Bucket("<u>", "<s>")], series=[Series("<em>", [1])], x_name="", y_name=""
    )
    body = render_to_string("parts/chart.html", {"chart": chart})
    assert not re.search(r"<(b|i|u|s|em)>", body)


@given(DAYS, DAYS)
def test_periods_follow_each_other_from_the_first_day_to_the_last_and_are_not_too_many(one: date, other: date) -> None:
    first, last = sorted((one, other))
    found = periods.spanning(first, last)
    starts = list(found.starts)
    assert starts == sorted(set(starts)) and len(starts) <= periods.MOST[found.unit]
    assert starts[0] <= first or found.open
    assert starts[-1] == periods.beginning(last, found.unit)
    for before, after in zip(starts, starts[1:], strict=False):
        assert periods.beginning(after - timedelta(days=1), found.unit) == before


@pytest.mark.parametrize(
    ("days", "unit"),
    [(0, "day"), (20, "day"), (21, "week"), (180, "week"), (200, "month"), (1000, "month"), (1200, "year")],
)
def test_the_span_of_the_data_chooses_the_period(days: int, unit: str) -> None:
    last = date(2026, 11, 29)
    assert periods.spanning(last - timedelta(days=days), last).unit == unit


def test_of_more_than_forty_years_the_first_takes_in_all_before() -> None:
    found = periods.spanning(date(1900, 1, 1), date(2026, 11, 30))
    assert found.open and len(found.starts) == 40
    assert buckets(found)[0].name == "until 1987"
