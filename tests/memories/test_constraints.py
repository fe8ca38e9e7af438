"""The database states the truths itself: whoever writes past the services is refused."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F
from django.utils import timezone

from memories import audit
from memories.models import (
    Decision,
    DeviceLogin,
    ErasureRequest,
    LedgerEntry,
    Membership,
    Memory,
    MemoryLink,
    MemoryState,
    MemoryUse,
    SavedView,
    Snapshot,
    SpaceSettings,
    Todo,
    User,
)
from memories.models.people import EMAIL_ONCE
from tests.console.test_row_security import NOT_OURS
from tests.memories.factories import actor, ann, memory, team, token, user, version
from tests.memories.refusing import Write, again, constraints, of, refuses

pytestmark = pytest.mark.django_db


def tea() -> Memory:
    return memory(ann(), "Tea.")


def todo() -> Todo:
    return Todo.objects.create(owner=ann(), content="Call Bea.", created_at=NOW, updated_at=NOW)


def entry() -> LedgerEntry:
    money = {"amount": Decimal(3), "currency": "EUR", "transaction_type": "expense", "occurred_on": NOW.date()}
    return LedgerEntry.objects.create(owner=ann(), item="Tea", created_at=NOW, updated_at=NOW, **money)


def decision() -> Decision:
    return Decision.objects.create(owner=ann(), context="Which tea?", created_at=NOW, updated_at=NOW)


def snapshot() -> Snapshot:
    return Snapshot.objects.create(owner=ann(), label="Tea", created_at=NOW, updated_at=NOW)


def link() -> MemoryLink:
    return MemoryLink.objects.create(origin=tea(), target=memory(ann(), "Milk."), kind="relates_to", created_at=NOW)


def used() -> MemoryUse:
    return MemoryUse.objects.create(memory=tea(), action="recalled", tracking_id="7", at=NOW)


def member() -> Membership:
    return team("Tea drinkers", ann="member").memberships.get()


def settings_of_a_space() -> SpaceSettings:
    return SpaceSettings.objects.create(space_id=ann().pk, changed_at=NOW, changed_by=ann())


def asked() -> ErasureRequest:
    later = {"created_at": NOW, "expires_at": NOW + timedelta(minutes=10)}
    return ErasureRequest.objects.create(record_id=uuid4(), kind="memory", version=1, user=ann(), **later)


def device() -> DeviceLogin:
    later = {"created_at": NOW, "expires_at": NOW + timedelta(minutes=10)}
    codes = {"device_digest": b"1", "user_digest": b"2"}
    return DeviceLogin.objects.create(client_id="kettle", scopes=["memory:read"], **codes, **later)


def granted() -> DeviceLogin:
    made = device()
    DeviceLogin.objects.filter(pk=made.pk).update(user=ann(), granted=[], decided_at=NOW)
    return made


def reached() -> User:
    return user("teapot", email="teapot@example.org")


NOW = timezone.now()
# What says where a record stands, and the records themselves.
STANDING = {"state": lambda: tea().state, "todo": todo, "ledger": entry, "decision": decision, "snapshot": snapshot}
KINDS = {"memory": tea, **{name: made for name, made in STANDING.items() if name != "state"}}
MARKS: dict[str, dict[str, Any]] = {
    "status_known": {"status": "gone"},
    "version_positive": {"version": 0},
    "deleted_marked": {"status": "deleted"},
    "active_unmarked": {"archived_at": NOW},
    "archived_marked": {"status": "archived"},
    "expired_marked": {"status": "expired"},
}


def imported(made: Any) -> Any:
    """What makes such a record as an import would."""

    def make() -> Any:
        record = made()
        type(record).objects.filter(pk=record.pk).update(source="log", source_id="7")
        record.refresh_from_db()
        return record

    return make


REFUSED: dict[str, Write] = {
    **{f"{kind}_{mark}": of(made, **MARKS[mark]) for kind, made in STANDING.items() for mark in MARKS},
    **{f"{kind}_bucket_named": of(made, bucket="") for kind, made in KINDS.items()},
    **{f"{kind}_source_once": again(imported(made)) for kind, made in KINDS.items()},
    "state_importance_is_share": of(lambda: tea().state, importance=1.7),
    "state_base_is_share": of(lambda: tea().state, base=-0.1),
    "memory_type_known": of(tea, memory_type="foo"),
    "memory_trust_known": of(tea, trust=9),
    "memory_confidence_is_share": of(tea, confidence=2),
    "memory_derivation_known": of(tea, derivation="guess", pass_id=uuid4()),
    "memory_derivation_has_pass": of(tea, derivation="summary"),
    "memory_event_has_its_time": of(tea, event_type="meeting"),
    "version_once": again(lambda: version(tea(), 1, "Tee.")),
    "use_tracked_once": again(used),
    "link_kind_known": of(link, kind="likes"),
    "link_once": again(link),
    "link_to_another": of(link, target=F("origin")),
    "todo_completed_paired": of(todo, completed_at=NOW),
    "ledger_amount_positive": of(entry, amount=0),
    "ledger_currency_code": of(entry, currency="eur"),
    "ledger_type_known": of(entry, transaction_type="gift"),
    "decision_resolved_paired": of(decision, resolution="Green."),
    "settings_trash_days_in_range": of(settings_of_a_space, trash_days=0),
    "view_name_folded": again(lambda: SavedView.objects.create(owner=ann(), name="Tea"), name="tEA"),
    "user_username_folded": again(reached, username="TEAPOT", email=""),
    EMAIL_ONCE: again(reached, username="kettle", email="TeaPot@example.org"),
    "team_name_folded": again(lambda: team("Tea drinkers"), name="TEA drinkers"),
    "membership_once": again(member),
    "membership_role_known": of(member, role="queen"),
    "token_scopes_known": of(lambda: token(ann())[0], scopes=["root"]),
    "token_expires_later": of(lambda: token(ann())[0], expires_at=F("created_at") - timedelta(days=1)),
    "device_scopes_known": of(device, scopes=["root"]),
    "device_granted_asked": of(granted, granted=["memory:write"]),
    "device_decided_whole": of(device, decided_at=NOW),
    "device_expires_later": of(device, expires_at=F("created_at")),
    "erasure_request_expires_later": of(asked, expires_at=F("created_at")),
}
ELSEWHERE = {"audit_seq_once"}  # which only the owner of the tables could break: below


@pytest.mark.parametrize("name", REFUSED)
def test_the_database_refuses(name: str) -> None:
    refuses(name, REFUSED[name])


def test_every_constraint_has_been_seen_to_refuse() -> None:
    """Those of passes stand in tests/reflection/test_pass_constraints.py."""
    ours = [model for model in apps.get_models() if model._meta.app_label not in {*NOT_OURS, "reflection"}]
    assert constraints(ours) == REFUSED.keys() | ELSEWHERE


def test_a_chain_has_each_number_once(owner_connection: BaseDatabaseWrapper) -> None:
    audit.record(actor(ann()), "memory.update", "memory", uuid4(), space_id=ann().pk)
    # With a number of its own: the one of the line above is held by the transaction of this test.
    twice = (
        "INSERT INTO memories_auditrecord SELECT line.* FROM unnest(%s::uuid[]) made, "
        "jsonb_populate_record(NULL::memories_auditrecord, %s || jsonb_build_object('id', made, 'seq', 9)) line"
    )
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_jsonb(t) FROM memories_auditrecord t WHERE space_id = %s LIMIT 1", [ann().pk])
        line = cursor.fetchone()[0]
    with owner_connection.cursor() as cursor, pytest.raises(IntegrityError, match='constraint "audit_seq_once"'):
        cursor.execute(twice, [[uuid4(), uuid4()], line])


@pytest.mark.parametrize(("days", "allowed"), [(None, True), (1, True), (3_650, True), (3_651, False)])
def test_the_trash_is_kept_for_ever_or_up_to_ten_years(days: int | None, allowed: bool) -> None:
    write = of(settings_of_a_space, trash_days=days)
    if allowed:
        write()
    else:
        refuses("settings_trash_days_in_range", write)


def test_no_number_is_no_importance() -> None:
    key = tea().pk
    with pytest.raises(IntegrityError, match="state_importance_is_share"), transaction.atomic():
        MemoryState.objects.filter(pk=key).update(importance=float("nan"))
