"""The candidates of a pass as its page shows them: grouped by action, long groups in pages, and what is selected."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.http import urlencode

from memories.access import Actor
from reflection import queries
from reflection.models import ReflectPass
from reflection.pages.cards import Card, cards_of
from reflection.pages.selection import Outline, written
from reflection.services.drift import Change
from reflection.states import CHANGES, Action, PassKind

ALL_AT_ONCE = 100  # a plan up to this many candidates is shown whole, and this many of one group by itself
PER_GROUP = 20  # of a longer plan, this many of each group
HEAVY = {Action.SUMMARIZE.value: 3}  # a summary shows what it cites, and counts as so many others

Drift = Mapping[UUID, Sequence[Change]]


@dataclass(frozen=True, slots=True)
class Place:
    """Which part of a long plan an address asks for: one group, from behind a position."""

    group: str = ""
    after: int = -1


@dataclass(frozen=True, slots=True)
class Group:
    """The candidates of one action, or a page of them."""

    action: str
    total: int
    sources: int
    cards: Sequence[Card]
    first: int  # how many of the group come before the first card
    next_after: int | None
    toggle_query: str  # the address that leaves out, or takes in, the whole group
    all_out: bool

    @property
    def last(self) -> int:
        """How many of the group there are up to the last card."""
        return self.first + len(self.cards)

    @property
    def partial(self) -> bool:
        """Whether some of the group are not on this page."""
        return len(self.cards) < self.total


def groups_of(
    reflect_pass: ReflectPass,
    whole: Outline,
    place: Place,
    *,
    drifted: Drift,
    left_out: Collection[int],
    only: Collection[int] | None = None,
    kept: Mapping[str, str] | None = None,
    actor: Actor,
) -> list[Group]:
    """The groups that have candidates (among `only`, where given), in canonical order; a constant number of queries.

    Addresses of the groups keep the filters in `kept`.
    """
    actions = CHANGES[PassKind(reflect_pass.kind)]
    wanted = {action.value: [at for at in whole.of(action) if only is None or at in only] for action in actions}
    total = sum(size(action) * len(inside) for action, inside in wanted.items())
    pages = {action: _page(inside, total, action, place) for action, inside in wanted.items()}
    positions = [position for page in pages.values() for position in page]
    rows = list(reflect_pass.candidates.filter(position__in=positions).order_by("position"))
    cards = cards_of(rows, drifted=drifted, left_out=left_out, actor=actor)
    sources = queries.sources_per_action(reflect_pass)
    groups = []
    for action, inside in wanted.items():
        if inside:
            own = [card for card in cards if card.action == action]
            groups.append(_group(action, inside, own, sources.get(action, 0), left_out, kept or {}))
    return groups


def size(action: str) -> int:
    """How much room a candidate takes on the page, as a multiple of a short one."""
    return HEAVY.get(action, 1)


def _page(inside: Sequence[int], total: int, action: str, place: Place) -> Sequence[int]:
    if total <= ALL_AT_ONCE:
        return inside
    if place.group and place.group != action:
        return []
    most = max(1, ALL_AT_ONCE // size(action)) if place.group else PER_GROUP
    return [position for position in inside if position > place.after][:most]


def _group(
    action: str,
    inside: Sequence[int],
    cards: Sequence[Card],
    sources: int,
    left_out: Collection[int],
    kept: Mapping[str, str],
) -> Group:
    last = cards[-1].position if cards else None
    all_out = set(inside) <= set(left_out)
    toggled = set(left_out) - set(inside) if all_out else set(left_out) | set(inside)
    return Group(
        action=action,
        total=len(inside),
        sources=sources,
        cards=cards,
        first=sum(position < cards[0].position for position in inside) if cards else 0,
        next_after=last if last is not None and last != inside[-1] else None,
        toggle_query=query(**kept, out=written(toggled)),
        all_out=all_out,
    )


@dataclass(frozen=True, slots=True)
class Selected:
    """The numbers at the foot of a plan."""

    total: int
    selected: int
    drifted: int  # selected, and moved since
    hidden: int  # not on this page
    hidden_selected: int
    hidden_drifted: int

    @property
    def changes(self) -> int:
        """What an application would write."""
        return self.selected - self.drifted


def selected(whole: Outline, groups: Sequence[Group], *, drifted: Drift, left_out: Collection[int]) -> Selected:
    """Count what is selected, on this page and on the others."""
    chosen = whole.actions.keys() - set(left_out)
    moved = chosen & {whole.ids[key] for key in drifted}
    shown = {card.position for group in groups for card in group.cards}
    return Selected(
        total=len(whole.ids),
        selected=len(chosen),
        drifted=len(moved),
        hidden=len(whole.ids) - len(shown),
        hidden_selected=len(chosen - shown),
        hidden_drifted=len(moved - shown),
    )


def query(**values: Any) -> str:
    """The query string of these values, without the empty ones."""
    given = {name: value for name, value in values.items() if value not in (None, "")}
    return f"?{urlencode(given)}" if given else "?"
