"""The audit of the caller's spaces, and of what passes wrote."""

from __future__ import annotations

from typing import Any

from console.mcp import outputs, wording
from console.mcp.parameters import choice, moment, pattern, whole
from console.mcp.tool import Answer, Tool
from memories.access import Actor
from memories.api.trail import events
from reflection.api import consolidated
from reflection.states import Action, Reversal

MOST = 500
NAMES = ("created_at", "action", "result", "target_id", "actor", "channel", "reason", "id")


def _page(sent: dict[str, Any]) -> dict[str, Any]:
    return {"limit": 50, "offset": 0, **sent}


def _events(sent: dict[str, Any], actor: Actor) -> Answer:
    sent["action"] = sent.pop("action_type", "%")
    found = events(_page(sent), actor)
    return Answer(_told("Audit lines, newest first", found), {"events": found})


def _consolidation(sent: dict[str, Any], actor: Actor) -> Answer:
    found = consolidated(_page(sent), actor)
    return Answer(_told("What passes wrote and took back, newest first", found), {"records": found})


def _told(heading: str, rows: list[dict[str, Any]]) -> str:
    return wording.listed(f"{heading}: {len(rows)}", [{name: row[name] for name in NAMES} for row in rows])


RANGE = {
    "since": moment("From this moment on."),
    "until": moment("Before this moment."),
    "limit": whole("Most lines.", least=1, most=MOST, default=50),
    "offset": whole("How many to pass over.", least=0, most=1_000_000, default=0),
}

TOOLS = (
    Tool(
        name="query_audit",
        title="Read the audit",
        about="Who did what to which record, when, why and through which channel. It never holds what records say.",
        takes={"action_type": pattern("Only actions like this, e.g. memory.forget."), **RANGE},
        gives=outputs.record({"events": outputs.many(outputs.record(outputs.LINE))}),
        run=_events,
        needs="audit",
    ),
    Tool(
        name="query_consolidation_audit",
        title="Read what passes did",
        about="What reflection passes wrote to memories and what was taken back, with the pass of each.",
        takes={
            "action_type": choice("Only this action; % for all.", ["%", *Action, *Reversal], "%"),
            **RANGE,
        },
        gives=outputs.record(
            {
                "records": outputs.many(
                    outputs.record({**outputs.LINE, "action_type": outputs.TEXT, "undone": outputs.FLAG})
                )
            }
        ),
        run=_consolidation,
        needs="audit",
    ),
)
