"""Notices: telling those who asked for it that a pass waits. What is said names the pass and its counts, no record."""

from __future__ import annotations

import logging
from collections.abc import Collection
from datetime import datetime, timedelta
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from console import endpoints
from console.errors import Conflict, Invalid, NotAllowed, NotFound
from console.saying import phrase
from memories import audit
from memories.access import Actor, in_spaces, person
from memories.models.people import Role
from reflection import notify, queries
from reflection.models import Channel, Notice, ReflectPass, Subscription

MOST_PER_SPACE = 20
ATTEMPTS = 5
FIRST_WAIT = timedelta(minutes=1)  # doubled after each attempt
AT_ONCE = 100

log = logging.getLogger(__name__)


def subscriptions_of(actor: Actor) -> QuerySet[Subscription]:
    """The actor's own, and in spaces of which they are an admin everybody's."""
    admin = [space.id for space in actor.spaces.values() if space.role == Role.ADMIN]
    rows = in_spaces(actor, Subscription.objects.select_related("user"))
    return rows.filter(Q(user_id=actor.user_id) | Q(space_id__in=admin)).order_by("space_id", "made_at", "pk")


def last_of(rows: Collection[Subscription]) -> dict[UUID, Notice]:
    """The newest notice of each subscription that has had one."""
    found = Notice.objects.filter(subscription__in=rows).order_by("subscription_id", "-made_at", "-pk")
    return {one.subscription_id: one for one in found.distinct("subscription_id")}


def may_subscribe(actor: Actor, space_id: UUID, channel: str) -> bool:
    """Whoever decides on passes may have e-mails; a webhook, which others may read, takes an admin."""
    space = actor.spaces.get(space_id)
    least = {Role.ADMIN} if channel == Channel.WEBHOOK else {Role.ADMIN, Role.REVIEWER}
    return actor.is_person and space is not None and space.role in least


@transaction.atomic
def subscribe(*, space_id: UUID, channel: str, address: str, actor: Actor) -> Subscription:
    """Tell `address` of every pass that waits in this space from now on.

    Raises NotFound, NotAllowed, Invalid, Conflict.
    """
    space = actor.space(space_id)
    if channel not in Channel.values:
        one, other = Channel.values
        text = phrase("%(given)s is unknown. Choose %(one)s or %(other)s.", given=repr(channel), one=one, other=other)
        raise Invalid.field("channel", text)
    if not may_subscribe(actor, space_id, channel):
        raise NotAllowed(
            phrase("Only an admin of %(space)s may be told of its passes this way.", space=space.name)
            if channel == Channel.WEBHOOK
            else phrase(
                "Only a reviewer or an admin of %(space)s may be told of its passes this way.", space=space.name
            )
        )
    wanted = address.strip()
    check_email(wanted) if channel == Channel.EMAIL else check_url(wanted)
    rows = Subscription.objects.select_for_update(no_key=True).filter(space_id=space_id)
    if rows.filter(user_id=actor.own, channel=channel, address=wanted).exists():
        raise Conflict(phrase("This address is told already."))
    if rows.count() >= MOST_PER_SPACE:
        text = phrase(
            "%(space)s has %(most)s addresses already. Take one off first.", space=space.name, most=MOST_PER_SPACE
        )
        raise Conflict(text)
    made = Subscription.objects.create(space_id=space_id, user_id=actor.own, channel=channel, address=wanted)
    audit.record(actor, "notices.on", "subscription", made.pk, space_id=space_id, detail={"channel": [None, channel]})
    return made


@transaction.atomic
def unsubscribe(*, subscription_id: UUID, actor: Actor) -> None:
    """Tell this address nothing more. Raises NotFound."""
    found = subscriptions_of(actor).select_for_update(no_key=True, of=("self",)).filter(pk=subscription_id).first()
    if found is None or not actor.is_person:
        raise NotFound(phrase("There is no such notice, or it is not yours to end."))
    found.delete()
    detail = {"channel": [found.channel, None]}
    audit.record(actor, "notices.off", "subscription", subscription_id, space_id=found.space_id, detail=detail)


def _wrong(text: str) -> Invalid:
    return Invalid.field("address", text)


def check_email(address: str) -> None:
    """Raises Invalid for what is no e-mail address, and where there is no mail server."""
    if not settings.EMAIL_HOST:
        raise Invalid.field(
            "address", phrase("No mail server is set up here. Whoever runs this console sets EMAIL_URL.")
        )
    try:
        validate_email(address)
    except ValidationError:
        raise _wrong(phrase("This is no e-mail address. Write it as name@example.org.")) from None


def check_url(address: str) -> None:
    """Raises Invalid unless `address` is a URL that a notice may be sent to."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    plain = parts.scheme == "http" and settings.NOTICES_INSIDE
    if not (parts.scheme == "https" or plain) or not parts.hostname or port == 0 or len(address) > 500:
        raise Invalid.field(
            "address", phrase("Give a whole address that begins with https://, at most 500 characters.")
        )
    if parts.username or parts.password or not address.isprintable():
        raise Invalid.field(
            "address", phrase("Leave user names, passwords and invisible characters out of the address.")
        )
    if endpoints.hands_out_keys(parts.hostname) or not (
        settings.NOTICES_INSIDE or endpoints.public_address(parts.hostname)
    ):
        raise Invalid.field(
            "address", phrase("This leads into the network of the console, or nowhere. Give a public address.")
        )


def make_due() -> int:
    """Note for every subscriber each pass that has begun to wait since they asked. Repeat at will. Returns how many."""
    made = 0
    for row in Subscription.objects.select_related("user").order_by("pk").iterator():
        waits = _waiting_for(row).filter(planned_at__gte=row.made_at).exclude(pk__in=row.notices.values("reflect_pass"))
        fresh = [
            Notice(subscription=row, reflect_pass=one, space_id=row.space_id, next_at=timezone.now())
            for one in waits[:AT_ONCE]
        ]
        made += len(Notice.objects.bulk_create(fresh, ignore_conflicts=True))
    return made


def send_due(*, at: datetime | None = None) -> int:
    """Send what is due and return how many went. Each attempt is noted before it is made: a crash repeats it later."""
    now = at or timezone.now()
    due = Notice.objects.filter(next_at__lte=now).order_by("next_at", "pk").values_list("pk", flat=True)
    return sum(_send(key, now) for key in list(due[:AT_ONCE]))


def _send(notice_id: UUID, now: datetime) -> bool:
    notice = _begun(notice_id, now)
    if notice is None:
        return False
    row = notice.subscription
    if not _waiting_for(row).filter(pk=notice.reflect_pass_id).exists():
        return _ended(notice, "The pass no longer waited for this person when the notice was due.")
    try:
        notify.tell(row, notice.reflect_pass)
    except notify.NotTold as why:
        log.warning("notice %s was not taken: %s", notice.pk, why)
        Notice.objects.filter(pk=notice.pk).update(why_not=str(why)[:300])
        return False
    Notice.objects.filter(pk=notice.pk).update(next_at=None, sent_at=timezone.now(), why_not="")
    return True


@transaction.atomic
def _begun(notice_id: UUID, now: datetime) -> Notice | None:
    """The notice with one attempt more, unless another worker has it."""
    rows = Notice.objects.select_for_update(no_key=True, skip_locked=True, of=("self",)).filter(
        pk=notice_id, next_at__lte=now
    )
    notice = rows.select_related("subscription__user", "reflect_pass").first()
    if notice is None:
        return None
    notice.attempts += 1
    again = now + FIRST_WAIT * 2 ** (notice.attempts - 1) if notice.attempts < ATTEMPTS else None
    Notice.objects.filter(pk=notice_id).update(attempts=F("attempts") + 1, next_at=again)
    return notice


def _ended(notice: Notice, why: str) -> bool:
    Notice.objects.filter(pk=notice.pk).update(next_at=None, why_not=why)
    return False


def _waiting_for(row: Subscription) -> QuerySet[ReflectPass]:
    """What waits in the space for whoever subscribed, by the rights they have now."""
    actor = person(row.user)
    return queries.waiting(actor).filter(space_id=row.space_id)
