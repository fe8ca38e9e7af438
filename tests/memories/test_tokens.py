"""What a token may be, who may make one, and who is shown it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.errors import Conflict, Invalid, NotAllowed, NotFound
from memories.access import OPERATOR, Actor, bearer, person
from memories.models import ApiToken, AuditRecord, Membership
from memories.services import tokens
from memories.services.token_rules import BUCKETS_MOST, LONGEST
from tests.memories.factories import actor, ann, bea, bob, team, token

pytestmark = pytest.mark.django_db


def made(**given: Any) -> ApiToken:
    by: Actor = given.pop("actor", None) or actor(ann())
    fields = {"user": ann(), "name": "helper", "scopes": ["memory:read"]}
    return tokens.create(**{**fields, "expires_at": timezone.now() + timedelta(days=1), **given}, actor=by)[0]


def refused(**given: Any) -> set[str]:
    with pytest.raises(Invalid) as why:
        made(**given)
    return {str(one.loc[-1]) for one in why.value.problems}


WRONG = {
    "name": ["", " ", "\u200b", "a" * 101, "a\nb", "a\x1b[2J"],
    "scopes": [[], ["root"], ["memory:read", "*"], [""]],
    "buckets": [[""], ["a" * 101], ["a\tb"], [str(n) for n in range(BUCKETS_MOST + 1)]],
    "scope": ["", "a" * 201],
    "path_prefix": ["a/../b", "a" * 501, "a\nb"],
    "agent_id": ["a" * 201, "a\x07"],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in WRONG.items() for value in values])
def test_what_a_token_cannot_be_is_refused_at_its_field(name: str, value: Any) -> None:
    assert refused(**{name: value}) == {name}
    assert not ApiToken.objects.exists() and not AuditRecord.objects.exists()


def test_a_token_ends_later_than_now_and_within_a_year() -> None:
    now = timezone.now()
    assert refused(expires_at=now) == {"expires_at"}
    assert refused(expires_at=now + LONGEST + timedelta(minutes=1)) == {"expires_at"}
    assert made(expires_at=now + LONGEST).expires_at == now + LONGEST


def test_all_that_is_wrong_is_said_at_once() -> None:
    assert refused(name="", scopes=[], scope="", path_prefix="..") == {"name", "scopes", "scope", "path_prefix"}


def test_nobody_makes_a_token_for_another_person() -> None:
    with pytest.raises(NotAllowed, match="person who makes it"):
        made(user=bob())
    assert made(user=bob(), actor=OPERATOR).user == bob()


def test_a_token_makes_no_token() -> None:
    agent = bearer(token(ann(), scopes=["memory:read", "memory:write", "admin"])[0])
    with pytest.raises(NotAllowed):
        made(actor=agent)


def test_nobody_gives_a_right_that_they_lack() -> None:
    weak = replace(actor(ann()), scopes=frozenset({"memory:read"}))
    assert made(actor=weak).scopes == ["memory:read"]
    with pytest.raises(NotAllowed, match="memory:delete"):
        made(actor=weak, scopes=["memory:read", "memory:delete"])


def test_a_token_is_bound_to_a_team_of_its_person_alone() -> None:
    other, own = team("Other", bob="admin"), team("Atlas", ann="member")
    assert refused(team=other) == {"team"}
    assert made(team=own).team == own


def test_one_id_makes_one_token() -> None:
    first = made()
    with pytest.raises(Conflict, match="already"):
        made(token_id=first.pk)
    assert ApiToken.objects.count() == 1


def test_the_line_of_the_audit_says_what_the_token_may_and_inside_what() -> None:
    atlas = team("Atlas", ann="member")
    one = made(team=atlas, buckets=["work", "work", "home"], scope="s", path_prefix="p", agent_id="a")
    line = AuditRecord.objects.get(object_id=one.pk)
    assert (line.action, line.space_id, line.detail["status"]) == ("token.create", ann().pk, [None, "valid"])
    bounds = {"team": str(atlas.pk), "buckets": ["home", "work"], "scope": "s", "path_prefix": "p", "agent": "a"}
    assert bounds.items() <= line.detail.items() and line.detail["scopes"] == ["memory:read"]


def test_an_admin_is_shown_what_is_bound_to_the_team_and_nothing_else_of_others() -> None:
    atlas, other = team("Atlas", ann="admin", bea="member"), team("Other", bea="admin")
    bound, hers = token(bea(), team=atlas)[0], token(ann())[0]
    token(bea())
    token(bea(), team=other)
    assert {one.pk for one in tokens.shown_to(actor(ann()))} == {bound.pk, hers.pk}
    Membership.objects.filter(user=ann()).update(role="reviewer")
    assert {one.pk for one in tokens.shown_to(actor(ann()))} == {hers.pk}


def test_an_admin_ends_what_is_bound_to_the_team_and_an_agent_only_its_persons_own() -> None:
    atlas = team("Atlas", ann="admin", bea="member")
    bound, private, own = token(bea(), team=atlas)[0], token(bea())[0], token(ann())[0]
    for key, who in ((private, actor(ann())), (bound, bearer(own)), (own, actor(bea()))):
        with pytest.raises(NotFound):
            tokens.revoke(token_id=key.pk, actor=who)
    assert tokens.revoke(token_id=bound.pk, actor=actor(ann())).revoked_at
    assert {one.pk for one in tokens.shown_to(bearer(own))} == {own.pk}


def test_a_token_says_how_it_stands() -> None:
    atlas, past = team("Atlas", ann="member", bea="admin"), timezone.now() - timedelta(days=3)
    bound, over, ended = token(ann(), team=atlas)[0], token(ann())[0], token(ann())[0]
    ApiToken.objects.filter(pk=over.pk).update(created_at=past, expires_at=past + timedelta(days=1))
    tokens.revoke(token_id=ended.pk, actor=actor(ann()))
    states = {one.pk: one.state for one in tokens.shown_to(actor(ann()))}
    assert states == {bound.pk: "valid", over.pk: "expired", ended.pk: "revoked"}
    Membership.objects.filter(user=ann()).delete()
    assert tokens.seen(bound.pk, actor=actor(ann())).state == "cut off"
    assert list(tokens.shown_to(actor(bea()), state="cut off")) == [bound]


def test_a_command_in_a_persons_name_gives_all_that_they_have() -> None:
    assert made(actor=person(ann(), channel="cli"), scopes=["admin", "audit"]).scopes == ["admin", "audit"]
