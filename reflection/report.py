"""The report of a pass, as JSON for the API and as text for people and MCP."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from memories.models import AuditRecord
from reflection import report_text
from reflection.models import Basis, Candidate, ReflectPass
from reflection.queries import basis_of, candidates_of
from reflection.services.run import awaits_approval
from reflection.states import CHANGES, Action, Outcome, PassKind, Reversal, Status

COUNT_NAMES = {
    Action.SUMMARIZE: "summarized",
    Action.PROMOTE: "promoted",
    Action.EXPIRE: "expired",
    Action.DECAY: "decayed",
    Action.ARCHIVE: "archived",
}

REVERSAL_NAMES = {Reversal.REVERT: "reverted", Reversal.TRASH: "trashed"}


def state_of(reflect_pass: ReflectPass) -> Status:
    """The status; a plan past its time is expired, also before the sweep came by."""
    status = Status(reflect_pass.status)
    over = status == Status.PLANNED and reflect_pass.expires_at <= timezone.now()
    return Status.EXPIRED if over else status


def status_of(reflect_pass: ReflectPass) -> str:
    """The status as the contract names it: a plan that needs a person is `awaiting_approval`."""
    state = state_of(reflect_pass)
    return "awaiting_approval" if state == Status.PLANNED and awaits_approval(reflect_pass) else state.value


def counts_of(reflect_pass: ReflectPass) -> dict[str, int]:
    """What was written, or for a plan what would be; named as the contract names the counts."""
    counts = reflect_pass.applied_counts or reflect_pass.counts
    return {name: counts.get(action.value, 0) for action, name in COUNT_NAMES.items()}


def names_of(reflect_pass: ReflectPass) -> dict[Action | Reversal, str]:
    """What a pass of this kind does, and how the count of each is called."""
    if reflect_pass.kind == PassKind.REVERT:
        return dict(REVERSAL_NAMES.items())
    return dict(COUNT_NAMES.items())


def tally_of(reflect_pass: ReflectPass) -> dict[str, int]:
    """`counts_of`; of a revert what it takes back instead, which the contract's five do not name."""
    counts = reflect_pass.applied_counts or reflect_pass.counts
    return {name: counts.get(action.value, 0) for action, name in names_of(reflect_pass).items()}


def to_come(reflect_pass: ReflectPass) -> dict[str, int]:
    """`tally_of` without what was left out: what is about to be written."""
    left = reflect_pass.candidates.filter(outcome=Outcome.EXCLUDED).values_list("action", flat=True)
    out, names = Counter(left), {name: action.value for action, name in names_of(reflect_pass).items()}
    return {name: count - out[names[name]] for name, count in tally_of(reflect_pass).items()}


def audit_ids(reflect_pass: ReflectPass) -> list[UUID]:
    """The audit lines of what the pass wrote, in order."""
    rows = AuditRecord.objects.filter(
        space_id=reflect_pass.space_id, pass_id=reflect_pass.pk, action__startswith="reflect."
    )
    return list(rows.exclude(action__startswith="reflect.undo_").order_by("seq").values_list("pk", flat=True))


def address(reflect_pass: ReflectPass) -> str:
    """Where a person reviews it."""
    return f"{settings.CONSOLE_URL}/passes/{reflect_pass.pk}"


def candidate_address(pass_id: UUID, candidate_id: UUID | str) -> str:
    """Where one candidate stands on the page of its pass."""
    return f"{settings.CONSOLE_URL}/passes/{pass_id}/candidates/{candidate_id}"


def candidate_json(candidate: Candidate, basis: Sequence[Basis]) -> dict[str, Any]:
    """One candidate with its evidence."""
    return {
        "id": str(candidate.pk),
        "action": candidate.action,
        "memory_id": str(candidate.result_id or candidate.target_id or "") or None,
        "before": candidate.before,
        "after": candidate.after,
        "why": candidate.why,
        "outcome": candidate.outcome,
        "outcome_text": candidate.outcome_text,
        "audit_record_id": str(candidate.audit_id) if candidate.audit_id else None,
        "url": candidate_address(candidate.reflect_pass_id, candidate.pk),
        "evidence": [
            {"memory_id": str(line.memory_id), "version": line.version, "changes": line.changes, "quote": line.quote}
            for line in basis
        ],
    }


def as_json(reflect_pass: ReflectPass) -> dict[str, Any]:
    """The whole report, as the contract has it, with the pass beside it."""
    candidates = candidates_of(reflect_pass)
    basis = basis_of(candidates)
    by_action: dict[str, list[dict[str, Any]]] = {name.value: [] for names in CHANGES.values() for name in names}
    for one in candidates:
        by_action[one.action].append(candidate_json(one, basis[one.pk]))
    return {
        **summary_json(reflect_pass),
        "summaries": by_action[Action.SUMMARIZE],
        "promotions": by_action[Action.PROMOTE],
        "lifecycle": {
            "expired": by_action[Action.EXPIRE],
            "decayed": by_action[Action.DECAY],
            "archived": by_action[Action.ARCHIVE],
        },
        **_reversals(reflect_pass, by_action),
        "audit_record_ids": [str(key) for key in audit_ids(reflect_pass)],
        "skipped": [*reflect_pass.skipped, *_drifted_json(candidates)],
        "near_misses": reflect_pass.near_misses,
    }


def _reversals(reflect_pass: ReflectPass, by_action: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Only for a pass that takes a token's writes back: what it does, and how many of each."""
    if reflect_pass.kind != PassKind.REVERT:
        return {}
    return {name: by_action[kind] for kind, name in REVERSAL_NAMES.items()}


def _drifted_json(candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
    return [
        {
            "action": one.action,
            "gate": "drifted",
            "text": one.outcome_text,
            "candidate": str(one.pk),
            "memory_ids": [str(one.target_id)] if one.target_id else [],
        }
        for one in candidates
        if one.outcome == Outcome.DRIFTED
    ]


def summary_json(reflect_pass: ReflectPass) -> dict[str, Any]:
    """A pass without its candidates, for lists."""
    return {
        "id": str(reflect_pass.pk),
        "pass_id": str(reflect_pass.pk),
        "kind": reflect_pass.kind,
        "status": status_of(reflect_pass),
        "url": address(reflect_pass),
        "dry_run": reflect_pass.dry_run and reflect_pass.status not in report_text.WRITTEN,
        "actions": reflect_pass.actions,
        "filters": reflect_pass.filters,
        "boundary": reflect_pass.boundary,
        "as_of": reflect_pass.as_of,
        "counts": counts_of(reflect_pass),
        **({"reversal_counts": tally_of(reflect_pass)} if reflect_pass.kind == PassKind.REVERT else {}),
        "limit": {
            "requested": reflect_pass.requested.get("limit", reflect_pass.limit),
            "applied": reflect_pass.limit,
            "cut": reflect_pass.cut,
        },
        "notes": reflect_pass.notes,
        "digest": reflect_pass.digest,
        "approved_digest": reflect_pass.approved_digest or None,
        "policy": {"number": reflect_pass.policy.number, "on_drift": reflect_pass.on_drift},
        "planned_by": reflect_pass.planned_by.username,
        "planned_at": reflect_pass.planned_at,
        "expires_at": reflect_pass.expires_at,
        "approved_by": reflect_pass.approved_by.username if reflect_pass.approved_by else None,
        "applied_at": reflect_pass.applied_at,
        "rolled_back_at": reflect_pass.rolled_back_at,
        "comment": reflect_pass.comment,
        "undo_comment": reflect_pass.undo_comment,
        "failure": reflect_pass.failure or None,
        "progress": reflect_pass.progress or None,
    }


def as_text(reflect_pass: ReflectPass) -> str:
    """The text of the report."""
    more = {
        "audit_record_ids": audit_ids(reflect_pass),
        "skipped": reflect_pass.skipped,
        "near_misses": reflect_pass.near_misses,
    }
    return report_text.text_of(summary_json(reflect_pass) | more)
