"""Pins and legal holds."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from console.errors import Conflict, Invalid, NotAllowed, Stale
from memories.models import AuditRecord, Memory, Todo
from memories.services import ledger
from memories.services.erase import erase, request_erasure
from memories.services.forget import forget, restore
from memories.services.protect import lift_hold, may_hold, set_hold, set_pinned
from memories.services.redact import redact
from memories.services.revise import revise
from tests.memories.factories import actor, ann, bea, memory, team, token_actor

pytestmark = pytest.mark.django_db


def actions(of: Any) -> list[str]:
    return list(AuditRecord.objects.filter(object_id=of.pk).order_by("seq").values_list("action", flat=True))


def test_a_pin_is_set_and_let_go_and_each_is_audited_once() -> None:
    one = memory(ann(), "Tea.")
    for pinned in (True, True, False, False):
        assert set_pinned(memory_id=one.pk, pinned=pinned, actor=actor(ann())).pinned is pinned
    assert actions(one) == ["memory.pin", "memory.unpin"]
    assert Memory.objects.get(pk=one.pk).state.version == 3


def test_a_pin_leaves_the_time_of_the_last_change_alone() -> None:
    one = memory(ann(), "Tea.")
    set_pinned(memory_id=one.pk, pinned=True, actor=actor(ann()))
    assert Memory.objects.get(pk=one.pk).updated_at == one.updated_at


def test_a_pin_honours_the_version_seen_and_the_trash() -> None:
    with pytest.raises(Stale):
        set_pinned(memory_id=memory(ann(), "Tea.", version=2).pk, pinned=True, seen_version=1, actor=actor(ann()))
    with pytest.raises(Conflict):
        set_pinned(memory_id=memory(ann(), "Tea.", status="deleted").pk, pinned=True, actor=actor(ann()))


def held(**fields: Any) -> Memory:
    one = memory(ann(), "Tea.", **fields)
    set_hold(record_id=one.pk, name="case 7", reason="lawsuit", actor=actor(ann()))
    return one


def test_a_hold_is_named_audited_and_lifted() -> None:
    one = held()
    line = AuditRecord.objects.get()
    assert (line.action, line.reason, line.detail["hold"]) == ("memory.hold", "lawsuit", ["", "case 7"])
    assert Memory.objects.get(pk=one.pk).state.version == 2
    lift_hold(record_id=one.pk, actor=actor(ann()))
    lift_hold(record_id=one.pk, actor=actor(ann()))
    assert Memory.objects.get(pk=one.pk).hold == "" and actions(one) == ["memory.hold", "memory.lift_hold"]


def test_the_same_hold_again_changes_nothing_and_another_is_refused() -> None:
    one = held()
    set_hold(record_id=one.pk, name="case 7", actor=actor(ann()))
    with pytest.raises(Conflict, match="case 7"):
        set_hold(record_id=one.pk, name="case 8", actor=actor(ann()))
    assert len(actions(one)) == 1


def test_every_kind_of_record_can_be_held_in_the_trash_too() -> None:
    now = timezone.now()
    todo = Todo.objects.create(owner=ann(), content="Call.", created_at=now, updated_at=now)
    forget(record_id=todo.pk, actor=actor(ann()))
    set_hold(record_id=todo.pk, name="case 7", actor=actor(ann()))
    todo.refresh_from_db()
    assert (todo.hold, todo.version) == ("case 7", 3)


def _erase(one: Memory) -> None:
    state = Memory.objects.get(pk=one.pk).state
    erase(record_id=one.pk, typed=str(one.pk)[-6:], reason="x", seen_version=state.version, actor=actor(ann()))


REFUSED: dict[str, Any] = {
    "hard delete": lambda one: (forget(record_id=one.pk, actor=actor(ann())), _erase(one)),
    "asking for it": lambda one: request_erasure(record_id=one.pk, actor=actor(ann())),
    "redaction": lambda one: redact(memory_id=one.pk, actor=actor(ann())),
    "expiry": lambda one: revise(memory_id=one.pk, changes={"status": "expired"}, actor=actor(ann())),
    "moving": lambda one: revise(
        memory_id=one.pk, changes={"team_id": team("Atlas", ann="member").pk}, actor=actor(ann())
    ),
}


@pytest.mark.parametrize("verb", REFUSED)
def test_a_held_record_refuses_what_would_remove_it_and_names_the_hold(verb: str) -> None:
    one = held()
    with pytest.raises(NotAllowed, match="case 7"):
        REFUSED[verb](one)
    assert Memory.objects.get(pk=one.pk).content == "Tea."


def test_a_held_record_may_be_hidden_and_brought_back() -> None:
    one = held()
    forget(record_id=one.pk, actor=actor(ann()))
    assert restore(record_id=one.pk, actor=actor(ann())).status == "active"


def test_only_an_admin_of_the_team_holds_its_records() -> None:
    one = memory(bea(), "Tea.", team=team("Atlas", ann="admin", bea="member"))
    with pytest.raises(NotAllowed, match="admin of Atlas"):
        set_hold(record_id=one.pk, name="case 7", actor=actor(bea()))
    set_hold(record_id=one.pk, name="case 7", actor=actor(ann()))
    with pytest.raises(NotAllowed):
        lift_hold(record_id=one.pk, actor=actor(bea()))
    assert may_hold(actor(ann()), one) and not may_hold(actor(bea()), one)


def test_a_token_holds_only_with_the_scope_admin() -> None:
    one = memory(ann(), "Tea.")
    with pytest.raises(NotAllowed, match="admin"):
        set_hold(record_id=one.pk, name="case 7", actor=token_actor(ann(), scopes=["memory:write", "memory:delete"]))
    set_hold(record_id=one.pk, name="case 7", actor=token_actor(ann(), scopes=["admin"]))


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\nb", 7])
def test_a_hold_without_a_plain_name_is_invalid(name: Any) -> None:
    with pytest.raises(Invalid):
        set_hold(record_id=memory(ann(), "Tea.").pk, name=name, actor=actor(ann()))


def test_a_hold_of_an_entry_takes_the_scope_of_the_ledger_too() -> None:
    today = timezone.localdate()
    entry = ledger.add(
        transaction_type="expense", item="Tea", amount=Decimal(3), currency="EUR", occurred_on=today, actor=actor(ann())
    )
    reads = token_actor(ann(), scopes=["memory:write", "ledger:read", "admin"])
    for change in (
        lambda who: set_hold(record_id=entry.pk, name="case 7", actor=who),
        lambda who: lift_hold(record_id=entry.pk, actor=who),
    ):
        with pytest.raises(NotAllowed, match="ledger:write"):
            change(reads)
        change(token_actor(ann(), scopes=["ledger:read", "ledger:write", "admin"]))
    assert (may_hold(reads, entry), may_hold(actor(ann()), entry)) == (False, True)
