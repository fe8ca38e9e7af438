"""What is printed: the page itself, black on white, without what only a screen can do, and with nothing cut off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from playwright.sync_api import Browser, Page, expect

from memories.services.erase import erase
from memories.services.forget import forget
from tests.browser import looks, people
from tests.browser.people import Person
from tests.browser.test_pages import sign_in
from tests.browser.watch import watched_page
from tests.memories import factories
from tests.reflection import life

pytestmark = pytest.mark.browser

PAPER = {"width": 680, "height": 960}  # A4 between its margins
CUT = """() => [...document.querySelectorAll("main :is(td, th, pre, code, dd, li, p)")]
  .filter((one) => one.checkVisibility() && !one.closest(".hidden")
    && one.scrollWidth > one.clientWidth + 1
    && getComputedStyle(one).display !== "inline")
  .map((one) => one.outerHTML.slice(0, 200))"""
SCREEN_ONLY = (
    ".rail",
    ".top",
    "button",
    ".button",
    ".actions",
    ".footbar",
    "form.filters",
    ".skip",
    "input[type=checkbox]",
)
SQUEEZED = """() => [...document.querySelectorAll("main .rows :is(td, th)")]
  .filter((one) => one.checkVisibility() && !one.querySelector(":scope > .hidden"))
  .filter((one) => one.innerText.trim().length > 3 && one.getBoundingClientRect().width < 34)
  .map((one) => one.outerHTML.slice(0, 200))"""
WHOLE = """(all) => all.filter((one) => one.checkVisibility())
  .filter((one) => !getComputedStyle(one, "::after").content.includes(one.title)).map((one) => one.outerHTML)"""


@pytest.fixture(scope="module")
def printed(console: str, chromium: Browser) -> Iterator[dict[str, Any]]:
    """The addresses of what people print, and who sees it."""
    person = people.someone()
    with watched_page(chromium, console) as (page, _):
        sign_in(page, person.username)
        cookies = page.context.cookies()
    yield {"cookies": cookies, **_addresses(person)}


def _addresses(person: Person) -> dict[str, str]:
    actor, kept = factories.actor(person.user), person.memories
    open_ = life.plan_all(actor, actions_csv="archive,decay")
    chosen = life.plan_all(actor, actions_csv="summarize,promote,expire")
    applied = life.applied(chosen, actor)
    with transaction.atomic():
        gone = forget(record_id=kept["pinned"].pk, actor=actor).record
        last, version = str(gone.pk)[-6:], gone.state.version
        erase(record_id=gone.pk, typed=last, reason="Asked for.", seen_version=version, actor=actor)
    return {
        "plan": f"/passes/{open_.pk}",
        "result": f"/passes/{applied.pk}",
        "receipt": f"/erased/{gone.pk}",
        "audit": "/audit",
        "memory": f"/memories/{kept['turn1'].pk}",
        "memories": "/memories",
    }


@pytest.fixture
def paper(console: str, chromium: Browser, printed: dict[str, Any]) -> Iterator[Page]:
    """A page as a printer gets it, of somebody who reads dark on the screen."""
    with watched_page(chromium, console, viewport=PAPER, color_scheme="dark") as (page, _):
        dark = {"name": "theme", "value": "dark", "url": console}
        page.context.add_cookies([one for one in printed["cookies"] if one["name"] != "theme"] + [dark])
        page.emulate_media(media="print", color_scheme="dark")
        yield page


@pytest.mark.parametrize("name", ["plan", "result", "receipt", "audit", "memory", "memories"])
def test_a_printed_page_holds_its_content_and_nothing_that_only_a_screen_can_do(
    paper: Page, printed: dict[str, Any], name: str
) -> None:
    paper.goto(printed[name])
    for what in SCREEN_ONLY:
        assert [one for one in paper.locator(what).all() if one.is_visible()] == [], what
    expect(paper.get_by_role("heading", level=1)).to_be_visible()
    assert looks.sticking_out(paper) == [] and paper.evaluate(CUT) == [] and paper.evaluate(SQUEEZED) == []
    assert not paper.get_by_role("heading", name="Keep, move, empty").is_visible()
    assert paper.locator("main .id > [title]").evaluate_all(WHOLE) == []


@pytest.mark.parametrize("name", ["plan", "result", "receipt", "audit", "memory", "memories"])
def test_a_printed_page_is_black_on_white_whatever_the_screen_shows(
    paper: Page, printed: dict[str, Any], name: str
) -> None:
    paper.goto(printed[name])
    read = "(one) => [getComputedStyle(one).color, getComputedStyle(one).backgroundColor]"
    assert paper.locator("html").evaluate(read) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    assert paper.get_by_role("heading", level=1).evaluate(read)[0] == "rgb(0, 0, 0)"


def test_the_report_and_the_ids_of_its_audit_are_printed_whole(paper: Page, printed: dict[str, Any]) -> None:
    paper.goto(printed["result"])
    report = paper.get_by_label("Text of the report")
    expect(report).to_be_visible()
    expect(report).to_contain_text("### Memory Reflect Report")
    key = paper.locator("#report ~ section .ids code").first
    expect(key).to_be_visible()
    assert len(key.inner_text()) == 36


def test_tables_stay_tables_and_folded_evidence_is_printed(paper: Page, printed: dict[str, Any]) -> None:
    paper.goto(printed["audit"])
    table = paper.locator("main table").first
    assert table.evaluate("(one) => getComputedStyle(one).display") == "table"
    expect(table.locator("thead")).to_be_visible()
    paper.goto(printed["plan"])
    evidence = paper.locator("main .candidate details:not(.pop)").first
    assert evidence.evaluate("(one) => one.open") is False
    inside = evidence.locator(":scope > :not(summary)").first
    assert inside.evaluate("(one) => one.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true })")
