"""What stands beside the list of memories: the values of its facets as links, each with the rows it would show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.http import QueryDict
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from console.saying import told
from console.words import WORDS
from memories.access import Actor
from memories.models import User
from memories.models.memory import MemoryType
from memories.pages.keyset import grouped
from memories.services.facets import FACETS, MOST, OLDER, TOP, Counts

SHOWN = 10  # values of a facet that are seen at once
STATUSES = ("active", "archived", "expired")
AGES = {
    "day": _("Last 24 hours"),
    "week": _("2 to 7 days"),
    "month": _("8 to 30 days"),
    "quarter": _("31 to 90 days"),
    "year": _("91 to 365 days"),
    OLDER: _("Over a year"),
}
TITLES = {
    "type": _("Type"),
    "status": _("Status"),
    "bucket": _("Bucket"),
    "scope": _("Scope"),
    "space": _("Space"),
    "owner": _("Owner"),
    "under": _("Folder"),
    "age": pgettext_lazy("of a memory", "Age"),
}
IN_ORDER: dict[str, tuple[str, ...]] = {"status": STATUSES, "age": tuple(AGES), "type": tuple(MemoryType.values)}
OF_MANY = {"space", "owner"}  # nothing to choose where somebody sees only their own


@dataclass(frozen=True, slots=True)
class Choice:
    """One value: what it is called, how many rows it shows, and the address with it or, in force, without it.

    `place` names it on the page, so that the focus stays with it when the counts come.
    """

    place: str
    label: str
    rows: str
    url: str
    current: bool
    removable: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """The values of one filter; `beyond` says how many there are that are not told."""

    name: str
    title: Any
    first: list[Choice]
    rest: list[Choice]
    beyond: str


@dataclass(frozen=True, slots=True)
class Asked:
    """The list as it is asked for: its address, its filters, who asks, and what owners are called."""

    path: str
    query: QueryDict
    given: Mapping[str, Any]
    actor: Actor
    owners: Mapping[str, str]

    def without(self, name: str) -> str:
        """The list without this filter."""
        return self.having(name, "")

    def having(self, name: str, value: str) -> str:
        """The list with this value of a filter, from its first page."""
        rest = self._rest()
        rest.pop(name, None)
        return address(self.path, rest | ({name: value} if value else {}))

    @property
    def counts(self) -> str:
        """The facets of this list with the rows of each value."""
        made = QueryDict(mutable=True)
        made.update(self._rest())
        return f"{reverse('memories-facets')}?{made.urlencode()}".rstrip("?")

    def _rest(self) -> dict[str, str]:
        """The filters in force and the order, not the place in the list."""
        left = ("after", "before", "selected")
        return {str(key): str(text) for key, text in self.query.items() if text and key not in left}


def address(path: str, query: Mapping[str, str]) -> str:
    """The list within these filters. One without any says so: the bare address leads to the view that comes first."""
    made = QueryDict(mutable=True)
    made.update(dict(query) or {"status": "active"})
    return f"{path}?{made.urlencode()}"


def owner_names(found: dict[str, Counts] | None, chosen: UUID | None, actor: Actor) -> dict[str, str]:
    """What the owners of visible memories are called, and who is chosen, if it is a colleague; asks only where there
    can be several.
    """
    if len(actor.spaces) < 2 and not chosen:
        return {}
    known = Q(pk__in=[UUID(key) for key in found["owner"].rows] if found else [])
    colleague = Q(pk=chosen) & (Q(pk=actor.user_id) | Q(memberships__team__in=list(actor.spaces)))
    people = User.objects.filter(known | colleague).distinct()
    return {str(person.pk): str(person) for person in people.only("display_name", "username")}


def facets(found: dict[str, Counts] | None, asked: Asked) -> list[Facet]:
    """All facets that offer something; without counts those values that are known anyway."""
    made = [_facet(name, found, asked) for name in FACETS]
    several = len(asked.actor.spaces) > 1
    return [one for one in made if one.first and (several or one.name not in OF_MANY)]


def _facet(name: str, found: dict[str, Counts] | None, asked: Asked) -> Facet:
    counts = found[name] if found else None
    current = str(asked.given.get(name) or "")
    rows: dict[str, int | None] = {**(counts.rows if counts else dict.fromkeys(_known(name, asked)))}
    if current and current not in rows:
        rows[current] = _of_all(found, asked)
    keys = sorted(rows, key=IN_ORDER[name].index) if name in IN_ORDER else list(rows)
    keys = [key for key in keys if rows[key] != 0 or key == current][: MOST + 1]
    first = keys[:SHOWN] + [key for key in keys[SHOWN:] if key == current]
    choices = {key: _choice(name, key, rows[key], asked) for key in keys}
    beyond = max(0, counts.known - MOST) if counts else 0
    rest = [choices[key] for key in keys if key not in first]
    return Facet(name, TITLES[name], [choices[key] for key in first], rest, grouped(beyond) if beyond else "")


def _known(name: str, asked: Asked) -> tuple[str, ...]:
    """The values of a facet that nobody has to count to know."""
    if name == "space":
        return tuple(str(key) for key in asked.actor.spaces)
    return IN_ORDER.get(name, ())


def _of_all(found: dict[str, Counts] | None, asked: Asked) -> int | None:
    """The rows of the whole list: those of its status, which is always a filter."""
    return found["status"].rows.get(asked.given["status"], 0) if found else None


def _choice(name: str, key: str, rows: int | None, asked: Asked) -> Choice:
    current = str(asked.given.get(name) or "") == key
    removable = current and (name, key) != ("status", "active")
    url = asked.without(name) if current or (name, key) == ("status", "active") else asked.having(name, key)
    place = f"facet-{name}-{key}" if name in IN_ORDER or name in OF_MANY else ""
    return Choice(place, label(name, key, asked), "–" if rows is None else grouped(rows), url, current, removable)


def label(name: str, key: str, asked: Asked) -> str:
    """What a value is called."""
    if name == "space":
        space = asked.actor.spaces.get(UUID(key))
        return told(space.name) if space else "–"
    if name == "owner":
        return asked.owners.get(key, f"…{key[-6:]}")
    if name == "under":
        return str(_("In no folder")) if key == TOP else key
    if name == "age":
        return str(AGES[key])
    return str(capfirst(WORDS[key])) if name in IN_ORDER else key
