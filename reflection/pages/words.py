"""Words of the code as people read them: actions, states, types of records, units of time, counts."""

from __future__ import annotations

from typing import Any

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, pgettext, pgettext_lazy

from console.actions import words_of
from console.saying import told
from console.words import METHODS, RULES, STATUSES
from console.words import word as console_word
from memories.models.memory import Trust
from reflection.services.state_words import STATES
from reflection.states import Status

WORDS = frozenset(
    (
        gettext_noop("summarize"),
        gettext_noop("promote"),
        gettext_noop("expire"),
        gettext_noop("decay"),
        gettext_noop("archive"),
        gettext_noop("revert"),
        gettext_noop("trash"),
        gettext_noop("summary"),
        gettext_noop("fact"),
        gettext_noop("working"),
        gettext_noop("episodic"),
        gettext_noop("semantic"),
        gettext_noop("procedural"),
        gettext_noop("identity"),
        gettext_noop("supersedes"),
        gettext_noop("importance"),
        gettext_noop("confidence"),
        gettext_noop("speaker"),
        gettext_noop("status"),
        gettext_noop("trust"),
        gettext_noop("language"),
        gettext_noop("path"),
        gettext_noop("bucket"),
        gettext_noop("scope"),
        gettext_noop("type"),
        gettext_noop("metadata"),
        gettext_noop("pinned"),
        gettext_noop("memory type"),
        gettext_noop("expires at"),
        # The inputs of a rule, as the card of a candidate names them.
        gettext_noop("rule"),
        gettext_noop("rows"),
        gettext_noop("first"),
        gettext_noop("last"),
        gettext_noop("gap limit hours"),
        gettext_noop("source chars"),
        gettext_noop("budget chars"),
        gettext_noop("method"),
        gettext_noop("new rows"),
        gettext_noop("told anew"),
        gettext_noop("sessions"),
        gettext_noop("hours"),
        gettext_noop("lowest similarity"),
        gettext_noop("similarity limit"),
        gettext_noop("statement from"),
        gettext_noop("below"),
        gettext_noop("unused limit days"),
        gettext_noop("last touched"),
        gettext_noop("unused days"),
        gettext_noop("as of"),
        gettext_noop("age days"),
        gettext_noop("age limit days"),
        gettext_noop("duplicate of"),
        gettext_noop("base"),
        gettext_noop("anchor"),
        gettext_noop("days"),
        gettext_noop("half life days"),
        gettext_noop("floor"),
        gettext_noop("writes"),
        gettext_noop("acts"),
        # Other kinds of records.
        gettext_noop("todo"),
        gettext_noop("ledger"),
        gettext_noop("decision"),
        gettext_noop("snapshot"),
    )
)


COUNTS = {
    "summarized": pgettext_lazy("count of memories", "summarized"),
    "promoted": pgettext_lazy("count of memories", "promoted"),
    "expired": pgettext_lazy("count of memories", "expired"),
    "decayed": pgettext_lazy("count of memories", "decayed"),
    "archived": pgettext_lazy("count of memories", "archived"),
    "reverted": pgettext_lazy("count of memories", "reverted"),
    "trashed": pgettext_lazy("count of memories", "trashed"),
}


def of(name: str) -> str:
    """What people call it; a name that is no word of ours as it is."""
    if name in STATUSES:
        return str(STATUSES[name])
    return translation.gettext(str(name)) if str(name) in WORDS else str(name)


def counted(name: str) -> str:
    """What stands behind a number of memories: `3 expired`."""
    return str(COUNTS.get(name) or of(name))


def trust(level: int) -> str:
    """How far a record's origin is trusted."""
    return console_word(str(Trust(level).label).lower())


def value_of(name: str, value: Any) -> Any:
    """An input of a rule, where it is a word of the code."""
    if name == "rule":
        return str(RULES.get(value, value))
    if name == "method":
        return str(METHODS.get(value, value))
    return ", ".join(map(words_of, value.split(", "))) if name == "acts" else value


def title_of(action: str) -> str:
    """The heading of what a pass does."""
    if action == "revert":
        return _("Give back")
    if action == "trash":
        return _("Move to the trash")
    known = of(action)
    return known[:1].upper() + known[1:]


def state_of(state: str) -> str:
    """Where a pass stands."""
    if state == "planned":
        return _("to decide")
    return pgettext("state of a pass", "planning") if state == "planning" else stands(state)


def stands(state: str) -> str:
    """Where a pass stands, inside a sentence about it."""
    return told(STATES[Status(state)])


def ago(unit: str, count: int) -> str:
    """`2 hours ago`."""
    said = {
        "day": ngettext("%(count)s day ago", "%(count)s days ago", count),
        "hour": ngettext("%(count)s hour ago", "%(count)s hours ago", count),
        "minute": ngettext("%(count)s minute ago", "%(count)s minutes ago", count),
        "second": ngettext("%(count)s second ago", "%(count)s seconds ago", count),
    }
    return said[unit] % {"count": count}


def ahead(unit: str, count: int) -> str:
    """`in 2 hours`."""
    said = {
        "day": ngettext("in %(count)s day", "in %(count)s days", count),
        "hour": ngettext("in %(count)s hour", "in %(count)s hours", count),
        "minute": ngettext("in %(count)s minute", "in %(count)s minutes", count),
        "second": ngettext("in %(count)s second", "in %(count)s seconds", count),
    }
    return said[unit] % {"count": count}
