"""With whose token a record, or a line of the audit, was written, as far as a reader may know it.

As on the page of the tokens: the name is told to the person who gave it, and everybody else who sees the writing tells
tokens apart by the beginning of their keys.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memories.access import Actor
from memories.models import ApiToken
from memories.services.tokens import led_by


@dataclass(frozen=True, slots=True)
class Hand:
    """A token as one reader may know it."""

    id: UUID
    prefix: str
    name: str  # empty where it is another person's
    opens: bool  # whether the reader may open its page

    @property
    def short(self) -> str:
        """The beginning of its key, as pages show it."""
        return f"{self.prefix}…"


def attach(rows: Iterable[Any], *, actor: Actor) -> list[Any]:
    """The same rows, each with its `hand`, or None where no token wrote it; all tokens are read at once."""
    found = list(rows)
    wanted = {key for row in found if (key := getattr(row, "token_id", None))}
    known = {one.pk: _told(one, actor) for one in ApiToken.objects.filter(pk__in=wanted)} if wanted else {}
    for row in found:
        key = getattr(row, "token_id", None)
        row.hand = known.get(key) if key else None
    return found


def _told(one: ApiToken, actor: Actor) -> Hand:
    mine = one.user_id == actor.user_id and actor.token_id in (None, one.pk)
    opens = mine if actor.is_person else False
    return Hand(one.pk, one.prefix, one.name if mine else "", opens or one.team_id in led_by(actor))
