"""Signing in: at most five refusals a minute for one account from one address, counted in the shared database."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from console.errors import Refused
from console.saying import phrase
from memories import audit
from memories.access import NOBODY, Actor, person
from memories.models import AuditRecord, User

REFUSALS_ALLOWED = 5
WINDOW = timedelta(minutes=1)
ACTION = "user.sign_in"


class TooManySignIns(Refused):
    """Too many refusals within the last minute. `retry_after` is in seconds."""

    status = 429
    code = "too_many_sign_ins"


def account_of(username: str) -> str:
    """A keyed hash of the name typed, which may be a password typed into the wrong field."""
    return salted_hmac("memories.sign_in", username.strip().casefold(), algorithm="sha256").hexdigest()[:32]


def check_not_throttled(*, username: str, actor: Actor) -> None:
    """Raises TooManySignIns. Attempts for one account from one address wait for each other until they commit."""
    account, now = account_of(username), timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"sign in {account} {actor.ip}"])
    refused = AuditRecord.objects.filter(
        space_id=NOBODY, action=ACTION, result=audit.REFUSED, at__gt=now - WINDOW, ip=actor.ip, detail__account=account
    )
    times = list(refused.order_by("-at").values_list("at", flat=True)[:REFUSALS_ALLOWED])
    if len(times) == REFUSALS_ALLOWED:
        wait = max(1, int((times[-1] + WINDOW - now).total_seconds()) + 1)
        raise TooManySignIns(phrase("Too many attempts to sign in. Wait a moment before the next."), retry_after=wait)


@transaction.atomic
def refuse(*, username: str, actor: Actor) -> None:
    """Note a wrong name or password, without the name."""
    audit.record(
        actor,
        ACTION,
        "user",
        None,
        space_id=NOBODY,
        result=audit.REFUSED,
        reason="The name or the password is wrong.",
        detail={"account": account_of(username)},
    )


@transaction.atomic
def welcome(*, user: User, again: bool = False, actor: Actor) -> None:
    """Note that a person gave their password."""
    about: dict[str, Any] = {"ip": actor.ip, "request_id": actor.request_id, "audit_id": actor.audit_id}
    audit.record(person(user, **about), ACTION, "user", user.pk, space_id=user.pk, detail={"again": again})
