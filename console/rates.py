"""Which requests are counted, for whom, and how many of them are let through: see docs/configuration.md."""

from __future__ import annotations

from uuid import UUID, uuid5

from django.conf import settings
from django.http import HttpRequest
from django.urls import Resolver404, resolve

from console.refusal import is_api
from console.saying import phrase
from memories.access import NOBODY, Actor
from memories.services.rates import PERSON_TIMES, Limit, take

SAFE = {"GET", "HEAD", "OPTIONS"}
WORDS = {  # each in the span that the settings count it in
    "search": phrase("searches a minute"),
    "plan": phrase("plans an hour"),
    "write": phrase("changes a minute"),
    "code": phrase("attempts with a code a minute"),
    "export": phrase("downloads an hour"),
}
SEARCHES = {"api_search", "api_recall", "api_recall_context", "api_project_context", "api_skill", "search"}
SEARCHES |= {"api_verify_audit"}  # which reads every line of a space
PLANS = {"api_reflect", "api_revert", "api_dream_runs", "pass-new", "pass-revert"}
CODES = {"api_device_start", "device-login", "first-password"}
EXPORTS = {"memories-csv", "memories-jsonl", "todos-csv", "ledger-csv", "audit-csv", "export-everything", "api_csv"}
NOT_WRITES = {"api_export", "api_recall_context", "api_project_context", "api_device_start", "api_device_token"}
NOT_WRITES |= {"api_export_all"}
TOOLS = {"search_memory": "search", "recall": "search", "recall_context": "search", "reflect": "plan"}
TOOLS |= {"reflect_preview": "plan"}


def count(request: HttpRequest) -> None:
    """Count this request. Raises TooMany."""
    if not settings.RATE_LIMITS:
        return
    kinds = _kinds_of(request)
    if kinds:
        actor: Actor = request.actor  # type: ignore[attr-defined]
        address = uuid5(NOBODY, request.META.get("REMOTE_ADDR", ""))  # what the socket says; headers may say anything
        take(_limits(kinds, actor, address))


def count_tool(tool: str, actor: Actor, *, writes: bool) -> None:
    """Count one use of a tool of the bridge. Raises TooMany."""
    kind = TOOLS.get(tool.removeprefix("mcp."))
    if settings.RATE_LIMITS:
        take(_limits([*([kind] if kind else []), *(["write"] if writes else [])], actor, NOBODY))


def _kinds_of(request: HttpRequest) -> list[str]:
    try:
        name = resolve(request.path_info).url_name or ""
    except Resolver404:
        return []
    changes = request.method not in SAFE
    found = ["search"] if name in SEARCHES else []
    found += ["plan"] if name in PLANS and changes else []
    found += ["code"] if name in CODES else []
    found += ["export"] if name in EXPORTS else []
    writes = changes and is_api(request) and name not in NOT_WRITES
    return [*found, "write"] if writes else found


def _limits(kinds: list[str], actor: Actor, address: UUID) -> list[Limit]:
    found = []
    for kind in kinds:
        most, seconds = settings.RATES[kind]
        if most == 0:
            continue
        if actor.token_id is not None:
            found.append(Limit(kind, actor.token_id, most, seconds, WORDS[kind]))
        who = actor.user_id or address
        found.append(Limit(kind, who, most * PERSON_TIMES, seconds, WORDS[kind]))
    return found
