"""The address says what is shown: in another session, and after any way back and forth."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from memories.access import person
from memories.services import ledger, todos
from reflection.services.plan import plan
from tests.browser import sameness
from tests.browser.steps import Visit, heading, sign_in
from tests.browser.watch import watched_page
from tests.memories import factories

pytestmark = pytest.mark.browser

WALKS, STEPS = 20, 10
LINKS = ".facets a, .chips a, .pagination a, thead a, .rail a, .section-head a"
WALKED = re.compile(r"/(memories|todos|ledger|decisions|trash|timeline|search)(\?|$)")


@pytest.fixture
def javascript() -> bool:
    """Without scripts every page is loaded anyway."""
    return True


def shows(path: str, *labels_and_texts: tuple[str, str]) -> Callable[[Page], None]:
    """A list narrowed by its own form, which scripts send."""

    def go(page: Page) -> None:
        page.goto(path)
        for label, text in labels_and_texts:
            page.locator("main form[hx-get]").get_by_label(label).first.fill(text)
            page.locator("main form[hx-get] button").first.click()
            expect(page).to_have_url(re.compile(rf"\?.*{text.split()[-1]}"))

    return go


def follows(path: str, *names: str) -> Callable[[Page], None]:
    """Links followed from a page on."""

    def go(page: Page) -> None:
        page.goto(path)
        for name in names:
            page.locator("main").get_by_role("link", name=name).first.click()

    return go


def leaves_one_out(page: Page) -> None:
    """A pass narrowed to what decays, with one candidate left out."""
    page.goto("/passes")
    page.locator("main td.main a").first.click()
    page.locator("details.part summary").click()
    page.get_by_label("Action", exact=True).select_option("decay")
    page.get_by_label("Candidates").get_by_role("button", name="Show").click()
    page.get_by_role("button", name="Leave").click()
    expect(page).to_have_url(re.compile("action=decay.*out="))


STATES: dict[str, Callable[[Page], None]] = {
    "memories of a bucket": shows("/memories", ("Bucket", "work")),
    "memories of a path, by change": follows("/memories?path=projects%2F%25", "Created"),
    "second page of memories": follows("/memories?limit=4", "Next"),
    "memories of a facet": follows("/memories", "episodic", "projects"),
    "archived memories": follows("/memories", "Archived"),
    "search": shows("/search", ("Search for", "print worker")),
    "search within filters": shows("/search?query=queue&bucket=work", ("Search for", "print worker")),
    "completed todos": follows("/todos", "Completed"),
    "ledger of all months": follows("/ledger", "All months"),
    "audit of one action": follows("/audit?action=memory.create"),
    "ticked memories": follows("/memories?bucket=work&limit=4&selected=all"),
    "narrowed pass": leaves_one_out,
}


@pytest.fixture
def busy(visit: Visit) -> Visit:
    """Somebody who also has TODOs, entries and a plan, signed in."""
    actor = person(visit.person.user)
    todos.complete(todo_id=todos.add(content="Order labels", actor=actor).pk, note="", actor=actor)
    ledger.add(
        transaction_type="expense",
        item="Train",
        amount=Decimal(3),
        currency="EUR",
        occurred_on=date(2026, 5, 1),
        actor=actor,
    )
    factories.memory(visit.person.user, "The old hall.", status="archived", bucket="work")
    plan(given={}, actor=actor)
    sign_in(visit)
    return visit


def test_twelve_addresses_show_the_same_in_a_new_session(busy: Visit, chromium: Browser, console: str) -> None:
    assert len(STATES) == 12
    with watched_page(chromium, console) as (other, watch):
        sign_in(Visit(other, watch, busy.person, javascript=True))
        for name, reach in STATES.items():
            reach(busy.page)
            address = busy.page.url
            assert urlsplit(address).query, name
            other.goto(address)
            assert sameness.differences(busy.page, other) == [], name


def test_after_any_way_back_and_forth_the_page_is_what_its_address_says(busy: Visit) -> None:
    fresh = busy.page.context.new_page()
    for number in range(WALKS):
        dice = random.Random(number)
        busy.page.goto(dice.choice(("/memories?status=active", "/todos", "/ledger?every=on", "/search?query=worker")))
        trail = [_step(busy.page, dice) for _ in range(STEPS)]
        fresh.goto(busy.page.url)
        assert sameness.differences(busy.page, fresh) == [], print(
            number, trail, sameness.differences(busy.page, fresh)
        )


def _step(page: Page, dice: random.Random) -> str:
    """One step of a walk: a link, a filter that scripts send, back or forward."""
    kind = dice.choice(("link", "link", "filter", "back", "forward"))
    if kind == "back":
        page.go_back()
    elif kind == "forward":
        page.go_forward()
    elif kind == "filter" and page.locator("main form[hx-get]").count():
        _narrow(page, dice)
    else:
        links = page.locator(LINKS)
        wanted = [n for n in range(links.count()) if WALKED.search(links.nth(n).get_attribute("href") or "")]
        links.nth(dice.choice(wanted)).evaluate("(one) => one.click()")
    expect(heading(page)).to_be_visible()
    sameness.settled(page)
    return f"{kind} to {page.url}"


def _narrow(page: Page, dice: random.Random) -> None:
    """Another text in one field of the list's form, sent by scripts."""
    field = page.locator("main form[hx-get] :is(input[type=text], input[type=search])").first
    if not field.count():
        return
    field.evaluate("(one, text) => { one.value = text; one.form.requestSubmit(); }", dice.choice(("work", "a", "")))
