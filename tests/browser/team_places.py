"""Teams, people, the first password and the help; the rest is in `places`."""

from __future__ import annotations

from uuid import uuid4

from playwright.sync_api import Page, expect

from memories.models import Membership, User
from tests.browser.people import Person
from tests.browser.places import Place, open_everything
from tests.browser.records import LIGHT, sent
from tests.memories import factories

LONG = "Team with a name" + "s" * 60


def add_somebody(page: Page) -> None:
    page.get_by_label("Username").fill(f"dora{uuid4().hex}")
    page.get_by_role("button", name="Add them").click()
    expect(page.get_by_text("This is the only time it is shown.")).to_be_visible()


def use_a_wrong_code(page: Page) -> None:
    for label, text in (("Username", "dora"), ("Code", "none"), ("New password", factories.PASSWORD)):
        page.get_by_label(label).fill(text)
    page.get_by_role("button", name="Store it and sign in").click()
    expect(page.locator(".error-summary")).to_be_visible()


ALL = [
    Place("teams and people", "/people"),
    Place("teams of a newcomer", "/people", who="fresh"),
    Place("people of no such name", "/people?named=zeppelin", themes=LIGHT),
    Place("team", act=open_everything),
    Place("team of another", themes=LIGHT),
    Place("team with a mistake", act=sent(button="Take them in", named="nobody"), later=422, lately=True, themes=LIGHT),
    Place("member"),
    Place("new team", "/teams/new"),
    Place("new team with mistakes", "/teams/new", act=sent(button="Make the team", name="", first=""), later=422),
    Place("new person", "/people/new"),
    Place("new person with mistakes", "/people/new", act=sent(button="Add them", username="", email="x"), later=422),
    Place("code of a person", "/people/new", act=add_somebody, lately=True),
    Place("person"),
    Place("person without access"),
    Place("person to end"),
    Place("person who is needed", themes=LIGHT),
    Place("first password", "/first-password", who="nobody"),
    Place("first password with a wrong code", "/first-password", who="nobody", act=use_a_wrong_code, themes=LIGHT),
    Place("help", "/help"),
    Place("help for nobody", "/help", who="nobody"),
]


def addresses(person: Person) -> dict[str, str]:
    """Make what these pages show, and say where each is."""
    User.objects.filter(pk=person.user.pk).update(is_superuser=True)
    name = person.username
    other, gone, needed = (factories.user(f"{name}-{kind}") for kind in ("other" + "r" * 60, "gone", "needed"))
    User.objects.filter(pk=gone.pk).update(is_active=False)
    place = factories.team(f"{LONG} of {name}", **{name: "admin", other.username: "reviewer", gone.username: "member"})
    theirs = factories.team(f"{name} alone", **{needed.username: "admin", other.username: "member", name: "member"})
    seat = Membership.objects.get(team=place, user=other).pk
    return {
        "team": f"/teams/{place.pk}",
        "team of another": f"/teams/{theirs.pk}",
        "team with a mistake": f"/teams/{place.pk}",
        "member": f"/members/{seat}",
        "person": f"/people/{other.pk}",
        "person without access": f"/people/{gone.pk}",
        "person to end": f"/people/{other.pk}/deactivate",
        "person who is needed": f"/people/{needed.pk}/deactivate",
    }
