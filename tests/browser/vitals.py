"""How soon a page is there, how far it jumps, and how long an action on it waits for the next picture."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from tests.browser.sameness import settled

# Put into a page before it loads. Event Timing tells no duration below 16 ms: such an action counts as 16.
WATCH = """
window.seen = { lcp: 0, cls: 0, actions: [] };
new PerformanceObserver((list) => list.getEntries().forEach((one) => { seen.lcp = one.startTime; }))
  .observe({ type: "largest-contentful-paint", buffered: true });
new PerformanceObserver((list) => list.getEntries().forEach((one) => {
  if (!one.hadRecentInput) seen.cls += one.value;
})).observe({ type: "layout-shift", buffered: true });
new PerformanceObserver((list) => list.getEntries().forEach((one) => {
  if (one.interactionId) seen.actions.push([one.interactionId, one.duration]);
})).observe({ type: "event", buffered: true, durationThreshold: 16 });
"""
# Two pictures after the last action, all that is to be told about it has been told.
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))"


def loading(page: Page, address: str) -> tuple[float, float]:
    """Open a page; when its largest part was there, in milliseconds, and how far things jumped."""
    page.goto(address, wait_until="load")
    settled(page)
    page.evaluate(SETTLED)
    seen = page.evaluate("() => seen")
    return float(seen["lcp"]), float(seen["cls"])


def answering(page: Page, acts: int, act: Any) -> list[float]:
    """Act so many times, the number of the time in hand; the milliseconds until the picture after each."""
    page.evaluate("() => { seen.actions = []; }")
    for number in range(acts):
        act(number)
        page.evaluate(SETTLED)
    slowest: dict[int, float] = {}
    for key, took in page.evaluate("() => seen.actions"):
        slowest[key] = max(slowest.get(key, 0.0), float(took))
    return [*slowest.values()] + [16.0] * (acts - len(slowest))
