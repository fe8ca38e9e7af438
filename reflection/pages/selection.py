"""Which candidates of a plan a person leaves out: positions, written into an address as `out=3,17,40-60`.

A long plan is shown in pages. What was left out on one page travels to the next in the address, so nothing is lost
and the state of the page is in its URL.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from console.errors import Invalid
from console.saying import phrase
from reflection.filters import LIMIT_MOST
from reflection.models import ReflectPass

TEXT_MOST = 6_000  # characters of `out` that still fit into an address


@dataclass(frozen=True, slots=True)
class Outline:
    """All candidates of a pass in order: id, position, action."""

    ids: dict[UUID, int]
    actions: dict[int, str]

    def of(self, action: str) -> list[int]:
        """The positions of one action, in order."""
        return [position for position, name in self.actions.items() if name == action]

    def keys(self, positions: Iterable[int]) -> set[UUID]:
        """The ids at these positions."""
        wanted = set(positions)
        return {key for key, position in self.ids.items() if position in wanted}


def outline(reflect_pass: ReflectPass) -> Outline:
    """The outline of a pass."""
    rows = list(reflect_pass.candidates.order_by("position").values_list("pk", "position", "action"))
    return Outline({key: place for key, place, _ in rows}, {place: action for _, place, action in rows})


def parse(text: str) -> frozenset[int]:
    """The positions in `3,17,40-60`. Raises Invalid."""
    found: set[int] = set()
    for part in text.split(",") if text else []:
        first, dash, last = part.partition("-")
        if not all(_is_position(number) for number in ((first, last) if dash else (first,))):
            raise _malformed()
        start, end = int(first), int(last if dash else first)
        if start > end:
            raise _malformed()
        found.update(range(start, end + 1))
    return frozenset(found)


def _is_position(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 4 and int(text) < LIMIT_MOST


def _malformed() -> Invalid:
    text = phrase("out lists positions like 3,17,40-60. Open the pass without it.")
    return Invalid.field("out", text, where="query")


def written(positions: Iterable[int]) -> str:
    """The shortest text that `parse` reads as these positions. Raises Invalid where no address could hold it."""
    runs: list[list[int]] = []
    for position in sorted(set(positions)):
        if runs and runs[-1][1] == position - 1:
            runs[-1][1] = position
        else:
            runs.append([position, position])
    text = ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
    if len(text) > TEXT_MOST:
        said = phrase("Too many single candidates are left out. Leave out whole groups, or plan less.")
        raise Invalid.field("include", said)
    return text


def chosen(shown: Sequence[str], include: Sequence[str], out: str, whole: Outline) -> frozenset[int]:
    """The positions a posted page leaves out: what it showed unticked, and `out` from before. Raises Invalid."""
    seen = {position("shown", text, whole) for text in shown}
    kept = {position("include", text, whole) for text in include}
    return frozenset((parse(out) & whole.actions.keys()) - seen - kept) | frozenset(seen - kept)


def position(name: str, text: str, whole: Outline) -> int:
    """The position of the candidate whose id is `text`. Raises Invalid for the field `name`."""
    try:
        return whole.ids[UUID(text)]
    except (ValueError, KeyError):
        said = phrase("%(given)s is no candidate of this pass. Open the pass again.", given=repr(text[:50]))
        raise Invalid.field(name, said) from None
