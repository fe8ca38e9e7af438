"""How long a body may be, and what may keep the database busy for longer than others."""

from __future__ import annotations

from django.conf import settings

# Addresses, by name, and tools whose statements may take as long as those of the worker: files in and out, what is
# deleted for good, the proof of a chain, and passes.
IN_AND_OUT = {
    *("import", "api_import", "api_import_any", "api_export", "api_export_all", "api_csv", "export-everything"),
    *("memories-csv", "memories-jsonl", "todos-csv", "ledger-csv", "audit-csv"),
}
FOR_GOOD = {"erase", "erased-verify", "selected", "memory-redact", "api_forget", "api_forget_target", "api_skill"}
PROOF = {"audit", "api_verify_audit"}
PASSES = {
    *("pass-new", "pass-revert", "pass-approve", "pass-undo", "pass-undo-some", "pass-sign-off"),
    *("policy", "policy-preview", "api_policy_preview", "api_dream_runs", "api_dream_confirm"),
    *("api_reflect", "api_revert", "api_approve", "api_apply", "api_rollback"),
}
LONG = IN_AND_OUT | FOR_GOOD | PROOF | PASSES
LONG_TOOLS = {"mcp.forget", "mcp.redact_memory", "mcp.reflect", "mcp.reflect_preview"}


def body_limit(path: str) -> int:
    """In bytes, for a request to this address."""
    return int(settings.UPLOAD_LIMIT_BYTES if path in settings.UPLOAD_PATHS else settings.BODY_LIMIT_BYTES)
