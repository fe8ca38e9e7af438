"""Tables of lists stay inside their frames, and what a row can do is hidden until the row is meant."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from memories.models import User
from memories.services import todos
from reflection.services.undo import roll_back
from tests.browser.sameness import settled
from tests.browser.steps import Visit, sign_in
from tests.memories import factories
from tests.reflection import life

pytestmark = pytest.mark.browser

WHOLE, WIDTHS = 1240, (760, 1000, 1240)  # from the first on, tables are seen whole; below it they may be scrolled
LISTS = ["/", "/memories", "/todos", "/trash", "/audit?limit=200", "/passes", "/inbox", "/tokens", "/access", "/people"]
WIDER = """(whole) => [...document.querySelectorAll(".panel > table")]
  .filter((one) => one.offsetWidth > one.parentElement.clientWidth + 1)
  .filter((one) => whole || getComputedStyle(one.parentElement).overflowX !== "auto")
  .map((one) => `${one.caption?.textContent}: ${one.offsetWidth} in ${one.parentElement.clientWidth}`)"""
ON_TOP = """(one) => { const at = one.getBoundingClientRect();
  return one.contains(document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2)); }"""
MOVING = """() => document.getAnimations().filter((one) => one.effect.target.closest(".row-actions")).length"""


@pytest.fixture
def javascript() -> bool:
    """Only looks are at stake."""
    return True


def wider(page: Page) -> dict[str, list[str]]:
    """The tables of all lists of which a part cannot be seen, or on a wide screen only by scrolling."""
    found = {}
    for address in LISTS:
        page.goto(address)
        settled(page)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            if cut := page.evaluate(WIDER, width >= WHOLE):
                found[f"{address} at {width}"] = cut
    return found


@pytest.mark.parametrize("language", ["en", "es", "ja"])
def test_all_of_a_table_can_be_seen(visit: Visit, language: str) -> None:
    who = visit.person.user
    actor = factories.actor(who)
    factories.token(who)
    todos.add(content="Order labels " * 20, actor=actor)
    undone = life.applied(life.plan_all(actor), actor)
    roll_back(pass_id=undone.pk, comment="Some of these are still needed for the audit.", actor=actor)
    life.plan_all(actor)
    sign_in(visit)
    User.objects.filter(pk=who.pk).update(language=language)
    assert wider(visit.page) == {}


def test_what_the_trash_can_do_is_seen_without_pointing_at_a_row(visit: Visit) -> None:
    one = factories.memory(visit.person.user, "The old door code", status="deleted")
    sign_in(visit)
    visit.page.goto("/trash")
    row = visit.page.locator("tbody tr", has_text=one.content)
    for width in WIDTHS:
        visit.page.set_viewport_size({"width": width, "height": 800})
        for name in ("Restore", "Delete for good…"):
            seen = row.get_by_text(name)
            assert seen.is_visible()
            assert seen.evaluate("(one) => one.checkVisibility({ opacityProperty: true })"), f"{name} at {width}"
            assert seen.evaluate(ON_TOP), f"{name} at {width}"


def test_nothing_of_a_row_fades_when_the_page_loads(visit: Visit) -> None:
    sign_in(visit)
    visit.page.goto("/memories")
    visit.page.locator("tbody tr").nth(1).hover()
    visit.page.locator("tbody tr").nth(1).locator(".row-actions > div").evaluate(
        "(one) => Promise.all(one.getAnimations().map((fade) => fade.finished))"
    )
    assert visit.page.evaluate(MOVING) == 0
    visit.page.mouse.move(5, 5)
    assert visit.page.evaluate(MOVING) == 0  # what leaves is gone at once
