"""People, teams, tokens and memories for tests, written straight into the tables.

The people are Ann (owner), Bea (reviewer) and Bob (stranger).
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone

from memories.access import Actor, bearer, person
from memories.models import ApiToken, Membership, Memory, MemoryState, MemoryVersion, Team, User
from memories.models.people import Role

PASSWORD = "correct horse battery staple"
PAST = datetime(2024, 1, 1, tzinfo=UTC)
STATE_FIELDS = {"importance", "base", "anchor", "last_used_at", "reactivated_at", "use_count", "status", "version"}


def user(name: str, **fields: Any) -> User:
    """The person `name`, made at first need."""
    found = User.objects.filter(username=name).first()
    return found or User.objects.create_user(name, password=PASSWORD, display_name=name.capitalize(), **fields)


def ann() -> User:
    return user("ann")


def bea() -> User:
    return user("bea")


def bob() -> User:
    return user("bob")


def team(name: str, **roles: str) -> Team:
    """A team with its members: `team("Atlas", ann="admin", bea="reviewer")`."""
    made = Team.objects.create(name=name)
    for member, role in roles.items():
        Membership.objects.create(user=user(member), team=made, role=Role(role))
    return made


def actor(who: User, **request: Any) -> Actor:
    """`who` at the console, just signed in."""
    return person(who, signed_in_at=timezone.now(), **request)


def token(who: User, **fields: Any) -> tuple[ApiToken, str]:
    """A token of `who` and its secret; all scopes unless `scopes` says otherwise."""
    secret = "mc_" + secrets.token_urlsafe(32)
    fields.setdefault("scopes", ["memory:read", "memory:write"])
    fields.setdefault("expires_at", timezone.now() + timedelta(days=30))
    made = ApiToken.objects.create(
        user=who, name="agent", prefix=secret[:10], digest=hashlib.sha256(secret.encode()).digest(), **fields
    )
    return made, secret


def token_actor(who: User, **fields: Any) -> Actor:
    """An agent with a token of `who`; `fields` are the token's bounds."""
    return bearer(token(who, **fields)[0])


def memory(owner: User, content: str, **fields: Any) -> Memory:
    """An active memory with its state; fields of both, e.g. `status="archived"`, `importance=0.1`, `team=atlas`."""
    at = fields.pop("created_at", PAST)
    state = {name: fields.pop(name) for name in STATE_FIELDS & fields.keys()}
    fields.setdefault("memory_type", "semantic")
    made = Memory.objects.create(
        owner=owner, content=content, created_at=at, updated_at=fields.pop("updated_at", at), **fields
    )
    made.refresh_from_db()
    MemoryState.objects.create(memory=made, **_marked(owner, {"anchor": at, **state}))
    return made


def version(of: Memory, number: int, content: str) -> MemoryVersion:
    """What `of` said before."""
    return MemoryVersion.objects.create(
        memory=of, number=number, content=content, fields={}, replaced_at=timezone.now(), replaced_by=of.owner
    )


def _marked(owner: User, state: dict[str, Any]) -> dict[str, Any]:
    """`state` with the markers that its status demands."""
    now = timezone.now()
    marks: dict[str, dict[str, Any]] = {
        "archived": {"archived_at": now},
        "expired": {"expired_at": now},
        "deleted": {"deleted_at": now, "deleted_by": owner, "status_before_delete": "active"},
    }
    return {**marks.get(state.get("status", "active"), {}), **state}
