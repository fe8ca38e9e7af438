"""Somebody whose access ended reaches nothing any more, through whatever still runs in their name."""

from __future__ import annotations

import pytest

from memories.access import person, visible_to
from memories.models import Memory
from reflection.tasks import apply_pass
from tests.memories.factories import actor, ann, memory, token_actor
from tests.reflection import life

pytestmark = pytest.mark.django_db


def test_they_have_no_spaces() -> None:
    who = ann()
    memory(who, "Tea at four.")
    who.is_active = False
    for found in (person(who), token_actor(who)):
        assert not found.spaces and not visible_to(found, Memory.objects.all()).exists()


def test_what_they_approved_is_not_applied_any_more() -> None:
    who = ann()
    life.fill(who)
    planned = life.approve(life.plan_all(actor(who)), actor(who))
    who.is_active = False
    who.save(update_fields=["is_active"])
    before = life.snapshot()
    apply_pass(str(planned.pk))
    planned.refresh_from_db()
    assert planned.status == "failed" and life.snapshot() == before
