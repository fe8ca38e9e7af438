"""Commands that look at passes and decide on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from console.cli import reports, speech
from console.cli.choices import ACTIONS, STATUSES, Offered
from console.cli.failures import Exit, Failure
from console.cli.main import cli
from console.cli.memories import segment
from console.cli.session import Session, command, pages
from reflection import report_text

PAGE = 100


@cli.group("passes")
def passes() -> None:
    """List passes, or show one."""


@command(passes, "list")
@click.option("--status", type=Offered(STATUSES), help="Only passes that stand there.")
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="How many at most.")
def listed(session: Session, status: str | None, limit: int) -> int:
    """List passes, newest first."""

    def read(cursor: Any) -> dict[str, Any]:
        return session.api.get("passes", {"status": status, "cursor": cursor, "limit": min(limit, PAGE)})

    found = list(pages(read, "passes", limit))
    session.answer({"passes": found}, map(_line, found))
    if not found:
        session.tell("There is no such pass.")
    return Exit.DONE if found else Exit.NOTHING


def _line(one: dict[str, Any]) -> str:
    counts = one.get("reversal_counts") or one["counts"]
    some = ", ".join(f"{number} {name}" for name, number in counts.items() if number) or "no changes"
    planned = speech.line(one.get("planned_at") or "–")
    who = speech.line(one.get("planned_by") or "–")
    return "  ".join(
        [f"{speech.line(one['status']):<17}", planned, speech.line(one["pass_id"]), who, speech.line(some)]
    )


@command(passes, "show")
@click.argument("pass_id", metavar="ID")
@click.option("--candidates", "with_candidates", is_flag=True, help="What it changes, one by one, not the report.")
@click.option("--action", type=Offered(ACTIONS), help="With --candidates: only those of this action.")
def show(session: Session, pass_id: str, with_candidates: bool, action: str | None) -> int:
    """Show the report of a pass.

    Beside it stands the digest, to which an approval is bound.
    """
    key = segment(pass_id)
    if with_candidates:
        found = list(_candidates(session, key, action))
        session.answer({"pass_id": key, "candidates": found}, (one for each in found for one in _candidate(each)))
        return Exit.DONE if found else Exit.NOTHING
    report = session.api.get(f"passes/{key}")
    session.tell(_digest(report))
    return reports.told(session, report)


def _candidates(session: Session, key: str, action: str | None) -> Iterator[dict[str, Any]]:
    def read(cursor: Any) -> dict[str, Any]:
        return session.api.get(f"passes/{key}/candidates", {"action": action, "cursor": cursor, "limit": PAGE})

    return pages(read, "candidates", None)


def _candidate(one: dict[str, Any]) -> Iterator[str]:
    ends = [speech.line(one[name]) for name in ("outcome", "outcome_text") if one.get(name)]
    memory = speech.line(one.get("memory_id") or "a new memory")
    yield "  ".join([speech.strong(f"{speech.line(one['action']):<9}"), memory, speech.line(one["id"]), *ends])
    before, after = one.get("before") or {}, one.get("after") or {}
    for name, value in after.items():
        yield speech.block(f"{name}: {speech.line(before.get(name, '–'))} → {speech.line(value)}")


def _digest(report: dict[str, Any]) -> str:
    return f"Digest: {speech.line(report['digest'] or '–')}"


@command(cli, "approve")
@click.argument("pass_id", metavar="ID")
@click.option("--digest", metavar="DIGEST", help="The plan that you reviewed; another one is refused.")
@click.option("--exclude", multiple=True, metavar="ID", help="Leave this candidate out; may be repeated.")
@click.option("--comment", metavar="TEXT", help="It stays in the audit.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask. Needs --digest.")
@click.option("--no-wait", is_flag=True, help="Do not wait until the worker has applied it.")
def approve(
    session: Session, pass_id: str, digest: str | None, yes: bool, no_wait: bool, comment: str | None, **more: Any
) -> int:
    """Approve a pass exactly as it is shown.

    The worker then applies it. The server may want a person in the console for this; the command then says where,
    and ends with 5.
    """
    key = segment(pass_id)
    report = session.api.get(f"passes/{key}")
    _check_reviewed(session, report, digest, yes)
    sent = {"digest": report["digest"], "exclude": [segment(one) for one in more["exclude"]], "comment": comment}
    try:
        session.api.post(f"passes/{key}/approve", sent)
    except Failure as why:
        raise _for_a_person(why, report) from None
    report = session.api.get(f"passes/{key}")
    return reports.told(session, report if no_wait else reports.settled(session, report))


def _check_reviewed(session: Session, report: dict[str, Any], digest: str | None, yes: bool) -> None:
    """Whether the plan is the one that was reviewed, or is reviewed now. Raises Failure."""
    if digest is not None and digest.strip() != report["digest"]:
        text = "This is not the plan that you reviewed: its digest differs. Look at it again with `passes show`."
        raise Failure(text, digest=report["digest"])
    if yes:
        if digest is None:
            raise Failure(
                "--yes needs --digest, so that nothing is approved unseen. `passes show` tells it.", Exit.USAGE
            )
        return
    if not speech.at_a_terminal():
        raise Failure("There is nobody to ask. Add --digest, as `passes show` tells it, and --yes.", Exit.USAGE)
    session.tell(speech.visible(report_text.text_of(report)) + _digest(report))
    if not speech.agreed(f"Approve this plan of {reports.changes(report):,} changes?"):
        raise Failure("Nothing was approved.")


def _for_a_person(why: Failure, report: dict[str, Any]) -> Failure:
    """What a refusal means where only a person, or another one, may decide."""
    if why.detail.get("status") != 403 or why.detail.get("scope"):
        return why
    url = speech.line(report["url"])
    return Failure(f"{why.message} The plan waits at {url}", Exit.WAITS, **{**why.detail, "url": url})
