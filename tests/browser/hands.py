"""What hands do on a keyboard, and what a person sees of where they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.steps import heading

STOPS_MOST = 400
WHERE = """() => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const around = [one, one.parentElement, one.closest("label, li, div, g, dialog")].filter(Boolean);
  const ring = around.some((part) => {
    const style = getComputedStyle(part);
    const box = [...part.children].some((child) => parseFloat(getComputedStyle(child).strokeWidth) >= 3);
    return (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2) || (one.closest("svg") && box);
  });
  const labels = [...(one.labels || [])];
  const boxes = [...one.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
  const seen = boxes.some((rect) => [0.5, 0.1, 0.9].some((x) => [0.5, 0.1, 0.9].some((y) => {
    const top = document.elementFromPoint(rect.left + rect.width * x, rect.top + rect.height * y);
    return top && (one.contains(top) || top.contains(one) || labels.some((label) => label.contains(top)));
  })));
  return { html: one.outerHTML.slice(0, 160), ring, seen };
}"""


def stops(page: Page) -> Iterator[dict[str, Any]]:
    """Every place that Tab leads to, one after the other, until the focus leaves the page."""
    for _ in range(STOPS_MOST):
        page.keyboard.press("Tab")
        found = page.evaluate(WHERE)
        if found is None:
            return
        yield found
    raise AssertionError("The focus never came to the end of the page.")


def tab_to(target: Locator) -> None:
    """Press Tab until `target` has the focus."""
    element = target.element_handle()
    for _ in range(STOPS_MOST):
        if target.page.evaluate("(one) => one === document.activeElement", element):
            return
        target.page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not lead to {target}.")


def palette(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Page, action or id")


def chosen(page: Page) -> Locator:
    """The choice of the palette that Enter takes."""
    return page.locator("#palette [aria-selected=true]")


def close(page: Page) -> None:
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def open_palette(page: Page) -> None:
    page.wait_for_load_state()  # before, nobody listens to keys
    page.keyboard.press("Control+K")
    expect(palette(page)).to_be_focused()


def command(page: Page, words: str) -> None:
    """Open the palette, type, and take the first choice."""
    open_palette(page)
    page.keyboard.type(words)
    page.keyboard.press("Enter")


def go(page: Page, name: str) -> None:
    """To the page with this name and heading."""
    command(page, name)
    expect(heading(page)).to_have_text(name)


def standing_on(page: Page, words: str) -> None:
    """The row or candidate with these words is the one that keys act upon."""
    current = page.locator("tr:focus-within, li.candidate:focus, li.candidate:focus-within")
    expect(current).to_contain_text(words)


def command_typed(page: Page, words: str) -> None:
    """The palette with these words in it."""
    open_palette(page)
    page.keyboard.type(words)
    expect(chosen(page)).to_have_count(1)
