"""A pass as its report: waited for while the worker has it, and then told."""

from __future__ import annotations

import time
from typing import Any

from console.cli import progress, speech
from console.cli.failures import Exit
from console.cli.session import Session
from reflection import report_text

MOVING = ("planning", "approved", "applying")  # what the worker takes further by itself
FIRST_PAUSE, LAST_PAUSE, SLOWER = 0.5, 5.0, 1.5  # seconds between two looks, and how they grow


def settled(session: Session, report: dict[str, Any]) -> dict[str, Any]:
    """The report once the worker has done with the pass. Interrupting ends only the waiting."""
    pause = FIRST_PAUSE
    try:
        with progress.bar("waiting", unit="") as shown:
            while report["status"] in MOVING:
                now = report.get("progress") or {}
                progress.move(shown, now.get("phase") or report["status"], now.get("done", 0), now.get("of", 0))
                time.sleep(pause)
                pause = min(pause * SLOWER, LAST_PAUSE)
                report = session.api.get(f"passes/{report['pass_id']}")
    except KeyboardInterrupt:
        session.tell(f"The server goes on: `memory-console passes show {speech.line(report['pass_id'])}` tells how.")
        raise
    return report


def told(session: Session, report: dict[str, Any]) -> int:
    """Answer with the report; the exit code says whether a person has to decide first."""
    session.answer(report, [speech.visible(report_text.text_of(report)).rstrip("\n")])
    for note in report.get("notes") or []:
        session.tell(f"Note: {speech.line(note)}")
    if report["status"] == "awaiting_approval":
        session.tell(f"Nothing is written before a person approves it at {speech.line(report['url'])}")
        return Exit.WAITS
    if report["status"] == "failed":
        session.tell(f"The pass failed: {speech.line(report.get('failure') or 'the server gives no reason')}")
        return Exit.REFUSED
    return Exit.DONE


def changes(report: dict[str, Any]) -> int:
    """How many changes the pass wrote or would write."""
    return sum((report.get("reversal_counts") or report["counts"]).values())
