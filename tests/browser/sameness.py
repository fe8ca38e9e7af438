"""Whether two pages show the same, apart from what no two answers share."""

from __future__ import annotations

from difflib import ndiff

from playwright.sync_api import Page, expect

SHOWN = """() => {
  const main = document.querySelector("main").cloneNode(true);
  main.querySelectorAll("#notices, .htmx-indicator, time").forEach((one) => one.remove());
  const state = [...document.querySelectorAll("main :is(input, select, textarea):not([type=hidden])")];
  const clean = (one) => {
    one.classList.remove("htmx-request", "htmx-settling", "htmx-swapping", "htmx-added");
    if (one.className === "") one.removeAttribute("class");
    for (const name of ["data-focus", "data-focused", "tabindex", "data-copied-now"]) one.removeAttribute(name);
    if (one.name === "csrfmiddlewaretoken" || one.type !== "hidden") one.removeAttribute("value");
    for (const name of ["selected", "checked"]) one.removeAttribute(name); // what a field holds is compared by itself
  };
  [main, ...main.querySelectorAll("*")].forEach(clean);
  const held = state.map((one) => `${one.name}=${one.type === "checkbox" ? one.checked : one.value}`);
  const current = [...document.querySelectorAll("[aria-current]")].map((one) => `at ${one.textContent.trim()}`);
  return [document.title, ...held, ...current, ...main.outerHTML.replace(/\\s+/g, " ").split(/(?=<)/)];
}"""


def settled(page: Page) -> None:
    """Wait until nothing is under way, and what is fetched after the page is there."""
    page.wait_for_load_state()
    expect(page.locator('.htmx-request, .htmx-settling, .htmx-swapping, [hx-trigger="load"]')).to_have_count(0)


def differences(one: Page, other: Page) -> list[str]:
    """What stands on one of two pages only."""
    lines = ndiff(_shown(one), _shown(other))
    return [line for line in lines if line[0] in "+-"]


def _shown(page: Page) -> list[str]:
    settled(page)
    found: list[str] = page.evaluate(SHOWN)
    return found
