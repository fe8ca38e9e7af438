"""A request with an idempotency key has its effect once: who sends it again gets the answer that was kept.

The answer is stored in the transaction of the effect, sealed with a key that is derived from the client's own and this
console's secret. The client's key itself is kept only as a hash, so the stored answers say nothing to a reader of the
database.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.db import connection, transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from console.errors import Conflict, Invalid, NotAllowed
from console.saying import phrase
from memories.access import Actor
from memories.models import KeptAnswer
from memories.services.elsewhere import also_check, also_scrub

LIFETIME = timedelta(hours=24)
KEY_LIMIT = 255  # characters
SALT = "memories.answers"
NONCE_BYTES = 12
ID = re.compile(rb"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered: the status, the body as it was sent, and the version in its ETag."""

    status: int
    body: bytes
    etag: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request under its key; `answer` is what it was answered the first time, None where this is the first."""

    digest: bytes
    fingerprint: bytes
    secret: bytes
    answer: Answer | None = None


def ask(*, key: str, route: str, sent: Any, actor: Actor) -> Asked:
    """Look whether this was asked and answered before; if not, nobody else can ask it until the transaction ends.

    Raises Conflict while the same is being carried out, Invalid for another request under the same key, and NotAllowed
    where the answer is about a space that the actor has lost.
    """
    who = str(actor.token_id or actor.own)
    digest = salted_hmac(SALT, "\0".join((who, route, key)), algorithm="sha256").digest()
    secret = _derived(key, digest)
    canonical = json.dumps(sent, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
    asked = Asked(digest, hmac.new(secret, canonical.encode(), hashlib.sha256).digest(), secret)
    _alone(digest)
    found = KeptAnswer.objects.filter(digest=digest, created_at__gt=timezone.now() - LIFETIME).first()
    if found is None:
        return asked
    if not hmac.compare_digest(bytes(found.fingerprint), asked.fingerprint):
        raise Invalid.field(
            "Idempotency-Key", phrase("This key was used for another request. Use a new key for each."), where="header"
        )
    if not set(found.spaces) <= set(actor.spaces):
        raise NotAllowed(phrase("The first answer is about a space that you have no access to any more."))
    return Asked(digest, asked.fingerprint, secret, Answer(found.status, _opened(found, secret), found.etag))


def _derived(key: str, digest: bytes) -> bytes:
    ours = salted_hmac(SALT, "seal", algorithm="sha256").digest()
    return HKDF(SHA256(), 32, salt=ours, info=digest).derive(key.encode("utf-8", "replace"))


def _alone(digest: bytes) -> None:
    number = int.from_bytes(digest[:8], signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [number])
        if not cursor.fetchone()[0]:
            raise Conflict(
                phrase("The same request is being carried out. Send it again in a moment for its answer."),
                retry_after=1,
            )


def _opened(found: KeptAnswer, secret: bytes) -> bytes:
    sealed = bytes(found.sealed)
    try:
        return AESGCM(secret).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], bytes(found.digest))
    except InvalidTag:
        raise Conflict(phrase("The first answer cannot be read any more. Look at what it changed.")) from None


@transaction.atomic
def keep(asked: Asked, answer: Answer, *, names: str = "", actor: Actor) -> None:
    """Keep the answer with the effect. `names` is the address, whose ids count as named like those in the body."""
    nonce = secrets.token_bytes(NONCE_BYTES)
    ids = {UUID(one.decode()) for one in ID.findall(answer.body + b" " + names.encode("ascii", "replace"))}
    KeptAnswer.objects.filter(digest=asked.digest).delete()  # of an expired one
    KeptAnswer.objects.create(
        digest=asked.digest,
        fingerprint=asked.fingerprint,
        user_id=actor.own,
        spaces=sorted(actor.spaces),
        record_ids=sorted(ids),
        status=answer.status,
        etag=answer.etag,
        sealed=nonce + AESGCM(asked.secret).encrypt(nonce, answer.body, asked.digest),
        created_at=timezone.now(),
    )


@transaction.atomic
def sweep() -> int:
    """Delete what is older than a day. Returns how many."""
    return KeptAnswer.objects.filter(created_at__lte=timezone.now() - LIFETIME).delete()[0]


@also_scrub
def _scrub(ids: Sequence[UUID]) -> None:
    KeptAnswer.objects.filter(record_ids__overlap=list(ids)).delete()


@also_check("answers kept for a retry")
def _naming(record_id: UUID) -> int:
    return KeptAnswer.objects.filter(record_ids__contains=[record_id]).count()
