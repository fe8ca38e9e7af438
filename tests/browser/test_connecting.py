"""Somebody connects an agent: a token, what to paste, a try, and the first call; with scripts and without."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Error, Page, expect

from tests.browser.steps import Visit, go, heading, sign_in

pytestmark = pytest.mark.browser

ASKED = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "search_memory", "arguments": {"query": "print worker"}},
}


@pytest.fixture(params=[True, False], ids=["with-scripts", "without-scripts"])
def javascript(request: pytest.FixtureRequest) -> bool:
    """Whether scripts run in the browser."""
    return bool(request.param)


def connected(visit: Visit) -> dict[str, Any]:
    """What an agent is given to connect, from the menu to the page that shows the key."""
    sign_in(visit)
    go(visit.page, "Connect an agent")
    visit.page.get_by_label("Name").fill("helper on my laptop")
    visit.page.get_by_role("button", name="Make a token").click()
    expect(heading(visit.page)).to_have_text("Copy the token now")
    given: dict[str, Any] = json.loads(visit.page.locator("#way-http pre").inner_text())
    return given["mcpServers"]["memory"]


def call(page: Page, given: dict[str, Any]) -> str:
    """What the agent gets when it calls as it was told."""
    other = page.context.browser.new_context()  # type: ignore[union-attr]
    answer = other.request.post(given["url"], data=ASKED, headers=given["headers"])
    assert answer.status == 200, answer.text()
    said = answer.text()
    other.close()
    return said


def test_an_agent_is_connected_and_its_first_call_is_seen(visit: Visit) -> None:
    page, given = visit.page, connected(visit)
    expect(page.locator("#first-call")).to_contain_text("Waiting for the first call")
    assert "print worker" in call(page, given)
    if not visit.javascript:
        page.get_by_role("link", name="Look now").click()
    expect(page.locator("#first-call")).to_contain_text("The agent has called")
    if visit.javascript:
        expect(page.locator("#first-call")).not_to_have_attribute("hx-get", "")
        expect(heading(page)).to_have_text("Copy the token now")


def test_a_try_says_what_the_agent_may_see_and_is_no_call(visit: Visit) -> None:
    page, given = visit.page, connected(visit)
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_text("It works.", exact=True)).to_be_visible()
    expect(page.locator("#tried")).to_contain_text(f"acts for {visit.person.username} and may see")
    expect(heading(page)).to_have_text("Copy the token now" if visit.javascript else "Connect an agent")
    assert given["headers"]["Authorization"] in page.locator("#way-http pre").inner_text()
    page.get_by_role("link", name="first call").click()
    expect(page.locator("#first-call")).to_contain_text("Waiting for the first call")


def test_a_token_is_revoked_where_it_is_listed(visit: Visit) -> None:
    page, given = visit.page, connected(visit)
    go(page, "Tokens")
    row = page.locator("table.rows tbody tr", has_text="helper on my laptop")
    row.get_by_text("Revoke…").click()
    row.get_by_role("button", name="Revoke it").click()
    expect(page.get_by_text("is revoked. Nothing gets in with it any more.")).to_be_visible()
    expect(row.get_by_text("revoked")).to_be_visible()
    refused = page.context.browser.new_context().request.post(given["url"], data=ASKED, headers=given["headers"])  # type: ignore[union-attr]
    assert refused.status == 403 and "revoked" in refused.text()


def test_going_back_does_not_show_the_key_again(visit: Visit) -> None:
    page, given = visit.page, connected(visit)
    key = given["headers"]["Authorization"].removeprefix("Bearer ")
    go(page, "Tokens")
    with pytest.raises(Error, match="ERR_CACHE_MISS"):  # nothing is kept, and the form is not sent again by itself
        page.go_back()
    expect(page.get_by_text(key)).to_have_count(0)
