"""Addresses that clients of the contract know. What they send along in a query and is not known there is ignored.

Every other address of the API is this console's own and refuses it: a filter that is typed wrong never means all.
"""

from __future__ import annotations

from django.urls import ResolverMatch

TOLERANT = frozenset(
    {
        "health",
        "ready",
        "agent_discovery",
        "memory_os",
        "api_onboarding",
        "api_validate_token",
        "api_revoke_token",
        "api_device_start",
        "api_device_token",
        "api_remember",
        "api_search",
        "api_recall",
        "api_recall_context",
        "api_project_context",
        "api_memories",
        "api_memory",
        "api_explain",
        "api_forget",
        "api_restore",
        "api_stats",
        "api_export",
        "api_import",
        "api_update_state",
        "api_timeline",
        "api_timeline_events",
        "api_snapshots",
        "api_restart",
        "api_reminders",
        "api_complete_reminder",
        "api_decisions",
        "api_resolve_decision",
        "api_transactions",
        "api_monthly_summary",
        "api_audit_events",
        "api_consolidation",
        "api_dream_settings",
        "api_dream_runs",
        "api_dream_run",
        "api_dream_confirm",
        "api_skill",
    }
)


def tolerant(found: ResolverMatch | None) -> bool:
    """Whether this address ignores what it does not know in its query."""
    return found is not None and found.url_name in TOLERANT
