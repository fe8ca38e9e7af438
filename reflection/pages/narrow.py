"""Looking at a part of a pass: the filters of its page, which stand in the address and never decide anything."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.utils.translation import gettext_lazy

from console.errors import Invalid
from console.saying import phrase
from console.text import unstorable
from memories.access import Actor
from reflection.filters import PATTERN_CHARS, PATTERN_WILDCARDS
from reflection.models import ReflectPass
from reflection.pages.selection import Outline
from reflection.services.matching import at_path, saying
from reflection.states import CHANGES, Outcome, PassKind

STATES = {
    "drifted": gettext_lazy("Changed since the plan"),
    "unviewed": gettext_lazy("Not viewed yet"),
    "viewed": gettext_lazy("Viewed"),
    "included": gettext_lazy("Included"),
    "excluded": gettext_lazy("Left out"),
}
OUTCOMES = {
    Outcome.APPLIED.value: gettext_lazy("Applied"),
    Outcome.DRIFTED.value: gettext_lazy("Skipped: drifted"),
    Outcome.EXCLUDED.value: gettext_lazy("Left out"),
    Outcome.ROLLED_BACK.value: gettext_lazy("Undone"),
    Outcome.KEPT.value: gettext_lazy("Kept"),
}


@dataclass(frozen=True, slots=True)
class Narrow:
    """What of a pass is looked at; empty: all of it."""

    action: str = ""
    path: str = ""
    text: str = ""
    only: str = ""  # a key of STATES or OUTCOMES

    def __bool__(self) -> bool:
        return any(asdict(self).values())

    def as_query(self) -> dict[str, str]:
        """These filters as parts of an address."""
        return {name: value for name, value in asdict(self).items() if value}


def read(given: Mapping[str, Any], reflect_pass: ReflectPass) -> Narrow:
    """The filters in an address or a form. Raises Invalid."""
    found = Narrow(**{name: str(given.get(name, "")).strip() for name in ("action", "path", "text", "only")})
    actions = [name.value for name in CHANGES[PassKind(reflect_pass.kind)]]
    if found.action and found.action not in actions:
        text = phrase("%(field)s is one of %(choices)s. Correct it.", field="action", choices=", ".join(actions))
        raise Invalid.field("action", text, where="query")
    if found.only and found.only not in {**STATES, **OUTCOMES}:
        known = ", ".join([*STATES, *OUTCOMES])
        text = phrase("%(field)s is one of %(choices)s. Correct it.", field="only", choices=known)
        raise Invalid.field("only", text, where="query")
    wildcards = found.path.count("%") + found.path.count("_")
    if len(found.path) > PATTERN_CHARS or wildcards > PATTERN_WILDCARDS or unstorable(found.path):
        message = phrase(
            "%(field)s has at most %(chars)s characters and %(wildcards)s wildcards. Shorten it.",
            field="path",
            chars=PATTERN_CHARS,
            wildcards=PATTERN_WILDCARDS,
        )
        raise Invalid.field("path", message, where="query")
    if len(found.text) > PATTERN_CHARS or unstorable(found.text):
        message = phrase("text has at most %(chars)s characters. Shorten it.", chars=PATTERN_CHARS)
        raise Invalid.field("text", message, where="query")
    return found


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of the candidates of a pass by position, beside what is stored with them."""

    drifted: Collection[int]
    viewed: Collection[int]
    left_out: Collection[int]


def matching(
    narrow: Narrow, reflect_pass: ReflectPass, whole: Outline, standing: Standing, *, actor: Actor
) -> frozenset[int] | None:
    """The positions that the filters let through; None without a filter: all."""
    if not narrow:
        return None
    found = frozenset(whole.of(narrow.action) if narrow.action else whole.actions)
    if narrow.path:
        found &= at_path(reflect_pass, narrow.path, actor=actor)
    if narrow.text:
        found &= saying(reflect_pass, narrow.text, actor=actor)
    return found & _only(narrow.only, reflect_pass, found, standing) if narrow.only else found


def _only(only: str, reflect_pass: ReflectPass, found: frozenset[int], standing: Standing) -> frozenset[int]:
    sets = {
        "drifted": frozenset(standing.drifted),
        "viewed": frozenset(standing.viewed),
        "unviewed": found - frozenset(standing.viewed),
        "excluded": frozenset(standing.left_out),
        "included": found - frozenset(standing.left_out),
    }
    if only in OUTCOMES and (reflect_pass.applied_at or only not in sets):
        return frozenset(reflect_pass.candidates.filter(outcome=only).values_list("position", flat=True))
    return sets[only]
