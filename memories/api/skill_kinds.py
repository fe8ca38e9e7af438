"""Operations of a skill on TODOs, money and working state."""

from __future__ import annotations

from typing import Any

from console.door import read
from console.errors import Conflict
from console.saying import phrase
from memories.access import Actor, check_may_use
from memories.api import kinds, reminders
from memories.api import ledger as money
from memories.api import snapshots as taken
from memories.api import state as slots
from memories.api.forgetting import Wanted, carry_out
from memories.api.skill_memories import record_of, typed
from memories.services import ledger, snapshots, state, todos

RESTORE = ("bucket", "scope", "team_id")


def todo_add(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """A new TODO."""
    return reminders.reminder_json(todos.add(**kinds.written(read(reminders.New, given)), actor=actor))


def todo_list(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """TODOs, the open ones first."""
    sent = read(reminders.Listing, given)
    page, total = kinds.page_of(todos.listed(todos.Wanted(**kinds.filters_of(sent)), actor=actor), sent)
    return {"reminders": [reminders.reminder_json(todo) for todo in page], "total": total}


def todo_done(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """A TODO that is done."""
    note = read(reminders.Note, given).get("note", "")
    return reminders.reminder_json(
        todos.complete(todo_id=record_of(given, "todo_id", "reminder_id", "memory_id", "id"), note=note, actor=actor)
    )


def expense_add(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """An expense of today, unless it says otherwise."""
    return money.entry_json(money.entered(given, actor))


def ledger_list(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """Entries of the ledger."""
    check_may_use(actor, "ledger:read")
    sent = read(money.Listing, given)
    page, total = kinds.page_of(ledger.listed(money.wanted_of(sent), actor=actor), sent)
    return {"transactions": [money.entry_json(entry) for entry in page], "total": total}


def ledger_summary(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """The sums of a month."""
    check_may_use(actor, "ledger:read")
    return money.summary_json(read(money.Month, given), actor)


def ledger_delete(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """An entry into the trash."""
    key = record_of(given, "entry_id", "transaction_id", "memory_id", "id")
    ledger.find(key, actor=actor)
    return carry_out(key, Wanted("soft", str(given.get("reason", "")), ""), None, actor)


def state_save(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """What the agent is doing now, and a snapshot of it to start again from."""
    sent = kinds.written(read(slots.Update, typed(given)))
    if "session_id" in sent:
        sent["session"] = sent.pop("session_id")
    slot = state.update(**sent, actor=actor)
    place: dict[str, Any] = {"bucket": slot.bucket, "scope": slot.scope, "team_id": slot.team_id}
    label = str(given.get("label", ""))
    kept = snapshots.take(label=label, state_key=state.key_of(slot), session=slot.session, **place, actor=actor)
    return slots.state_json(slot) | {"snapshot_id": str(kept.pk)}


def state_restore(given: dict[str, Any], actor: Actor) -> dict[str, Any]:
    """The state of a snapshot again: of the one named, or the latest one in this place."""
    check_may_use(actor, "memory:read")
    check_may_use(actor, "memory:write")
    if "snapshot_id" in given:
        key = record_of(given, "snapshot_id")
    else:
        named = {name: value for name, value in given.items() if name in RESTORE}
        wanted = snapshots.kinds.Filter(**kinds.filters_of(read(kinds.Narrowed, named)))
        latest = snapshots.listed(wanted, actor=actor).first()
        if latest is None:
            raise Conflict(phrase("There is no snapshot to start again from. Save a state first."))
        key = latest.pk
    return taken.restarted_json(snapshots.restart(snapshot_id=key, actor=actor), restored=True)
