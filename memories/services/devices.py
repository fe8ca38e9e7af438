"""A token for an agent without a browser: it shows a code, and a person signs in, looks and approves."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from console.errors import Conflict, Invalid, NotAllowed, NotFound
from console.saying import phrase
from memories import audit
from memories.access import Actor, person
from memories.models import ApiToken, DeviceLogin, User
from memories.models.people import SCOPES
from memories.services import charge, people, tokens
from memories.services.fields import said

LIFETIME = timedelta(minutes=10)
INTERVAL = 5  # seconds between two looks of a device
TOKEN_LIFETIME = timedelta(days=90)
USUAL_SCOPES = ("memory:read", "memory:write")
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels: a code spells nothing, and no two letters look alike
KEPT = timedelta(days=1)
NAME_LIMIT = 100  # characters

PENDING, SLOW_DOWN, EXPIRED, DENIED = "authorization_pending", "slow_down", "expired_token", "access_denied"


@dataclass(frozen=True, slots=True)
class Started:
    """The codes, never shown again: the device keeps one and shows the other."""

    device_code: str
    user_code: str
    expires_at: datetime
    scopes: list[str]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a device finds when it looks: a token with its key, or why there is none (yet)."""

    error: str = ""
    token: ApiToken | None = None
    key: str = ""


@transaction.atomic
def start(*, client_id: str, scopes: Sequence[str] = USUAL_SCOPES, actor: Actor) -> Started:
    """Ask for a token with those of these scopes that exist here; clients also name those of other services.

    Nobody has to be signed in; nothing is given away. Raises Invalid, also where none of them exists.
    """
    if (
        not isinstance(client_id, str)
        or len(client_id) > NAME_LIMIT
        or not client_id.isprintable()
        or not said(client_id)
    ):
        raise Invalid.field(
            "client_id", phrase("Send the name of the agent, with at most %(most)s plain characters.", most=NAME_LIMIT)
        )
    known = sorted(set(scopes) & set(SCOPES))
    if not scopes:
        raise Invalid.field("scopes", phrase("No scope is named. Name one, or leave scopes out."))
    if not known:
        raise Invalid.field(
            "scopes",
            phrase("Unknown scope %(scope)s. Choose among %(names)s.", scope=min(scopes)[:50], names=", ".join(SCOPES)),
        )
    now = timezone.now()
    DeviceLogin.objects.filter(expires_at__lt=now - KEPT).delete()
    started = Started(secrets.token_urlsafe(32), _user_code(), now + LIFETIME, known)
    DeviceLogin.objects.create(
        client_id=client_id,
        scopes=known,
        device_digest=_device_digest(started.device_code),
        user_digest=_user_digest(started.user_code),
        ip=actor.ip[:64],
        created_at=now,
        expires_at=started.expires_at,
    )
    return started


def _user_code() -> str:
    letters = "".join(secrets.choice(LETTERS) for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"


def _device_digest(code: str) -> bytes:
    return hashlib.sha256(code.encode("utf-8", "replace")).digest()


def _user_digest(code: str) -> bytes:
    """Keyed, because a code of eight letters can be found by trying."""
    plain = "".join(letter for letter in code.upper() if letter in LETTERS)
    return salted_hmac("memories.devices", plain, algorithm="sha256").digest()


def find(user_code: str, *, lock: bool = False) -> DeviceLogin:
    """The open request of this code. Raises NotFound, Conflict for one that was decided on."""
    rows = DeviceLogin.objects.filter(user_digest=_user_digest(user_code), expires_at__gt=timezone.now())
    found = (rows.select_for_update(no_key=True) if lock else rows).first()
    if found is None:
        raise NotFound(phrase("No agent waits with this code. Codes live ten minutes; let the agent show a new one."))
    if found.decided_at is not None:
        raise Conflict(phrase("Somebody has decided on this code already. Let the agent show a new one."))
    return found


@transaction.atomic
def decide(*, user_code: str, granted: Collection[str], actor: Actor) -> DeviceLogin:
    """Give the agent a token with the scopes `granted`, of those it asked for; none refuses it.

    Raises NotAllowed for anybody but a person with access, SignInAgain where a token would be given without a password
    of lately, NotFound, Conflict, Invalid. Who decides while their access ends waits, and is refused.
    """
    if not actor.is_person:
        raise NotAllowed(phrase("Only a person at the console may do this."))
    if not people.held(actor.own).is_active:
        raise NotAllowed(phrase("You may not do this."))
    found = find(user_code, lock=True)
    if set(granted) - set(found.scopes):
        raise Invalid.field("scopes", phrase("The agent did not ask for this. Choose among what it asked for."))
    if granted:
        charge.check_lately(actor)
    found.user_id, found.granted, found.decided_at = actor.own, sorted(set(granted)), timezone.now()
    found.save(update_fields=["user", "granted", "decided_at"])
    verb = "approve" if granted else "refuse"
    detail = {"status": ["open", f"{verb}d"], "client": found.client_id, "scopes": found.granted}
    audit.record(actor, f"device.{verb}", "device", found.pk, space_id=actor.own, detail=detail)
    return found


def void(user: User) -> None:
    """What they approved and no agent has fetched yet gives no token any more. Their row is locked."""
    DeviceLogin.objects.filter(user=user, used_at__isnull=True).exclude(granted=[]).update(granted=[])


@transaction.atomic
def redeem(*, device_code: str, actor: Actor) -> Answer:
    """The token, once, when a person has approved it; else why not. Looking too often only slows it down."""
    rows = DeviceLogin.objects.select_for_update(no_key=True, of=("self",)).select_related("user")
    found = rows.filter(device_digest=_device_digest(device_code)).first()
    now = timezone.now()
    if found is None or found.used_at is not None or found.expires_at <= now:
        return Answer(EXPIRED)
    before, found.asked_at = found.asked_at, now
    found.save(update_fields=["asked_at"])
    if found.granted is None:
        hasty = before is not None and now - before < timedelta(seconds=INTERVAL)
        return Answer(SLOW_DOWN if hasty else PENDING)
    if not found.granted or found.user is None or not found.user.is_active:
        return Answer(DENIED)
    found.used_at = now
    found.save(update_fields=["used_at"])
    about: dict[str, Any] = {"ip": actor.ip, "request_id": actor.request_id, "audit_id": actor.audit_id}
    token, key = tokens.create(
        user=found.user,
        name=found.client_id,
        scopes=found.granted,
        expires_at=now + TOKEN_LIFETIME,
        actor=person(found.user, channel="api", **about),
    )
    return Answer("", token, key)
