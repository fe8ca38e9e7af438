"""What a person does on the pages, one step each; the same with and without scripts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

from tests.browser.people import Person
from tests.browser.watch import Watch
from tests.memories import factories

ACTIONS = ("summarize", "promote", "expire", "decay", "archive")


@dataclass(frozen=True, slots=True)
class Visit:
    """A page, who sits before it, and whether scripts run."""

    page: Page
    watch: Watch
    person: Person
    javascript: bool


def heading(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


def go(page: Page, name: str) -> None:
    """Follow a link of the navigation to the page with this heading."""
    page.get_by_role("navigation", name="Main").get_by_role("link", name=name).click()
    expect(heading(page)).to_have_text(name)


def sign_in(visit: Visit) -> None:
    page = visit.page
    page.goto("/login")
    page.get_by_label("Username").fill(visit.person.username)
    page.get_by_label("Password").fill(factories.PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(heading(page)).to_have_text("Overview")
    page.wait_for_load_state()  # the heading is there before the keys are listened to


def sign_out(page: Page) -> None:
    page.locator("details.account summary").click()
    page.get_by_role("button", name="Sign out").click()
    expect(heading(page)).to_have_text("Sign in")


# ---- Passes ----


def preview(page: Page) -> dict[str, int]:
    """Plan a pass with all five actions and return its five counts."""
    go(page, "Passes")
    page.get_by_role("link", name="New pass").first.click()
    expect(heading(page)).to_have_text("New pass")
    for action in ACTIONS:
        expect(page.get_by_role("checkbox", name=f"{action}: ")).to_be_checked()
    page.get_by_role("button", name="Preview the pass").click()
    expect(heading(page)).to_have_text("Preview of a pass over your private memories")
    return counts(page)


def counts(page: Page) -> dict[str, int]:
    """The numbers of the strip, by action."""
    strip = page.locator("dl.counts")
    return {action: int(strip.locator(f"[data-action={action}] dd").inner_text()) for action in ACTIONS}


def card(page: Page, words: str) -> Locator:
    """The candidate that shows these words as its text."""
    return page.locator("li.candidate", has=page.locator("p.text", has_text=words))


def leave_out(page: Page, words: str) -> None:
    card(page, words).get_by_role("checkbox").uncheck()


def apply_button(page: Page) -> Locator:
    return page.locator(".footbar").get_by_role("button", name=re.compile("^(Apply|Nothing)"))


def count_again(visit: Visit) -> None:
    """Scripts count at once; without them a button does."""
    if not visit.javascript:
        visit.page.get_by_role("button", name="Count again").click()


def approve(page: Page, comment: str) -> None:
    page.locator(".footbar summary", has_text="Comment").click()
    page.locator("#approve-comment").fill(comment)
    apply_button(page).click()


def wait_until_applied(page: Page) -> None:
    """The page gets there by itself: nothing is clicked."""
    expect(heading(page)).to_have_text("A pass over your private memories, applied")


def undo_pass(page: Page, changes: int, comment: str) -> None:
    page.locator("#undo summary").click()
    page.locator("#undo-comment").fill(comment)
    page.get_by_role("button", name=f"Undo {changes} change").click()
    expect(heading(page)).to_have_text("A pass over your private memories, undone")


# ---- Search ----


def search(page: Page, words: str) -> None:
    """Ask in the box that is on every page."""
    page.get_by_role("searchbox", name="Search memories").fill(words)
    page.get_by_role("searchbox", name="Search memories").press("Enter")
    expect(heading(page)).to_have_text("Search")
    expect(page.get_by_label("Search for")).to_have_value(words)


def hit(page: Page, words: str) -> Locator:
    return page.locator("#results li.candidate", has_text=words)


def finds(page: Page, query: str, words: str) -> None:
    search(page, query)
    expect(hit(page, words)).to_have_count(1)


def finds_nothing(page: Page, query: str) -> None:
    search(page, query)
    expect(page.get_by_role("heading", name="No strong match")).to_be_visible()
    expect(page.locator("#results li.candidate")).to_have_count(0)


# ---- Deleting ----


def row(page: Page, words: str) -> Locator:
    return page.locator("table.rows tbody tr", has_text=words)


def move_to_trash(page: Page, words: str) -> None:
    """From the list of memories."""
    go(page, "Memories")
    row(page, words).get_by_role("button", name="Move to trash").click()
    expect(page.get_by_text("Moved to trash")).to_be_visible()
    expect(row(page, words)).to_have_count(0)


def undo_move(visit: Visit, words: str) -> None:
    """Where the row was; Undo has the focus already when scripts run."""
    undo = visit.page.get_by_role("button", name="Undo")
    if visit.javascript:
        expect(undo).to_be_focused()
        visit.page.keyboard.press("Enter")
    else:
        undo.click()
    expect(row(visit.page, words)).to_have_count(1)


def restore(page: Page, words: str) -> None:
    go(page, "Trash")
    row(page, words).get_by_role("button", name="Restore").click()
    expect(page.get_by_text("Restored. It is active, as it was before.")).to_be_visible()
    expect(row(page, words)).to_have_count(0)


def ask_to_erase(visit: Visit, words: str) -> None:
    """From the trash to the page that asks; it offers to go back first."""
    page = visit.page
    go(page, "Trash")
    row(page, words).get_by_role("link", name="Delete for good").click()
    expect(heading(page)).to_have_text("Delete this memory for good?")
    expect(page.get_by_text("This cannot be undone.")).to_be_visible()
    if visit.javascript:
        expect(page.get_by_role("link", name="Cancel")).to_be_focused()


def erase_wrongly(visit: Visit, reason: str) -> None:
    """With other characters than those of the id: refused, and what was typed is still there."""
    page = visit.page
    visit.watch.refusals.append(422)
    _confirm(page, "zzzzzz", reason)
    expect(page.get_by_role("group", name="One thing needs another look")).to_be_visible()
    expect(page.get_by_label("Type the last 6 characters")).to_have_value("zzzzzz")
    expect(page.get_by_label("Why")).to_have_value(reason)


def erase(page: Page, record_id: str, reason: str) -> None:
    _confirm(page, record_id[-6:], reason)
    expect(heading(page)).to_have_text("Receipt of a deletion")
    expect(page.get_by_text(reason)).to_be_visible()


def _confirm(page: Page, typed: str, reason: str) -> None:
    page.get_by_label("Type the last 6 characters").fill(typed)
    page.get_by_label("Why").fill(reason)
    page.get_by_role("button", name="for good").click()


def verify_deletion(page: Page, words: str) -> list[str]:
    """Returns what each place answered."""
    page.get_by_label("Words of it to search for").fill(words)
    page.get_by_role("button", name="Verify deletion").click()
    expect(page.get_by_text("Nothing is left in this console.")).to_be_visible()
    return page.locator("table.rows tbody td.num").all_inner_texts()
