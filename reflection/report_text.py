"""The text of a report, from its JSON: the same whether the server writes it or a client that was sent the JSON."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

FIRST_AUDIT_IDS = 20
WRITTEN = ("applied", "rolled_back")


def text_of(report: Mapping[str, Any]) -> str:
    """The text. No word of any memory is in it, so none can pose as one of its lines."""
    written, filters = report["audit_record_ids"], report["filters"]
    lines = [
        "### Memory Reflect Report",
        f"- Dry Run: {str(report['dry_run']).lower()}",
        f"- Actions: {', '.join(report['actions'])}",
        *(f"- {name.capitalize()}: {number}" for name, number in _tally(report).items()),
        f"- Audit Records: {len(written)}",
    ]
    if written:
        lines += ["- Audit IDs:", *(f"  - {key}" for key in written[:FIRST_AUDIT_IDS])]
    skipped = sum(one.get("gate") != "drifted" for one in report["skipped"])
    lines += [
        f"- Status: {report['status']}",
        *([] if report["dry_run"] or report["status"] in WRITTEN else ["- Written: nothing"]),
        f"- Pass: {report['pass_id']}",
        f"- Boundary: {'team' if filters['team_id'] else 'private'} {report['boundary']['space_id']}",
        f"- As Of: {datetime.fromisoformat(str(report['as_of'])).isoformat()}",
        f"- Window: {filters['since']} to {filters['until']}",
        f"- Policy: v{report['policy']['number']}",
        f"- Limit: {report['limit']['applied']}, {report['limit']['cut']} cut",
        f"- Skipped: {skipped}, near misses: {len(report['near_misses'])}",
        f"- Review: {report['url']}",
    ]
    return "\n".join(lines) + "\n"


def _tally(report: Mapping[str, Any]) -> dict[str, int]:
    """The counts of the contract; of a revert what it takes back instead, which the contract's five do not name."""
    found: dict[str, int] = report.get("reversal_counts") or report["counts"]
    return found
