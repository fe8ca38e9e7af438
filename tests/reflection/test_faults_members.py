"""A record that leaves between preview and application is named and passed over; the rest of the pass is written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memories.access import Actor
from memories.models import Memory
from memories.services.erase import erase
from memories.services.forget import forget
from memories.services.protect import set_hold
from memories.services.revise import revise
from reflection.tasks import apply_pass
from tests.memories import factories
from tests.memories.api_client import Api
from tests.reflection import life, pages

pytestmark = pytest.mark.django_db


def to_the_trash(one: Memory, who: Actor) -> None:
    forget(record_id=one.pk, actor=who)


def for_good(one: Memory, who: Actor) -> None:
    gone = forget(record_id=one.pk, actor=who).record
    version = gone.state.version
    erase(record_id=one.pk, typed=str(one.pk)[-6:], reason="asked", seen_version=version, actor=who)


def to_the_archive(one: Memory, who: Actor) -> None:
    revise(memory_id=one.pk, changes={"status": "archived"}, actor=who)


def under_a_hold(one: Memory, who: Actor) -> None:
    set_hold(record_id=one.pk, name="case 7", actor=who)


def elsewhere(one: Memory, who: Actor) -> None:
    atlas = factories.team("Atlas", ann="admin")
    revise(memory_id=one.pk, changes={"team_id": atlas.pk}, actor=factories.actor(factories.ann()))


LEAVING: dict[str, Callable[[Memory, Actor], Any]] = {
    "trash": to_the_trash,
    "for good": for_good,
    "archive": to_the_archive,
    "hold": under_a_hold,
    "another space": elsewhere,
}


def due(number: int) -> Memory:
    return factories.memory(
        factories.ann(), f"The guest code is {number}.", expires_at=timezone.now() - timedelta(minutes=number + 1)
    )


@pytest.mark.parametrize("how", LEAVING)
@pytest.mark.parametrize("moment", ["before approval", "after approval"])
def test_the_one_that_left_is_named_and_the_others_are_written(ann: Actor, how: str, moment: str) -> None:
    rows = [due(number) for number in range(4)]
    planned = life.plan_all(ann, actions_csv="expire")
    browser = pages.browser(factories.ann())
    if moment == "before approval":
        LEAVING[how](rows[1], ann)
        assert "Apply 3 changes" in pages.text(browser.get(pages.address(planned)))
    assert browser.post(pages.address(planned, "approve"), pages.form(planned)).status_code == 302
    if moment == "after approval":
        LEAVING[how](rows[1], ann)
    before = life.snapshot("memories_memory", without=())
    apply_pass(str(planned.pk))
    planned.refresh_from_db()
    assert (planned.status, planned.applied_counts["expire"]) == ("applied", 3)
    assert sorted(one.outcome for one in life.candidates(planned)) == ["applied", "applied", "applied", "drifted"]
    assert life.snapshot("memories_memory", without=()) == before
    for one in (rows[0], rows[2], rows[3]):
        one.state.refresh_from_db()
        assert one.state.status == "expired"
    told = Api(factories.ann()).get(f"passes/{planned.pk}").json()
    assert told["counts"]["expired"] == 3 and len([one for one in told["skipped"] if one["gate"] == "drifted"]) == 1
    assert "1 skipped" in pages.text(browser.get(pages.address(planned)))
