"""Ledger entries: added."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from console.errors import Invalid, NotAllowed
from memories import audit
from memories.access import Actor, check_may_use
from memories.models import LedgerEntry
from memories.models.ledger import TransactionType
from memories.services import fields


@transaction.atomic
def add(
    *,
    transaction_type: str,
    item: str,
    amount: Decimal,
    currency: str,
    category: str = "",
    occurred_on: date,
    team_id: UUID | None = None,
    bucket: str = "personal",
    source: str = "",
    source_id: str | None = None,
    actor: Actor,
) -> LedgerEntry:
    """A new entry. Raises Invalid, NotAllowed."""
    check_may_use(actor, "ledger:write")
    fields.check({"content": item, "bucket": bucket, "source_id": source_id})
    if transaction_type not in TransactionType.values:
        raise Invalid.field("transaction_type", f"Choose among {', '.join(TransactionType.values)}.")
    if not amount.is_finite() or amount <= 0:
        raise Invalid.field("amount", "The amount must be greater than 0.")
    if not (len(currency) == 3 and currency.isascii() and currency.isalpha() and currency.isupper()):
        raise Invalid.field("currency", "The currency is a code of three capital letters, such as EUR.")
    if (team_id or actor.own) not in actor.spaces:
        raise NotAllowed("You are not a member of this team, or this token is not bound to it.")
    now = timezone.now()
    entry = LedgerEntry.objects.create(
        owner_id=actor.own,
        team_id=team_id,
        bucket=bucket,
        transaction_type=transaction_type,
        item=item,
        amount=amount,
        currency=currency,
        category=category,
        occurred_on=occurred_on,
        source=source or actor.channel,
        source_id=source_id,
        created_at=now,
        updated_at=now,
    )
    detail = {"status": [None, "active"], "type": transaction_type}
    audit.record(actor, "ledger.create", "ledger", entry.pk, space_id=entry.space_id, detail=detail)
    return entry
