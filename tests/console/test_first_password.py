"""Choosing a first password with a code: one answer for every mismatch, few attempts, no key in any address."""

from __future__ import annotations

import pytest
from django.test import Client

from memories.access import NOBODY
from memories.models import AuditRecord, User
from memories.services import people
from tests.memories.factories import ann
from tests.memories.page_client import signed_in, text_of
from tests.memories.test_teams import administrator

pytestmark = pytest.mark.django_db

CHOSEN = "a sentence that nobody guesses"


def invited() -> tuple[User, str]:
    return people.invite(username="dora", display_name="Dora", actor=administrator())


def test_nobody_learns_from_it_which_names_exist() -> None:
    _, code = invited()
    ann()
    answers = set()
    for name in ("dora", "ann", "nobody"):
        answer = Client().post("/first-password", {"username": name, "code": code + "x", "password": CHOSEN})
        assert answer.status_code == 200
        answers.add(text_of(answer))
    assert len(answers) == 1 and "do not belong together" in answers.pop()
    line = AuditRecord.objects.filter(action="user.sign_in", result="refused").first()
    assert line is not None and line.space_id == NOBODY and "dora" not in str(line.detail)


def test_the_sixth_attempt_within_a_minute_has_to_wait_even_with_the_right_code() -> None:
    _, code = invited()
    for _ in range(5):
        Client().post("/first-password", {"username": "dora", "code": "x", "password": CHOSEN})
    answer = Client().post("/first-password", {"username": "dora", "code": code, "password": CHOSEN})
    assert answer.status_code == 429 and not User.objects.get(username="dora").has_usable_password()


def test_a_weak_password_is_refused_at_its_field_and_is_not_shown_again() -> None:
    _, code = invited()
    answer = Client().post("/first-password", {"username": "dora", "code": code, "password": "password123456"})
    assert answer.status_code == 422 and "password123456" not in answer.content.decode()
    assert set(answer.context["form"].errors) == {"password"}
    for sent in ({}, {"username": "dora", "code": "", "password": CHOSEN}):
        assert Client().post("/first-password", sent).status_code == 422


def test_the_code_works_once_and_for_three_days(monkeypatch: pytest.MonkeyPatch) -> None:
    _, code = invited()
    sent = {"username": "dora", "code": code, "password": CHOSEN}
    with monkeypatch.context() as patch:
        patch.setattr("django.conf.settings.PASSWORD_RESET_TIMEOUT", -1)
        assert "too old" in text_of(Client().post("/first-password", sent))
    assert Client().post("/first-password", sent).status_code == 302
    assert "was used" in text_of(Client().post("/first-password", sent))


def test_it_needs_its_csrf_token() -> None:
    _, code = invited()
    client = Client(enforce_csrf_checks=True)
    assert client.post("/first-password", {"username": "dora", "code": code, "password": CHOSEN}).status_code == 403
    assert not User.objects.get(username="dora").has_usable_password()


def test_choosing_one_makes_a_new_session_in_which_grave_things_may_be_done() -> None:
    made, code = invited()
    client = signed_in(ann())
    before = client.session.session_key
    client.post("/first-password", {"username": "dora", "code": code, "password": CHOSEN})
    assert client.session.session_key != before and client.session["_auth_user_id"] == str(made.pk)
    assert client.session["signed_in_at"]
