"""Tab walks through whole pages: what has the focus is marked, and never hidden by a bar that stays in place."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from memories.access import person
from reflection.services.plan import plan
from tests.browser import hands
from tests.browser.steps import Visit, heading, sign_in

pytestmark = pytest.mark.browser

WINDOWS = [(1360, 640), (360, 640)]
PATHS = ("/", "/memories", "/memories/new", "/search?query=print+worker", "/passes/new", "/audit", "/settings", "/go")


@pytest.fixture
def javascript() -> bool:
    """What is in the way there is in the way without scripts too."""
    return True


@pytest.mark.parametrize(("width", "height"), WINDOWS)
def test_what_has_the_focus_is_marked_and_in_sight(visit: Visit, width: int, height: int) -> None:
    page = visit.page
    sign_in(visit)
    made = plan(given={}, actor=person(visit.person.user))
    record = visit.person.memories["turn1"].pk
    page.set_viewport_size({"width": width, "height": height})
    for path in (*PATHS, f"/memories/{record}", f"/passes/{made.pk}"):
        page.goto(path)
        expect(heading(page)).to_be_visible()
        found = list(hands.stops(page))
        assert len(found) > 8, path
        assert [one["html"] for one in found if not one["ring"]] == [], f"not marked on {path}"
        assert [one["html"] for one in found if not one["seen"]] == [], f"out of sight on {path}"


SAID = """() => {
  const status = document.querySelector("#status");
  window.said = [];
  new MutationObserver(() => window.said.push(status.textContent)).observe(status, { childList: true, subtree: true });
}"""


def test_how_many_a_list_has_after_a_swap_is_said_once_and_the_focus_is_kept(visit: Visit) -> None:
    page = visit.page
    sign_in(visit)
    page.goto("/memories?limit=5")
    page.evaluate(SAID)
    show = page.get_by_role("button", name="Show", exact=True)
    for path, said in (("meetings", "1–2 of 2 memories"), ("nowhere", "No memories")):
        page.get_by_label("Path").fill(path)
        show.click()
        expect(page.locator("#status")).to_have_text(said)
        expect(show).to_be_focused()
    assert page.evaluate("window.said") == ["1–2 of 2 memories", "No memories"]
