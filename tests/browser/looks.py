"""Judgements about a page as it stands in the browser."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]
RUN_AXE = """async (rules) => {
  const found = await axe.run({ runOnly: rules, resultTypes: ["violations"] });
  return found.violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html} ${node.failureSummary}`));
}"""
FOCUS_AGAINST_THE_BAR = """() => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const bar = document.querySelector(".footbar-wrap");
  const edge = bar.getBoundingClientRect(), at = one.getBoundingClientRect();
  const under = !bar.contains(one) && !one.closest(".rail") && at.bottom > edge.top + 1 && at.top < edge.bottom;
  return { covered: under ? one.outerHTML.slice(0, 200) : "" };
}"""
STICK_OUT = """() => {
  const width = document.documentElement.clientWidth;
  if (document.scrollingElement.scrollWidth <= width) return [];
  return [...document.querySelectorAll("body, body *")]
    .filter((one) => one.getBoundingClientRect().left + Math.max(one.offsetWidth || 0, one.scrollWidth) > width + 1)
    .map((one) => one.outerHTML.slice(0, 200));
}"""
CUT_OFF = """() => {
  const width = document.documentElement.clientWidth;
  const seen = (one) => one.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true })
    && one.clientWidth > 1 && !one.closest(".hidden, .skip");
  const cut = (one) => one.scrollWidth > one.clientWidth + 1;
  const beyond = (box) => box.right > width + 1 || box.left < -1;
  return [...document.querySelectorAll("button, .button, summary, h1, h2, label, .tag, .chip, .status")].filter(seen)
    .filter((one) => cut(one) || beyond(one.getBoundingClientRect()))
    .map((one) => one.outerHTML.slice(0, 200));
}"""


def sticking_out(page: Page) -> list[str]:
    """The elements for which one would have to scroll sideways."""
    found: list[str] = page.evaluate(STICK_OUT)
    return found


def cut_off(page: Page) -> list[str]:
    """Buttons, titles and labels of which a part cannot be read."""
    found: list[str] = page.evaluate(CUT_OFF)
    return found


def height(page: Page) -> int:
    """The height of the whole page, in pixels: seen at this height, a bar that sticks to the window covers nothing."""
    whole: int = page.evaluate("Math.max(900, document.scrollingElement.scrollHeight)")
    return whole


def barriers(page: Page) -> list[str]:
    """What axe-core finds against WCAG 2.0 to 2.2, levels A and AA."""
    if not page.evaluate("Boolean(window.axe)"):
        page.evaluate(AXE)  # through the debugger, which the content security policy does not concern
    found: list[str] = page.evaluate(RUN_AXE, RULES)
    return found
