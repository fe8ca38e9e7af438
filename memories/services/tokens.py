"""API tokens: made once, kept as a hash, marked when used, revoked at once."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from console.errors import Invalid, NotFound
from memories import audit
from memories.access import Actor
from memories.models import ApiToken, Team, User
from memories.models.people import SCOPES

PREFIX = "mc_"
LONGEST = timedelta(days=366)
USED_EVERY = timedelta(minutes=1)  # how exactly the last use is known


def digest_of(key: str) -> bytes:
    """The SHA-256 under which a key is kept."""
    return hashlib.sha256(key.encode("utf-8", "replace")).digest()


def find(key: str) -> ApiToken | None:
    """The token of this key, with its user; revoked and expired ones too. Found by the hash: no comparison leaks."""
    return ApiToken.objects.select_related("user", "team").filter(digest=digest_of(key)).first()


@transaction.atomic
def create(
    *,
    user: User,
    name: str,
    scopes: list[str],
    expires_at: datetime,
    team: Team | None = None,
    buckets: list[str] | None = None,
    scope: str | None = None,
    path_prefix: str = "",
    agent_id: str = "",
    key: str | None = None,
    actor: Actor,
) -> tuple[ApiToken, str]:
    """Make a token for `user` and return it with its key, which is never shown again. Raises Invalid.

    `key` is given only by the demo, which has to print its keys again.
    """
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown:
        raise Invalid.field("scopes", f"Unknown scope {unknown[0]}. Choose among {', '.join(SCOPES)}.")
    now = timezone.now()
    if not now < expires_at <= now + LONGEST:
        raise Invalid.field("expires_at", "A token lives until a time within the next year. Choose one.")
    if team is not None and not team.memberships.filter(user=user).exists():
        raise Invalid.field("team", "A token can be bound only to a team of its owner.")
    key = key or PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user,
        name=name,
        prefix=key[:9],
        digest=digest_of(key),
        scopes=sorted(set(scopes)),
        team=team,
        buckets=buckets,
        scope=scope,
        path_prefix=path_prefix,
        agent_id=agent_id,
        expires_at=expires_at,
    )
    detail = {"name": name, "prefix": token.prefix, "scopes": token.scopes, "expires_at": expires_at}
    audit.record(actor, "token.create", "token", token.pk, space_id=user.pk, detail=detail)
    return token, key


def mark_used(token_id: UUID, *, seen: datetime | None) -> None:
    """Note the use, at most once a minute, so that a busy agent does not write a row per call; `seen` is the last use
    as it was read with the token, so that mostly nothing has to be asked either.
    """
    now = timezone.now()
    if seen is not None and seen >= now - USED_EVERY:
        return
    stale = Q(last_used_at__isnull=True) | Q(last_used_at__lt=now - USED_EVERY)
    ApiToken.objects.filter(stale, pk=token_id).update(last_used_at=now)


def own(token_id: UUID | None, *, actor: Actor, lock: bool = False) -> ApiToken:
    """The actor's token of this id. Raises NotFound."""
    rows = ApiToken.objects.filter(user_id=actor.own)
    token = (rows.select_for_update() if lock else rows).filter(pk=token_id).first() if token_id else None
    if token is None:
        raise NotFound("There is no such token, or it is not yours.")
    return token


@transaction.atomic
def revoke(*, token_id: UUID | None, actor: Actor) -> ApiToken:
    """End one of the actor's own tokens; it stops with the next request. Repeatable. Raises NotFound."""
    token = own(token_id, actor=actor, lock=True)
    if token.revoked_at is None:
        token.revoked_at = timezone.now()
        token.save(update_fields=["revoked_at"])
        detail = {"name": token.name, "prefix": token.prefix, "status": ["valid", "revoked"]}
        audit.record(actor, "token.revoke", "token", token.pk, space_id=token.user_id, detail=detail)
    return token
