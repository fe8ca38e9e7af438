"""The picture of a lineage: what lies behind a memory at its left, what was made of it at its right.

It shows only what the lists below it show; of many the first, and how many more there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from unicodedata import category, east_asian_width
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from memories.access import Actor
from memories.models import Memory
from reflection.pages import words
from reflection.pages.layers import HIGH, WIDE, Edge, layout
from reflection.services import lineage
from reflection.services.lineage import DEPTH, GLIMPSE, Node, Side

MOST = 40  # memories in a picture
OF_COLUMN = 8  # boxes in one column
LETTERS = 24  # of half width
HIDDEN = ("Cc", "Cf")  # what shows nothing, or turns the direction of reading
HERE = "here"
MORE, GONE = "more", "gone"


@dataclass(frozen=True, slots=True)
class Tile:
    """What one box says. Without an address it leads nowhere: this memory itself, and what was deleted for good."""

    kind: str
    text: str
    told: str  # all of it, for whoever points at it or hears it
    address: str = ""
    look: str = ""  # here, more, gone
    derivation: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """One tile at its place. Places are texts, so that no notation of a language gets at them."""

    tile: Tile
    x: str
    y: str
    text_x: str
    kind_y: str
    text_y: str


@dataclass(frozen=True, slots=True)
class Picture:
    """Boxes, lines and the names of columns, in the units of the view box."""

    width: str
    height: str
    boxes: Sequence[Box]
    lines: Sequence[tuple[str, str]]  # the path, and the kind of its link
    heads: Sequence[tuple[str, str]]  # where, and what
    told: str
    box_width: str = str(WIDE)
    box_height: str = str(HIGH)


@dataclass(slots=True)
class _Scene:
    """What is to be drawn: a tile and a column for each key, and the lines between them."""

    tiles: dict[str, Tile] = field(default_factory=dict)
    columns: dict[str, int] = field(default_factory=dict)
    edges: dict[Edge, str] = field(default_factory=dict)  # with the kind of the link
    shown: set[UUID] = field(default_factory=set)  # memories that have a box

    def add(self, key: str, column: int, tile: Tile) -> None:
        """One box more."""
        self.tiles[key], self.columns[key] = tile, column

    def add_memory(self, memory_id: UUID, column: int, tile: Tile, erased: int) -> None:
        """A box for a memory, and before it one for those of its sources that were deleted for good."""
        self.add(str(memory_id), column, tile)
        self.shown.add(memory_id)
        if erased and -DEPTH < column <= 0:
            key = f"{GONE} {memory_id}"
            self.add(key, column - 1, _gone(erased))
            self.edges[key, str(memory_id)] = GONE

    def room(self, column: int) -> int:
        """How many boxes a column still takes."""
        return max(0, OF_COLUMN - sum(at == column for at in self.columns.values()))


def draw(memory: Memory, sources: Side, derived: Side, *, actor: Actor) -> Picture | None:
    """The picture over both lists; None where the memory stands alone."""
    erased = lineage.gone(memory)
    if not (sources.nodes or derived.nodes or erased):
        return None
    scene = _Scene()
    scene.add_memory(memory.pk, 0, _here(memory), erased)
    nodes: dict[int, list[Node]] = {-1: list(sources.nodes), 1: list(derived.nodes)}
    inner = {-1: [memory.pk], 1: [memory.pk]}
    for step in range(1, DEPTH + 1):
        for way in (-1, 1):
            drawn = _grow(scene, way * step, nodes[way], inner[way], actor)
            nodes[way], inner[way] = [child for node in drawn for child in node.children], [node.id for node in drawn]
    for tie in lineage.ties(scene.shown):
        scene.edges.setdefault((str(tie.target), str(tie.origin)), tie.kind)
    return _drawn(scene, _told(sources.total, derived.total))


def _grow(scene: _Scene, column: int, nodes: Sequence[Node], inner: Sequence[UUID], actor: Actor) -> list[Node]:
    """Draw the first of `nodes` in a column, and how many more lie behind `inner`; answers those drawn."""
    if not inner:
        return []
    behind = lineage.derived_behind if column > 0 else lineage.sources_behind
    waiting, room = behind(inner, scene.shown, actor=actor), min(scene.room(column), MOST - len(scene.shown))
    first = {node.id: node for node in reversed(nodes) if node.id not in scene.shown}  # its children hang on the first
    fresh = [node for node in nodes if first.get(node.id) is node][:room]
    if waiting > len(fresh):
        fresh = fresh[: max(0, scene.room(column) - 1)]
    for node in fresh:
        scene.add_memory(node.id, column, _tile(node), node.gone)
    if waiting > len(fresh):
        key = f"{MORE} {column}"
        scene.add(key, column, _more(waiting - len(fresh), column))
        if abs(column) == 1:
            here = str(inner[0])
            scene.edges[(key, here) if column < 0 else (here, key)] = MORE
    return fresh


def _here(memory: Memory) -> Tile:
    kind = memory.derivation or memory.memory_type
    text = visible(memory.content[:GLIMPSE])
    return Tile(words.of(kind), short(text), _named(words.of(kind), text), look=HERE, derivation=memory.derivation)


def _tile(node: Node) -> Tile:
    kind = words.of(node.derivation or node.memory_type)
    if node.status != "active":
        stands = _("in the trash") if node.status == "deleted" else words.of(node.status)
        kind = f"{kind} · {stands}"
    text, address = visible(node.text), reverse("memory-lineage", args=[node.id])
    return Tile(kind, short(text), _named(kind, text), address, derivation=node.derivation)


def _gone(count: int) -> Tile:
    text = ngettext("%(number)s source", "%(number)s sources", count) % {"number": f"{count:,}"}
    kind = pgettext("source of a memory", "deleted for good")
    return Tile(kind, text, _named(kind, text), look=GONE)


def _more(count: int, column: int) -> Tile:
    text = _("and %(number)s more") % {"number": f"{count:,}"}
    kind = _("in the list below")
    return Tile(kind, text, _named(text, kind), "#derived" if column > 0 else "#sources", look=MORE)


def _named(kind: str, text: str) -> str:
    return _("%(kind)s: %(text)s") % {"kind": kind, "text": text}


def _told(sources: int, derived: int) -> str:
    """The picture in words."""
    left = ngettext("%(count)s source at the left", "%(count)s sources at the left", sources)
    right = ngettext("%(count)s record made of it at the right", "%(count)s records made of it at the right", derived)
    return _("Picture: %(left)s, %(right)s. The lists below say the same.") % {
        "left": left % {"count": sources},
        "right": right % {"count": derived},
    }


def _drawn(scene: _Scene, told: str) -> Picture:
    plan = layout(scene.columns, list(scene.edges))
    boxes = [
        Box(scene.tiles[key], *map(str, (spot.x, spot.y, spot.x + 12, spot.y + 17, spot.y + 34)))
        for key, spot in sorted(plan.spots.items(), key=lambda item: (item[1].x, item[1].y))
    ]
    lines = [(path, scene.edges[edge]) for edge, path in plan.paths]
    heads = [(str(left), _head(column)) for column, left in sorted(plan.columns.items())]
    return Picture(str(plan.width), str(plan.height), boxes, lines, heads, told)


def _head(column: int) -> str:
    if abs(column) > 1:
        form = _("%(steps)s steps back") if column < 0 else _("%(steps)s steps on")
        return form % {"steps": abs(column)}
    return {-1: _("Sources"), 0: _("This memory"), 1: _("Made of it")}[column]


def visible(text: str) -> str:
    """One line of `text`, with a dot for each character that shows nothing or turns the direction of reading."""
    return "".join("·" if category(letter) in HIDDEN else letter for letter in " ".join(text.split()))


def short(line: str) -> str:
    """As much of a line as a box holds."""
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
