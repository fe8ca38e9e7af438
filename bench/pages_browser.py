"""What Chromium makes of pages: when they are there, how far they jump, how long an action waits for a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
from django.conf import settings
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import vitals
from tests.browser.watch import launch

OPENED, ACTS = 5, 30


def figures(place: str, cookie: str, pages: dict[str, str], reviewer: str, long_pass: str) -> dict[str, Any]:
    """All figures of the browser, printed and as plain values. The cookies are those of two sessions."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        page = _page(browser, place, cookie)
        found: dict[str, Any] = {name: _loading(page, name, address) for name, address in pages.items()}
        page = _page(browser, place, reviewer)
        found["pass"] = _loading(page, "pass", long_pass)
        found["inp"] = _answering(page, long_pass)
        browser.close()
    return found


def session_of(port: str) -> str:
    """The name of the cookie of a session with a console on this port."""
    return f"{settings.SESSION_COOKIE_NAME.rpartition('_')[0]}_{port}"


def _page(browser: Browser, place: str, cookie: str) -> Page:
    context = browser.new_context(base_url=place, viewport={"width": 1360, "height": 900})
    context.add_cookies([{"name": session_of(place.rpartition(":")[2]), "value": cookie, "url": place}])
    context.add_init_script(vitals.WATCH)
    return context.new_page()


def _loading(page: Page, name: str, address: str) -> dict[str, float]:
    seen = [vitals.loading(page, address) for _ in range(OPENED)]
    lcp, cls = float(np.median([one for one, _ in seen])), max(one for _, one in seen)
    print(f"  {name:10} LCP {lcp:5.0f} ms  CLS {cls:.3f}")
    return {"lcp": round(lcp), "cls": round(cls, 4)}


def _answering(page: Page, long_pass: str) -> dict[str, Any]:
    """What a reviewer does again and again on a long pass."""
    boxes = page.locator('input[name="include"]')
    acts: dict[str, Any] = {
        "include and exclude": lambda number: boxes.nth(number % 20).click(),
        "a whole group": lambda number: page.locator("[data-toggle-group]").first.click(),
        "next and previous": lambda number: page.keyboard.press("j" if number % 10 < 7 else "k"),
        "viewed": lambda number: page.locator("button[name=view]").first.click(),
    }
    found = {}
    for name, act in acts.items():
        page.goto(long_pass)
        if name == "a whole group" and not page.locator("[data-toggle-group]").count():
            continue
        took = vitals.answering(page, ACTS, act)
        found[name] = {"p50": float(np.median(took)), "slowest": max(took)}
        print(f"  {name:22} INP p50 {found[name]['p50']:4.0f} ms  slowest {found[name]['slowest']:4.0f} ms")
    return found
