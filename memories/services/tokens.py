"""API tokens: made once, kept as a hash, marked when used, revoked at once."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Case, CharField, Exists, OuterRef, Q, QuerySet, Value, When
from django.utils import timezone

from console.errors import Conflict, NotFound
from console.saying import phrase
from memories import audit
from memories.access import Actor
from memories.models import ApiToken, Membership, Team, User
from memories.models.people import Role
from memories.services import charge
from memories.services.token_rules import Wish, check, check_grant

PREFIX = "mc_"
VALID, CUT_OFF, EXPIRED, REVOKED = STATES = ("valid", "cut off", "expired", "revoked")
ABSENT = phrase("There is no such token, or it is not yours.")
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
    scopes: Sequence[str],
    expires_at: datetime,
    team: Team | None = None,
    buckets: Sequence[str] | None = None,
    scope: str | None = None,
    path_prefix: str = "",
    agent_id: str = "",
    key: str | None = None,
    token_id: UUID | None = None,
    actor: Actor,
) -> tuple[ApiToken, str]:
    """Make a token for `user` and return it with its key, which is never shown again.

    Raises Invalid, NotAllowed, and SignInAgain for a person at the console who gave their password too long ago.

    `key` is given only by the demo, which has to print its keys again. A form gives the `token_id`: sent twice it
    makes one token, and the second time raises Conflict.
    """
    wish = Wish(name, scopes, expires_at, team, buckets, scope, path_prefix, agent_id)
    check(wish)
    check_grant(wish, user, actor)
    if actor.is_person:
        charge.check_lately(actor)
    if token_id is not None and ApiToken.objects.filter(pk=token_id).exists():
        raise Conflict(
            phrase("This form has made its token already, and the key is not shown again. Make another one.")
        )
    key = key or PREFIX + secrets.token_urlsafe(32)
    token = ApiToken(user=user, prefix=key[:9], digest=digest_of(key), **_kept(wish))
    token.pk = token_id or token.pk
    token.save(force_insert=True)
    detail = {"name": name, "prefix": token.prefix, "status": [None, VALID], "expires_at": expires_at}
    audit.record(actor, "token.create", "token", token.pk, space_id=user.pk, detail=detail | _rights(token))
    return token, key


def _kept(wish: Wish) -> dict[str, Any]:
    return {
        "name": wish.name,
        "scopes": sorted(set(wish.scopes)),
        "team": wish.team,
        "buckets": None if wish.buckets is None else sorted(set(wish.buckets)),
        "scope": wish.scope,
        "path_prefix": wish.path_prefix,
        "agent_id": wish.agent_id,
        "expires_at": wish.expires_at,
    }


def _rights(token: ApiToken) -> dict[str, Any]:
    """What the token may, and inside what; only the bounds that it has."""
    bounds = {"team": token.team_id, "scope": token.scope, "path_prefix": token.path_prefix, "agent": token.agent_id}
    given = {name: value for name, value in bounds.items() if value}
    return {"scopes": token.scopes, **given, **({} if token.buckets is None else {"buckets": token.buckets})}


def mark_used(token_id: UUID, *, seen: datetime | None) -> None:
    """Note the use, at most once a minute, so that a busy agent does not write a row per call; `seen` is the last use
    as it was read with the token, so that mostly nothing has to be asked either.
    """
    now = timezone.now()
    if seen is not None and seen >= now - USED_EVERY:
        return
    stale = Q(last_used_at__isnull=True) | Q(last_used_at__lt=now - USED_EVERY)
    ApiToken.objects.filter(stale, pk=token_id).update(last_used_at=now)


def own(token_id: UUID | None, *, actor: Actor) -> ApiToken:
    """The actor's token of this id. Raises NotFound."""
    token = ApiToken.objects.filter(user_id=actor.own, pk=token_id).first() if token_id else None
    if token is None:
        raise NotFound(ABSENT)
    return token


def shown_to(actor: Actor, *, state: str = "") -> QuerySet[ApiToken]:
    """The person's own tokens, and those bound to a team that they are an admin of, each with its `state`; those in
    one state where it is named.

    An admin answers for what happens in the team, and such a token reaches nothing else. A token without a team leads
    to its person's private records as well: that is nobody else's business.
    """
    inside = Membership.objects.filter(user=OuterRef("user"), team=OuterRef("team"))
    stands = Case(
        When(revoked_at__isnull=False, then=Value(REVOKED)),
        When(expires_at__lte=timezone.now(), then=Value(EXPIRED)),
        When(Q(user__is_active=False) | (Q(team__isnull=False) & ~Exists(inside)), then=Value(CUT_OFF)),
        default=Value(VALID),
        output_field=CharField(),
    )
    rows = ApiToken.objects.filter(Q(user_id=actor.own) | Q(team_id__in=led_by(actor))).annotate(state=stands)
    return (rows.filter(state=state) if state else rows).select_related("user", "team")


def led_by(actor: Actor) -> list[UUID]:
    """The teams that a person is an admin of."""
    roles = actor.spaces.values() if actor.is_person else ()
    return [space.team_id for space in roles if space.team_id and space.role == Role.ADMIN]


def working_of(user: User) -> int:
    """How many keys of a person work now."""
    return ApiToken.objects.filter(user=user, revoked_at__isnull=True, expires_at__gt=timezone.now()).count()


def seen(token_id: UUID, *, actor: Actor) -> ApiToken:
    """One of the tokens that are shown to the actor. Raises NotFound."""
    token = shown_to(actor).filter(pk=token_id).first()
    if token is None:
        raise NotFound(ABSENT)
    return token


def _answers_for(token: ApiToken, actor: Actor) -> bool:
    """Whether the locked token is the actor's own, or bound to a team whose admin they are at this moment."""
    if token.user_id == actor.own:
        return True
    if token.team_id is None or not charge.may_lead(actor, token.team_id):
        return False
    charge.led(token.team_id, actor)
    return True


@transaction.atomic
def revoke(*, token_id: UUID | None, actor: Actor) -> ApiToken:
    """End a token that is the actor's own or bound to a team whose admin they are; it stops with the next request.

    Repeatable. What an admin ends stands in the team's trail, without the name that its person gave it.
    Raises NotFound, NotAllowed for who was its admin until a moment ago.
    """
    token = ApiToken.objects.select_for_update(no_key=True).filter(pk=token_id).first() if token_id else None
    if token is None or not _answers_for(token, actor):
        raise NotFound(ABSENT)
    if token.revoked_at is None:
        token.revoked_at = timezone.now()
        token.save(update_fields=["revoked_at"])
        mine = token.user_id == actor.user_id
        detail = {"prefix": token.prefix, "status": [VALID, REVOKED]}
        detail |= {"name": token.name} if mine else {"user": str(token.user_id)}
        space_id = token.user_id if mine else token.team_id
        audit.record(actor, "token.revoke", "token", token.pk, space_id=space_id, detail=detail)
    return token
