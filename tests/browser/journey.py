"""The stages of the journey. Each starts at the sign-in page; two files of tests walk them with and without scripts."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser import steps
from tests.browser.people import JAPANESE, PORTUGUESE
from tests.browser.steps import Visit
from tests.reflection import life

OLD = "The printer on floor two was moved."
SPENT = "A lunch order for nine people."
DUE = "The guest code is 4417."


def a_pass_from_preview_to_undo(visit: Visit) -> None:
    page = visit.page
    before = life.snapshot()
    steps.sign_in(visit)
    planned = steps.preview(page)
    _each_count_is_a_group_with_as_many_candidates(visit, planned)
    total = sum(planned.values())
    steps.leave_out(page, DUE)
    steps.leave_out(page, SPENT)
    steps.count_again(visit)
    expect(steps.apply_button(page)).to_have_text(f"Apply {total - 2} changes")
    expect(page.locator(".footbar")).to_contain_text(f"{total - 2} of {total} selected")
    assert life.changed(before, life.snapshot()) == {}, "a preview writes nothing"
    steps.approve(page, "Looks right, the code stays.")
    steps.wait_until_applied(page)
    _what_was_written_is_shown(visit, planned, total - 2)
    steps.undo_pass(page, total - 2, "Too early.")
    expect(page.get_by_text(f"{total - 2} changes undone.")).to_be_visible()
    assert life.changed(before, life.snapshot()) == {}, "undo brings everything back"


def _each_count_is_a_group_with_as_many_candidates(visit: Visit, planned: dict[str, int]) -> None:
    assert set(planned) == set(steps.ACTIONS)
    for action, number in planned.items():
        assert number, f"nothing to {action}"
        expect(visit.page.locator(f"#group-{action} li.candidate")).to_have_count(number)


def _what_was_written_is_shown(visit: Visit, planned: dict[str, int], written: int) -> None:
    page = visit.page
    assert sum(steps.counts(page).values()) == written
    expect(page.get_by_text(f"{written} changes written.")).to_contain_text("2 left out")
    expect(page.get_by_text("Looks right, the code stays.")).to_be_visible()
    for words in (DUE, SPENT):
        expect(steps.card(page, words)).to_contain_text("left out")
    report = page.get_by_label("Text of the report")
    expect(report).to_contain_text("### Memory Reflect Report")
    expect(report).to_contain_text(f"promoted: {planned['promote']}", ignore_case=True)
    ids = page.get_by_role("region", name="Audit").locator("ul.ids code").all_inner_texts()
    assert len(set(ids)) == len(ids) == written
    assert all(re.fullmatch(r"[0-9a-f-]{36}", key) for key in ids)


def a_record_edited_after_the_preview_is_skipped_and_named(visit: Visit) -> None:
    page, record = visit.page, visit.person.memories["old"]
    steps.sign_in(visit)
    total = sum(steps.preview(page).values())
    other = page.context.new_page()
    other.goto(f"/memories/{record.pk}/edit")
    other.get_by_label("What is remembered").fill("The printer on floor two was moved to the hall.")
    other.get_by_role("button", name="Save changes").click()
    expect(other.get_by_text("Saved.")).to_be_visible()
    other.close()
    page.reload()
    band = page.locator("#drift")
    expect(band).to_contain_text(re.compile(r"1 of \d+ records changed since this was planned"))
    band.get_by_text("See what changed").click()
    expect(band.get_by_role("link", name=re.compile(f"^mem_.*{str(record.pk)[-4:]}"))).to_be_visible()
    expect(page.locator("li.candidate.drifted")).to_contain_text("It will be skipped")
    expect(steps.apply_button(page)).to_have_text(f"Apply {total - 1} changes")
    steps.approve(page, "The rest is fine.")
    steps.wait_until_applied(page)
    expect(page.get_by_text(f"{total - 1} changes written.")).to_contain_text("1 skipped")
    expect(page.locator("li.candidate[data-outcome=drifted]")).to_contain_text("skipped: drifted")
    expect(page.locator("li.candidate[data-outcome=applied]")).to_have_count(total - 1)


def search_explains_its_hits_and_says_when_there_are_none(visit: Visit) -> None:
    page = visit.page
    steps.sign_in(visit)
    steps.finds(page, "print worker", "the new print worker reads the old queue name")
    first = steps.hit(page, "the new print worker reads the old queue name")
    assert "print" in " ".join(first.locator("mark").all_inner_texts())
    expect(first.locator(".why")).to_contain_text(
        re.compile(r"Score [\d.]+ .*matched in .*content.*because it is yours")
    )
    steps.finds(page, "会議", JAPANESE)
    steps.finds(page, "reuniao fornecedor", PORTUGUESE)
    steps.finds_nothing(page, "xylophone zeppelin quasar")


def a_memory_is_deleted_brought_back_and_deleted_for_good(visit: Visit) -> None:
    page, record = visit.page, visit.person.memories["pinned"]
    words = record.content
    steps.sign_in(visit)
    steps.move_to_trash(page, words)
    steps.undo_move(visit, words)
    steps.move_to_trash(page, words)
    steps.finds_nothing(page, "founding date")
    steps.restore(page, words)
    steps.finds(page, "founding date", words)
    steps.move_to_trash(page, words)
    steps.ask_to_erase(visit, words)
    steps.erase_wrongly(visit, "Asked for by the founder.")
    steps.erase(page, str(record.pk), "Asked for by the founder.")
    assert set(steps.verify_deletion(page, "founding date")) == {"0, absent"}
    _the_audit_names_it_without_its_words(visit)
    steps.finds_nothing(page, "founding date")


def _the_audit_names_it_without_its_words(visit: Visit) -> None:
    page, record = visit.page, visit.person.memories["pinned"]
    steps.go(page, "Audit")
    line = page.locator("table.rows tbody tr", has_text="memory.erase")
    expect(line).to_contain_text("Asked for by the founder.")
    expect(line.get_by_role("link", name="Receipt")).to_have_attribute("href", f"/erased/{record.pk}")
    expect(page.locator("body")).not_to_contain_text("founding date")


def dark_stays_and_signing_out_closes_the_door(visit: Visit) -> None:
    page = visit.page
    steps.sign_in(visit)
    page.locator("details.account summary").click()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    steps.go(page, "Memories")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    steps.sign_out(page)
    page.goto("/memories")
    expect(steps.heading(page)).to_have_text("Sign in")
    expect(page).to_have_url(re.compile(r"/login\?next=%2Fmemories$"))
