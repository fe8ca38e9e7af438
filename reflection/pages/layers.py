"""Boxes in columns, and the lines between them: where each stands in a picture. Pure, and the same every time.

Lines run from a source at the left to what was made of it at the right. One that does not lead into the very next
column goes round: above all boxes, and down in the room between two columns.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

WIDE, HIGH = 208, 44  # of a box
BESIDE, BELOW = 64, 12  # between two columns, and between two boxes of one
HEAD = 22  # for the name of a column
LANE = 6  # between two lines that go round
LANES = 6  # more share them
EDGE = 2  # around all, for the line of a box that has the focus

Edge = tuple[str, str]  # the keys of a source and of what was made of it


@dataclass(frozen=True, slots=True)
class Spot:
    """Where one box stands, its upper left corner."""

    x: int
    y: int

    @property
    def middle(self) -> int:
        """Where lines meet it."""
        return self.y + HIGH // 2


@dataclass(frozen=True, slots=True)
class Layout:
    """All boxes by their keys, the left sides of the columns, and one path for each edge, in their order."""

    width: int
    height: int
    spots: Mapping[str, Spot]
    columns: Mapping[int, int]
    paths: Sequence[tuple[Edge, str]]


def layout(boxes: Mapping[str, int], edges: Sequence[Edge]) -> Layout:
    """Place `boxes`, keys with their columns; in a column they keep their order as far as their edges allow.

    Column 0 is the middle: what is nearer to it is placed first. Edges of what is not among the boxes are left out.
    """
    known = list(dict.fromkeys((left, right) for left, right in edges if left in boxes and right in boxes))
    rows = _rows(boxes, known)
    places = {column: n for n, column in enumerate(sorted(rows))}
    round_about = [edge for edge in known if places[boxes[edge[1]]] - places[boxes[edge[0]]] != 1]
    side = BESIDE * 3 // 4 if round_about else EDGE
    lanes = min(len(round_about), LANES) * LANE
    lefts = {column: side + n * (WIDE + BESIDE) for column, n in places.items()}
    tallest = max((_tall(len(row)) for row in rows.values()), default=0)
    spots = {
        key: Spot(lefts[column], HEAD + lanes + (tallest - _tall(len(row))) // 2 + n * (HIGH + BELOW))
        for column, row in rows.items()
        for n, key in enumerate(row)
    }
    turns = {edge: n % LANES for n, edge in enumerate(round_about)}
    paths = [(edge, _path(spots[edge[0]], spots[edge[1]], turns.get(edge))) for edge in known]
    width = 2 * side + len(places) * (WIDE + BESIDE) - BESIDE
    return Layout(width, HEAD + lanes + tallest + EDGE, spots, lefts, paths)


def _rows(boxes: Mapping[str, int], edges: Sequence[Edge]) -> dict[int, list[str]]:
    """The boxes of each column from top to bottom: beside the middle of those they are tied to, nearer to column 0."""
    given: dict[int, list[str]] = defaultdict(list)
    for key, column in boxes.items():
        given[column].append(key)
    tied: dict[str, list[str]] = defaultdict(list)
    for left, right in edges:
        tied[left].append(right)
        tied[right].append(left)
    share: dict[str, float] = {}
    rows: dict[int, list[str]] = {}
    for column in sorted(given, key=lambda column: (abs(column), column)):
        keys = given[column]
        inner = [[share[other] for other in tied[key] if _inside(boxes[other], column)] for key in keys]
        wanted = {key: fmean(near) if near else 1.0 for key, near in zip(keys, inner, strict=True)}
        rows[column] = sorted(keys, key=lambda key: (wanted[key], keys.index(key)))
        share |= {key: (n + 1) / (len(keys) + 1) for n, key in enumerate(rows[column])}
    return rows


def _inside(other: int, column: int) -> bool:
    """Whether `other` lies on the way from `column` to the middle."""
    return abs(other) < abs(column) and other * column >= 0


def _tall(count: int) -> int:
    return count * (HIGH + BELOW) - BELOW if count else 0


def _path(source: Spot, made: Spot, turn: int | None) -> str:
    start, end = source.x + WIDE, made.x
    if turn is None:
        half = (start + end) // 2
        return f"M{start} {source.middle}C{half} {source.middle} {half} {made.middle} {end} {made.middle}"
    aside, above = BESIDE // 2 - LANE * (turn - LANES // 2) // 2, HEAD + LANE * turn
    return f"M{start} {source.middle}H{start + aside}V{above}H{end - aside}V{made.middle}H{end}"
