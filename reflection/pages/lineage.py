"""The lineage of a memory: a nested list, and a picture of the nearest drawn on the server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from unicodedata import category, east_asian_width
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from memories.models import Memory
from memories.services import records
from reflection.pages import asked
from reflection.services import lineage
from reflection.services.lineage import Node, Side

WIDE, HIGH, GAP = 208, 44, 12  # of one box, and between two below each other
COLUMNS = (0, 276, 552)
DRAWN = 8  # boxes in one column
LETTERS = 24  # of half width
HIDDEN = ("Cc", "Cf")  # what shows nothing, or turns the direction of reading


@dataclass(frozen=True, slots=True)
class Box:
    """One memory in the picture. `id` None: what was not drawn."""

    x: int
    y: int
    id: UUID | None
    text: str
    kind: str

    @property
    def middle(self) -> int:
        """Where lines meet it."""
        return self.y + HIGH // 2


@dataclass(frozen=True, slots=True)
class Picture:
    """Boxes and the lines between them, in the units of the view box."""

    width: int
    height: int
    boxes: Sequence[Box]
    lines: Sequence[str]
    told: str


@require_safe
def show(request: HttpRequest, record_id: UUID) -> HttpResponse:
    """Where a memory comes from and what was made of it. `sources` and `derived` turn the pages of long lists."""
    actor = request.actor
    memory = records.find(record_id, actor=actor, kinds=("memory",))
    assert isinstance(memory, Memory)
    sources = lineage.sources(memory, start=asked.whole(request, "sources") or 0, actor=actor)
    derived = lineage.derived(memory, start=asked.whole(request, "derived") or 0, actor=actor)
    context = {
        "nav": "memories",
        "memory": memory,
        "maker": lineage.maker_of(memory, actor=actor),
        "sources": sources,
        "derived": derived,
        "gone": memory.provenance.get("sources_gone", 0),
        "picture": draw(memory, sources, derived) if sources.nodes or derived.nodes else None,
        **_turns(sources, derived),
    }
    return render(request, "reflection/lineage.html", context)


def _turns(sources: Side, derived: Side) -> dict[str, Any]:
    """The addresses of the pages before and after, on either side."""
    found: dict[str, Any] = {}
    for name, side in (("sources", sources), ("derived", derived)):
        found[f"{name}_before"] = max(0, side.start - lineage.PAGE) if side.start else None
        found[f"{name}_after"] = side.last if side.last < side.total else None
    return found


def draw(memory: Memory, sources: Side, derived: Side) -> Picture:
    """Sources at the left, the memory in the middle, what was made of it at the right."""
    left, right = _column(sources, COLUMNS[0]), _column(derived, COLUMNS[2])
    height = max(_tall(left), _tall(right), HIGH) + 2
    left, right = _centred(left, height), _centred(right, height)
    kind = memory.derivation or memory.memory_type
    here = Box(COLUMNS[1], (height - HIGH) // 2, memory.pk, _short(memory.content), kind)
    lines = [_line(box.x + WIDE, box.middle, here.x, here.middle) for box in left]
    lines += [_line(here.x + WIDE, here.middle, box.x, box.middle) for box in right]
    return Picture(COLUMNS[2] + WIDE + 2, height, [*left, here, *right], lines, _told(sources.total, derived.total))


def _told(sources: int, derived: int) -> str:
    """The picture in words."""
    left = ngettext("%(count)s source at the left", "%(count)s sources at the left", sources)
    right = ngettext("%(count)s record made of it at the right", "%(count)s records made of it at the right", derived)
    return _("Picture: %(left)s, %(right)s. The lists below say the same.") % {
        "left": left % {"count": sources},
        "right": right % {"count": derived},
    }


def _column(side: Side, x: int) -> list[Box]:
    drawn = side.nodes if side.total <= DRAWN else side.nodes[: DRAWN - 1]
    boxes = [_box(node, x, n) for n, node in enumerate(drawn)]
    if side.total > len(drawn):
        boxes.append(
            Box(
                x,
                len(boxes) * (HIGH + GAP),
                None,
                _("and %(number)s more") % {"number": f"{side.total - len(drawn):,}"},
                "",
            )
        )
    return boxes


def _box(node: Node, x: int, place: int) -> Box:
    return Box(x, place * (HIGH + GAP), node.id, _short(node.text), node.derivation or node.memory_type)


def _short(text: str) -> str:
    line = "".join("·" if category(letter) in HIDDEN else letter for letter in " ".join(text.split()))
    if sum(map(_wide, line)) <= LETTERS:
        return line
    room, kept = LETTERS - 1, ""
    for letter in line:
        room -= _wide(letter)
        if room < 0:
            break
        kept += letter
    return f"{kept}…"


def _wide(letter: str) -> int:
    """How many columns a letter takes: those of Chinese, Japanese and Korean two."""
    return 2 if east_asian_width(letter) in "WF" else 1


def _tall(boxes: Sequence[Box]) -> int:
    return boxes[-1].y + HIGH if boxes else 0


def _centred(boxes: Sequence[Box], height: int) -> list[Box]:
    lower = (height - _tall(boxes)) // 2
    return [Box(box.x, box.y + lower, box.id, box.text, box.kind) for box in boxes]


def _line(x1: int, y1: int, x2: int, y2: int) -> str:
    half = (x1 + x2) // 2
    return f"M{x1} {y1}C{half} {y1} {half} {y2} {x2} {y2}"
