"""The page of the API: drawn by a script that lies here, under the same policy as every other page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser import people
from tests.browser.watch import watched_page
from tests.memories import factories

pytestmark = pytest.mark.browser


def test_operations_are_drawn_and_nothing_comes_from_elsewhere(console: str, chromium: Browser) -> None:
    person = people.someone()
    with watched_page(chromium, console) as (page, _):
        page.goto("/login?next=/api-docs")
        page.get_by_label("Username").fill(person.username)
        page.get_by_label("Password").fill(factories.PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator(".opblock").first).to_be_visible()
        assert page.locator(".opblock").count() > 60
        page.get_by_text("Remember something").first.click()
        expect(page.locator(".opblock.is-open")).to_have_count(1)
