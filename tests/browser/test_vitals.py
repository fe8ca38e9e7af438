"""Pages are there soon, do not jump, and answer at once, also with 500 candidates. `make bench-pages` measures it."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from bench.reflection_scale_rows import fill_for_apply
from memories.access import person
from memories.models import User
from reflection.services.plan import plan
from tests.browser import people, vitals
from tests.browser.people import Person
from tests.browser.test_pages import sign_in
from tests.browser.watch import watched_page
from tests.memories import factories

pytestmark = pytest.mark.browser

PAGES = ["/", "/memories", "/search?query=print+worker", "/passes", "/trash", "/audit", "/todos", "/settings"]
JUMPS = 0.05
SOON_MS, AT_ONCE_MS = 1_000, 100
WIDTHS = (1360, 360)


@pytest.fixture(scope="module")
def somebody(console: str) -> Person:
    return people.someone()


@pytest.fixture(scope="module")
def reviewer(console: str) -> tuple[User, str]:
    """Somebody with a plan of 500 candidates, and its address."""
    who = factories.user("reviewer")
    fill_for_apply(who)
    made = plan(given={"time_window_hours": 48}, actor=person(who))
    assert sum(made.counts.values()) == 500
    return who, f"/passes/{made.pk}"


@pytest.fixture(params=WIDTHS)
def page(request: pytest.FixtureRequest, console: str, chromium: Browser) -> Iterator[Page]:
    with watched_page(chromium, console, viewport={"width": request.param, "height": 800}) as (page, _):
        page.context.add_init_script(vitals.WATCH)
        yield page


def test_nothing_jumps(page: Page, somebody: Person, reviewer: tuple[User, str]) -> None:
    sign_in(page, somebody.username)
    jumps = {address: vitals.loading(page, address)[1] for address in PAGES}
    page.context.clear_cookies()
    sign_in(page, reviewer[0].username)
    jumps["pass"] = vitals.loading(page, reviewer[1])[1]
    assert {address: far for address, far in jumps.items() if far > JUMPS} == {}


@pytest.mark.soak
def test_pages_are_there_soon(page: Page, somebody: Person) -> None:
    sign_in(page, somebody.username)
    for address in PAGES:
        assert statistics.median(vitals.loading(page, address)[0] for _ in range(5)) <= SOON_MS, address


@pytest.mark.soak
@pytest.mark.parametrize("act", ["include", "view", "j"])
def test_a_long_pass_answers_at_once(page: Page, reviewer: tuple[User, str], act: str) -> None:
    sign_in(page, reviewer[0].username)
    page.goto(reviewer[1])
    named = page.locator(f"[name={act}]")
    took = vitals.answering(page, 30, lambda n: page.keyboard.press(act) if act == "j" else named.nth(n % 20).click())
    assert statistics.median(took) <= AT_ONCE_MS
