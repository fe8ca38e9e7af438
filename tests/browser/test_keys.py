"""The palette, the sheet of keys, and keys that must do nothing."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from memories.services import preferences
from tests.browser import hands, looks, steps
from tests.browser.steps import Visit, heading, sign_in
from tests.memories import factories

pytestmark = pytest.mark.browser

WIDTHS = (1360, 360)


@pytest.fixture
def javascript() -> bool:
    """Without scripts there are pages in place of both dialogs."""
    return True


def sheet(page: Page) -> None:
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("next candidate")


def _total(page: Page) -> int:
    """How many rows the list has."""
    return int(page.locator("#selection").get_attribute("data-total") or "0")


def test_the_palette_leads_to_pages_and_gives_the_focus_back(visit: Visit) -> None:
    page = visit.page
    sign_in(visit)
    page.goto("/memories")
    link = page.locator("td.main a").first
    link.focus()
    hands.open_palette(page)
    expect(page.get_by_role("option", name="Schedules", exact=True)).to_be_visible()
    hands.close(page)
    expect(link).to_be_focused()
    hands.open_palette(page)
    page.keyboard.type("sched")
    expect(hands.chosen(page)).to_contain_text("Schedules")
    page.keyboard.press("ArrowDown")
    expect(hands.chosen(page)).to_contain_text("New schedule")
    expect(hands.palette(page)).to_have_attribute("aria-activedescendant", "go-schedule-new")
    page.keyboard.press("Enter")
    expect(heading(page)).to_have_text("New schedule")


def test_without_a_word_enter_does_nothing(visit: Visit) -> None:
    page = visit.page
    sign_in(visit)
    hands.open_palette(page)
    expect(page.get_by_role("option", name="Trash", exact=True)).to_be_visible()
    page.keyboard.press("Enter")
    expect(hands.palette(page)).to_be_focused()
    expect(heading(page)).to_have_text("Overview")


def test_an_id_leads_to_its_page_and_an_unknown_one_is_said_to_be(visit: Visit) -> None:
    page, one = visit.page, visit.person.memories["old"]
    sign_in(visit)
    hands.open_palette(page)
    page.keyboard.insert_text(str(uuid4()))
    expect(page.get_by_role("listbox")).to_contain_text("Nothing here has this id, or it is not yours to see.")
    expect(page.get_by_role("dialog").get_by_role("status")).to_contain_text("Nothing here has this id")
    expect(hands.chosen(page)).to_have_count(0)
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(f"mem_{one.pk}")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"{one.pk}$"))


def test_words_that_name_no_page_are_searched_for(visit: Visit) -> None:
    page = visit.page
    sign_in(visit)
    hands.command(page, "print worker")
    expect(heading(page)).to_have_text("Search")
    expect(page.get_by_label("Search for")).to_have_value("print worker")


def test_what_is_ticked_is_acted_upon_and_only_where_something_is(visit: Visit) -> None:
    page = visit.page
    sign_in(visit)
    page.goto("/memories")
    hands.open_palette(page)
    page.keyboard.type("move")
    expect(page.get_by_role("option", name="memories to trash")).to_have_count(0)
    hands.close(page)
    for key in ("j", "x", "j", "j", "x"):
        page.keyboard.press(key)
    expect(page.locator(".footbar")).to_contain_text(f"2 of {_total(page)} selected")
    hands.open_palette(page)
    expect(page.locator("#palette [role=option]").nth(1)).to_have_text("Move 2 memories to trash…")
    page.keyboard.type("move 2")
    page.keyboard.press("Enter")
    expect(heading(page)).to_have_text("Move 2 records to the trash?")


def test_the_theme_is_chosen_and_the_door_closed_by_name(visit: Visit) -> None:
    page = visit.page
    sign_in(visit)
    hands.command(page, "theme: dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    hands.command(page, "sign out")
    expect(heading(page)).to_have_text("Sign in")


def test_letters_lead_to_pages(visit: Visit) -> None:
    page = visit.page
    sign_in(visit)
    for keys, name in (("gp", "Passes"), ("gm", "Memories"), ("go", "Overview")):
        page.keyboard.type(keys)
        expect(heading(page)).to_have_text(name)
        page.wait_for_load_state("networkidle")  # counts come after the list


def test_the_sheet_opens_and_closes(visit: Visit) -> None:
    page = visit.page
    sign_in(visit)
    sheet(page)
    page.keyboard.press("j")
    hands.close(page)
    expect(heading(page)).to_have_text("Overview")


def test_a_key_that_comes_as_the_palette_closes_is_no_text_in_it(visit: Visit) -> None:
    """The focus leaves a field that is not shown any more with the next picture only."""
    page = visit.page
    sign_in(visit)
    hands.open_palette(page)
    page.evaluate(
        """() => {
            const field = document.activeElement;
            field.closest("dialog").close();
            field.dispatchEvent(new KeyboardEvent("keydown", { key: "?", bubbles: true }));
        }"""
    )
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("next candidate")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_dialogs_are_fit_to_be_seen(visit: Visit, console: str, theme: str) -> None:
    page = visit.page
    sign_in(visit)
    page.context.add_cookies([{"name": "theme", "value": theme, "url": console}])
    page.goto("/memories")
    for opened in (lambda: hands.command_typed(page, "pass"), lambda: sheet(page), lambda: hands.open_palette(page)):
        opened()
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            assert looks.sticking_out(page) == [], f"wider than {width} px"
            assert looks.barriers(page) == [], f"at {width} px"
        hands.close(page)


def nothing_opens(page: Page) -> None:
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_single_keys_are_text_in_fields(visit: Visit) -> None:
    page = visit.page
    sign_in(visit)
    page.goto("/memories/new")
    for field in (page.get_by_label("What is remembered"), page.get_by_label("Path")):
        field.focus()
        page.keyboard.type("g m ? / jkxove")
        expect(field).to_have_value("g m ? / jkxove")
    page.get_by_label("Type").focus()
    page.keyboard.type("?")
    page.locator("main").evaluate("(one) => { one.contentEditable = 'true'; one.focus(); }")
    page.keyboard.type("?")
    nothing_opens(page)
    expect(heading(page)).to_contain_text("New memory")


def test_keys_with_a_modifier_are_the_browsers(visit: Visit) -> None:
    page = visit.page
    sign_in(visit)
    page.goto("/memories")
    for key in ("Control+j", "Alt+x", "Control+Shift+?", "Alt+/"):
        page.keyboard.press(key)
    nothing_opens(page)
    expect(page.locator("main input:checked")).to_have_count(0)
    expect(page.locator("#search-box")).not_to_be_focused()


def test_switched_off_single_keys_do_nothing_and_the_palette_still_opens(visit: Visit) -> None:
    page = visit.page
    actor = factories.actor(visit.person.user)
    preferences.choose(language="", time_zone="UTC", single_keys=False, actor=actor)
    sign_in(visit)
    page.goto("/memories")
    page.keyboard.type("?jx/gp")
    nothing_opens(page)
    expect(page.locator("main input:checked")).to_have_count(0)
    expect(page.locator("body")).to_be_focused()
    hands.go(page, "Trash")


def test_no_key_acts_while_a_word_is_being_composed(visit: Visit) -> None:
    """As an input method for Japanese does: the keys come with number 229, the word grows in the field."""
    page = visit.page
    sign_in(visit)
    for how in ('{ key: "?", isComposing: true, bubbles: true }', '{ key: "?", keyCode: 229, bubbles: true }'):
        page.evaluate(f'() => document.body.dispatchEvent(new KeyboardEvent("keydown", {how}))')
    nothing_opens(page)
    hands.open_palette(page)
    method = page.context.new_cdp_session(page)
    method.send("Input.imeSetComposition", {"text": "trash", "selectionStart": 5, "selectionEnd": 5})
    expect(hands.chosen(page)).to_contain_text("Trash")
    for key in ("Enter", "ArrowDown"):
        pressed = {"type": "rawKeyDown", "key": key, "code": key, "windowsVirtualKeyCode": 229}
        method.send("Input.dispatchKeyEvent", pressed)
    expect(heading(page)).to_have_text("Overview")
    expect(hands.chosen(page)).to_contain_text("Trash")
    method.send("Input.insertText", {"text": "trash"})
    page.keyboard.press("Enter")
    expect(heading(page)).to_have_text("Trash")


def test_the_palette_says_when_the_console_cannot_be_reached(visit: Visit) -> None:
    page = visit.page
    sign_in(visit)
    page.route("**/go", lambda route: route.abort())
    hands.open_palette(page)
    expect(page.get_by_role("listbox")).to_contain_text("The console could not be reached.")
    page.unroute("**/go")
    page.keyboard.press("Enter")
    expect(page.get_by_role("option", name="Trash", exact=True)).to_be_visible()
    for one in [one for one in visit.watch.console_errors if "ERR_FAILED" in one]:
        visit.watch.console_errors.remove(one)


def test_a_range_is_ticked_with_shift_in_a_list_and_in_a_review(visit: Visit) -> None:
    page = visit.page
    sign_in(visit)
    page.goto("/memories")
    boxes = page.locator("main input[name=include]")
    boxes.nth(1).click()
    boxes.nth(4).click(modifiers=["Shift"])
    expect(page.locator("main input[name=include]:checked")).to_have_count(4)
    expect(page.locator(".footbar")).to_contain_text(f"4 of {_total(page)} selected")
    expect(page.locator("#status")).to_have_text(f"4 of {_total(page)} selected")
    total = sum(steps.preview(page).values())
    boxes = page.locator("li.candidate input[name=include]")
    boxes.nth(0).click()
    boxes.nth(2).click(modifiers=["Shift"])
    expect(page.locator(".footbar")).to_contain_text(f"{total - 3} of {total} selected")


def test_all_that_match_are_ticked_by_a_link_of_their_own(visit: Visit) -> None:
    page = visit.page
    sign_in(visit)
    page.goto("/memories?limit=4")
    page.get_by_role("textbox", name="Bucket").fill("work")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(re.compile("bucket=work"))
    page.locator("main input[name=include]").first.check()
    page.locator(".footbar").get_by_role("link", name="Select all").click()
    bar = page.locator(".footbar")
    total = _total(page)
    expect(bar).to_contain_text(f"{total} of {total} selected")
    page.locator("main input[name=include]").first.uncheck()
    expect(bar).to_contain_text(f"{total - 1} of {total} selected")
    bar.get_by_role("button", name="Move").click()
    expect(heading(page)).to_have_text(f"Move {total - 1} records to the trash?")
