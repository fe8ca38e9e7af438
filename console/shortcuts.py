"""What can be done by keys: one list for the sheet that `?` opens, for its page and for the help."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from console import navigation
from memories.access import Actor

Keys = tuple[Any, ...]  # pressed together or one after the other


@dataclass(frozen=True, slots=True)
class Shortcut:
    """What keys do. Each of `ways` does it."""

    ways: tuple[Keys, ...]
    does: Any


@dataclass(frozen=True, slots=True)
class Section:
    """Shortcuts that work in the same place."""

    name: str
    title: Any
    shortcuts: tuple[Shortcut, ...]


ALWAYS = Section(  # with a modifier, or what every program does with this key
    "keys-always",
    _("Everywhere"),
    (
        Shortcut((("Ctrl", "K"), ("⌘", "K")), _("go to a page or an id, or do what the page offers")),
        Shortcut((("Esc",),), _("close what is open")),
        Shortcut((("Shift", _("click")),), _("tick all from the last one ticked")),
    ),
)
SINGLE = (
    Section(
        "keys-pages",
        _("On every page"),
        (
            Shortcut((("/",),), _("go to the search")),
            Shortcut((("?",),), _("show these keys")),
        ),
    ),
    Section(
        "keys-lists",
        _("In lists and search results"),
        (
            Shortcut((("j",),), _("next row")),
            Shortcut((("k",),), _("row before")),
            Shortcut((("x",),), _("tick it, or take the tick off")),
            Shortcut((("Enter",), ("o",)), _("open it")),
        ),
    ),
    Section(
        "keys-review",
        _("When reviewing a pass"),
        (
            Shortcut((("j",),), _("next candidate")),
            Shortcut((("k",),), _("candidate before")),
            Shortcut((("x",),), _("include it, or leave it out")),
            Shortcut((("v",),), _("mark it as viewed, or take the mark off")),
            Shortcut((("e",),), _("show all evidence and how it was computed, or hide them")),
            Shortcut((("Enter",), ("o",)), _("open its record")),
        ),
    ),
)


def shown_to(actor: Actor, *, single: bool) -> list[Section]:
    """All that work for this actor; without the single keys for whoever switched these off."""
    if not single:
        return [ALWAYS]
    going = Section("keys-go", _("Going to a page"), tuple(_going(actor)))
    return [ALWAYS, *SINGLE, *([going] if going.shortcuts else [])]


def _going(actor: Actor) -> Iterator[Shortcut]:
    for part in navigation.rail(actor):
        yield from (Shortcut((("g", place.key),), place.label) for place in part.places if place.key)
