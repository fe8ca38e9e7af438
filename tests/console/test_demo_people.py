"""The demo tells only what works, and leaves alone what belongs to others of the same names."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from console.demo import load
from memories.access import OPERATOR
from memories.models import ApiToken, Memory, Team, User
from memories.services import people

pytestmark = pytest.mark.django_db
OTHER = "a sentence that nobody guesses"


@pytest.fixture
def demo_people() -> None:
    """The people of the demo with a token each, without what they remember."""
    users = {
        name: people.create_user(username=name, display_name=name, password=load.password_of(name), actor=OPERATOR)
        for name in ("ann", "bea", "bob")
    }
    for token in load.TOKENS:
        load.tokens.create(
            user=users[token.username],
            name=token.name,
            scopes=token.scopes,
            expires_at=timezone.now() + timedelta(days=90),
            key=load.key_of(token),
            actor=OPERATOR,
        )


def test_whoever_has_the_same_name_is_given_nothing() -> None:
    for name in ("ann", "bea", "bob"):
        people.create_user(username=name, display_name=name, password=OTHER, actor=OPERATOR)
    with pytest.raises(CommandError, match="are here already"):
        call_command("demo")
    assert not Memory.objects.exists()


def test_some_of_the_names_are_enough_to_leave_it() -> None:
    people.create_user(username="ann", display_name="Ann", password=OTHER, actor=OPERATOR)
    with pytest.raises(CommandError, match="are here already"):
        call_command("demo")
    assert User.objects.count() == 1


@pytest.mark.parametrize("changed", ["renamed", "left"])
def test_a_team_that_was_changed_since_stops_no_second_load_with_a_trace(changed: str) -> None:
    assert load.load()
    atlas = Team.objects.get(name="Atlas")
    if changed == "renamed":
        Team.objects.filter(pk=atlas.pk).update(name="Atlantis")
        assert load.load() is False
    else:
        atlas.memberships.filter(user__username="bea").delete()
        with pytest.raises(CommandError, match="Load the demo into a fresh database"):
            call_command("demo")


def test_a_password_that_was_changed_is_told_no_more(demo_people) -> None:
    assert load.password_of("bea") in load.credentials()
    people.set_password(username="bea", password=OTHER, actor=OPERATOR)
    User.objects.filter(username="bob").update(is_active=False)
    told = load.credentials()
    assert load.password_of("ann") in told
    assert load.password_of("bea") not in told and load.password_of("bob") not in told


@pytest.mark.parametrize("why", ["revoked", "expired"])
def test_a_token_that_is_over_is_told_no_more(demo_people, why: str) -> None:
    first, second = (load.key_of(token) for token in load.TOKENS[:2])
    assert first in load.credentials()
    now, past = timezone.now(), timezone.now() - timedelta(days=9)
    changed = {"revoked_at": now} if why == "revoked" else {"created_at": past, "expires_at": past + timedelta(1)}
    ApiToken.objects.filter(digest=load.digest_of(load.TOKENS[0])).update(**changed)
    assert first not in load.credentials() and second in load.credentials()
    ApiToken.objects.update(revoked_at=now)
    assert "mc_" not in load.credentials() and "Sign in as one of" in load.credentials()
