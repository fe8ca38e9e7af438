"""The bars that act on what is ticked: there only when something is; without scripts always, for nothing can count."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from memories.access import person
from reflection.services.apply import apply
from reflection.services.decide import settle
from reflection.services.plan import plan
from tests.browser.steps import Visit, sign_in

pytestmark = pytest.mark.browser


@pytest.fixture(params=[True, False], ids=["with-scripts", "without-scripts"])
def javascript(request: pytest.FixtureRequest) -> bool:
    """Whether scripts run in the browser."""
    return bool(request.param)


def seen_when_ticked(visit: Visit, button: str) -> None:
    """The bar of this page is hidden with scripts, there without, and there when something is ticked."""
    page = visit.page
    bar, box = page.locator(".footbar"), page.locator("main input[name=include]").first
    (expect(bar).to_be_hidden if visit.javascript else expect(bar).to_be_visible)()
    if visit.javascript:
        expect(page.locator(".footbar-wrap")).to_be_hidden()
    box.check()
    expect(bar.get_by_role("button", name=button).first).to_be_enabled()
    box.uncheck()
    (expect(bar).to_be_hidden if visit.javascript else expect(bar).to_be_visible)()


def test_the_bar_of_the_list_is_there_when_something_is_ticked(visit: Visit) -> None:
    sign_in(visit)
    visit.page.goto("/memories")
    seen_when_ticked(visit, "Move")


def test_the_bar_under_an_applied_pass_is_there_when_something_is_ticked(visit: Visit) -> None:
    actor = person(visit.person.user)
    made = plan(given={}, actor=actor)
    settle(made, digest=made.digest, exclude=(), comment="", by_policy=False, actor=actor)
    apply(pass_id=made.pk, actor=actor)
    sign_in(visit)
    visit.page.goto(f"/passes/{made.pk}")
    seen_when_ticked(visit, "Undo")


def test_what_floats_over_a_plan_is_closed_by_its_cancel(visit: Visit) -> None:
    made = plan(given={}, actor=person(visit.person.user))
    sign_in(visit)
    page = visit.page
    page.goto(f"/passes/{made.pk}")
    page.locator("summary", has_text="Discard…").click()
    cancel, discard = page.get_by_role("button", name="Cancel"), page.get_by_role("button", name="Discard this plan")
    expect(discard).to_be_visible()
    if visit.javascript:
        cancel.click()
        expect(discard).to_be_hidden()
        expect(page.locator("summary", has_text="Discard…")).to_be_focused()
    else:
        expect(cancel).to_be_hidden()


def test_the_button_of_a_long_form_is_in_sight(visit: Visit) -> None:
    sign_in(visit)
    page = visit.page
    page.set_viewport_size({"width": 1240, "height": 600})
    for address, name in ((f"/memories/{visit.person.memories['old'].pk}/edit", "Save"), ("/passes/new", "Preview")):
        page.goto(address)
        expect(page.get_by_role("button", name=name).first).to_be_in_viewport()
