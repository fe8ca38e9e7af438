"""A list whose request fails: what was shown stays, the page says so, and the same can be asked again."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.steps import Visit, go, heading, sign_in
from tests.memories import factories

pytestmark = pytest.mark.browser

FRAGMENT = '<div class="band error" data-refused tabindex="-1"><p>It broke. <a href="/memories">Try again</a></p></div>'
ANSWERS = {
    "our own": (500, FRAGMENT),
    "of a proxy": (502, "<html><body><h1>502 Bad Gateway</h1></body></html>"),
    "a page": (503, "<!doctype html><html><body><p>Down for a moment.</p></body></html>"),
    "empty": (500, ""),
}


@pytest.fixture
def javascript() -> bool:
    """Without scripts there are whole pages only."""
    return True


def failing_once(page: Page, status: int, body: str) -> None:
    """The next request of htmx gets this answer, later ones reach the console."""
    failed: list[str] = []

    def answer(route: Route) -> None:
        if route.request.headers.get("hx-request") and not failed:
            failed.append(route.request.url)
            route.fulfill(status=status, body=body, content_type="text/html")
        else:
            route.continue_()

    page.route("**/memories?*", answer)


@pytest.mark.parametrize("kind", ANSWERS)
def test_a_list_that_fails_to_load_says_so_and_can_be_asked_for_again(visit: Visit, kind: str) -> None:
    status, body = ANSWERS[kind]
    page = visit.page
    sign_in(visit)
    go(page, "Memories")
    rows = page.locator("table.rows tbody tr")
    before = rows.count()
    assert before > 3
    failing_once(page, status, body)
    visit.watch.refusals.append(status)
    page.get_by_label("Path").fill("meetings")
    page.get_by_role("button", name="Show").click()
    again = page.locator("#notices").get_by_text("Try again")
    expect(again).to_be_visible()
    expect(rows).to_have_count(before)
    again.click()
    if kind == "our own":
        expect(rows).to_have_count(before)
    else:
        expect(rows).to_have_count(2)
    expect(page.locator("#notices").get_by_text("Try again")).to_have_count(0)
    own = [one for one in visit.watch.console_errors if one.startswith(f"Response Status Error Code {status}")]
    visit.watch.console_errors.remove(*own)  # htmx notes it too


def test_what_could_not_be_sent_says_so_and_is_sent_again(visit: Visit) -> None:
    page = visit.page
    sign_in(visit)
    go(page, "Memories")
    rows = page.locator("table.rows tbody tr")
    before = rows.count()
    page.route("**/forget", lambda route: route.abort(), times=1)
    page.get_by_role("button", name="Move to trash").first.click()
    notice = page.locator("#notices [data-refused]")
    expect(notice).to_contain_text("Not sent: the console could not be reached.")
    expect(notice).to_be_focused()
    expect(page.locator(".htmx-request")).to_have_count(0)
    expect(page.get_by_role("button", name="Move to trash").first).to_be_enabled()
    expect(rows).to_have_count(before)
    page.get_by_role("button", name="Send again").click()
    expect(page.get_by_role("button", name="Undo")).to_be_focused()
    expect(notice).to_have_count(0)
    own = [one for one in visit.watch.console_errors if "ERR_FAILED" in one or one.startswith("htmx:")]
    for one in own:
        visit.watch.console_errors.remove(one)


def end_session(visit: Visit) -> None:
    visit.page.context.clear_cookies(name=re.compile("session"))
    visit.watch.refusals.append(401)


def sign_in_on_the_spot(visit: Visit, place: Locator) -> None:
    """Where the refusal is shown; what was sent is then sent again by its own button."""
    place.get_by_label("Username").fill(visit.person.username)
    place.get_by_label("Password").fill(factories.PASSWORD)
    place.get_by_role("button", name="Sign in").click()
    expect(heading(visit.page)).to_have_text("Send again")
    visit.page.get_by_role("button", name="Send again").click()


def test_what_was_written_outlives_the_session(visit: Visit) -> None:
    page = visit.page
    sign_in(visit)
    page.goto("/memories/new")
    page.get_by_label("What is remembered").fill("Tea at four,\nwith “Bea” & <b>Bo</b>.")
    end_session(visit)
    page.get_by_role("button", name="Remember").click()
    sign_in_on_the_spot(visit, page.locator("main"))
    expect(page.locator("main")).to_contain_text("with “Bea” & <b>Bo</b>.")
    expect(page).to_have_url(re.compile("/memories/[0-9a-f-]{36}$"))


def test_a_row_moves_after_signing_in_where_it_stands(visit: Visit) -> None:
    page = visit.page
    sign_in(visit)
    page.goto("/memories?path=meetings")
    end_session(visit)
    page.get_by_role("button", name="Move to trash").first.click()
    notice = page.locator("#notices [data-refused]")
    expect(notice).to_be_focused()
    visit.watch.console_errors.remove(
        *[one for one in visit.watch.console_errors if one.startswith("Response Status Error Code 401")]
    )  # htmx notes it too
    sign_in_on_the_spot(visit, notice)
    expect(page).to_have_url(re.compile("path=meetings"))
    expect(page.get_by_text("Moved to trash").first).to_be_visible()
    expect(page.locator("table.rows tbody tr")).to_have_count(1)
