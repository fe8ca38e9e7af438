"""Who asks: tokens with these scopes and bounds, and credentials that are none."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.utils import timezone

from memories.models import User
from memories.models.people import SCOPES
from tests.memories.asking import EVERYTHING
from tests.memories.factories import ann, bob, team, token, user
from tests.rights.tables import Row

Fields = dict[str, Any]
ALL = sorted({*EVERYTHING, *SCOPES})
PLACES: dict[str, Fields] = {
    "bucket": {"buckets": ["cellar"]},
    "scope": {"scope": "elsewhere"},
    "path": {"path_prefix": "attic"},
}


def _locked_out() -> User:
    who = user("cid")
    who.is_active = False
    who.save()
    return who


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _key(who: User, **fields: Any) -> dict[str, str]:
    return _bearer(token(who, scopes=ALL, **fields)[1])


def _past() -> Fields:
    now = timezone.now()
    return {"created_at": now - timedelta(days=2), "expires_at": now - timedelta(days=1)}


def _expired() -> dict[str, str]:
    made, key = token(ann(), scopes=ALL)
    type(made).objects.filter(pk=made.pk).update(**_past())
    return _bearer(key)


# The headers of each credential that lets nobody in, and the status it gets.
CREDENTIALS: dict[str, tuple[Callable[[], dict[str, str]], int]] = {
    "no credential": (dict, 401),
    "an unknown key": (lambda: _bearer("mc_" + "x" * 43), 403),
    "an expired token": (_expired, 403),
    "a revoked token": (lambda: _key(ann(), revoked_at=timezone.now()), 403),
}
# And those that are tried at one address only: the same lines of the frame look at them.
ODD_CREDENTIALS: dict[str, tuple[Callable[[], dict[str, str]], int]] = {
    "a short key": (lambda: _bearer("x"), 403),
    "another way to sign in": (lambda: {"Authorization": "Basic YW5uOnB3"}, 403),
    "a token of somebody without access": (lambda: _key(_locked_out()), 403),
    "two tokens of two people": (lambda: {**_key(ann()), "X-API-Key": token(bob(), scopes=ALL)[1]}, 403),
}


def sets_of_scopes(row: Row) -> list[set[str]]:
    """None, each scope alone, what the row says is enough, everything, and everything but what it needs, whole and one
    by one.
    """
    needed = set().union(*row.enough)
    lacking = [set(ALL) - needed, *(set(ALL) - {one} for one in needed)]
    found = [set(), *({one} for one in SCOPES), *row.enough, set(ALL), *lacking]
    return [set(one) for one in sorted({tuple(sorted(one)) for one in found})]


def elsewhere() -> dict[str, list[tuple[User, Fields]]]:
    """Tokens that reach nothing of what Ann has in her own space at its usual places, by column of the table."""
    other = team("Elsewhere", ann="admin")
    return {
        "stranger": [(bob(), {})],
        "team": [(ann(), {"team": other})],
        "place": [(ann(), fields) for fields in PLACES.values()],
        "agent": [(ann(), {"agent_id": "newcomer"})],
    }
