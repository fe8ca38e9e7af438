"""What charts are drawn from: plain numbers in; shapes, places of words and a table out. Pure.

Shapes stand in a box of 100 by 100 with its origin at the top left, which the page stretches to the room there is.
Words stand beside the box at shares of it, so that they keep their size. All places are texts: a template would write
a number in the notation of the reader, which no picture understands. `templates/parts/chart.html` draws it all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import ceil, floor, log10

Number = int | float | Decimal

BOX = 100
FILLED = 0.76  # of a bucket's width is its bar
SEEN = 0.8  # of the height at least: what is more than nothing is not drawn as nothing
LABELS, NARROW = 8, 3  # below the box at most; where there is little room
TICKS = 4  # steps of the vertical axis at most


@dataclass(frozen=True, slots=True)
class Series:
    """One quantity, with a value for each bucket. `tone` names its colour: see charts in static/records.css."""

    name: str
    values: Sequence[Number]
    tone: str = "accent"


@dataclass(frozen=True, slots=True)
class Bucket:
    """One place on the horizontal axis: what stands below it, what the table calls it, and where that leads."""

    label: str
    name: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis measures, from where to where, and the values that are written beside it."""

    name: str
    low: float
    high: float
    ticks: Sequence[tuple[float, str]]

    def share(self, value: Number) -> float:
        """How far along the axis `value` stands, in units of the box; what lies outside stands at the end."""
        along = (float(value) - self.low) / ((self.high - self.low) or 1)
        return min(1.0, max(0.0, along)) * BOX


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a curve. One with a label stands in the table under it."""

    x: float
    y: float
    label: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on the horizontal axis that is named, such as today."""

    x: float
    label: str


@dataclass(frozen=True, slots=True)
class Tick:
    """A word beside an axis, at a share of its length. `sparse` ones are left out where there is little room."""

    at: str
    label: str
    sparse: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    """One rectangle."""

    x: str
    y: str
    width: str
    height: str
    tone: str


@dataclass(frozen=True, slots=True)
class Column:
    """The bars of one bucket, and what a pointer over it is told."""

    x: str
    width: str
    told: str
    bars: Sequence[Bar]


@dataclass(frozen=True, slots=True)
class Marked:
    """A named place: its line, where the curve crosses it, and on which side there is room for its words."""

    x: str
    y: str
    label: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Table:
    """The same as the picture in words and exact numbers; the first of each row names it, and may lead somewhere."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    urls: Sequence[str] = ()

    @property
    def lines(self) -> list[tuple[str, str, list[tuple[str, str]]]]:
        """Each row as its name, its address, and its other cells with the heads of their columns."""
        urls = self.urls or [""] * len(self.rows)
        cells = [list(zip(self.head, row, strict=True))[1:] for row in self.rows]
        return [(row[0], url, rest) for row, url, rest in zip(self.rows, urls, cells, strict=True)]


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture with its words. `key` is unique on the page; `told` says what there is to be seen."""

    key: str
    title: str
    told: str
    table: Table
    x_name: str = ""
    y_name: str = ""
    x_ticks: Sequence[Tick] = ()
    y_ticks: Sequence[Tick] = ()
    columns: Sequence[Column] = ()
    legend: Sequence[tuple[str, str]] = ()  # name and tone
    line: str = ""
    area: str = ""
    marks: Sequence[Marked] = field(default=())


def bars(
    key: str,
    *,
    title: str,
    told: str,
    buckets: Sequence[Bucket],
    series: Sequence[Series],
    x_name: str,
    y_name: str,
    last: Series | None = None,
    beside: bool = False,
    shown: Callable[[Number], str] = str,
    ticked: Callable[[Number], str] | None = None,
) -> Chart:
    """Bars over each bucket: on top of each other, or side by side where `beside`.

    `shown` writes a value, `ticked` one of the axis. `last` is a column of the table that is not drawn, such as sums.
    """
    heights = [[one.values[place] for one in series] for place in range(len(buckets))]
    axis = _upwards(max((max(row) if beside else sum(row) for row in heights), default=0), y_name, ticked or shown)
    legend = [(one.name, one.tone) for one in series] if [one.name for one in series] != [y_name] else []
    return Chart(
        key=key,
        title=title,
        told=told,
        table=_table(buckets, [*series, *([last] if last else [])], x_name, shown),
        x_name=x_name,
        y_name=y_name,
        x_ticks=_below(buckets),
        y_ticks=_beside(axis),
        columns=[_column(place, buckets, series, heights[place], axis, beside, shown) for place in range(len(buckets))],
        legend=legend,
    )


def curve(
    key: str,
    *,
    title: str,
    told: str,
    points: Sequence[Point],
    x: Axis,
    y: Axis,
    marks: Sequence[Mark] = (),
    filled: bool = False,
    shown: Callable[[Number], str] = str,
) -> Chart:
    """A line through `points`, from left to right, with the ground below it `filled`. `shown` writes a height."""
    places = [(x.share(point.x), BOX - y.share(point.y)) for point in points]
    line = "".join(f"{'L' if n else 'M'}{_at(left)} {_at(top)}" for n, (left, top) in enumerate(places))
    closed = f"{line}L{_at(places[-1][0])} {BOX}L{_at(places[0][0])} {BOX}Z" if filled and places else ""
    return Chart(
        key=key,
        title=title,
        told=told,
        table=Table([x.name, y.name], [[point.label, shown(point.y)] for point in points if point.label]),
        x_name=x.name,
        y_name=y.name,
        x_ticks=[
            Tick(f"{_at(x.share(value))}%", label, sparse=bool(n % 2)) for n, (value, label) in enumerate(x.ticks)
        ],
        y_ticks=_beside(y),
        line=line,
        area=closed,
        marks=[_marked(mark, points, x, y) for mark in marks],
    )


def height_at(points: Sequence[Point], x: float) -> float:
    """How high the line through `points` stands at `x`; beyond its ends, as high as there."""
    for before, after in zip(points, points[1:], strict=False):
        if before.x <= x <= after.x and after.x > before.x:
            return before.y + (after.y - before.y) * (x - before.x) / (after.x - before.x)
    return 0.0 if not points else points[0].y if x < points[0].x else points[-1].y


def steps(high: Number, most: int = TICKS) -> list[float]:
    """Round values from 0 to at least `high`, in at most `most` steps; whole ones where `high` is."""
    top = float(high)
    if top <= 0:
        return [0.0, 1.0]
    least = max(top / most, 1.0) if isinstance(high, int) else top / most
    power = 10.0 ** floor(log10(least))
    sizes = [size * power for size in (1, 2, 2.5, 5, 10)]
    whole = [size for size in sizes if size % 1 == 0] if isinstance(high, int) else sizes
    step = next(size for size in whole if size >= least * (1 - 1e-9))
    return [float(f"{step * n:.12g}") for n in range(ceil(top / step - 1e-8) + 1)]


def _upwards(high: Number, name: str, shown: Callable[[Number], str]) -> Axis:
    values = steps(high)
    whole = [int(value) if value == int(value) else value for value in values]
    return Axis(name, 0.0, values[-1], [(float(value), shown(value)) for value in whole])


def _column(
    place: int,
    buckets: Sequence[Bucket],
    series: Sequence[Series],
    values: Sequence[Number],
    axis: Axis,
    beside: bool,
    shown: Callable[[Number], str],
) -> Column:
    """The bars of one bucket; a value of nothing has none."""
    width = BOX / len(buckets)
    left, wide = width * (place + (1 - FILLED) / 2), width * FILLED
    drawn: list[Bar] = []
    top = float(BOX)
    for n, (one, value) in enumerate(zip(series, values, strict=True)):
        high = max(axis.share(value), SEEN) if value > 0 else 0.0
        at, part = (left + wide * n / len(series), wide / len(series)) if beside else (left, wide)
        bottom = float(BOX) if beside else top
        top = bottom - high
        if high:
            drawn.append(Bar(_at(at), _at(top), _at(part), _at(high), one.tone))
    named = ", ".join(f"{one.name} {shown(value)}" for one, value in zip(series, values, strict=True) if value)
    told = f"{buckets[place].name}: {named or shown(0)}"
    return Column(_at(width * place), _at(width), told, drawn)


def _table(buckets: Sequence[Bucket], series: Sequence[Series], x_name: str, shown: Callable[[Number], str]) -> Table:
    rows = [[bucket.name, *(shown(one.values[place]) for one in series)] for place, bucket in enumerate(buckets)]
    urls = [bucket.url for bucket in buckets]
    return Table([x_name, *(one.name for one in series)], rows, urls if any(urls) else ())


def _below(buckets: Sequence[Bucket]) -> list[Tick]:
    """Words below the middles of buckets: of many only every second, third and so on."""
    every = max(1, ceil(len(buckets) / LABELS))
    narrow = every * max(1, ceil(len(buckets) / every / NARROW))
    width = BOX / (len(buckets) or 1)
    return [
        Tick(f"{_at(width * (place + 0.5))}%", bucket.label, sparse=bool(place % narrow))
        for place, bucket in enumerate(buckets)
        if place % every == 0
    ]


def _beside(axis: Axis) -> list[Tick]:
    return [Tick(f"{_at(BOX - axis.share(value))}%", label) for value, label in axis.ticks]


def _marked(mark: Mark, points: Sequence[Point], x: Axis, y: Axis) -> Marked:
    along = x.share(mark.x)
    height = BOX - y.share(height_at(points, mark.x))
    return Marked(f"{_at(along)}%", f"{_at(height)}%", mark.label, "start" if along < BOX / 2 else "end")


def _at(value: float) -> str:
    """A place with two decimals, and no more than it needs."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
