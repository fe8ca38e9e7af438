"""Everything by the keyboard alone: no step of these tests uses a mouse."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import hands, steps
from tests.browser.journey import DUE
from tests.browser.steps import Visit
from tests.memories import factories

pytestmark = pytest.mark.browser

FOUND = "the new print worker reads the old queue name"


@pytest.fixture
def javascript() -> bool:
    """Without scripts the keys are those of the browser."""
    return True


def sign_in(visit: Visit) -> None:
    page = visit.page
    page.goto("/login")
    hands.tab_to(page.get_by_label("Username"))
    page.keyboard.type(visit.person.username)
    page.keyboard.press("Tab")
    page.keyboard.type(factories.PASSWORD)
    page.keyboard.press("Enter")
    expect(steps.heading(page)).to_have_text("Overview")


def test_a_memory_is_found_opened_edited_deleted_and_brought_back(visit: Visit) -> None:
    page = visit.page
    sign_in(visit)
    page.keyboard.press("/")
    page.keyboard.type("print worker")
    page.keyboard.press("Enter")
    expect(steps.hit(page, FOUND)).to_be_visible()
    page.keyboard.press("j")
    hands.standing_on(page, FOUND)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(str(visit.person.memories["turn1"].pk)))
    hands.command(page, "edit")
    hands.tab_to(page.get_by_label("What is remembered"))
    page.keyboard.press("Control+End")
    page.keyboard.type(" It was corrected.")
    hands.tab_to(page.get_by_role("button", name="Save changes"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.locator("main")).to_contain_text("It was corrected.")
    hands.command(page, "move to trash")
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Restored. It is active, as it was before.")).to_be_visible()


def test_a_pass_is_reviewed_approved_and_applied(visit: Visit) -> None:
    page = visit.page
    sign_in(visit)
    hands.go(page, "New pass")
    hands.tab_to(page.get_by_role("button", name="Preview the pass"))
    page.keyboard.press("Enter")
    expect(steps.heading(page)).to_have_text("Preview of a pass over your private memories")
    total = sum(steps.counts(page).values())
    _leave_out(page, DUE, total)
    _look_at_it(page)
    hands.command(page, f"apply {total - 1} changes")
    steps.wait_until_applied(page)
    expect(page.get_by_text(f"{total - 1} changes written.")).to_contain_text("1 left out")
    expect(steps.card(page, DUE)).to_contain_text("left out")


def _leave_out(page: Page, words: str, total: int) -> None:
    """Candidate by candidate until the one with these words."""
    for _ in range(total):
        page.keyboard.press("j")
        if words in page.locator("li.candidate:focus").inner_text():
            break
    page.keyboard.press("x")
    expect(steps.card(page, words).get_by_role("checkbox")).not_to_be_checked()
    expect(page.locator(".footbar")).to_contain_text(f"{total - 1} of {total} selected")


def _look_at_it(page: Page) -> None:
    """Its evidence, then a mark; the keys go on from there."""
    card = page.locator("li.candidate:focus")
    page.keyboard.press("e")
    assert card.locator("details").count() == card.locator("details[open]").count() > 0
    page.keyboard.press("v")
    marked = page.locator("li.candidate", has=page.locator("[data-status=viewed]"))
    expect(marked).to_contain_text(DUE)
    expect(marked.get_by_role("checkbox")).not_to_be_checked()
    page.keyboard.press("k")
    page.keyboard.press("j")
    hands.standing_on(page, DUE)
