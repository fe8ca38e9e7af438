"""Operations of a skill on TODOs, money and working state."""

from __future__ import annotations

from typing import Any

from console.door import read
from console.errors import Invalid
from console.saying import phrase
from memories.access import Actor, check_may_use
from memories.api import kinds, ledger_months, reminders
from memories.api import ledger as money
from memories.api import state as slots
from memories.api.forgetting import Wanted, carry_out
from memories.api.skill_memories import record_of, typed
from memories.models import Todo
from memories.services import ledger, snapshots, state, todos

STANDS = {"done": "completed", "pending": "open", "all": "%"}  # what skills say of a TODO, and what is meant


def todo_add(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """A new TODO."""
    return reminders.reminder_json(todos.add(**kinds.written(read(reminders.New, given)), actor=actor))


def todo_list(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """TODOs, the open ones first. `status` is another name of item_status."""
    stands = given.get("item_status", given.get("status", "%"))
    sent = read(reminders.Listing, given | {"item_status": STANDS.get(str(stands), stands)})
    page, total = kinds.page_of(todos.listed(todos.Wanted(**kinds.filters_of(sent)), actor=actor), sent)
    return {"reminders": [_listed_json(todo) for todo in page], "total": total}


def _listed_json(todo: Todo) -> dict[str, Any]:
    """A TODO, whose status is that of the work: none in a list is in the trash."""
    return reminders.reminder_json(todo) | {"status": "open" if todo.completed_at is None else "done"}


def todo_done(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """A TODO that is done."""
    note = read(reminders.Note, given).get("note", "")
    return reminders.reminder_json(
        todos.complete(todo_id=record_of(given, "todo_id", "reminder_id", "memory_id", "id"), note=note, actor=actor)
    )


def expense_add(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """An expense of today, unless it says otherwise. `transaction_date` is another name of date."""
    if "transaction_date" in given:
        given = {"date": given["transaction_date"], **given}
    return money.entry_json(money.entered(given, actor))


def ledger_list(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """Entries of the ledger."""
    check_may_use(actor, "ledger:read")
    sent = read(money.Listing, given)
    page, total = kinds.page_of(ledger.listed(money.wanted_of(sent), actor=actor), sent)
    return {"transactions": [money.entry_json(entry) for entry in page], "total": total}


def ledger_summary(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """The sums of the latest months and of each of them; with `month` or `year` those of one month."""
    check_may_use(actor, "ledger:read")
    if "month" in given or "year" in given:
        return money.summary_json(read(money.Month, given), actor)
    return ledger_months.latest_json(read(ledger_months.Latest, given), actor)


def ledger_delete(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """An entry into the trash."""
    key = record_of(given, "entry_id", "transaction_id", "memory_id", "id")
    ledger.find(key, actor=actor)
    return carry_out(key, Wanted("soft", str(given.get("reason", "")), ""), None, actor)


def state_save(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """What the agent is doing now, and a snapshot of it to start again from."""
    sent = kinds.written(read(slots.Update, typed(_keyed(given))))
    if "session_id" in sent:
        sent["session"] = sent.pop("session_id")
    slot = state.update(**sent, actor=actor)
    place: dict[str, Any] = {"bucket": slot.bucket, "scope": slot.scope, "team_id": slot.team_id}
    label = str(given.get("label", ""))
    kept = snapshots.take(label=label, state_key=state.key_of(slot), session=slot.session, **place, actor=actor)
    return slots.state_json(slot) | {"snapshot_id": str(kept.pk)}


def state_restore(given: dict[str, Any], actor: Actor) -> dict[str, Any] | None:
    """What the slot of `state_key` holds now; None where there is none. Nothing is written."""
    if "snapshot_id" in given:
        raise Invalid.field(
            "snapshot_id",
            phrase("This reads what the slot holds now. To bring a snapshot back, use restart/restore."),
        )
    sent = kinds.written(read(slots.Slot, _keyed(given)))
    slot = state.current(**sent, actor=actor)
    return slots.state_json(slot) if slot else None


def _keyed(given: dict[str, Any]) -> dict[str, Any]:
    """`key` is another name of state_key."""
    return {"state_key": given["key"], **given} if "key" in given else given
