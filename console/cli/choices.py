"""Words that options take. The server checks them; here they only help while typing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

TYPES = ("episodic", "semantic", "procedural", "working", "identity")
SCOPES = (
    "memory:read",
    "memory:write",
    "memory:delete",
    "memory:restore",
    "ledger:read",
    "ledger:write",
    "audit",
    "admin",
)
FORMATS = ("memory-console", "mem0", "mcp-memory", "markdown", "chatgpt", "claude")
ACTIONS = ("summarize", "promote", "expire", "decay", "archive")
STATUSES = (
    "awaiting_approval",
    "planning",
    "planned",
    "approved",
    "applying",
    "applied",
    "rejected",
    "expired",
    "failed",
    "rolled_back",
)


class Offered(click.ParamType):
    """A text that completion offers `words` for; with commas between them, the next one of several."""

    name = "text"

    def __init__(self, words: tuple[str, ...], *, several: bool = False) -> None:
        self.words = words
        self.several = several

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        """The words that begin as what was typed does."""
        from click.shell_completion import CompletionItem

        before, comma, begun = incomplete.rpartition(",") if self.several else ("", "", incomplete)
        return [CompletionItem(f"{before}{comma}{word}") for word in self.words if word.startswith(begun)]


def filters(function: Any) -> Any:
    """The options that narrow down which memories are meant."""
    for option in reversed(PLACES):
        function = option(function)
    return function


def _option(*names: str, **more: Any) -> Callable[[Any], Any]:
    return click.option(*names, **more)


PLACES = [
    _option("--bucket", metavar="PATTERN", help="Only buckets like this; % stands for any text."),
    _option("--scope", metavar="TEXT", help="Only exactly this scope."),
    _option("--team", "team_id", metavar="ID", help="Only the space of this team."),
]
