"""Where the boxes of a lineage stand: none lies on another, and every line leads from box to box."""

from __future__ import annotations

import re
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from reflection.pages.layers import BELOW, HIGH, WIDE, Edge, Layout, Spot, layout

NAMES = [f"m{n}" for n in range(40)]


@st.composite
def scenes(draw: st.DrawFn) -> tuple[dict[str, int], list[Edge]]:
    """Boxes in up to seven columns, and lines between any of them, some of them to what has no box."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, min_size=1))
    boxes = {name: draw(st.integers(-3, 3)) for name in names}
    ends = st.sampled_from([*names, "nowhere"])
    pairs = draw(st.lists(st.tuples(ends, ends), max_size=60))
    return boxes, [(left, right) for left, right in pairs if left != right]


def apart(one: Spot, other: Spot) -> bool:
    return abs(one.x - other.x) >= WIDE or abs(one.y - other.y) >= HIGH + BELOW


def ends_of(path: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where a path begins and ends; one that goes round ends in a line to the side."""
    numbers = [int(number) for number in re.findall(r"-?\d+", path)]
    last = (numbers[-1], numbers[-2]) if "V" in path else (numbers[-2], numbers[-1])
    return (numbers[0], numbers[1]), last


@given(scenes())
def test_no_box_lies_on_another_and_all_lie_inside(scene: tuple[dict[str, int], list[Edge]]) -> None:
    plan = layout(*scene)
    assert set(plan.spots) == set(scene[0])
    assert all(apart(one, other) for one, other in combinations(plan.spots.values(), 2))
    for spot in plan.spots.values():
        assert 0 <= spot.x <= plan.width - WIDE and 0 <= spot.y <= plan.height - HIGH


@given(scenes())
def test_columns_stand_from_left_to_right(scene: tuple[dict[str, int], list[Edge]]) -> None:
    boxes, edges = scene
    plan = layout(boxes, edges)
    assert all(plan.spots[key].x == plan.columns[column] for key, column in boxes.items())
    assert list(plan.columns.values()) == [plan.columns[column] for column in plan.columns]
    lefts = [plan.columns[column] for column in sorted(plan.columns)]
    assert lefts == sorted(set(lefts))


@given(scenes())
def test_every_line_leads_from_a_box_to_a_box(scene: tuple[dict[str, int], list[Edge]]) -> None:
    boxes, edges = scene
    plan = layout(boxes, edges)
    wanted = {(left, right) for left, right in edges if left in boxes and right in boxes}
    assert {edge for edge, _ in plan.paths} == wanted and len(plan.paths) == len(wanted)
    for (left, right), path in plan.paths:
        start, end = ends_of(path)
        assert start == (plan.spots[left].x + WIDE, plan.spots[left].middle)
        assert end == (plan.spots[right].x, plan.spots[right].middle)


@given(scenes())
def test_a_line_that_goes_round_touches_no_box(scene: tuple[dict[str, int], list[Edge]]) -> None:
    plan = layout(*scene)
    for edge, path in plan.paths:
        if "V" in path:
            assert not any(crossed(plan, edge, spot) for spot in plan.spots.values())


@given(scenes())
def test_a_line_stays_inside_the_picture(scene: tuple[dict[str, int], list[Edge]]) -> None:
    plan = layout(*scene)
    for _, path in plan.paths:
        if "V" in path:
            x1, y1, up, above, down, y2, x2 = (int(number) for number in re.findall(r"-?\d+", path))
            assert all(0 <= x <= plan.width for x in (x1, up, down, x2))
            assert all(0 <= y <= plan.height for y in (y1, above, y2))


def crossed(plan: Layout, edge: Edge, spot: Spot) -> bool:
    """Whether the line of `edge` runs through a box on its way up, across or down."""
    path = dict(plan.paths)[edge]
    x1, _, up, above, down, _, x2 = (int(number) for number in re.findall(r"-?\d+", path))
    beside = any(spot.x <= x <= spot.x + WIDE for x in (up, down))
    return beside or above >= spot.y or not x1 <= up or not down <= x2


@given(scenes(), st.randoms())
def test_the_picture_is_the_same_whatever_the_order_of_the_lines(
    scene: tuple[dict[str, int], list[Edge]], random: object
) -> None:
    boxes, edges = scene
    mixed = list(edges)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert layout(boxes, mixed).spots == layout(boxes, edges).spots


def test_of_boxes_without_lines_the_given_order_stays() -> None:
    plan = layout({"here": 0, "b": -1, "a": -1, "c": -1}, [])
    assert sorted("abc", key=lambda key: plan.spots[key].y) == ["b", "a", "c"]


def test_sources_of_sources_stand_beside_what_they_bear_out() -> None:
    boxes = {"here": 0, "upper": -1, "lower": -1, "of lower": -2, "of upper": -2}
    edges = [("upper", "here"), ("lower", "here"), ("of lower", "lower"), ("of upper", "upper")]
    plan = layout(boxes, edges)
    assert plan.spots["of upper"].y < plan.spots["of lower"].y
