"""In a real browser nothing of what was written runs: no dialog, no script, no other host, nothing the policy stops."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.test_pages import sign_in
from tests.browser.watch import watched_page
from tests.rights import injections
from tests.rights.inert import ABOUT, LISTS, filled, kind_of
from tests.rights.inert_world import World

pytestmark = pytest.mark.browser

TEXTS = injections.ALL[::4]


@pytest.fixture(scope="module")
def world(console: str) -> World:
    return World("trudy", TEXTS)


@pytest.fixture
def page(console: str, chromium: Browser, world: World) -> Iterator[Page]:
    """A page that nobody answers dialogs on; whatever else goes wrong is noted by the watch."""
    dialogs: list[str] = []
    with watched_page(chromium, console) as (page, _):
        page.on("dialog", lambda one: (dialogs.append(one.message), one.dismiss()))
        sign_in(page, world.who.username)
        yield page
    assert dialogs == []


def visit(page: Page, address: str) -> bool:
    """Open a page and move over it, where it is one; whether it is."""
    asked = page.request.get(address, max_redirects=0)
    if asked.status != 200 or not asked.text().lstrip().lower().startswith("<!doctype html"):
        return False
    page.goto(address)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("() => window.__x") is None, address
    assert page.locator("main#content").count() == page.locator("#status").count() == 1, address
    assert page.title().endswith("Memory Console"), address
    return True


def test_lists_and_overviews_stay_still(page: Page) -> None:
    assert sum(visit(page, address) for address in LISTS if not address.startswith("/logout")) > 25


def test_pages_of_records_stay_still(page: Page, world: World) -> None:
    opened = 0
    for path in ABOUT:
        keys = world.ids[kind_of(path)]
        opened += sum(visit(page, filled(world, path, key)) for key in keys[:: max(1, len(keys) // 4)])
    assert opened > 50
