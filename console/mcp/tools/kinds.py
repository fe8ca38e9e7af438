"""TODOs and money: one tool each, with an action."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.utils import timezone

from console.door import read
from console.errors import Invalid, Problem
from console.mcp import outputs, wording
from console.mcp.parameters import Parameter, choice, given, moment, pattern, team, text, whole
from console.mcp.tool import Answer, Tool
from memories.access import Actor
from memories.api import kinds
from memories.api import ledger as money
from memories.api.reminders import reminder_json
from memories.models import Todo
from memories.services import fields, ledger, todos

LIST_MOST = 200
MONTHS_MOST = 24
PLACE = ("bucket", "scope", "team_id", "path")


def _needed(sent: Mapping[str, Any], *names: str) -> None:
    """Raises Invalid naming what this action cannot do without."""
    missing = [name for name in names if name not in sent]
    if missing:
        raise Invalid(*(Problem(("arguments", name), f"{name} is missing. Send it.") for name in missing))


def _some(sent: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: sent[name] for name in names if name in sent}


def _filter(sent: Mapping[str, Any]) -> dict[str, Any]:
    return {**_some(sent, "bucket", "scope"), "space_id": sent.get("team_id")}


def _todos(sent: dict[str, Any], actor: Actor) -> Answer:
    return TODO_VERBS[sent["action"]](sent, actor)


def _list_todos(sent: dict[str, Any], actor: Actor) -> Answer:
    wanted = todos.Wanted(**_filter(sent), item_status=sent.get("item_status", "open"))
    rows = todos.listed(wanted, actor=actor)
    page, total = kinds.page_of(rows, {"offset": 0, "limit": sent.get("limit", 20)})
    found = [reminder_json(todo) for todo in page]
    rows_told = [
        {name: one[name] for name in ("id", "item_status", "due_at", "overdue", "path", "content")} for one in found
    ]
    return Answer(
        wording.listed(f"TODOs: {len(found)} of {total}", rows_told), {"action": "list", "todos": found, "total": total}
    )


def _add_todo(sent: dict[str, Any], actor: Actor) -> Answer:
    _needed(sent, "content")
    return _one_todo("add", todos.add(**kinds.written(_some(sent, "content", "due_at", *PLACE)), actor=actor))


def _complete_todo(sent: dict[str, Any], actor: Actor) -> Answer:
    _needed(sent, "todo_id")
    key = fields.record_id(sent["todo_id"])
    return _one_todo("complete", todos.complete(todo_id=key, note=sent.get("note", ""), actor=actor))


def _reopen_todo(sent: dict[str, Any], actor: Actor) -> Answer:
    _needed(sent, "todo_id")
    return _one_todo("reopen", todos.reopen(todo_id=fields.record_id(sent["todo_id"]), actor=actor))


def _one_todo(action: str, todo: Todo) -> Answer:
    body = {"action": action, "todo": reminder_json(todo)}
    said = f"TODO {todo.item_status}.\nReference: {todo.pk}\nStatus: {todo.item_status}"
    return Answer(wording.lines(said, {"Due": todo.due_at, "Content": todo.content}), body)


Verb = Callable[[dict[str, Any], Actor], Answer]
TODO_VERBS: dict[str, Verb] = {
    "list": _list_todos,
    "add": _add_todo,
    "complete": _complete_todo,
    "reopen": _reopen_todo,
}


def _ledger(sent: dict[str, Any], actor: Actor) -> Answer:
    return LEDGER_VERBS[sent["action"]](sent, actor)


ENTRY = ("item", "amount", "currency", "category", "transaction_type", "date", "note", *PLACE)
RANGE = ("transaction_type", "currency", "category", "date_from", "date_to", "bucket", "scope", "team_id", "limit")


def _add_entry(sent: dict[str, Any], actor: Actor) -> Answer:
    _needed(sent, "item", "amount", "currency")
    entry = money.entered(_as_sent(_some(sent, *ENTRY)), actor)
    body = {"action": "add", "entry": money.entry_json(entry)}
    said = f"Entered.\nReference: {entry.pk}\nType: {entry.transaction_type}"
    amount = f"{money.money(entry.amount, entry.currency)} {entry.currency}"
    return Answer(wording.lines(said, {"Amount": amount, "Date": entry.occurred_on, "Item": entry.item}), body)


def _list_entries(sent: dict[str, Any], actor: Actor) -> Answer:
    asked = read(money.Listing, {"limit": 20, **_as_sent(_some(sent, *RANGE))}, where="arguments")
    page, total = kinds.page_of(ledger.listed(money.wanted_of(asked), actor=actor), asked)
    found = [money.entry_json(entry) for entry in page]
    names = ("id", "date", "transaction_type", "amount", "currency", "category", "item")
    told = [{name: one[name] for name in names} for one in found]
    body = {"action": "list", "transactions": found, "total": total}
    return Answer(wording.listed(f"Ledger entries: {len(found)} of {total}", told), body)


def _sum_up(sent: dict[str, Any], actor: Actor) -> Answer:
    """By month, the latest first; or over the days from date_from to date_to."""
    if "date_from" in sent or "date_to" in sent:
        asked = read(money.Listing, _as_sent(_some(sent, *RANGE)), where="arguments")
        found = [{"month": None, **money.sums_json(money.wanted_of(asked), actor)}]
    else:
        plain = _as_sent(_some(sent, "currency", "bucket", "scope", "team_id"))
        found = [
            money.summary_json(read(money.Month, {**plain, "month": month}, where="arguments"), actor)
            for month in _months(sent.get("months", 1))
        ]
    sums = [_sum_told(one["month"], row) for one in found for row in one["currencies"]]
    return Answer(wording.listed("Sums by month and currency", sums), {"action": "summary", "months": found})


def _sum_told(month: str | None, row: dict[str, Any]) -> dict[str, Any]:
    names = ("currency", "expense", "income", "refund", "transfer", "net", "count")
    return {**({"month": month} if month else {}), **{name: row[name] for name in names}}


def _months(count: int) -> list[str]:
    today = timezone.localdate()
    numbers = [today.year * 12 + today.month - 1 - back for back in range(count)]
    return [f"{number // 12:04}-{number % 12 + 1:02}" for number in numbers]


def _as_sent(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Ids as text again: the API's shapes read them."""
    return {name: str(value) if name == "team_id" else value for name, value in sent.items()}


LEDGER_VERBS: dict[str, Verb] = {"list": _list_entries, "summary": _sum_up, "add": _add_entry}

PLACES: dict[str, Parameter] = {
    "bucket": pattern("The drawer: for add one name, for list which ones."),
    "scope": text("Scope within the bucket, exactly."),
    "team_id": team(),
    "path": text("For add: where it belongs."),
}
ITEM = outputs.record({**outputs.IDS, "item_kind": outputs.TEXT, "status": outputs.TEXT, "version": outputs.WHOLE})

TOOLS = (
    Tool(
        name="todos",
        title="TODOs",
        about=(
            "TODOs with due dates: list, add, complete, reopen. Use it for what is to be done; for what is to be known "
            "use remember. complete and reopen need todo_id as list returned it. To delete one use forget."
        ),
        takes={
            "action": choice("What to do.", TODO_VERBS).needed(),
            "content": given("For add: what is to be done.", type="string"),
            "due_at": moment("For add: when it is due."),
            "todo_id": given("For complete and reopen: its id.", type="string"),
            "note": text("For complete: how it went."),
            "item_status": choice("For list.", todos.STATUSES, "open"),
            "limit": whole("For list: most TODOs.", least=1, most=LIST_MOST, default=20),
            **PLACES,
        },
        gives=outputs.record({"action": outputs.TEXT}, todos=outputs.many(ITEM), todo=ITEM, total=outputs.WHOLE),
        run=_todos,
        actions={
            "list": "memory:read",
            "add": "memory:write",
            "complete": "memory:read memory:write",
            "reopen": "memory:read memory:write",
        },
    ),
    Tool(
        name="ledger",
        title="Ledger",
        about=(
            "Money: list, summary, add. Amounts are greater than 0; the type says which way it went. Use it for "
            "expenses, income, refunds and transfers; for anything else use remember. To delete an entry use forget."
        ),
        takes={
            "action": choice("What to do.", LEDGER_VERBS).needed(),
            "item": given("For add: what for.", type="string"),
            "amount": given("For add: how much, best as text such as 12.50.", type=["string", "number"]),
            "currency": text("ISO 4217, such as EUR. For list and summary: only this one."),
            "category": text("Such as groceries."),
            "transaction_type": choice("For add (expense unless given) and list.", [*ledger.TYPES, "%"]),
            "date": text("For add: the day, today unless given, such as 2026-11-30."),
            "note": text("For add."),
            "date_from": text("For list and summary: the first day."),
            "date_to": text("For list and summary: the last day."),
            "months": whole("For summary without days: how many, back from now.", least=1, most=MONTHS_MOST, default=1),
            "limit": whole("For list: most entries.", least=1, most=LIST_MOST, default=20),
            **PLACES,
        },
        gives=outputs.record(
            {"action": outputs.TEXT},
            transactions=outputs.many(ITEM),
            entry=ITEM,
            total=outputs.WHOLE,
            months=outputs.many(
                outputs.record({"month": outputs.MAYBE_TEXT, "currencies": outputs.many(outputs.ANYTHING)})
            ),
        ),
        run=_ledger,
        actions={"list": "ledger:read", "summary": "ledger:read", "add": "ledger:write"},
    ),
)
