"""What the values that records are stored with are called: their types, where they stand, how they came about.

The stored words are English and stay so in the API and in the audit; these are for people.
"""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

STATUSES = {
    "active": pgettext_lazy("status", "active"),
    "archived": pgettext_lazy("status", "archived"),
    "expired": pgettext_lazy("status", "expired"),
    "deleted": pgettext_lazy("status", "deleted"),
    "open": pgettext_lazy("status", "open"),
    "completed": pgettext_lazy("status", "completed"),
    "resolved": pgettext_lazy("status", "resolved"),
}
TYPES = {
    "episodic": pgettext_lazy("type of memory", "episodic"),
    "semantic": pgettext_lazy("type of memory", "semantic"),
    "procedural": pgettext_lazy("type of memory", "procedural"),
    "working": pgettext_lazy("type of memory", "working"),
    "identity": pgettext_lazy("type of memory", "identity"),
}
MONEY = {
    "expense": pgettext_lazy("type of entry", "expense"),
    "income": pgettext_lazy("type of entry", "income"),
    "refund": pgettext_lazy("type of entry", "refund"),
    "transfer": pgettext_lazy("type of entry", "transfer"),
}
OTHERS = {
    "summary": pgettext_lazy("kind of memory", "summary"),
    "fact": pgettext_lazy("kind of memory", "fact"),
    "untrusted": pgettext_lazy("trust", "untrusted"),
    "normal": pgettext_lazy("trust", "normal"),
    "trusted": pgettext_lazy("trust", "trusted"),
    "derived from": pgettext_lazy("link", "derived from"),
    "supersedes": pgettext_lazy("link", "supersedes"),
    "relates to": pgettext_lazy("link", "relates to"),
    "content": pgettext_lazy("matched in", "content"),
    "path": pgettext_lazy("matched in", "path"),
    "metadata": pgettext_lazy("matched in", "metadata"),
    "date": pgettext_lazy("matched in", "date (when it was recorded)"),
    "meaning": pgettext_lazy("matched in", "meaning"),
    "beside": pgettext_lazy("matched in", "beside (a neighbour in the session)"),
}
ROLES = {
    "owner": pgettext_lazy("role", "owner"),
    "member": pgettext_lazy("role", "member"),
    "reviewer": pgettext_lazy("role", "reviewer"),
    "admin": pgettext_lazy("role", "admin"),
}
RULES = {  # under which a pass acts; the audit names them
    "episode": pgettext_lazy("rule", "episode"),
    "continued": pgettext_lazy("rule", "episode, continued"),
    "repeated": pgettext_lazy("rule", "repeated"),
    "expired": pgettext_lazy("rule", "time over"),
    "half_life": pgettext_lazy("rule", "half-life"),
    "faded": pgettext_lazy("rule", "faded"),
    "cited": pgettext_lazy("rule", "kept in a summary"),
    "idle_working": pgettext_lazy("rule", "idle working memory"),
    "duplicate": pgettext_lazy("rule", "duplicate"),
    "written": pgettext_lazy("rule", "changed by the token"),
    "made": pgettext_lazy("rule", "made by the token"),
}
METHODS = {  # by which a summary is made; others are names of models
    "extractive": pgettext_lazy("method", "extractive"),
}
FAULTS = {  # of a chain of the audit
    "a line before it is missing": _("a line before it is missing"),
    "it does not follow the line before it": _("it does not follow the line before it"),
    "its content was changed": _("its content was changed"),
    "the end of the chain is missing": _("the end of the chain is missing"),
}
WORDS = {**STATUSES, **TYPES, **MONEY, **ROLES, **FAULTS, **OTHERS}
TITLES = {  # of pages about one memory
    "summary": pgettext_lazy("title", "Summary"),
    "fact": pgettext_lazy("title", "Fact"),
    "episodic": _("Episodic memory"),
    "semantic": _("Semantic memory"),
    "procedural": _("Procedural memory"),
    "working": _("Working memory"),
    "identity": _("Identity memory"),
}


def word(value: Any) -> str:
    """What a stored value is called, such as a status or a type; the value itself where it has no other name."""
    return str(WORDS.get(str(value).replace("_", " "), value))
