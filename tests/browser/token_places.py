"""The pages of tokens and of connecting an agent."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone
from playwright.sync_api import Page, expect

from memories.models import ApiToken
from memories.services import tokens
from tests.browser.people import Person
from tests.browser.places import Place, open_everything
from tests.browser.records import LIGHT, sent
from tests.memories import factories

LONG = "helper on the machine in the hallway" + "y" * 60


def make(page: Page) -> None:
    page.get_by_label("Name").fill(LONG)
    page.get_by_role("button", name="Make the token").click()
    expect(page.get_by_text("This is the only time it is shown.")).to_be_visible()
    page.get_by_role("button", name="Try it").click()
    expect(page.locator(".tried").get_by_text("It works.").first).to_be_visible()
    unfold(page)


def unfold(page: Page) -> None:
    """All ways at once, which exclude each other otherwise."""
    page.locator("main details").evaluate_all("(all) => all.forEach((one) => one.removeAttribute('name'))")
    open_everything(page)


def try_nonsense(page: Page) -> None:
    page.locator("main [name=key]").fill("mc_" + "x" * 43)
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_text("The agent would be turned away.")).to_be_visible()


ALL = [
    Place("tokens", "/tokens", act=open_everything),
    Place("tokens of a newcomer", "/tokens", who="fresh"),
    Place("tokens in a state of none", "/tokens?state=cut+off", themes=LIGHT),
    Place("tokens with a wrong filter", "/tokens?limit=0", 422, themes=LIGHT),
    Place("new token", "/tokens/new", act=open_everything),
    Place(
        "new token with mistakes",
        "/tokens/new",
        act=sent(button="Make the token", name="", until="2020-01-01"),
        later=422,
        lately=True,
    ),
    Place("token made", "/tokens/new", act=make, lately=True),
    Place("token", act=open_everything),
    Place("token that was used"),
    Place("token revoked", themes=LIGHT),
    Place("connect", "/connect", act=unfold),
    Place("connect with a bad token", "/connect", act=try_nonsense),
]


def addresses(person: Person) -> dict[str, str]:
    """Make what these pages show, and say where each is."""
    fresh = factories.token(person.user, buckets=["work", LONG], path_prefix="projects/" + LONG, agent_id=LONG)[0]
    used, ended, over = (factories.token(person.user)[0] for _ in range(3))
    past = timezone.now() - timedelta(days=9)
    ApiToken.objects.filter(pk=used.pk).update(last_used_at=timezone.now())
    ApiToken.objects.filter(pk=over.pk).update(created_at=past, expires_at=past + timedelta(days=1))
    tokens.revoke(token_id=ended.pk, actor=factories.actor(person.user))
    found = {"token": fresh, "token that was used": used, "token revoked": ended}
    return {name: f"/tokens/{one.pk}" for name, one in found.items()}
