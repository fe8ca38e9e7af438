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
