"""From a request to its actor: a session for pages, a token for the API, never both."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from console.errors import NotAllowed
from console.refusal import is_api
from console.saying import phrase
from console.text import holds_key
from memories.access import ANYONE, Actor, bearer, person
from memories.models import ApiToken
from memories.services import tokens

SIGNED_IN_AT = "signed_in_at"  # session key: when the password was last given, as a POSIX timestamp


def actor_of(request: HttpRequest) -> Actor:
    """The actor of this request, `ANYONE` without a credential. Raises NotAllowed for a bad one."""
    about = {"ip": request.META.get("REMOTE_ADDR", ""), "request_id": request.request_id, "audit_id": request.audit_id}
    if is_api(request):
        return _from_token(request, about)
    user = request.user
    if not user.is_authenticated:
        return replace(ANYONE, **about)
    stamp = request.session.get(SIGNED_IN_AT)
    return person(user, signed_in_at=datetime.fromtimestamp(stamp, UTC) if stamp else None, **about)


def _from_token(request: HttpRequest, about: dict[str, Any]) -> Actor:
    keys = _keys(request)
    if not keys:
        return Actor(user_id=None, name="", channel="api", **about)
    found = [token_of(key) for key in keys]
    if len({token.user_id for token in found}) > 1:
        raise NotAllowed(phrase("X-API-Key and Authorization name different people. Send one of them."))
    request.token_used_at = found[0].last_used_at
    agent = request.headers.get("X-Memory-OS-Agent-ID", "")[:200]
    instance = request.headers.get("X-Memory-OS-Agent-Instance-ID", "")
    return bearer(
        found[0],
        agent_id=agent if agent.isprintable() and not holds_key(agent) else "",
        agent_instance_hash=hashlib.sha256(instance.encode("utf-8", "replace")).hexdigest() if instance else "",
        **about,
    )


def _keys(request: HttpRequest) -> list[str]:
    """The keys sent, X-API-Key first: where both name tokens of one person, its token acts."""
    keys = []
    if header := request.headers.get("X-API-Key"):
        keys.append(header.strip())
    if header := request.headers.get("Authorization"):
        kind, _, key = header.partition(" ")
        if kind.lower() != "bearer" or not key.strip():
            raise NotAllowed(phrase("The Authorization header is not “Bearer <token>”. Send the token that way."))
        keys.append(key.strip())
    return keys


def token_of(key: str) -> ApiToken:
    """The token of a key that is good now. Raises NotAllowed saying why it is not."""
    token = tokens.find(key)
    if token is None:
        raise NotAllowed(phrase("This token is not known here. A person makes one in the console, under Tokens."))
    if token.revoked_at is not None:
        raise NotAllowed(phrase("This token was revoked. A person makes a new one in the console, under Tokens."))
    if token.expires_at <= timezone.now():
        raise NotAllowed(phrase("This token has expired. A person makes a new one in the console, under Tokens."))
    if not token.user.is_active:
        raise NotAllowed(phrase("The person behind this token has no access any more."))
    return token


def mark_used(request: HttpRequest) -> None:
    """Note when the token of this request was last used, at most once a minute."""
    if request.actor.token_id is not None:
        tokens.mark_used(request.actor.token_id, seen=request.token_used_at)
