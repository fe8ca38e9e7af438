"""The database states the truths itself: whoever writes past the services is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F, Model
from django.utils import timezone

from memories.models import LedgerEntry, Memory, MemoryLink, MemoryState, Todo
from reflection.models import ReflectPass
from reflection.services.plan import plan
from tests.memories.factories import actor, ann, memory, token

pytestmark = pytest.mark.django_db


def state(**fields: Any) -> Callable[[], tuple[Model, dict[str, Any]]]:
    return lambda: (memory(ann(), "Tea.").state, fields)


def of(made: Callable[[], Model], **fields: Any) -> Callable[[], tuple[Model, dict[str, Any]]]:
    return lambda: (made(), fields)


def tea() -> Memory:
    return memory(ann(), "Tea.")


def todo() -> Todo:
    now = timezone.now()
    return Todo.objects.create(owner=ann(), content="Call Bea.", created_at=now, updated_at=now)


def entry() -> LedgerEntry:
    now = timezone.now()
    money = {"amount": Decimal(3), "currency": "EUR", "transaction_type": "expense", "occurred_on": now.date()}
    return LedgerEntry.objects.create(owner=ann(), item="Tea", created_at=now, updated_at=now, **money)


def planned() -> ReflectPass:
    return plan(given={}, actor=actor(ann()))


NOW = timezone.now()
REFUSED = {
    "state_importance_is_share": state(importance=1.7),
    "state_base_is_share": state(base=-0.1),
    "state_status_known": state(status="gone"),
    "state_version_positive": state(version=0),
    "state_deleted_marked": state(status="deleted"),
    "state_active_unmarked": state(archived_at=NOW),
    "state_archived_marked": state(status="archived"),
    "state_expired_marked": state(status="expired"),
    "memory_type_known": of(tea, memory_type="foo"),
    "memory_trust_known": of(tea, trust=9),
    "memory_bucket_named": of(tea, bucket=""),
    "memory_confidence_is_share": of(tea, confidence=2),
    "memory_derivation_has_pass": of(tea, derivation="summary"),
    "memory_event_has_its_time": of(tea, event_type="meeting"),
    "todo_completed_paired": of(todo, completed_at=NOW),
    "ledger_amount_positive": of(entry, amount=0),
    "ledger_currency_code": of(entry, currency="eur"),
    "ledger_type_known": of(entry, transaction_type="gift"),
    "token_scopes_known": of(lambda: token(ann())[0], scopes=["root"]),
    "token_expires_later": of(lambda: token(ann())[0], expires_at=F("created_at") - timedelta(days=1)),
    "pass_approved_paired": of(planned, approved_at=NOW),
    "pass_rejected_paired": of(planned, rejected_at=NOW),
    "pass_signed_off_paired": of(planned, signed_off_at=NOW),
    "pass_applied_only_approved": of(planned, status="approved"),
    "pass_expires_later": of(planned, expires_at=F("planned_at") - timedelta(hours=1)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_the_database_refuses(name: str) -> None:
    record, fields = REFUSED[name]()
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        type(record)._base_manager.filter(pk=record.pk).update(**fields)


def test_no_number_is_no_importance() -> None:
    key = tea().pk
    with pytest.raises(IntegrityError, match="state_importance_is_share"), transaction.atomic():
        MemoryState.objects.filter(pk=key).update(importance=float("nan"))


def test_a_source_is_imported_once() -> None:
    memory(ann(), "Tea.", source="log", source_id="7")
    with pytest.raises(IntegrityError, match="memory_source_once"), transaction.atomic():
        memory(ann(), "Coffee.", source="log", source_id="7")


def test_a_link_leads_to_another_record_and_stands_once() -> None:
    one, other = tea(), memory(ann(), "Coffee.")
    link = {"origin": one, "kind": "relates_to", "created_at": NOW}
    MemoryLink.objects.create(target=other, **link)
    for target, name in ((other, "link_once"), (one, "link_to_another")):
        with pytest.raises(IntegrityError, match=name), transaction.atomic():
            MemoryLink.objects.create(target=target, **link)
