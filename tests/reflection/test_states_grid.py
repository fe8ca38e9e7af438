"""Every pair of states, was and to: the moves of the table pass; all others are refused by service and database."""

from __future__ import annotations

from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.utils import DatabaseError
from django.utils import timezone

from console.errors import Conflict
from memories.models import User
from reflection.models import ReflectPass
from reflection.services import policies
from reflection.services.decide import move
from reflection.states import FINAL, NEXT, Status, may_follow
from tests.memories import factories

pytestmark = pytest.mark.django_db
PAIRS = [(was, to) for was, to in product(Status, Status) if was != to]
LEGAL = [pair for pair in PAIRS if may_follow(*pair)]
ILLEGAL = [pair for pair in PAIRS if not may_follow(*pair)]


def in_state(status: Status) -> ReflectPass:
    """A pass in this state, with the marks that the state demands."""
    ann, now = factories.ann(), timezone.now()
    return ReflectPass.objects.create(
        space_id=ann.pk,
        owner=ann,
        status=status,
        dry_run=False,
        actions=[],
        requested={},
        filters={},
        boundary={},
        as_of=now,
        policy=policies.in_force(factories.actor(ann).spaces[ann.pk]),
        on_drift="skip",
        limit=1,
        planned_by=ann,
        planned_channel="console",
        planned_at=now,
        expires_at=now + timedelta(days=1),
        **marks(status, ann),
    )


def marks(status: Status, who: User) -> dict[str, Any]:
    """The fields that stand exactly in this state."""
    now, found = timezone.now(), {}
    if status in (Status.APPROVED, Status.APPLYING, Status.APPLIED, Status.ROLLED_BACK):
        found |= {"approved_at": now, "approved_by": who, "approved_digest": "0" * 64}
    if status in (Status.APPLIED, Status.ROLLED_BACK):
        found |= {"applied_at": now}
    if status == Status.ROLLED_BACK:
        found |= {"rolled_back_at": now, "rolled_back_by": who}
    if status == Status.REJECTED:
        found |= {"rejected_at": now, "rejected_by": who}
    return found


def test_the_grid_is_whole() -> None:
    assert len(LEGAL) == sum(map(len, NEXT.values())) == 10
    assert len(PAIRS) == len(LEGAL) + len(ILLEGAL) == 72
    assert {was for was, _ in LEGAL}.isdisjoint(FINAL)


@pytest.mark.parametrize(("was", "to"), LEGAL)
def test_a_move_of_the_table_passes(was: Status, to: Status) -> None:
    one = in_state(was)
    move(one, to, **marks(to, factories.ann()))
    one.refresh_from_db()
    assert one.status == to


@pytest.mark.parametrize(("was", "to"), ILLEGAL)
def test_any_other_move_is_refused_by_the_service(was: Status, to: Status) -> None:
    one = in_state(was)
    with pytest.raises(Conflict, match="cannot become|already"):
        move(one, to, **marks(to, factories.ann()))
    one.refresh_from_db()
    assert one.status == was


@pytest.mark.parametrize(("was", "to"), ILLEGAL)
def test_any_other_move_is_refused_by_the_database(was: Status, to: Status) -> None:
    one = in_state(was)
    with pytest.raises(DatabaseError, match=f"is {was} cannot become {to}"), transaction.atomic():
        ReflectPass.objects.filter(pk=one.pk).update(status=to, **marks(to, factories.ann()))
    one.refresh_from_db()
    assert one.status == was


@pytest.mark.parametrize(
    ("was", "first", "second"), [("planned", "approved", "rejected"), ("approved", "applying", "rejected")]
)
def test_whoever_saw_it_earlier_comes_too_late(was: str, first: str, second: str) -> None:
    """Also where the second move would be allowed from where the pass stands by now."""
    one = in_state(Status(was))
    seen_earlier = ReflectPass.objects.get(pk=one.pk)
    move(one, Status(first), **marks(Status(first), factories.ann()))
    with pytest.raises(Conflict, match="Somebody else was first"):
        move(seen_earlier, Status(second), **marks(Status(second), factories.ann()))
    one.refresh_from_db()
    assert one.status == first


@pytest.mark.parametrize("status", list(Status))
def test_to_stay_is_no_move(status: Status) -> None:
    one = in_state(status)
    ReflectPass.objects.filter(pk=one.pk).update(status=status, cut=3)
    with pytest.raises(Conflict):
        move(one, status)


@pytest.mark.parametrize(("was", "to"), ILLEGAL[:5])
def test_it_is_the_trigger_that_refuses(was: Status, to: Status) -> None:
    """And none of the other constraints."""
    source = trigger_function()
    one = in_state(was)
    assert "cannot become" in source
    with pytest.raises(DatabaseError) as refusal, transaction.atomic():
        ReflectPass.objects.filter(pk=one.pk).update(status=to, **marks(to, factories.ann()))
    assert "pass_moves_as_allowed" in str(refusal.value.__cause__.diag.context)  # type: ignore[union-attr]


def trigger_function() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_functiondef('pass_moves_as_allowed'::regproc)")
        return str(cursor.fetchone()[0])
