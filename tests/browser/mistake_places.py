"""Pages that say what was wrong or what is over, where `places` and its like show them only as they should be."""

from __future__ import annotations

import re

from django.utils import timezone
from playwright.sync_api import Page, expect

from memories.services.forget import forget
from memories.services.revise import revise
from reflection.services.run import reflect
from tests.browser.people import Person
from tests.browser.places import Place, open_everything
from tests.browser.records import LIGHT, sent
from tests.memories import factories


def sign_in_wrongly(page: Page) -> None:
    sent(button="Sign in", username="nobody", password="none")(page)


def go_on_signed_out(page: Page) -> None:
    """What was written is sent when the session is over; the page that comes asks for the password and keeps it."""
    page.locator("main [name=content]").fill("Tea at four, with Bea.")
    page.context.clear_cookies(name=re.compile("session"))
    page.get_by_role("button", name="Remember").click()
    expect(page.get_by_label("Username")).to_be_visible()


def save_an_older_version(page: Page) -> None:
    """As if somebody else had saved since the page was opened."""
    page.locator("main form.form [name=version]").evaluate("(one) => { one.value = '1'; }")
    page.locator("main [name=content]").fill("Mine.")
    page.get_by_role("button", name="Save changes").click()
    expect(page.get_by_role("button", name="Save mine over version")).to_be_visible()


ALL = [
    Place("sign in with a mistake", "/login", act=sign_in_wrongly, who="nobody"),
    Place("signed out while writing", "/memories/new", act=go_on_signed_out, later=401),
    Place("new memory with a mistake", "/memories/new", act=sent(button="Remember", content=""), later=422),
    Place("edit that crossed another", act=save_an_older_version, later=409),
    Place("new pass with a mistake", "/passes/new", act=sent(button="Preview", time_window_hours="0"), later=422),
    Place("new schedule with a mistake", "/schedules/new", act=sent(button="Save", at=""), later=422, themes=LIGHT),
    Place("import of nothing", "/import", act=sent(button="Look at it"), later=422, themes=LIGHT),
    Place("erase with a mistake", act=sent(button="for good", typed="zzzzzz", reason=""), later=422, lately=True),
    Place("search with a wrong filter", "/search?query=tea&limit=0", 422),
    Place("audit with a wrong filter", "/audit?since=soon", 422, themes=LIGHT),
    Place("trash with a wrong filter", "/trash?limit=0", 422, themes=LIGHT),
    Place("passes with a wrong filter", "/passes?status=gone", 422, themes=LIGHT),
    Place("pass applied without a person", act=open_everything),
    Place("inbox with all that waits", "/inbox"),
]


def addresses(person: Person) -> dict[str, str]:
    """Make what these pages show, and say where each is."""
    actor = factories.actor(person.user)
    told, gone = (factories.memory(person.user, f"Tea at {hour}.", memory_type="identity") for hour in ("four", "five"))
    revise(memory_id=told.pk, changes={"content": "Tea at half past four."}, actor=actor)
    forget(record_id=gone.pk, actor=actor)
    factories.memory(person.user, "The code of the gate is 4417.", path="gate", expires_at=timezone.now())
    alone = reflect(given={"actions_csv": "expire", "path_filter": "gate"}, actor=actor)
    return {
        "edit that crossed another": f"/memories/{told.pk}/edit",
        "erase with a mistake": f"/records/{gone.pk}/erase",
        "pass applied without a person": f"/passes/{alone.pk}",
    }
