"""Every credential of a person before their access ends, while it is ended, and after it is given back."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.test import Client

from console.errors import NotAllowed, Refused
from memories.models import User
from memories.services import devices, people, presence
from tests.memories.factories import PASSWORD, actor, bob, token, user
from tests.memories.page_client import signed_in
from tests.memories.test_teams import administrator

pytestmark = pytest.mark.django_db

Try = Callable[[], bool]


def session(who: User) -> Try:
    browser = signed_in(who)
    return lambda: browser.get("/access").status_code == 200


def key(who: User) -> Try:
    headers = {"Authorization": f"Bearer {token(who)[1]}"}
    return lambda: Client().get("/v1/memories", headers=headers).status_code == 200


def password(who: User) -> Try:
    return lambda: Client().post("/login", {"username": who.username, "password": PASSWORD}).status_code == 302


def fetched(codes: devices.Started) -> bool:
    sent = json.dumps({"device_code": codes.device_code})
    answer = Client().post("/v1/auth/device/token", sent, content_type="application/json")
    return answer.status_code == 200


def device_login(who: User) -> Try:
    codes = devices.start(client_id="hermes", actor=actor(who))
    devices.decide(user_code=codes.user_code, granted=["memory:read"], actor=actor(who))
    return lambda: fetched(codes)


def end(who: User) -> None:
    presence.deactivate(user_id=who.pk, actor=administrator())


def give_back(who: User) -> None:
    presence.reactivate(user_id=who.pk, actor=administrator())


@pytest.mark.parametrize("how", [session, key, password, device_login])
def test_a_credential_works_until_access_ends(how: Callable[[User], Try]) -> None:
    assert how(bob())()


@pytest.mark.parametrize("how", [session, key, password, device_login])
def test_no_credential_works_while_access_is_ended(how: Callable[[User], Try]) -> None:
    works = how(bob())
    end(bob())
    assert not works()


@pytest.mark.parametrize(("how", "returns"), [(session, False), (key, True), (password, True), (device_login, False)])
def test_what_comes_back_with_access_is_what_the_page_names(how: Callable[[User], Try], returns: bool) -> None:
    works = how(bob())
    end(bob())
    give_back(bob())
    assert works() is returns


def test_a_code_for_a_first_password_ends_with_access_and_does_not_come_back() -> None:
    made, code = people.invite(username="dora", display_name="Dora", actor=administrator())
    for turn in (end, give_back):
        turn(user("dora"))
        with pytest.raises(people.WrongCode):
            people.use_code(username="dora", code=code, password=PASSWORD, actor=actor(made))
    _, fresh = people.invite_again(user_id=made.pk, actor=administrator())
    assert people.use_code(username="dora", code=fresh, password=PASSWORD, actor=actor(made)) == made


def test_a_code_that_nobody_decided_on_is_decided_on_by_nobody_whose_access_ended() -> None:
    codes, before = devices.start(client_id="hermes", actor=actor(bob())), actor(bob())
    end(bob())
    with pytest.raises(NotAllowed):
        devices.decide(user_code=codes.user_code, granted=["memory:read"], actor=before)
    give_back(bob())
    assert not fetched(codes)


def test_what_others_approved_and_what_was_fetched_is_left_alone() -> None:
    other, fetches = user("emil"), device_login(user("emil"))
    theirs, mine = device_login(other), device_login(bob())
    assert mine() and fetches()
    end(bob())
    assert theirs() and not isinstance(theirs, Refused)
