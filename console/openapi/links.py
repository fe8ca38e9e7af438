"""Which operations go on with what one answers: the id of what was made is that of what is looked at next."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

OF_MEMORY = (
    "GET memories/{record_id}",
    "GET memories/{record_id}/explain",
    "GET memories/{record_id}/versions",
    "GET memories/{record_id}/lineage",
    "GET memories/{record_id}/why",
    "GET memories/{record_id}/importance",
    "PATCH memories/{record_id}",
    "PUT memories/{record_id}/pin",
    "DELETE memories/{record_id}/pin",
    "POST memories/{record_id}/usage",
    "POST memories/{record_id}/forget",
)
FOLLOWING: dict[str, tuple[str, ...]] = {
    "POST remember": OF_MEMORY,
    "POST update_state": OF_MEMORY[:3],
    "POST timeline/events": OF_MEMORY[:3],
    "POST memories/{record_id}/forget": ("POST memories/{record_id}/restore", *OF_MEMORY[:3]),
    "POST memories/{record_id}/restore": OF_MEMORY[:3],
    "POST reminders": (
        "GET reminders/{record_id}",
        "PATCH reminders/{record_id}",
        "POST reminders/{record_id}/complete",
        "POST reminders/{record_id}/reopen",
    ),
    "POST me/ledger/transactions": (
        "GET me/ledger/transactions/{record_id}",
        "PATCH me/ledger/transactions/{record_id}",
    ),
    "POST decisions": ("GET decisions/{record_id}", "POST decisions/{record_id}/resolve"),
    "POST restart/snapshot": ("POST restart/restore",),
    "POST reflect": ("GET passes/{pass_id}", "GET passes/{pass_id}/candidates"),
}
IN_THE_BODY = {"POST restart/restore": "snapshot_id"}
ID = "$response.body#/id"


def name_of(method: str, path: str) -> str:
    """The operationId."""
    return "_".join([method.lower(), *re.findall(r"\w+", path.removeprefix("/v1"))])


def links(name: str, summaries: Mapping[str, str]) -> dict[str, Any]:
    """What may follow this operation, as OpenAPI tells it."""
    return {name_of(*one.split(" ")): _link(one, summaries[one]) for one in FOLLOWING.get(name, ())}


def _link(target: str, summary: str) -> dict[str, Any]:
    found: dict[str, Any] = {"operationId": name_of(*target.split(" ")), "description": f"{summary}."}
    if field := IN_THE_BODY.get(target):
        return found | {"requestBody": {field: ID}}
    return found | {"parameters": dict.fromkeys(re.findall(r"\{(\w+)\}", target), ID)}
