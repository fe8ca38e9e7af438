"""What a token may be: the rules about its name, rights, bounds and end, each with a sentence that says what to do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from console.errors import Invalid, NotAllowed, Problem
from console.saying import phrase
from memories.access import Actor
from memories.models import Team, User
from memories.models.people import SCOPES
from memories.services.fields import RULES, said

LONGEST = timedelta(days=366)
BUCKETS_MOST = 50


@dataclass(frozen=True, slots=True)
class Wish:
    """A token that is asked for."""

    name: str
    scopes: Sequence[str]
    expires_at: datetime
    team: Team | None
    buckets: Sequence[str] | None
    scope: str | None
    path_prefix: str
    agent_id: str


def check(wish: Wish) -> None:
    """Raises Invalid naming every field that cannot be."""
    faults = {
        "name": RULES["name"][0](wish.name)
        if said(wish.name)
        else phrase("The name is empty. Say for which agent it is."),
        "scopes": _scopes(wish.scopes),
        "expires_at": _end(wish.expires_at),
        "buckets": _buckets(wish.buckets),
        "scope": None if wish.scope is None else RULES["scope"][0](wish.scope),
        "path_prefix": RULES["path"][0](wish.path_prefix),
        "agent_id": RULES["agent_id"][0](wish.agent_id),
    }
    problems = [Problem(("body", name), fault) for name, fault in faults.items() if fault]
    if problems:
        raise Invalid(*problems)


def _scopes(scopes: Sequence[str]) -> str | None:
    if not scopes:
        return phrase("A token without a right can do nothing. Choose at least one.")
    if unknown := sorted(set(scopes) - set(SCOPES)):
        return phrase(
            "Unknown scope %(scope)s. Choose among %(names)s.", scope=unknown[0][:50], names=", ".join(SCOPES)
        )
    return None


def _end(expires_at: datetime) -> str | None:
    now = timezone.now()
    return (
        None
        if now < expires_at <= now + LONGEST
        else phrase("A token lives until a time within the next year. Choose one.")
    )


def _buckets(buckets: Sequence[str] | None) -> str | None:
    if buckets is not None and len(buckets) > BUCKETS_MOST:
        return phrase("A token is bound to at most %(most)s buckets. Name fewer.", most=BUCKETS_MOST)
    rule: Callable[[Any], str | None] = RULES["bucket"][0]
    return next((fault for one in buckets or () if (fault := rule(one))), None)


def check_grant(wish: Wish, user: User, actor: Actor) -> None:
    """Nobody grants what they do not have: a person gives tokens that act for themselves, inside their own spaces.

    Whoever may run commands makes them for others too; a token makes none. Raises NotAllowed, Invalid.
    """
    by_command = actor.user_id is None and actor.auth_method == "command"
    if not by_command and (actor.token_id is not None or actor.user_id != user.pk):
        raise NotAllowed(phrase("A token acts for the person who makes it. Sign in to the console and make your own."))
    if not by_command and (lacking := sorted(set(wish.scopes) - actor.scopes)):
        raise NotAllowed(phrase("You lack the scope %(scope)s yourself. Leave it out.", scope=lacking[0]))
    if wish.team is not None and not wish.team.memberships.filter(user=user).exists():
        raise Invalid.field("team", phrase("A token can be bound only to a team of its owner."))
