"""People, teams and tokens by command."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command

from memories.models import ApiToken, AuditRecord, Membership, User
from memories.services import tokens

pytestmark = pytest.mark.django_db
PASSWORD = "a sentence that nobody guesses"


@pytest.fixture
def typed(monkeypatch):
    def give(text: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(text + "\n"))

    return give


def said(*command: str) -> str:
    out = io.StringIO()
    call_command(*command, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_a_person_added_can_sign_in(typed, client):
    typed(PASSWORD)
    said("person", "add", "dora", "--name", "Dora", "--zone", "Europe/Madrid")
    client.post("/login", {"username": "dora", "password": PASSWORD})
    assert client.get("/").status_code == 200
    assert AuditRecord.objects.filter(action="user.create", actor_name="operator").exists()


@pytest.mark.parametrize("password", ["short", "password1234", ""])
def test_a_weak_password_adds_nobody(typed, password):
    typed(password)
    with pytest.raises(CommandError):
        said("person", "add", "dora")
    assert not User.objects.exists()


def test_an_unknown_zone_and_a_name_taken_are_refused(typed):
    typed(PASSWORD)
    with pytest.raises(CommandError, match="time zone"):
        said("person", "add", "dora", "--zone", "Mars/Olympus")
    typed(PASSWORD)
    said("person", "add", "dora")
    typed(PASSWORD)
    with pytest.raises(CommandError, match="already"):
        said("person", "add", "DORA")


def test_another_password_ends_the_old_one(typed, client):
    typed(PASSWORD)
    said("person", "add", "dora")
    user = User.objects.get()
    client.force_login(user)
    typed(PASSWORD + " again")
    said("person", "password", "dora")
    assert client.get("/").status_code == 302
    user.refresh_from_db()
    assert user.check_password(PASSWORD + " again")


def test_a_team_and_its_members(typed):
    typed(PASSWORD)
    said("person", "add", "dora")
    said("team", "add", "Atlas")
    said("team", "member", "atlas", "dora", "--role", "reviewer")
    assert Membership.objects.get().role == "reviewer"
    assert "dora reviewer" in said("team", "list")
    assert "reviewer of Atlas" in said("person", "list")
    said("team", "remove", "Atlas", "dora")
    assert not Membership.objects.exists()
    with pytest.raises(CommandError, match="no person"):
        said("team", "member", "Atlas", "nobody")


def test_access_ends_and_begins_again_and_administrators_are_named(typed, client):
    typed(PASSWORD)
    said("person", "add", "dora")
    client.force_login(User.objects.get())
    assert "an administrator of the console" in said("person", "administrator", "dora")
    assert "administrator of the console" in said("person", "list")
    assert "no administrator" in said("person", "no-administrator", "dora")
    assert "no access any more" in said("person", "deactivate", "dora")
    assert "deactivated" in said("person", "list") and client.get("/").status_code == 302
    assert "can sign in again" in said("person", "reactivate", "dora")
    assert client.get("/").status_code == 302 and User.objects.get().is_active


def test_a_team_with_its_first_admin_keeps_one(typed):
    typed(PASSWORD)
    said("person", "add", "dora")
    said("team", "add", "Atlas", "--admin", "dora")
    assert Membership.objects.get().role == "admin"
    for command in (("team", "remove", "Atlas", "dora"), ("team", "member", "Atlas", "dora")):
        with pytest.raises(CommandError, match="only admin"):
            said(*command)
    assert Membership.objects.get().role == "admin"


def test_a_token_is_printed_once_works_and_ends(typed, client):
    typed(PASSWORD)
    said("person", "add", "dora")
    key = said("token", "create", "dora", "--scopes", "memory:read").strip()
    headers = {"Authorization": f"Bearer {key}"}
    assert client.get("/v1/memories", headers=headers).status_code == 200
    token = ApiToken.objects.get()
    listed = said("token", "list", "dora")
    assert token.prefix in listed and key not in listed
    said("token", "revoke", "dora", str(token.pk))
    assert client.get("/v1/memories", headers=headers).status_code == 403
    assert tokens.find(key) is not None


@pytest.mark.parametrize("option", [["--scopes", "everything"], ["--days", "4000"], ["--team", "Nowhere"]])
def test_a_token_with_wrong_options_is_refused(typed, option):
    typed(PASSWORD)
    said("person", "add", "dora")
    with pytest.raises(CommandError):
        said("token", "create", "dora", *option)
    assert not ApiToken.objects.exists()
