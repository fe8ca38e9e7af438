"""Every page at 320 px in a language whose words are two fifths longer: nothing sticks out, no button is cut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import (
    lengthened,
    list_places,
    looks,
    mistake_places,
    people,
    places,
    records,
    team_places,
    token_places,
)
from tests.browser.places import Place
from tests.browser.running import WEB, running_console
from tests.browser.test_pages import PLACES
from tests.browser.watch import watched_page
from tests.memories import factories

pytestmark = pytest.mark.browser

WIDTH = 320
MODULES = (places, records, token_places, list_places, team_places, mistake_places)


@pytest.fixture(scope="module")
def console(database: None, database_environment: dict[str, str], tmp_path_factory: Any) -> Iterator[str]:
    """The address of a console that speaks like this."""
    folder = tmp_path_factory.mktemp("texts")
    lengthened.write_texts(folder)
    settings = {"DJANGO_SETTINGS_MODULE": lengthened.__name__, "LENGTHENED_TEXTS": str(folder)}
    with running_console(database_environment | settings, [WEB]) as url:
        yield url


@pytest.fixture(scope="module")
def sights(console: str, chromium: Browser) -> dict[str, Any]:
    """The addresses of all pages, and cookies of who may see them."""
    person, newcomer = people.someone(), people.nobody_yet()
    found: dict[str, Any] = {"nobody": []}
    for who, name in ((person, "full"), (newcomer, "fresh")):
        with watched_page(chromium, console) as (page, _):
            sign_in(page, who.username)
            found[name] = page.context.cookies()
    known = {name: address for module in MODULES for name, address in module.addresses(person).items()}
    return found | {"addresses": known, "username": person.username}


def sign_in(page: Page, username: str) -> None:
    page.goto("/login")
    page.locator("[name=username]").fill(username)
    page.locator("[name=password]").fill(factories.PASSWORD)
    page.locator("[name=password]").press("Enter")
    page.wait_for_url("/")


@pytest.mark.parametrize("place", PLACES, ids=[place.name.replace(" ", "-") for place in PLACES])
def test_longer_words_fit_into_a_narrow_page(
    console: str, chromium: Browser, sights: dict[str, Any], place: Place
) -> None:
    with watched_page(chromium, console, viewport={"width": WIDTH, "height": 800}) as (page, watch):
        page.context.add_cookies([{"name": "language", "value": lengthened.LANGUAGE, "url": console}])
        if place.lately:
            sign_in(page, sights["username"])
        else:
            page.context.add_cookies([one for one in sights[place.who] if one["name"] != "language"])
        watch.refusals.extend(status for status in (place.status, place.later) if status not in (0, 200))
        address = sights["addresses"].get(place.name, place.address)
        answer = page.goto(address)
        assert answer and answer.status == place.status
        assert urlsplit(answer.url).path == urlsplit(address).path
        expect(page.locator("html")).to_have_attribute("lang", lengthened.LANGUAGE)
        expect(page.locator("body")).to_contain_text("]")
        place.act(page)
        found = looks.sticking_out(page)[-3:] + looks.cut_off(page)  # the innermost that stick out
        assert not found, "\n".join(found)


def test_a_message_keeps_its_values_and_gets_longer() -> None:
    assert lengthened.lengthened("Preview") == "[PreviewPré]"
    assert lengthened.lengthened("%(n)s of %(all)s rows") == "[%(n)s of %(all)s rows óf]"
    assert lengthened.lengthened("–") == "–"
