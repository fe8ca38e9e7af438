"""People: an administrator adds them, ends their access and gives it back, and sees none of their memories."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client

from console.errors import Conflict, Invalid, NotAllowed, NotFound, SignInAgain
from memories.access import OPERATOR, person, visible_to
from memories.models import ApiToken, AuditRecord, Memory, User
from memories.models.people import Role
from memories.services import people, presence, teams
from tests.memories.factories import PASSWORD, actor, ann, bea, bob, memory, team, token, user
from tests.memories.page_client import signed_in
from tests.memories.test_teams import administrator, lines, roles, seat

pytestmark = pytest.mark.django_db

CHOSEN = "a sentence that nobody guesses"


def test_an_administrator_adds_a_person_who_chooses_the_password() -> None:
    made, code = people.invite(username="dora", display_name="", email="d@example.org", actor=administrator())
    assert str(made) == "dora" and not made.has_usable_password() and lines("user.create") == 1
    chosen = people.use_code(username="DORA", code=code, password=CHOSEN, actor=actor(made))
    assert chosen.check_password(CHOSEN)
    line = AuditRecord.objects.get(action="user.set_password")
    assert (line.space_id, line.actor_id) == (made.pk, made.pk)
    with pytest.raises(people.WrongCode):
        people.use_code(username="dora", code=code, password=CHOSEN + "!", actor=actor(made))


def test_a_code_keeps_no_weak_password_and_fits_nobody_else() -> None:
    root = administrator()
    made, code = people.invite(username="dora", display_name="Dora", actor=root)
    other, _ = people.invite(username="emil", display_name="Emil", actor=root)
    for name, given in (("emil", code), ("nobody", code), ("dora", ""), ("dora", code[:-1]), ("ann", code)):
        with pytest.raises(people.WrongCode):
            people.use_code(username=name, code=given, password=CHOSEN, actor=actor(made))
    with pytest.raises(Invalid):
        people.use_code(username="dora", code=code, password="short", actor=actor(made))
    assert people.use_code(username="dora", code=code, password=CHOSEN, actor=actor(made)) == made
    assert not User.objects.get(pk=other.pk).has_usable_password()


def test_another_code_makes_the_former_void_and_is_not_for_who_has_a_password() -> None:
    root = administrator()
    made, first = people.invite(username="dora", display_name="Dora", actor=root)
    _, second = people.invite_again(user_id=made.pk, actor=root)
    with pytest.raises(people.WrongCode):
        people.use_code(username="dora", code=first, password=CHOSEN, actor=actor(made))
    people.use_code(username="dora", code=second, password=CHOSEN, actor=actor(made))
    with pytest.raises(Conflict, match="manage.py person password dora"):
        people.invite_again(user_id=made.pk, actor=root)
    with pytest.raises(Conflict):
        people.invite_again(user_id=ann().pk, actor=root)
    assert ann().check_password(PASSWORD)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"username": ""}, "username"),
        ({"username": "a\x07b"}, "username"),
        ({"display_name": "x" * 151}, "display_name"),
        ({"email": "none"}, "email"),
        ({"email": "ANN@example.org"}, "email"),
    ],
)
def test_a_person_who_cannot_be_is_refused_at_the_field(given: dict[str, str], field: str) -> None:
    user("ann", email="ann@example.org")
    wished = {"username": "dora", "display_name": "Dora", "email": "", **given}
    with pytest.raises(Invalid) as refusal:
        people.invite(**wished, actor=administrator())
    assert [problem.loc[-1] for problem in refusal.value.problems] == [field]
    assert not lines("user.create")


def test_a_username_is_given_once_in_any_case_of_letters() -> None:
    ann()
    with pytest.raises(Conflict, match="already"):
        people.invite(username="ANN", display_name="Ann", actor=administrator())


def test_only_administrators_look_after_people() -> None:
    other = bob()
    for me in (actor(ann()), actor(bea())):
        with pytest.raises(NotAllowed):
            people.invite(username="dora", display_name="Dora", actor=me)
        with pytest.raises(NotAllowed):
            presence.everybody(actor=me)
        for act in (people.looked_after, people.invite_again, presence.deactivate, presence.reactivate):
            with pytest.raises(NotFound):
                act(user_id=other.pk, actor=me) if act != people.looked_after else act(other.pk, actor=me)
    with pytest.raises(NotAllowed, match="made by whoever runs it"):
        presence.set_administrator(username="ann", administers=True, actor=administrator())
    assert bob().is_active and not ann().is_superuser


def test_looking_after_people_shows_none_of_their_memories() -> None:
    root = administrator()
    memory(ann(), "hers alone")
    memory(ann(), "shared", team=team("Atlas", ann="admin"))
    assert not visible_to(root, Memory.objects.all()).exists()
    assert set(presence.everybody(actor=root, named="an")) == {ann()}


def test_access_that_ends_stops_sessions_for_good_and_tokens_meanwhile() -> None:
    root, who, browser = administrator(), bob(), signed_in(bob())
    key = token(who)[1]
    headers = {"Authorization": f"Bearer {key}"}
    assert browser.get("/").status_code == 200
    presence.deactivate(user_id=who.pk, actor=root)
    presence.deactivate(user_id=who.pk, actor=root)
    assert browser.get("/").status_code == 302 and lines("user.deactivate") == 1
    assert Client().get("/v1/memories", headers=headers).status_code == 403
    assert not person(bob()).spaces
    presence.reactivate(user_id=who.pk, actor=root)
    presence.reactivate(user_id=who.pk, actor=root)
    assert browser.get("/").status_code == 302 and lines("user.reactivate") == 1
    assert Client().get("/v1/memories", headers=headers).status_code == 200
    assert signed_in(bob()).get("/").status_code == 200 and ApiToken.objects.get().revoked_at is None


def test_nobody_ends_their_own_access_and_an_administrator_who_has_none_ends_nobodys() -> None:
    root, other = administrator(), administrator("spare")
    with pytest.raises(NotAllowed, match="Nobody changes their own rights"):
        presence.deactivate(user_id=root.own, actor=root)
    presence.deactivate(user_id=other.own, actor=root)
    with pytest.raises(NotFound):
        presence.deactivate(user_id=root.own, actor=other)
    assert User.objects.get(pk=root.own).is_active


def test_a_team_is_not_left_without_an_admin_by_ending_access() -> None:
    root, atlas = administrator(), team("Atlas", ann="admin", bea="member")
    team("Alone", ann="admin")
    with pytest.raises(Conflict, match="Ann is the only admin of Atlas"):
        presence.deactivate(user_id=ann().pk, actor=root)
    assert [place.name for place, _ in presence.left_without_admin(ann())] == ["Atlas"]
    with pytest.raises(Conflict, match="admins who can decide"):
        teams.name_admin(membership_id=seat(atlas, bea()), actor=root)
    presence.deactivate(user_id=ann().pk, successors=[seat(atlas, bea())], actor=root)
    with pytest.raises(Conflict):
        teams.set_role(membership_id=seat(atlas, bea()), role=Role.MEMBER, actor=actor(bea()))
    assert not ann().is_active and roles(atlas) == {"ann": "admin", "bea": "admin"}


def test_who_follows_is_somebody_else_of_the_team_with_access_and_only_where_one_is_needed() -> None:
    root, atlas = administrator(), team("Atlas", ann="admin", bea="member", bob="member", root="member")
    harbor = team("Harbor", carl="member", ann="admin", dan="admin")
    User.objects.filter(username="bob").update(is_active=False)
    for wrong in (seat(harbor, user("carl")), seat(atlas, bob()), seat(atlas, ann()), uuid4()):
        with pytest.raises(Conflict, match="Ann is the only admin of Atlas"):
            presence.deactivate(user_id=ann().pk, successors=[wrong], actor=root)
    with pytest.raises(NotAllowed, match="Nobody changes their own rights"):
        presence.deactivate(user_id=ann().pk, successors=[seat(atlas, user("root"))], actor=root)
    assert ann().is_active and not lines("team.name_admin")
    chosen = [seat(atlas, bea()), seat(harbor, user("carl"))]
    presence.deactivate(user_id=ann().pk, successors=chosen, actor=root)
    assert roles(atlas)["bea"] == "admin" and roles(harbor)["carl"] == "member" and lines("team.name_admin") == 1


def test_access_is_given_and_ended_only_with_a_password_of_lately() -> None:
    late = person(User.objects.get(pk=administrator().own))
    who = bob()
    for act in (
        lambda: people.invite(username="dora", display_name="Dora", actor=late),
        lambda: people.invite_again(user_id=who.pk, actor=late),
        lambda: presence.deactivate(user_id=who.pk, actor=late),
        lambda: presence.reactivate(user_id=who.pk, actor=late),
    ):
        with pytest.raises(SignInAgain):
            act()
    assert bob().is_active and not User.objects.filter(username="dora").exists()


def test_the_operator_names_administrators_and_each_change_has_one_line() -> None:
    ann()
    for administers in (True, True, False):
        presence.set_administrator(username="ann", administers=administers, actor=OPERATOR)
    assert not ann().is_superuser and lines("user.set_administrator") == 2


def test_nobody_is_found_by_an_unknown_id() -> None:
    with pytest.raises(NotFound):
        people.looked_after(uuid4(), actor=administrator())
