"""The pages that one may go to, by their names: one list for the rail, for the palette and for the keys after `g`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from memories.access import Actor
from memories.services.charge import may_administer


def _anybody(actor: Actor) -> bool:
    return actor.user_id is not None


@dataclass(frozen=True, slots=True)
class Place:
    """A page: the name of its address, what it is called, and who may open it. `key` leads there after `g`."""

    name: str
    label: Any
    icon: str
    key: str = ""
    may: Callable[[Actor], bool] = _anybody


@dataclass(frozen=True, slots=True)
class Part:
    """Some pages under a title of their own."""

    name: str
    title: Any
    places: tuple[Place, ...]


RAIL = (
    Part(
        "records",
        "",
        (
            Place("overview", _("Overview"), "overview", "o"),
            Place("memories", _("Memories"), "memories", "m"),
            Place("todos", _("TODOs"), "todos", "t"),
            Place("ledger", _("Ledger"), "ledger", "l"),
            Place("timeline", _("Timeline"), "timeline"),
            Place("decisions", _("Decisions"), "decisions", "d"),
            Place("snapshots", _("Snapshots"), "snapshots"),
        ),
    ),
    Part(
        "care",
        _("Care"),
        (
            Place("passes", _("Passes"), "passes", "p"),
            Place("inbox", _("Inbox"), "inbox", "i"),
            Place("trash", _("Trash"), "trash", "x"),
            Place("audit", _("Audit"), "audit", "a"),
        ),
    ),
    Part(
        "setup",
        _("Setup"),
        (
            Place("policies", _("Policy"), "policy"),
            Place("schedules", _("Schedules"), "schedules"),
            Place("people", _("Teams and people"), "person"),
            Place("tokens", _("Tokens"), "tokens"),
            Place("connect", _("Connect an agent"), "connect"),
            Place("import", _("Import and export"), "transfer"),
            Place("access", _("My access"), "access"),
            Place("settings", _("Settings"), "settings", "s"),
        ),
    ),
)
FURTHER = Part(  # in the palette only
    "further",
    _("Further pages"),
    (
        Place("memory-new", _("New memory"), "memories"),
        Place("pass-new", _("New pass"), "passes"),
        Place("pass-revert", _("Take back what a token wrote"), "undo"),
        Place("schedule-new", _("New schedule"), "schedules"),
        Place("token-new", _("New token"), "tokens"),
        Place("person-new", _("Add a person"), "person", may=may_administer),
        Place("team-new", _("New team"), "person", may=may_administer),
        Place("device-login", _("Code of an agent"), "connect"),
        Place("search", pgettext_lazy("verb", "Search"), "search"),
        Place("views", _("Saved views"), "filter"),
        Place("notices", _("Notices"), "inbox"),
        Place("trash-retention", _("How long the trash keeps records"), "trash"),
        Place("api-docs", _("API"), "external"),
        Place("help", _("Help"), "help"),
        Place("keys", _("Keys"), "keys"),
    ),
)


def rail(actor: Actor) -> list[Part]:
    """What stands at the left of every page for this actor."""
    return list(_open_to(actor, RAIL))


def everywhere(actor: Actor) -> list[Part]:
    """All pages that the actor may open, those of the rail first."""
    return list(_open_to(actor, (*RAIL, FURTHER)))


def _open_to(actor: Actor, parts: tuple[Part, ...]) -> Iterator[Part]:
    for part in parts:
        places = tuple(place for place in part.places if place.may(actor))
        if places:
            yield replace(part, places=places)
