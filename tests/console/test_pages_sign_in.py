"""Signing in, signing in again, signing out, and the theme."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from console.credentials import SIGNED_IN_AT
from console.frame import zone_of
from memories.access import NOBODY
from memories.models import AuditRecord
from memories.services import sign_in
from tests.memories.factories import PASSWORD, ann, bob
from tests.memories.page_client import signed_in, text_of

pytestmark = pytest.mark.django_db


def attempt(client: Client, name: str = "ann", password: str = PASSWORD, **more: Any) -> Any:
    return client.post("/login", {"username": name, "password": password, **more})


def test_a_sign_in_makes_a_new_session_that_knows_its_time() -> None:
    ann()
    client = Client()
    client.get("/login")
    before = client.session.session_key
    response = attempt(client)
    assert response.status_code == 302 and response["Location"] == "/"
    assert client.session.session_key != before
    assert abs(client.session[SIGNED_IN_AT] - time.time()) < 60
    line = AuditRecord.objects.get()
    assert (line.action, line.result, line.space_id, line.actor_name) == ("user.sign_in", "done", ann().pk, "ann")
    assert client.get("/").status_code == 200


def test_a_refused_sign_in_is_noted_without_the_name_that_was_typed() -> None:
    ann()
    response = attempt(Client(), password="wrong")
    assert "do not belong together" in text_of(response) and 'value="ann"' in response.content.decode()
    line = AuditRecord.objects.get()
    assert (line.action, line.result, line.space_id, line.actor_id) == ("user.sign_in", "refused", NOBODY, None)
    assert "ann" not in str(line.detail) and "wrong" not in str(line.detail)


def test_nobody_learns_which_names_exist() -> None:
    person = ann()
    person.is_active = False
    person.save()
    bob()
    answers = {text_of(attempt(Client(), name=name, password="wrong")) for name in ("ann", "bob", "carl")}
    assert len(answers) == 1


def test_the_sixth_attempt_within_a_minute_has_to_wait_even_with_the_right_password() -> None:
    ann()
    client = Client()
    for _ in range(5):
        assert attempt(client, password="wrong").status_code == 200
    response = attempt(client)
    assert response.status_code == 429 and "Try again in" in text_of(response)
    assert "_auth_user_id" not in client.session
    assert attempt(client, name="ANN ").status_code == 429


def test_attempts_from_elsewhere_or_for_others_do_not_count() -> None:
    ann()
    bob()
    client = Client()
    for _ in range(5):
        attempt(client, password="wrong")
    assert attempt(client, name="bob").status_code == 302
    assert attempt(Client(REMOTE_ADDR="10.0.0.9")).status_code == 302


def test_a_forwarded_address_in_a_header_does_not_help() -> None:
    ann()
    client = Client()
    for number in range(5):
        client.post("/login", {"username": "ann", "password": "x"}, headers={"X-Forwarded-For": f"10.0.0.{number}"})
    assert attempt(client).status_code == 429


def test_attempts_count_for_a_minute_only(monkeypatch: pytest.MonkeyPatch) -> None:
    ann()
    client = Client()
    for _ in range(5):
        attempt(client, password="wrong")
    monkeypatch.setattr(sign_in, "WINDOW", sign_in.WINDOW * 0)
    assert attempt(client).status_code == 302


@pytest.mark.parametrize("target", ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere.example"])
def test_signing_in_leads_to_this_console_only(target: str) -> None:
    ann()
    assert attempt(Client(), next=target)["Location"] == "/"


def test_signing_in_leads_back_to_the_page_that_was_wanted() -> None:
    ann()
    client = Client()
    wanted = client.get("/memories?type=working")["Location"]
    assert 'value="/memories?type=working"' in client.get(wanted).content.decode()
    assert attempt(client, next="/memories?type=working")["Location"] == "/memories?type=working"


@pytest.mark.parametrize("data", [{}, {"username": "ann"}, {"username": "a" * 300, "password": "x"}])
def test_an_incomplete_sign_in_comes_back_with_the_form(data: dict[str, str]) -> None:
    response = Client().post("/login", data)
    assert response.status_code == 200 and "another look" in text_of(response)


def test_a_null_in_a_name_is_refused() -> None:
    assert attempt(Client(), name="a\0b").status_code == 422


def test_signing_out_ends_the_session_on_the_server() -> None:
    client = signed_in(ann())
    kept = client.cookies.copy()
    response = client.post("/logout")
    assert response.status_code == 302 and response["Clear-Site-Data"] == '"cookies", "storage"'
    client.cookies = kept
    assert client.get("/memories").status_code == 302
    assert client.get("/logout").status_code == 405


def test_the_password_again_renews_the_time_and_the_session_key() -> None:
    client = signed_in(ann(), seconds_ago=4000)
    before = client.session.session_key
    response = client.post("/sign-in-again", {"password": PASSWORD, "next": "/trash"})
    assert response.status_code == 302 and response["Location"] == "/trash"
    assert client.session.session_key != before
    assert time.time() - client.session[SIGNED_IN_AT] < 60


def test_a_wrong_password_again_changes_nothing_and_is_throttled() -> None:
    client = signed_in(ann(), seconds_ago=4000)
    for _ in range(5):
        response = client.post("/sign-in-again", {"password": "wrong", "next": "/trash", "reason": "kept"})
        assert "This is not your password" in text_of(response)
        assert 'name="reason" value="kept"' in response.content.decode()
        assert "wrong" not in response.content.decode()
    assert client.post("/sign-in-again", {"password": PASSWORD}).status_code == 429
    assert time.time() - client.session[SIGNED_IN_AT] > 3000


def test_another_persons_password_does_not_count() -> None:
    other = bob()
    other.set_password("another long password")
    other.save()
    client = signed_in(ann(), seconds_ago=4000)
    response = client.post("/sign-in-again", {"password": "another long password", "username": "bob"})
    assert response.status_code == 200 and "not your password" in text_of(response)


def test_the_password_is_asked_again_only_of_who_is_signed_in() -> None:
    assert Client().get("/sign-in-again").status_code == 302
    assert Client().post("/sign-in-again", {"password": PASSWORD}).status_code == 401


@pytest.mark.parametrize("target", ["https://elsewhere.example/", "//elsewhere.example"])
def test_the_password_again_leads_to_this_console_only(target: str) -> None:
    client = signed_in(ann())
    assert client.post("/sign-in-again", {"password": PASSWORD, "next": target})["Location"] == "/"
    response = client.post("/sign-in-again", {"password": PASSWORD, "next": target, "typed": "x"})
    assert (response.status_code, response["Location"]) == (307, "/")


def test_the_theme_is_kept_in_a_cookie_and_is_on_the_page() -> None:
    client = Client()
    response = client.post("/theme", {"theme": "dark", "next": "/login"})
    assert response["Location"] == "/login" and client.cookies["theme"]["samesite"] == "Lax"
    assert 'data-theme="dark"' in client.get("/login").content.decode()


def test_an_unknown_theme_is_refused() -> None:
    client = Client()
    assert client.post("/theme", {"theme": "pink"}).status_code == 422
    assert client.get("/theme").status_code == 405
    client.cookies["theme"] = '"><script>'
    assert 'data-theme="auto"' in client.get("/login").content.decode()


@pytest.mark.parametrize("name", ["Mars/Base", "../../etc/passwd", "", "Europe", "a\0b"])
def test_an_unknown_zone_is_utc(name: str) -> None:
    person = ann()
    person.time_zone = name
    assert zone_of(person).key == "UTC" and zone_of(AnonymousUser()).key == "UTC"
