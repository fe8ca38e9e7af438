"""The command that runs a pass: as a preview, unless it is told to apply."""

from __future__ import annotations

from typing import Any

import click

from console.cli import reports, speech
from console.cli.choices import ACTIONS, Offered, filters
from console.cli.failures import Exit, Failure
from console.cli.main import cli
from console.cli.session import Session, command
from reflection import report_text


@command(cli, "reflect")
@click.option(
    "--actions", "actions_csv", type=Offered(ACTIONS, several=True), help="Some actions, with commas; or all."
)
@click.option("--hours", "time_window_hours", type=float, metavar="N", help="Look back N hours for events; 24 without.")
@click.option("--since", metavar="TIME", help="Look back to this moment instead, like 2026-11-30T10:00:00Z.")
@click.option("--until", metavar="TIME", help="And up to this one; now without it.")
@click.option("--path", "path_filter", metavar="PATTERN", help="Only paths like this; % stands for any text.")
@click.option("--owner", "owner_filter", metavar="NAME", help="In a team, only the records of this person: yourself.")
@filters
@click.option("--limit", type=int, metavar="N", help="At most N candidates, up to 5000; 500 without it.")
@click.option("--on-drift", type=click.Choice(["skip", "refuse"]), help="What happens when records change meanwhile.")
@click.option("--apply", "applies", is_flag=True, help="Write the changes, or propose them where a person approves.")
@click.option("--yes", "-y", is_flag=True, help="With --apply: do not show a preview and ask.")
@click.option("--no-wait", is_flag=True, help="Do not wait for the worker, where it makes the plan.")
def reflect(session: Session, applies: bool, yes: bool, no_wait: bool, **given: Any) -> int:
    """Preview a reflection pass; --apply runs it.

    Prints the report. Without --apply no memory is touched; what is stored is the plan, in the list of passes.

    Where the policy wants a person's approval, --apply stores the plan, says where it is reviewed, and ends with 5.
    """
    if applies and not yes:
        _check_agreed(session, given)
    report = _made(session, given, dry_run=not applies, wait=not no_wait)
    return reports.told(session, report)


def _made(session: Session, given: dict[str, Any], *, dry_run: bool, wait: bool) -> dict[str, Any]:
    report = session.api.post("reflect", {**given, "dry_run": dry_run}).body
    return reports.settled(session, report) if wait else report


def _check_agreed(session: Session, given: dict[str, Any]) -> None:
    """Show a preview and ask. Raises Failure where nobody can be asked or the answer is no."""
    if not speech.at_a_terminal():
        raise Failure("There is nobody to ask. Add --yes to --apply, or leave --apply out for a preview.", Exit.USAGE)
    preview = _made(session, given, dry_run=True, wait=True)
    session.tell(speech.visible(report_text.text_of(preview)))
    count = reports.changes(preview)
    if not count:
        raise Failure("There is nothing to change.", Exit.NOTHING)
    if not speech.agreed(f"Run this pass and write about {count:,} changes?"):
        raise Failure("Nothing was written.")
