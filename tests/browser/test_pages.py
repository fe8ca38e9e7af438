"""Every page, light and dark, wide and narrow: nothing sticks out, nothing is refused by the policy, axe is content."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import list_places, looks, mistake_places, people, places, records, team_places, token_places
from tests.browser.places import Place
from tests.browser.sameness import settled
from tests.browser.watch import Watch, watched_page
from tests.memories import factories

pytestmark = pytest.mark.browser

WIDTHS = (1360, 360)
PLACES = (*places.ALL, *records.ALL, *token_places.ALL, *list_places.ALL, *team_places.ALL, *mistake_places.ALL)
SIGHTS = [(place, theme) for place in PLACES for theme in place.themes]


@pytest.fixture(scope="package")
def sights(console: str, chromium: Browser) -> Iterator[dict[str, Any]]:
    """The addresses of all pages, and cookies of a person who may see them."""
    person = people.someone()
    with watched_page(chromium, console) as (page, _):
        sign_in(page, person.username)
        full = page.context.cookies()
    newcomer = people.nobody_yet()
    with watched_page(chromium, console) as (page, _):
        sign_in(page, newcomer.username)
        fresh = page.context.cookies()
    modules = (places, records, token_places, list_places, team_places, mistake_places)
    found = {name: address for module in modules for name, address in module.addresses(person).items()}
    yield {"addresses": found, "full": full, "fresh": fresh, "nobody": [], "username": person.username}


def sign_in(page: Page, username: str) -> None:
    page.goto("/login")
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(factories.PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")


@pytest.fixture(params=["light", "dark"])
def theme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def view(console: str, chromium: Browser, theme: str) -> Iterator[tuple[Page, Watch]]:
    with watched_page(chromium, console, reduced_motion="reduce") as (page, watch):
        page.context.add_cookies([{"name": "theme", "value": theme, "url": console}])
        yield page, watch


@pytest.mark.parametrize(
    ("place", "theme"),
    SIGHTS,
    ids=[f"{place.name.replace(' ', '-')}-{theme}" for place, theme in SIGHTS],
    indirect=["theme"],
)
def test_a_page_is_fit_to_be_seen(view: tuple[Page, Watch], sights: dict[str, Any], theme: str, place: Place) -> None:
    page, watch = view
    if place.lately:
        sign_in(page, sights["username"])
    else:
        _be(page.context, sights[place.who])
    watch.refusals.extend(status for status in (place.status, place.later) if status not in (0, 200))
    address = sights["addresses"].get(place.name, place.address)
    answer = page.goto(address)
    assert answer and answer.status == place.status
    assert urlsplit(answer.url).path == urlsplit(address).path  # not what asks to sign in
    settled(page)
    place.act(page)
    expect(page.locator("html")).to_have_attribute("data-theme", theme)
    expect(page.locator("h1")).to_have_count(1)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert looks.sticking_out(page) == [], f"wider than {width} px"
        page.set_viewport_size({"width": width, "height": looks.height(page)})
        assert looks.barriers(page) == [], f"at {width} px"


def _be(context: BrowserContext, cookies: list[Any]) -> None:
    if cookies:
        context.add_cookies([one for one in cookies if one["name"] != "theme"])


@pytest.mark.parametrize("theme", ["light"], indirect=True)
def test_a_slash_leads_to_the_search_box(view: tuple[Page, Watch], sights: dict[str, Any]) -> None:
    page, _ = view
    _be(page.context, sights["full"])
    page.goto("/passes")
    box = page.get_by_role("searchbox", name="Search memories")
    page.keyboard.press("/")
    expect(box).to_be_focused()
    expect(box).to_have_value("")
    page.keyboard.type("and/or")
    expect(box).to_have_value("and/or")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("theme", ["light"], indirect=True)
def test_what_has_the_focus_is_never_under_the_bar_of_a_pass(
    view: tuple[Page, Watch], sights: dict[str, Any], width: int
) -> None:
    page, _ = view
    _be(page.context, sights["full"])
    page.set_viewport_size({"width": width, "height": 640})
    page.goto(sights["addresses"]["pass that drifted"])
    reached = 0
    for _ in range(400):
        page.keyboard.press("Tab")
        seen = page.evaluate(looks.FOCUS_AGAINST_THE_BAR)
        if seen is None:
            break
        assert seen["covered"] == "", f"after {reached} stops"
        reached += 1
    else:
        raise AssertionError("The focus never came to the end of the page.")
    assert reached > 10
