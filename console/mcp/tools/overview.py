"""What there is, in numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from console.door import read
from console.mcp import outputs, wording
from console.mcp.parameters import choice, text, whole
from console.mcp.tool import Answer, Tool
from memories.access import Actor, may_use
from memories.api import ledger as money
from memories.api import stats
from memories.services import todos
from reflection import queries, report

PASSES = 5
ALL = "all"


def _memories(sent: dict[str, Any], actor: Actor) -> dict[str, Any]:
    asked: dict[str, Any] = {name: sent[name] for name in ("since", "until", "group_by", "top_n") if name in sent}
    return stats.stats_json(read(stats.Counted, asked, where="arguments"), actor)


def _todos(sent: dict[str, Any], actor: Actor) -> dict[str, Any]:
    opened = todos.listed(todos.Wanted(item_status="open"), actor=actor).count()
    return {"open": opened, "overdue": todos.listed(todos.Wanted(overdue=True), actor=actor).count()}


def _ledger(sent: dict[str, Any], actor: Actor) -> dict[str, Any] | None:
    """The sums of this month; nothing for a token that may not read money."""
    if not may_use(actor, "ledger:read"):
        return None
    return money.summary_json(read(money.Month, {}), actor)


def _passes(sent: dict[str, Any], actor: Actor) -> list[dict[str, Any]]:
    names = ("pass_id", "status", "actions", "counts", "planned_at", "url")
    rows = queries.passes_of(actor).order_by("-planned_at", "-pk")[:PASSES]
    return [{name: found[name] for name in names} for found in map(report.summary_json, rows)]


SECTIONS: dict[str, Callable[[dict[str, Any], Actor], Any]] = {
    "memories": _memories,
    "todos": _todos,
    "ledger": _ledger,
    "passes": _passes,
}


def _overview(sent: dict[str, Any], actor: Actor) -> Answer:
    wanted = sent.get("section", ALL)
    names = [name for name in SECTIONS if wanted in (ALL, name)]
    body = {"section": wanted, **{name: SECTIONS[name](sent, actor) for name in names}}
    told = {name.capitalize(): body[name] for name in names}
    return Answer(wording.lines("Overview", told), body)


TOOLS = (
    Tool(
        name="memory_overview",
        title="Overview",
        about=(
            "What there is, in numbers: memories by type, status and bucket or in groups, open TODOs, money of this "
            "month, the latest passes. It shows no texts; to find one use search_memory."
        ),
        takes={
            "section": choice("Which part.", [ALL, *SECTIONS], ALL),
            "since": text("Only memories from this moment on, ISO 8601."),
            "until": text("Only memories before this moment, ISO 8601."),
            "group_by": text("path, type, status, source, bucket, day or metadata:<key>; several with commas."),
            "top_n": whole("Largest groups to show.", least=1, most=stats.TOP_MOST, default=20),
        },
        gives=outputs.record(
            {"section": outputs.TEXT},
            memories=outputs.record({"total_count": outputs.WHOLE, "filtered_count": outputs.WHOLE}),
            todos=outputs.record({"open": outputs.WHOLE, "overdue": outputs.WHOLE}),
            ledger={"type": ["object", "null"]},
            passes=outputs.many(outputs.record({"pass_id": outputs.TEXT, "status": outputs.TEXT})),
        ),
        run=_overview,
    ),
)
