"""Teams: who takes in, changes and removes whom; a team keeps an admin; an administrator sees into none."""

from __future__ import annotations

from uuid import UUID

import pytest

from console.errors import Conflict, Invalid, NotAllowed, NotFound, SignInAgain
from console.refusal import refusal_json
from memories.access import OPERATOR, Actor, person, visible_to
from memories.models import AuditRecord, Membership, Memory, Team, User
from memories.models.people import Role
from memories.services import leaving, teams
from tests.memories.factories import actor, ann, bea, bob, memory, team, token, token_actor, user

pytestmark = pytest.mark.django_db


def administrator(name: str = "root") -> Actor:
    """Somebody who looks after people, just signed in."""
    found = user(name)
    found.is_superuser = True
    found.save(update_fields=["is_superuser"])
    return actor(found)


def seat(place: Team, who: User) -> UUID:
    """The id of somebody's membership."""
    return Membership.objects.get(team=place, user=who).pk


def roles(place: Team) -> dict[str, str]:
    return dict(Membership.objects.filter(team=place).values_list("user__username", "role"))


def lines(action: str) -> int:
    return AuditRecord.objects.filter(action=action, result="done").count()


def test_an_admin_takes_somebody_in_changes_the_role_and_removes_them() -> None:
    atlas = team("Atlas", ann="admin")
    who, me = bob(), actor(ann())
    teams.add_member(team_id=atlas.pk, named="BOB", role=Role.MEMBER, actor=me)
    key = str(seat(atlas, who))
    teams.set_role(membership_id=seat(atlas, who), role=Role.REVIEWER, actor=me)
    assert roles(atlas) == {"ann": "admin", "bob": "reviewer"} and atlas.pk in person(who).spaces
    teams.remove_member(membership_id=seat(atlas, who), actor=me)
    assert roles(atlas) == {"ann": "admin"} and atlas.pk not in person(who).spaces
    found = AuditRecord.objects.filter(space_id=atlas.pk).order_by("seq").values_list("action", "detail")
    told = {"user": str(who.pk), "membership": key}
    assert list(found) == [
        ("team.set_role", told | {"role": [None, "member"]}),
        ("team.set_role", told | {"role": ["member", "reviewer"]}),
        ("team.remove_member", told | {"role": ["reviewer", None]}),
    ]


def test_somebody_is_found_by_e_mail_too() -> None:
    atlas, who = team("Atlas", ann="admin"), user("dora", email="dora@example.org")
    found = teams.add_member(team_id=atlas.pk, named=" Dora@Example.org ", role=Role.MEMBER, actor=actor(ann()))
    assert found.user == who


@pytest.mark.parametrize("named", ["", "   ", "nobody", "nobody@example.org", "carl"])
def test_who_is_not_there_or_has_no_access_is_not_taken_in(named: str) -> None:
    atlas = team("Atlas", ann="admin")
    user("carl", is_active=False)
    with pytest.raises(Invalid) as refusal:
        teams.add_member(team_id=atlas.pk, named=named, role=Role.MEMBER, actor=actor(ann()))
    assert refusal.value.problems[0].loc == ("body", "named") and roles(atlas) == {"ann": "admin"}


def test_who_is_in_already_is_not_taken_in_again() -> None:
    atlas = team("Atlas", ann="admin", bea="reviewer")
    with pytest.raises(Conflict, match="Bea is in Atlas already"):
        teams.add_member(team_id=atlas.pk, named="bea", role=Role.MEMBER, actor=actor(ann()))
    assert roles(atlas)["bea"] == "reviewer"


def test_only_an_admin_of_the_team_changes_it_and_others_are_told_whom_to_ask() -> None:
    atlas = team("Atlas", ann="admin", bea="reviewer", carl="member")
    me, key = actor(bea()), seat(atlas, user("carl"))
    for act in (
        lambda: teams.add_member(team_id=atlas.pk, named="bob", role=Role.MEMBER, actor=me),
        lambda: teams.set_role(membership_id=key, role=Role.REVIEWER, actor=me),
        lambda: teams.set_role(membership_id=seat(atlas, bea()), role=Role.ADMIN, actor=me),
        lambda: teams.remove_member(membership_id=key, actor=me),
        lambda: teams.rename(team_id=atlas.pk, name="Other", actor=me),
        lambda: leaving.consequences(key, actor=me),
    ):
        with pytest.raises(NotAllowed, match="Only an admin of Atlas may do this. Ask Ann."):
            act()
    assert roles(atlas) == {"ann": "admin", "bea": "reviewer", "carl": "member"} and not AuditRecord.objects.exists()


@pytest.mark.parametrize("who", ["stranger", "administrator", "token"])
def test_from_outside_there_is_no_team(who: str) -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    team("Other", bob="admin")
    bob_or_other = {
        "stranger": lambda: actor(bob()),
        "administrator": administrator,
        "token": lambda: token_actor(ann(), scopes=["admin", "memory:write"]),
    }
    me, key = bob_or_other[who](), seat(atlas, bea())
    for act in (
        lambda: teams.add_member(team_id=atlas.pk, named="bob", role=Role.MEMBER, actor=me),
        lambda: teams.rename(team_id=atlas.pk, name="Mine", actor=me),
        lambda: teams.set_role(membership_id=key, role=Role.ADMIN, actor=me),
        lambda: teams.remove_member(membership_id=key, actor=me),
    ):
        with pytest.raises((NotFound, NotAllowed)) as refusal:
            act()
        assert "Atlas" not in refusal.value.message
    assert roles(atlas) == {"ann": "admin", "bea": "member"}


def test_a_team_keeps_its_last_admin_who_has_access() -> None:
    atlas = team("Atlas", ann="admin", bea="member", carl="admin")
    User.objects.filter(username="carl").update(is_active=False)
    me, key = actor(ann()), seat(atlas, ann())
    for act in (
        lambda: teams.set_role(membership_id=key, role=Role.MEMBER, actor=me),
        lambda: teams.remove_member(membership_id=key, actor=me),
        lambda: teams.remove_member(membership_id=key, actor=OPERATOR),
    ):
        with pytest.raises(Conflict, match="Ann is the only admin of Atlas") as refusal:
            act()
        assert refusal_json(refusal.value)["detail"]["code"] == "conflict"  # type: ignore[index]
    teams.set_role(membership_id=seat(atlas, bea()), role=Role.ADMIN, actor=me)
    teams.set_role(membership_id=key, role=Role.MEMBER, actor=me)
    assert roles(atlas)["ann"] == "member"


def test_a_role_that_is_so_already_writes_no_line() -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    teams.set_role(membership_id=seat(atlas, bea()), role=Role.MEMBER, actor=actor(ann()))
    teams.rename(team_id=atlas.pk, name=" Atlas ", actor=actor(ann()))
    assert not AuditRecord.objects.exists()


def test_rights_are_those_of_the_moment_and_not_those_that_the_request_began_with() -> None:
    atlas, carl = team("Atlas", ann="admin", bea="admin", carl="member"), user("carl")
    hers, key = actor(bea()), seat(atlas, carl)
    acts = (
        lambda: teams.rename(team_id=atlas.pk, name="Other", actor=hers),
        lambda: teams.add_member(team_id=atlas.pk, named="bob", role=Role.MEMBER, actor=hers),
        lambda: teams.set_role(membership_id=key, role=Role.ADMIN, actor=hers),
        lambda: teams.remove_member(membership_id=key, actor=hers),
    )
    bob()
    teams.set_role(membership_id=seat(atlas, bea()), role=Role.MEMBER, actor=actor(ann()))
    for act in acts:
        with pytest.raises(NotAllowed):
            act()
    teams.remove_member(membership_id=seat(atlas, bea()), actor=actor(ann()))
    for act in acts:
        with pytest.raises(NotFound):
            act()
    assert roles(atlas) == {"ann": "admin", "carl": "member"}


def test_a_member_may_leave() -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    teams.remove_member(membership_id=seat(atlas, bea()), actor=actor(bea()))
    assert roles(atlas) == {"ann": "admin"} and lines("team.remove_member") == 1


def test_rights_are_given_and_taken_only_with_a_password_of_lately() -> None:
    atlas, me = team("Atlas", ann="admin", bea="member"), person(ann())
    key = seat(atlas, bea())
    for act in (
        lambda: teams.add_member(team_id=atlas.pk, named="bob", role=Role.MEMBER, actor=me),
        lambda: teams.set_role(membership_id=key, role=Role.ADMIN, actor=me),
        lambda: teams.remove_member(membership_id=key, actor=me),
        lambda: teams.create(name="New", actor=person(User.objects.get(pk=administrator().own))),
    ):
        with pytest.raises(SignInAgain):
            act()
    assert roles(atlas) == {"ann": "admin", "bea": "member"} and not Team.objects.filter(name="New").exists()


def test_an_administrator_makes_a_team_for_somebody_and_sees_nothing_of_it() -> None:
    root = administrator()
    made = teams.create(name="Harbor", admin="bea" if bea() else "", actor=root)
    assert roles(made) == {"bea": "admin"} and lines("team.create") == 1
    memory(bea(), "secret", team=made)
    again = person(User.objects.get(pk=root.own))
    assert made.pk not in again.spaces and not visible_to(again, Memory.objects.all()).exists()
    with pytest.raises(NotFound):
        teams.members_of(made.pk, actor=again)


@pytest.mark.parametrize("name", ["", " \u200b", "Atlas", "ATLAS", "x" * 101, "a\nb"])
def test_a_name_that_is_none_or_is_taken_is_refused(name: str) -> None:
    atlas = team("Atlas", ann="admin")
    harbor = team("Harbor", ann="admin")
    for act in (
        lambda: teams.create(name=name, actor=administrator()),
        lambda: teams.rename(team_id=harbor.pk, name=name, actor=actor(ann())),
    ):
        with pytest.raises(Invalid) as refusal:
            act()
        assert refusal.value.problems[0].loc == ("body", "name")
    assert set(Team.objects.values_list("name", flat=True)) == {"Atlas", "Harbor"} and atlas.name == "Atlas"


def test_only_an_administrator_makes_teams_and_others_are_told_whom_to_ask() -> None:
    with pytest.raises(NotAllowed, match="It has none: ask whoever runs it"):
        teams.create(name="Mine", actor=actor(ann()))
    administrator()
    with pytest.raises(NotAllowed, match="Ask Root."):
        teams.create(name="Mine", actor=actor(ann()))
    assert not Team.objects.exists()


def test_an_administrator_names_an_admin_only_where_none_is_left_from_within_and_never_themselves() -> None:
    atlas, root = team("Atlas", ann="admin", bea="member", root="member"), administrator()
    with pytest.raises(Conflict, match="admins who can decide"):
        teams.name_admin(membership_id=seat(atlas, bea()), actor=root)
    User.objects.filter(username="ann").update(is_active=False)
    with pytest.raises(NotAllowed, match="Nobody changes their own rights"):
        teams.name_admin(membership_id=seat(atlas, user("root")), actor=root)
    with pytest.raises(NotFound):
        teams.name_admin(membership_id=seat(atlas, bea()), actor=actor(bea()))
    with pytest.raises(Conflict, match="no access"):
        teams.name_admin(membership_id=seat(atlas, ann()), actor=root)
    teams.name_admin(membership_id=seat(atlas, bea()), actor=root)
    assert roles(atlas) == {"ann": "admin", "bea": "admin", "root": "member"} and lines("team.name_admin") == 1


def test_what_somebody_leaves_behind_is_told_before_they_go() -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    memory(bea(), "shared", team=atlas)
    memory(bea(), "hers alone")
    token(bea(), team=atlas)
    token(bea())
    means = leaving.consequences(seat(atlas, bea()), actor=actor(ann()))
    assert (means.memories, means.views, means.tokens, means.work) == (1, 0, 1, [])
    assert leaving.consequences(seat(atlas, bea()), actor=actor(bea())).tokens == 1
