"""Admins who remove, demote or deactivate each other at the same moment: one remains."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from console.errors import Refused
from memories.access import Actor
from memories.models import AuditRecord, Membership, Team, User
from memories.models.people import Role
from memories.services import presence, teams
from tests.memories.at_once import at_once
from tests.memories.factories import actor, ann, bea, team, user
from tests.memories.test_teams import administrator, seat

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 12


def admins(place: Team) -> int:
    return Membership.objects.filter(team=place, role=Role.ADMIN, user__is_active=True).count()


def remove(place: Team, who: User, by: Actor) -> Callable[[], Any]:
    return partial(teams.remove_member, membership_id=seat(place, who), actor=by)


def demote(place: Team, who: User, by: Actor) -> Callable[[], Any]:
    return partial(teams.set_role, membership_id=seat(place, who), role=Role.MEMBER, actor=by)


@pytest.mark.parametrize("act", [remove, demote])
def test_two_admins_who_end_each_other_at_once_leave_one(act: Callable[..., Callable[[], Any]]) -> None:
    for turn in range(ROUNDS):
        place = team(f"Team {turn}", ann="admin", bea="admin")
        found = at_once(act(place, bea(), actor(ann())), act(place, ann(), actor(bea())))
        assert admins(place) == 1
        assert sum(isinstance(one, Refused) for one in found) == 1
        assert AuditRecord.objects.filter(space_id=place.pk).count() == 1


def test_two_admins_who_leave_at_once_leave_one() -> None:
    for turn in range(ROUNDS):
        place = team(f"Team {turn}", ann="admin", bea="admin")
        at_once(remove(place, ann(), actor(ann())), remove(place, bea(), actor(bea())))
        assert admins(place) == 1


def test_an_admin_who_leaves_while_the_other_loses_access_is_kept_or_the_other_is() -> None:
    root = administrator()
    for turn in range(ROUNDS):
        place = team(f"Team {turn}", ann="admin", bea="admin", carl="member")
        Membership.objects.exclude(team=place).delete()
        end = partial(presence.deactivate, user_id=bea().pk, actor=root)
        found = at_once(remove(place, ann(), actor(ann())), end)
        assert admins(place) == 1 and sum(isinstance(one, Refused) for one in found) == 1
        User.objects.update(is_active=True)


def test_two_administrators_who_end_each_other_at_once_leave_one() -> None:
    for _ in range(ROUNDS):
        one, two = administrator("one"), administrator("two")
        at_once(
            partial(presence.deactivate, user_id=two.own, actor=one),
            partial(presence.deactivate, user_id=one.own, actor=two),
        )
        assert User.objects.filter(is_superuser=True, is_active=True).count() == 1
        User.objects.update(is_active=True)


def test_somebody_taken_in_twice_at_once_is_in_once() -> None:
    for turn in range(ROUNDS):
        place = team(f"Team {turn}", ann="admin")
        user("dora")
        add = partial(teams.add_member, team_id=place.pk, named="dora", role=Role.MEMBER, actor=actor(ann()))
        found = at_once(add, add, add)
        assert sum(isinstance(one, Refused) for one in found) == 2
        assert AuditRecord.objects.filter(space_id=place.pk).count() == 1
