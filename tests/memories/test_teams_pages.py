"""The pages of teams and people: without scripts, closed to whom they do not concern, refusals that say what to do."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.http import HttpResponse
from django.test import Client

from memories.models import ApiToken, AuditRecord, Membership, Team, User
from memories.models.people import Role
from memories.services import views
from tests.memories.factories import PASSWORD, actor, ann, bea, bob, memory, team, token, user
from tests.memories.page_client import HTMX, everything, signed_in, text_of
from tests.memories.test_teams import administrator, roles, seat

pytestmark = pytest.mark.django_db

UNKNOWN = UUID("01a22ca2-8482-7386-8256-67939b2aa67b")
CHOSEN = "a sentence that nobody guesses"


def root() -> Client:
    return signed_in(User.objects.get(pk=administrator().own))


def said_after(answer: HttpResponse, client: Client) -> str:
    """What the page says to which a form has led."""
    assert answer.status_code == 302, text_of(answer)
    return text_of(client.get(answer["Location"]))


def test_everybody_sees_their_own_teams_with_members_and_roles() -> None:
    atlas = team("Atlas", ann="admin", bea="reviewer")
    team("Harbor", bob="admin")
    client = signed_in(bea())
    page = text_of(client.get("/people"))
    assert (
        "Atlas" in page and "reviewer" in page and "Ann" in page and "Harbor" not in page and "Add a person" not in page
    )
    inside = text_of(client.get(f"/teams/{atlas.pk}"))
    assert "Ann" in inside and "admin" in inside and "Leave the team" in inside and "Take them in" not in inside
    assert "You are in no team" in text_of(signed_in(user("carl")).get("/people"))


def test_an_admin_takes_in_changes_removes_and_renames_without_scripts() -> None:
    atlas, client = team("Atlas", ann="admin"), signed_in(ann())
    bob()
    members = f"/teams/{atlas.pk}/members"
    assert "Bob is in Atlas now." in said_after(client.post(members, {"named": "bob", "role": "member"}), client)
    place = f"/members/{seat(atlas, bob())}"
    assert "Bob is a reviewer of Atlas now." in said_after(client.post(place, {"role": "reviewer"}), client)
    assert "called Atlantis now" in said_after(client.post(f"/teams/{atlas.pk}/name", {"name": "Atlantis"}), client)
    assert "Bob is not in Atlantis any more." in said_after(client.post(f"{place}/remove"), client)
    assert roles(atlas) == {"ann": "admin"} and AuditRecord.objects.filter(space_id=atlas.pk).count() == 4


def test_what_becomes_of_a_members_work_is_told_before_they_are_removed() -> None:
    atlas, client = team("Atlas", ann="admin", bea="member"), signed_in(ann())
    memory(bea(), "shared", team=atlas)
    token(bea(), team=atlas)
    views.add(name="Hers", query="bucket=work", space_id=atlas.pk, actor=actor(bea()))
    page = text_of(client.get(f"/members/{seat(atlas, bea())}"))
    assert "1 memory written here stays with the team." in page
    assert "1 saved view shared here stays with the team." in page
    assert "1 token that is bound to the team reaches nothing any more." in page
    assert "No pass and no schedule is under way" in page and "Remove Bea" in page


def test_a_form_that_is_refused_keeps_what_was_typed_and_says_what_to_do() -> None:
    atlas, client = team("Atlas", ann="admin"), signed_in(ann())
    answer = client.post(f"/teams/{atlas.pk}/members", {"named": "nobody", "role": "admin"})
    assert answer.status_code == 422 and "Nobody here has the name or e-mail “nobody”" in text_of(answer)
    assert 'value="nobody"' in answer.content.decode() and "One thing needs another look" in text_of(answer)
    again = client.post(f"/teams/{atlas.pk}/members", {"named": "ann", "role": "member"})
    assert again.status_code == 422 and "Ann is in Atlas already." in text_of(again)
    for sent in ({"named": "bob", "role": "king"}, {"named": "", "role": "member"}, {}):
        assert client.post(f"/teams/{atlas.pk}/members", sent).status_code == 422
    assert client.post(f"/teams/{atlas.pk}/name", {"name": " "}).status_code == 422
    assert client.post(f"/members/{seat(atlas, ann())}", {"role": "king"}).status_code == 422


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_the_last_admin_stays_and_the_page_and_the_fragment_say_why(headers: dict[str, str]) -> None:
    atlas, client = team("Atlas", ann="admin", bea="member"), signed_in(ann())
    place = f"/members/{seat(atlas, ann())}"
    for address, sent in ((place, {"role": "member"}), (f"{place}/remove", {})):
        answer = client.post(address, sent, headers=headers)
        assert answer.status_code == 409
        assert "Ann is the only admin of Atlas. Make somebody else its admin first." in text_of(answer)
        assert ("<html" in answer.content.decode()) == (not headers)
    assert roles(atlas) == {"ann": "admin", "bea": "member"}


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_member_is_told_who_may(headers: dict[str, str]) -> None:
    atlas, client = team("Atlas", ann="admin", bea="member", carl="member"), signed_in(bea())
    before = everything()
    for address in (f"/teams/{atlas.pk}/members", f"/teams/{atlas.pk}/name", f"/members/{seat(atlas, user('carl'))}"):
        answer = client.post(address, {"named": "bob", "role": "admin", "name": "x"}, headers=headers)
        assert answer.status_code == 403 and "Ask Ann." in text_of(answer)
    assert client.get("/teams/new", headers=headers).status_code == 403
    assert client.post("/people/new", {"username": "dora"}, headers=headers).status_code == 403
    assert everything() == before


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_stranger_cannot_tell_a_team_or_a_person_from_none(headers: dict[str, str]) -> None:
    atlas, client = team("Atlas", ann="admin", bea="member"), signed_in(bob())
    team("Other", bob="admin")
    before = everything()
    addresses = [
        *(f"/teams/{key}{end}" for key in (atlas.pk, UNKNOWN) for end in ("", "/name", "/members")),
        *(f"/members/{key}{end}" for key in (seat(atlas, bea()), UNKNOWN) for end in ("", "/remove", "/admin")),
        *(f"/people/{key}{end}" for key in (ann().pk, UNKNOWN) for end in ("", "/code", "/deactivate", "/reactivate")),
    ]
    for address in addresses:
        for send in (client.get, client.post):
            answer = send(address, {"named": "bob", "role": "admin", "name": "x"}, headers=headers)
            assert answer.status_code in (404, 405) and "Atlas" not in answer.content.decode(), address
    assert everything() == before


def test_a_password_of_long_ago_is_asked_again_and_the_form_goes_on() -> None:
    atlas, client = team("Atlas", ann="admin"), signed_in(ann(), seconds_ago=1_000)
    bob()
    sent = {"named": "bob", "role": "member"}
    step = client.post(f"/teams/{atlas.pk}/members", sent)
    assert step.status_code == 403 and 'name="named" value="bob"' in step.content.decode()
    back = f"/teams/{atlas.pk}/members"
    answer = client.post("/sign-in-again", {**sent, "next": back, "password": PASSWORD})
    assert answer.status_code == 307 and answer["Location"] == back
    client.post(back, sent)
    assert roles(atlas) == {"ann": "admin", "bob": "member"}


def test_a_person_is_added_chooses_a_password_and_is_taken_in() -> None:
    atlas, client = team("Atlas", ann="admin"), root()
    page = client.post("/people/new", {"username": "dora", "display_name": "Dora", "email": "dora@example.org"})
    code = page.context["code"]
    assert page.status_code == 200 and code in text_of(page) and "only time it is shown" in text_of(page)
    newcomer = Client()
    answer = newcomer.post("/first-password", {"username": "dora", "code": code, "password": CHOSEN})
    assert answer.status_code == 302 and newcomer.get("/").status_code == 200
    taken = signed_in(ann()).post(f"/teams/{atlas.pk}/members", {"named": "dora@example.org", "role": "member"})
    assert taken.status_code == 302 and "Atlas" in text_of(newcomer.get("/people"))
    assert code not in str(everything()) and "Dora" in text_of(client.get("/people?named=dor"))


def test_a_person_who_cannot_be_is_refused_at_the_fields_with_what_was_typed() -> None:
    client = root()
    user("dora", email="dora@example.org")
    for sent, why in (
        ({"username": "DORA", "display_name": "Other"}, "There is a person named DORA already."),
        ({"username": "", "display_name": "Other"}, "The name is empty."),
        ({"username": "emil", "display_name": "Other", "email": "x"}, "This is no e-mail address."),
        ({"username": "emil", "display_name": "Other", "email": "Dora@example.org"}, "has this e-mail address already"),
    ):
        answer = client.post("/people/new", sent)
        assert answer.status_code == 422 and why in text_of(answer) and 'value="Other"' in answer.content.decode()
    assert not User.objects.filter(display_name="Other").exists()


def test_access_ends_and_begins_again_on_the_page_of_a_person() -> None:
    client, who = root(), bob()
    token(who)
    ask = text_of(client.get(f"/people/{who.pk}/deactivate"))
    assert "End the access of Bob?" in ask and "1 token that works now" in ask
    assert "Bob has no access any more." in said_after(client.post(f"/people/{who.pk}/deactivate"), client)
    assert "Give access back" in text_of(client.get(f"/people/{who.pk}"))
    assert "Bob can sign in again." in said_after(client.post(f"/people/{who.pk}/reactivate"), client)


def test_who_follows_is_chosen_with_the_end_of_access() -> None:
    client, atlas = root(), team("Atlas", ann="admin", bea="member")
    address, key = f"/people/{ann().pk}/deactivate", seat(atlas, bea())
    page = client.get(address)
    assert "Atlas" in text_of(page) and f'name="successor_{atlas.pk}"' in page.content.decode()
    assert "Make them its admin" not in text_of(client.get(f"/people/{bea().pk}"))
    assert (
        client.post(address).status_code == client.post(address, {f"successor_{atlas.pk}": ann().pk}).status_code == 409
    )
    assert client.post(address, {f"successor_{atlas.pk}": "x"}).status_code == 422
    assert client.post(address, {f"successor_{atlas.pk}": key}).status_code == 302
    assert roles(atlas)["bea"] == "admin" and not ann().is_active


def test_a_team_without_an_admin_gets_one_on_the_page_of_a_member() -> None:
    client, atlas = root(), team("Atlas", bea="member")
    assert "Make them its admin" in text_of(client.get(f"/people/{bea().pk}"))
    client.post(f"/members/{seat(atlas, bea())}/admin")
    assert roles(atlas)["bea"] == "admin"


def test_an_administrator_gets_into_no_team_and_sees_no_memories() -> None:
    atlas, client = team("Atlas", ann="admin"), root()
    shared = memory(ann(), "shared secret", team=atlas)
    assert (
        client.get(f"/teams/{atlas.pk}").status_code == 404 and client.get(f"/memories/{shared.pk}").status_code == 404
    )
    answer = client.post(f"/teams/{atlas.pk}/members", {"named": "root", "role": "admin"})
    assert answer.status_code == 404 and roles(atlas) == {"ann": "admin"}
    bodies = [client.get(address).content.decode() for address in ("/", "/memories", "/audit", f"/people/{ann().pk}")]
    assert not any("shared secret" in body for body in bodies)


def test_a_team_is_made_with_its_first_admin() -> None:
    client = root()
    bea()
    assert "The team Harbor is there." in said_after(
        client.post("/teams/new", {"name": "Harbor", "first": "bea"}), client
    )
    assert roles(Team.objects.get()) == {"bea": "admin"}
    for sent in ({"name": "Harbor", "first": "bea"}, {"name": "X", "first": "nobody"}, {"name": "", "first": ""}):
        assert client.post("/teams/new", sent).status_code == 422
    assert Team.objects.count() == 1


def test_all_of_many_people_and_members_can_be_reached() -> None:
    atlas = team("Atlas", root="admin")
    for number in range(120):
        Membership.objects.create(user=user(f"person{number:03}"), team=atlas, role=Role.MEMBER)
    client = root()
    for start in ("/people", f"/teams/{atlas.pk}"):
        seen: set[str] = set()
        address = start
        while address:
            page: Any = client.get(address).context["page"]
            seen |= {getattr(row, "username", None) or row.user.username for row in page.rows}
            address = page.next_url
        assert len(seen & {f"person{number:03}" for number in range(120)}) == 120, start


def test_an_admin_cuts_a_token_off_from_the_team_and_the_teams_trail_says_so() -> None:
    atlas, client = team("Atlas", ann="admin", bea="member"), signed_in(ann())
    bound, private = token(bea(), team=atlas)[0], token(bea())[0]
    ApiToken.objects.update(name="secret plan")
    page = text_of(client.get(f"/tokens/{bound.pk}"))
    assert "As an admin of Atlas you may cut it off" in page and "Revoke it" in page and "secret plan" not in page
    assert client.post(f"/tokens/{bound.pk}/revoke").status_code == 302
    assert client.post(f"/tokens/{private.pk}/revoke").status_code == 404
    line = AuditRecord.objects.get(action="token.revoke", result="done")
    assert line.space_id == atlas.pk and line.detail["user"] == str(bea().pk) and "secret plan" not in str(line.detail)
    assert ApiToken.objects.get(pk=bound.pk).revoked_at and not ApiToken.objects.get(pk=private.pk).revoked_at


def test_a_member_who_is_no_admin_revokes_nobody_elses_token() -> None:
    atlas = team("Atlas", ann="admin", bea="reviewer")
    bound = token(ann(), team=atlas)[0]
    assert signed_in(bea()).post(f"/tokens/{bound.pk}/revoke").status_code == 404
    assert ApiToken.objects.get(pk=bound.pk).revoked_at is None


def test_text_of_others_is_shown_as_text() -> None:
    evil = "<script>alert(1)</script>"
    user("dora", email="d@example.org")
    User.objects.filter(username="dora").update(display_name=evil)
    atlas = team(evil, root="admin", dora="member")
    client = root()
    key = User.objects.get(username="dora").pk
    places = ["/people", f"/teams/{atlas.pk}", f"/people/{key}", f"/people/{key}/deactivate"]
    places.append(f"/members/{Membership.objects.get(user_id=key).pk}")
    for place in places:
        body = client.get(place).content.decode()
        assert evil not in body and "&lt;script&gt;" in body, place
