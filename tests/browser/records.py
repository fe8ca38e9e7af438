"""The pages of records beside memories, and of what is done to many or to one for good; the rest is in `places`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from django.utils import timezone
from playwright.sync_api import Page, expect

from memories.services import bulk, decisions, ledger, snapshots, state, timeline, todos
from memories.services.forget import forget
from memories.services.protect import set_hold
from tests.browser.people import Person
from tests.browser.places import Place, open_everything
from tests.memories import factories

LONG = "Ask the carrier about the label" + "s" * 90


def sent(*, button: str, **typed: str) -> Callable[[Page], None]:
    """The form filled in like this and sent past the browser's own checks; the page comes back with what is wrong."""

    def act(page: Page) -> None:
        button_of_form = page.get_by_role("button", name=button)
        button_of_form.evaluate("(one) => { one.form.noValidate = true; }")
        for name, text in typed.items():
            page.locator(f"main [name={name}]").fill(text)
        button_of_form.click()
        expect(page.locator(".error-summary")).to_be_visible()

    return act


def tick(button: str) -> Callable[[Page], None]:
    """The first row of the list chosen, and the page that shows it again."""

    def act(page: Page) -> None:
        page.locator("main input[name=include]").first.check()
        page.locator(".footbar").get_by_role("button", name=button).click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("1 record")

    return act


def choose_wrong_number(page: Page) -> None:
    tick("for good")(page)
    for name, text in (("count", "9"), ("word", bulk.WORD), ("reason", "Asked for.")):
        page.locator(f"main [name={name}]").fill(text)
    page.get_by_role("button", name="Delete 1 record for good").click()


def erase_a_held_one(page: Page) -> None:
    tick("for good")(page)
    for name, text in (("count", "1"), ("word", bulk.WORD), ("reason", "Asked for.")):
        page.locator(f"main [name={name}]").fill(text)
    page.get_by_role("button", name="Delete 1 record for good").click()
    expect(page.get_by_text("under the legal hold “Case 7”")).to_be_visible()


def add_a_wrong_entry(page: Page) -> None:
    open_everything(page)
    sent(button="Add", amount="-1")(page)


def redact_without_a_reason(page: Page) -> None:
    sent(button="Redact", replacement_content="", reason="")(page)


LIGHT = ("light",)  # what only differs by parts that other places show in the dark

ALL = [
    Place("redact", lately=True),
    Place("redact refused", act=redact_without_a_reason, later=422, lately=True, themes=LIGHT),
    Place("selected", "/memories", act=tick("Move")),
    Place("selected with a wrong number", "/trash?kind=todo", act=choose_wrong_number, later=422, themes=LIGHT),
    Place("selected but held", "/trash?kind=todo", act=erase_a_held_one, lately=True),
    Place("todos", "/todos"),
    Place("todos of a newcomer", "/todos", who="fresh", themes=LIGHT),
    Place("todos without a match", "/todos?query=xylophone", themes=LIGHT),
    Place("todos with a wrong filter", "/todos?limit=0", 422, themes=LIGHT),
    Place("todo"),
    Place("todo held in the trash"),
    Place("ledger", "/ledger?every=on", act=open_everything),
    Place("ledger of a newcomer", "/ledger", who="fresh", themes=LIGHT),
    Place("ledger with a wrong filter", "/ledger?month=13", 422, themes=LIGHT),
    Place("ledger with a wrong entry", "/ledger", act=add_a_wrong_entry, later=422, themes=LIGHT),
    Place("ledger entry"),
    Place("timeline", "/timeline"),
    Place("timeline of a newcomer", "/timeline", who="fresh", themes=LIGHT),
    Place("timeline with a wrong filter", "/timeline?since=soon", 422, themes=LIGHT),
    Place("retention", "/trash/retention?days=1"),
    Place("retention with a wrong number", "/trash/retention?days=0", 422, themes=LIGHT),
    Place("decisions", "/decisions"),
    Place("decisions of a newcomer", "/decisions", who="fresh", themes=LIGHT),
    Place("decisions without a match", "/decisions?query=xylophone", themes=LIGHT),
    Place("decision"),
    Place("decision without an answer", act=sent(button="Decide", resolution=""), later=422, themes=LIGHT),
    Place("snapshots", "/snapshots"),
    Place("snapshots of a newcomer", "/snapshots", who="fresh", themes=LIGHT),
    Place("snapshots with a wrong filter", "/snapshots?limit=0", 422, themes=LIGHT),
    Place("snapshot"),
]


def addresses(person: Person) -> dict[str, str]:
    """Make what these pages show, and say where each is."""
    actor, now = factories.actor(person.user), timezone.now()
    late = todos.add(content=LONG, due_at=now - timedelta(days=2), actor=actor)
    todos.complete(todo_id=todos.add(content="Order labels", actor=actor).pk, note="Done by phone.", actor=actor)
    held = todos.add(content="Keep the letter of the carrier", due_at=now + timedelta(days=2), actor=actor)
    set_hold(record_id=held.pk, name="Case 7", actor=actor)
    forget(record_id=held.pk, actor=actor)
    days = {"currency": "EUR", "occurred_on": date(2026, 5, 1), "actor": actor}
    entry = ledger.add(transaction_type="expense", item="Train", amount=Decimal("1234.5"), category="travel", **days)
    ledger.add(transaction_type="income", item="Refund of a fair", amount=Decimal(40), **days)
    for hour in (9, 17):
        at = datetime(2026, 5, 1, hour, tzinfo=UTC)
        event = timeline.NewEvent(content=f"Deployed at {hour}.", event_type="deploy", session="night", occurred_at=at)
        timeline.record(event=event, actor=actor)
    state.update(current_task="Comparing invoices", next_action="Call the carrier", actor=actor)
    asked = decisions.ask(context="Which carrier takes the parcels?", options=["the old", "the new"], actor=actor)
    answered = decisions.ask(context="Who keeps the letter?", actor=actor)
    decisions.resolve(decision_id=answered.pk, resolution="Bea keeps it until the end of the case.", actor=actor)
    taken = snapshots.take(label="before the move", session="night", actor=actor)
    redacted = f"/memories/{person.memories['turn0'].pk}/redact"
    return {
        "redact": redacted,
        "redact refused": redacted,
        "todo": f"/todos/{late.pk}",
        "todo held in the trash": f"/todos/{held.pk}",
        "ledger entry": f"/ledger/{entry.pk}",
        "decision": f"/decisions/{asked.pk}",
        "decision without an answer": f"/decisions/{asked.pk}",
        "snapshot": f"/snapshots/{taken.pk}",
    }
