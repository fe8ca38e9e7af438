"""How often somebody may do something: counted in the database, so that all processes share the count.

A count is one statement that adds and answers at once, in a transaction of its own: two requests at the same moment are
two, and what is refused counts as well. Deletions for good are counted in the transaction that carries them out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from console.errors import Refused
from console.saying import phrase
from memories.access import Actor
from memories.models import RateCount

KEPT = timedelta(hours=2)  # longer than the longest span
PERSON_TIMES = 3  # of what one token may: a person with several agents, or at the console beside them
ERASED, ASKED = phrase("deletions for good in an hour"), phrase("requests to delete for good in an hour")
REDACTED = phrase("redactions in an hour")
ADD = """
INSERT INTO memories_ratecount (who, kind, begins, count)
SELECT who, kind, begins, 1 FROM unnest(%s::uuid[], %s::text[], %s::timestamptz[]) AS new (who, kind, begins)
ON CONFLICT (who, kind, begins) DO UPDATE SET count = memories_ratecount.count + 1
RETURNING who, kind, count
"""


class TooMany(Refused):
    """Too many of something in a span of time. `retry_after` is in seconds; `first` is what crossed the line."""

    status = 429
    code = "too_many_requests"

    def __init__(self, message: str, *, retry_after: int, first: bool) -> None:
        super().__init__(message, retry_after=retry_after)
        self.first = first


@dataclass(frozen=True, slots=True)
class Limit:
    """How many of a kind one counter may have in a span. `words` says what it counts: “searches a minute”."""

    kind: str
    who: UUID
    most: int
    seconds: int
    words: str

    def begins(self, now: datetime) -> datetime:
        """When the span of `now` began."""
        return datetime.fromtimestamp(now.timestamp() // self.seconds * self.seconds, UTC)


def take(limits: Sequence[Limit]) -> None:
    """Count one of each. Raises TooMany for the one that has to wait longest."""
    if not limits:
        return
    now = timezone.now()
    ordered = sorted(limits, key=lambda one: (one.who, one.kind))  # everybody locks rows in the same order
    values = [one.who for one in ordered], [one.kind for one in ordered], [one.begins(now) for one in ordered]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(ADD, [list(column) for column in values])
        counts = {(who, kind): count for who, kind, count in cursor.fetchall()}
    over = [one for one in ordered if counts[one.who, one.kind] > one.most]
    if not over:
        return
    worst = max(over, key=lambda one: one.begins(now).timestamp() + one.seconds)
    wait = max(1, int(worst.begins(now).timestamp() + worst.seconds - now.timestamp()) + 1)
    first = any(counts[one.who, one.kind] == one.most + 1 for one in over)
    about = {"most": f"{worst.most:,}", "words": worst.words, "until": _until(wait)}
    raise TooMany(phrase("That was more than %(most)s %(words)s. %(until)s", **about), retry_after=wait, first=first)


def _until(wait: int) -> str:
    """When to come back."""
    if wait < 120:
        return phrase("Wait a moment.")
    return phrase("Try again in %(minutes)s minutes.", minutes=-(-wait // 60))


def count_erasure(actor: Actor) -> None:
    """Count one deletion for good by a person, or one request for it by a token. Raises TooMany.

    It belongs into the transaction of the deletion, before anything is locked: what does not happen does not count.
    """
    if actor.token_id is None:
        _take_one("erase", ERASED, actor)
    else:
        _take_one("erase_ask", ASKED, actor)


def count_redaction(actor: Actor) -> None:
    """Count one redaction, which destroys words as a deletion for good does. Raises TooMany. See `count_erasure`."""
    _take_one("redact" if actor.token_id is None else "redact_key", REDACTED, actor)


def _take_one(kind: str, words: str, actor: Actor) -> None:
    """Count one act that destroys: of a token for itself and among all of its person's, of a person for them alone."""
    most, seconds = settings.RATES["erase"] if settings.RATE_LIMITS else (0, 0)
    if most == 0:
        return
    if actor.token_id is None:
        take([Limit(kind, actor.own, most, seconds, words)])
        return
    who = {actor.token_id: most, actor.own: most * PERSON_TIMES}
    take([Limit(kind, one, count, seconds, words) for one, count in who.items()])


@transaction.atomic
def sweep() -> int:
    """Delete counts of spans that are over. Returns how many."""
    return RateCount.objects.filter(begins__lt=timezone.now() - KEPT).delete()[0]
